//! The signing API's product: documents that callers post, who pays for them,
//! batches, comments and the sandbox. What signers do is the ceremonies' matter.

pub mod api;
pub mod archive;
pub mod batches;
pub mod comments;
pub mod create_signing;
mod error;
mod events;
pub mod files;
pub mod forms;
mod funding;
pub mod intake;
pub mod listing;
pub mod metrics;
pub mod quota;
pub mod records;
pub mod sealing;
mod signers;
pub mod signings;
pub mod simulate;

use parafa_platform::idempotency::{Answer, Claim, Idempotency};

pub use crate::error::{IntakeFault, RefusedDocument, SigningError};
pub use crate::events::SigningOwner;

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[batches::INVITE, files::DROP_FILE];

/// An answer that is to be kept with what it tells of: the same request gets
/// it again.
pub struct AnswerToKeep<'k, T> {
    /// The right to answer.
    pub claim: &'k Claim,
    /// Writes the answer.
    pub render: &'k (dyn Fn(&T) -> Result<String, SigningError> + Send + Sync),
}

/// Makes the answer ready that is kept with what it tells of.
async fn kept_answer<T>(
    idempotency: &Idempotency,
    keep: Option<AnswerToKeep<'_, T>>,
    about: &T,
) -> Result<Option<Answer>, SigningError> {
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
    stored: Result<T, SigningError>,
) -> Result<T, SigningError> {
    if let (Err(error), Some(answer)) = (&stored, answer)
        && error.proves_nothing_stored()
    {
        idempotency.discard_answer(answer).await;
    }
    stored
}
