//! What the server does: each operation reads, decides with `parafa-domain`,
//! and stores the outcome with its jobs and audit event in one transaction.

pub(crate) mod archive;
pub(crate) mod attempt;
pub(crate) mod batches;
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
mod funding;
mod history;
pub(crate) mod intake;
pub(crate) mod notices;
pub(crate) mod plugin_failure;
pub(crate) mod prompts;
pub(crate) mod quota;
pub(crate) mod read_signing;
pub(crate) mod remind;
pub(crate) mod sealing;
mod signers;
pub(crate) mod signings;
pub(crate) mod simulate;
mod unnamed;

use parafa_platform::Records;
use parafa_platform::idempotency::{Answer, Claim, Idempotency};
use parafa_plugin_host::{Document, KnownDocuments};
use parafa_store::StoreError;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use crate::error::WorkflowError;

/// An answer that is to be kept with what it tells of: the same request gets
/// it again.
pub(crate) struct Keep<'k, T> {
    /// The right to answer.
    pub(crate) claim: &'k Claim,
    /// Writes the answer.
    pub(crate) render: &'k (dyn Fn(&T) -> Result<String, WorkflowError> + Send + Sync),
}

/// Makes the answer ready that is kept with what it tells of.
async fn kept_answer<T>(
    idempotency: &Idempotency,
    keep: Option<Keep<'_, T>>,
    about: &T,
) -> Result<Option<Answer>, WorkflowError> {
    let Some(keep) = keep else {
        return Ok(None);
    };
    let body = (keep.render)(about)?;
    let answer = idempotency.prepare_answer(keep.claim, Some(&body)).await?;
    Ok(Some(answer))
}

/// Leaves nothing of an answer that is known not to have been stored.
async fn settle_answer<T>(
    idempotency: &Idempotency,
    answer: Option<&Answer>,
    stored: Result<T, WorkflowError>,
) -> Result<T, WorkflowError> {
    if let (Err(error), Some(answer)) = (&stored, answer)
        && error.proves_nothing_stored()
    {
        idempotency.discard_answer(answer).await;
    }
    stored
}

/// A document for plugins. Its bytes are written once, under an id of their
/// own that they are sealed with.
async fn document(
    records: &Records,
    known: &KnownDocuments,
    key: &DataKey,
    bytes: Uuid,
) -> Result<Document, WorkflowError> {
    let read = records.files.read(key, bytes).await?;
    Ok(known.document(bytes.as_u128(), read))
}

/// Random bytes from which a plugin derives the identifiers of one document.
fn seed() -> Result<[u8; 32], WorkflowError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| StoreError::Random)?;
    Ok(seed)
}
