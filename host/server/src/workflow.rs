//! What the server does: each operation reads, decides with `parafa-domain`,
//! and stores the outcome with its jobs and audit event in one transaction.

pub(crate) mod accounts;
pub(crate) mod archive;
pub(crate) mod attempt;
pub(crate) mod batches;
pub(crate) mod billing;
mod cancel;
pub(crate) mod ceremony;
mod change;
pub(crate) mod comments;
pub(crate) mod create_signing;
pub(crate) mod deadline;
pub(crate) mod downloads;
pub(crate) mod erase;
pub(crate) mod files;
pub(crate) mod forms;
mod history;
pub(crate) mod idempotency;
pub(crate) mod intake;
pub(crate) mod lanes;
pub(crate) mod lease;
pub(crate) mod notices;
pub(crate) mod plugin_failure;
mod prompts;
pub(crate) mod quota;
pub(crate) mod read_signing;
pub(crate) mod remind;
mod renewal;
pub(crate) mod sealing;
pub(crate) mod set_back;
mod signers;
pub(crate) mod simulate;
pub(crate) mod sweep;
mod unnamed;

use crate::app::App;
use crate::error::WorkflowError;

/// An answer that is to be kept with what it tells of: the same request gets
/// it again.
pub(crate) struct Keep<'k, T> {
    /// The right to answer.
    pub(crate) claim: &'k idempotency::Claim,
    /// Writes the answer.
    pub(crate) render: &'k (dyn Fn(&App, &T) -> Result<String, WorkflowError> + Send + Sync),
}
