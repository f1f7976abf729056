//! Answers that are kept, so that the same request gets them again.

use parafa_api_signing::{Created, KeptAnswer};
use parafa_ceremony::CeremonyError;
use parafa_platform::idempotency::{Answer, Claim, Idempotency};

use crate::SigningError;

/// Makes the answer to a request that can be repeated ready: it is kept with
/// what it tells of, so that the same request gets it again.
pub(crate) async fn kept_answer<V: Created>(
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
pub(crate) fn kept_body(created: &impl Created) -> Result<String, SigningError> {
    serde_json::to_string(&KeptAnswer::of(created))
        .map_err(|_| CeremonyError::Inconsistent("an answer cannot be written as JSON").into())
}

/// Leaves nothing of an answer that is known not to have been stored.
pub(crate) async fn settle_answer<T>(
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
