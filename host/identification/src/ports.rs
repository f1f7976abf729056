//! What orders need of others.

use async_trait::async_trait;
use parafa_platform::accounts::KeyMode;
use parafa_register_data::Query;
use parafa_registers::RegisterAnswer;

/// Answers of registers: synthetic ones for the sandbox.
#[async_trait]
pub trait Registers: Send + Sync {
    /// What a register holds; none where it holds nothing.
    ///
    /// # Errors
    /// When it does not answer, or nothing that can be read.
    async fn ask(
        &self,
        mode: KeyMode,
        query: &Query,
    ) -> Result<Option<RegisterAnswer>, RegisterUnavailable>;
}

/// A register does not answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the register does not answer")]
pub struct RegisterUnavailable;
