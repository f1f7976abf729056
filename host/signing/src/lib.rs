//! The signing product: a document, the people who should sign it, and a ceremony for each of
//! them. Each operation reads, decides with `parafa-domain`, and stores the outcome with its jobs
//! and audit event in one transaction.

pub mod api;
pub mod archive;
pub mod attempt;
pub mod batches;
mod cancel;
pub mod ceremony;
mod change;
pub mod changes;
pub mod comments;
pub mod create_signing;
pub mod deadline;
pub mod downloads;
pub mod erase;
mod error;
pub mod files;
pub mod forms;
mod funding;
mod history;
pub mod intake;
pub mod letters;
pub mod links;
pub mod metrics;
pub mod notices;
pub mod plugin_failure;
pub mod prompts;
pub mod quota;

pub mod read_signing;
pub mod records;
pub mod remind;
pub mod sealing;
mod signers;
pub mod signings;
pub mod simulate;
mod unnamed;
pub mod waiting;

use parafa_platform::Records;
use parafa_platform::idempotency::{Answer, Claim, Idempotency};
use parafa_plugin_host::{Document, KnownDocuments};
use parafa_store::StoreError;
use parafa_store::keys::DataKey;
use uuid::Uuid;

pub use crate::error::{BUSY_RETRY_SECONDS, IntakeFault, RefusedDocument, WorkflowError};

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[
    attempt::DRIVE,
    deadline::EXPIRE,
    erase::FINISH_ERASURE,
    files::DROP_FILE,
    remind::REMIND,
];

/// An answer that is to be kept with what it tells of: the same request gets
/// it again.
pub struct Keep<'k, T> {
    /// The right to answer.
    pub claim: &'k Claim,
    /// Writes the answer.
    pub render: &'k (dyn Fn(&T) -> Result<String, WorkflowError> + Send + Sync),
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
