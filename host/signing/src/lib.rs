//! The signing API's product: documents that callers post, who pays for them,
//! batches, comments and the sandbox. What signers do is the ceremonies' matter.

pub mod api;
pub mod archive;
pub mod batches;
pub mod comments;
mod compose;
pub mod create_signing;
mod done;
mod error;
mod events;
pub mod files;
mod funding;
pub mod intake;
pub mod listing;
mod product;
pub mod quota;
pub mod records;
pub mod sealing;
mod signers;
pub mod signings;
pub mod simulate;

use parafa_api_signing::{Created, KeptAnswer};
use parafa_ceremony::CeremonyError;
use parafa_platform::idempotency::{Answer, Claim, Idempotency};

pub use crate::error::{IntakeFault, RefusedDocument, SigningError};
pub use crate::events::SigningOwner;
pub use crate::product::{SigningParts, SigningProduct};

/// The kinds of all jobs that this crate enqueues.
pub const JOB_KINDS: &[&str] = &[batches::INVITE, files::DROP_FILE];

/// Makes the answer to a request that can be repeated ready: it is kept with
/// what it tells of, so that the same request gets it again.
async fn kept_answer<V: Created>(
    idempotency: &Idempotency,
    claim: Option<&Claim>,
    view: impl FnOnce() -> Result<V, SigningError>,
) -> Result<Option<Answer>, SigningError> {
    let Some(claim) = claim else {
        return Ok(None);
    };
    let body = kept_body(&view()?)?;
    Ok(Some(idempotency.prepare_answer(claim, Some(&body)).await?))
}

/// The text of an answer as it is kept.
fn kept_body(created: &impl Created) -> Result<String, SigningError> {
    serde_json::to_string(&KeptAnswer::of(created))
        .map_err(|_| CeremonyError::Inconsistent("an answer cannot be written as JSON").into())
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
