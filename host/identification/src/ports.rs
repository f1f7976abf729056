//! What orders need of others.

use async_trait::async_trait;
use parafa_platform::accounts::KeyMode;
use parafa_register_data::Query;
use parafa_registers::{RegisterAnswer, SourceError};

/// Answers of registers: synthetic ones for the sandbox.
#[async_trait]
pub trait Registers: Send + Sync {
    /// What a register holds.
    ///
    /// # Errors
    /// When it holds nothing, does not answer, or nothing that can be read.
    async fn ask(&self, mode: KeyMode, query: &Query) -> Result<RegisterAnswer, SourceError>;
}
