//! Ports: services that orders need from others.

use async_trait::async_trait;
use parafa_platform::accounts::KeyMode;
use parafa_register_data::Query;
use parafa_registers::{RegisterAnswer, SourceError};

/// Answers of registers: synthetic ones for the sandbox.
#[async_trait]
pub trait Registers: Send + Sync {
    /// Queries a register.
    ///
    /// # Errors
    /// No data, no answer, or an unreadable one.
    async fn ask(&self, mode: KeyMode, query: &Query) -> Result<RegisterAnswer, SourceError>;
}
