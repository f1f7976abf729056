use std::sync::Arc;

use async_trait::async_trait;
use parafa_platform::accounts::KeyMode;
use parafa_register_data::Query;
use parafa_registers::{RegisterAnswer, RegisterSource, SourceError};

use crate::ports::Registers;

/// What an operator can do where no source of a register is set up.
pub const NO_SOURCE: &str = "set diligence.gateway_url to a gateway that has this register";

/// The ways to the registers, by whom they are for.
#[derive(Clone)]
pub struct RegisterSources {
    /// Of production.
    pub live: Arc<dyn RegisterSource>,
    /// Of the sandbox, which never reaches a register.
    pub sandbox: Arc<dyn RegisterSource>,
}

impl RegisterSources {
    /// Where keys of a mode have registers asked.
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
