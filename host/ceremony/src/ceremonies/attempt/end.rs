//! The end of an attempt.

use parafa_domain::{AttemptFailure, Phase};
use parafa_store::{Transaction, audit};

use super::card;
use crate::error::CeremonyError;
use crate::prompts;
use crate::records::AttemptRow;

/// Ends an attempt without a signature and deletes what it captured.
pub(crate) async fn end(
    tx: &mut Transaction<'_>,
    mut attempt: AttemptRow,
    failure: AttemptFailure,
) -> Result<(), CeremonyError> {
    attempt.phase = Phase::Failed;
    attempt.failure = Some(failure);
    attempt.ended_at = Some(tx.now());
    prompts::end(tx, &mut attempt, false).await?;
    card::unlink(tx, &mut attempt).await?;
    forget(&mut attempt);
    tx.put(&attempt).await?;
    let fields = audit::Fields::new()
        .reference("attempt", attempt.id)
        .reference("failure", failure.code());
    audit::append(tx, attempt.ceremony, "attempt.failed", fields).await?;
    Ok(())
}

/// Deletes the data that an attempt needed to progress.
pub(super) fn forget(attempt: &mut AttemptRow) {
    attempt.step = None;
    attempt.device_link = None;
    attempt.verification_code = None;
    attempt.step_number += 1;
}
