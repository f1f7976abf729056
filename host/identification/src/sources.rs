use std::sync::Arc;

use async_trait::async_trait;
use parafa_platform::accounts::KeyMode;
use parafa_register_data::Query;
use parafa_registers::{RegisterAnswer, RegisterSource, SourceError};

use crate::ports::Registers;

/// Remedy for an operator where no source of a register is configured.
pub const NO_SOURCE: &str = "set diligence.gateway_url to a gateway that has this register";

/// Sources of the registers, by mode.
#[derive(Clone)]
pub struct RegisterSources {
    /// Source for production.
    pub live: Arc<dyn RegisterSource>,
    /// Source for the sandbox, which never queries a real register.
    pub sandbox: Arc<dyn RegisterSource>,
}

impl RegisterSources {
    /// Returns the source for keys of a mode.
    #[must_use]
    pub fn of(&self, mode: KeyMode) -> &dyn RegisterSource {
        match mode {
            KeyMode::Live => &*self.live,
            KeyMode::Test => &*self.sandbox,
        }
    }
}

#[async_trait]
impl Registers for RegisterSources {
    async fn ask(&self, mode: KeyMode, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let asked = self.of(mode).answer(query).await;
        if let Err(error @ SourceError::NotOffered { .. }) = &asked {
            let error: &dyn std::error::Error = error;
            tracing::warn!(
                provider = query.register().code(),
                remedy = NO_SOURCE,
                error,
                "a register cannot be asked here"
            );
        }
        asked
    }
}
