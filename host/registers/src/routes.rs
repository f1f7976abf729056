use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parafa_register_data::{Query, Register};

use crate::answer::not_offered;
use crate::{RegisterAnswer, RegisterSource, SourceError};

/// Source of each register.
#[derive(Clone, Default)]
pub struct Routes(BTreeMap<Register, Arc<dyn RegisterSource>>);

impl Routes {
    /// The same source for every register.
    #[must_use]
    pub fn all(source: &Arc<dyn RegisterSource>) -> Self {
        let registers = Register::ALL.into_iter();
        Self(
            registers
                .map(|register| (register, Arc::clone(source)))
                .collect(),
        )
    }

    /// Sets the source of a register.
    #[must_use]
    pub fn with(mut self, register: Register, source: Arc<dyn RegisterSource>) -> Self {
        self.0.insert(register, source);
        self
    }
}

#[async_trait]
impl RegisterSource for Routes {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        match self.0.get(&query.register()) {
            Some(source) => source.answer(query).await,
            None => Err(not_offered(query)),
        }
    }
}
