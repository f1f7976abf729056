//! Stores what a call has made of a signing: its row, the attempt that lost
//! its turn by it, and what is told of it.

use parafa_domain::{AttemptFailure, SignerStatus, Signing, SigningEvent, SigningStatus};
use parafa_store::Transaction;
use parafa_store::jobs;
use parafa_store::keys::DataKey;
use uuid::Uuid;

use super::accounts::Caller;
use super::lanes::ATTEMPTS;
use super::{attempt, notices, sealing};
use crate::error::WorkflowError;
use crate::records::{AttemptRow, MailKind, SignerPrivateRow, SigningRow};

/// The signing, if this caller may change it: not an erased one.
pub(super) async fn changeable(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<SigningRow, WorkflowError> {
    let row = tx.get::<SigningRow>(&id).await?;
    row.filter(|row| {
        row.tenant == caller.tenant && row.mode == caller.mode && row.erased_at.is_none()
    })
    .ok_or(WorkflowError::NotFound)
}

/// Stores the signing after a transition from `before`.
pub(super) async fn store(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    before: &Signing,
    row: &SigningRow,
    events: &[SigningEvent],
) -> Result<(), WorkflowError> {
    tx.put(row).await?;
    end_lost_attempt(tx, before, row).await?;
    if row.signing.status == SigningStatus::Cancelled && before.status == SigningStatus::Pending {
        forget_locks(tx, key, before).await?;
        retract(tx, key, before, row).await?;
    }
    notices::record(tx, key, row, events).await
}

/// Ends the attempt that had the turn before, if the signing has taken it, and
/// forgets what it captured. A step that is under way finds its job gone.
pub(super) async fn end_lost_attempt(
    tx: &mut Transaction<'_>,
    before: &Signing,
    row: &SigningRow,
) -> Result<(), WorkflowError> {
    let Some(turn) = before
        .turn
        .filter(|turn| !row.signing.has_turn(turn.attempt))
    else {
        return Ok(());
    };
    let id = turn.attempt.uuid();
    let running = tx.get::<AttemptRow>(&id).await?;
    if let Some(running) = running.filter(|attempt| !attempt.phase.is_terminal()) {
        attempt::end(tx, running, AttemptFailure::Cancelled).await?;
        jobs::cancel(tx, ATTEMPTS, &attempt::unique_key(id)).await?;
    }
    Ok(())
}

/// Forgets who the signers who have not signed were to be.
async fn forget_locks(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    before: &Signing,
) -> Result<(), WorkflowError> {
    let locked = before
        .signers
        .iter()
        .filter(|party| party.status.is_open() && party.identity_locked);
    for party in locked {
        let signer = party.id.uuid();
        let mut private = notices::signer_private(tx, key, signer).await?;
        private.personal_code = None;
        let private = sealing::seal_signer(key, signer, &private)?;
        tx.put(&SignerPrivateRow { signer, private }).await?;
    }
    Ok(())
}

/// Tells those whose link was live that it leads nowhere any more.
async fn retract(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    before: &Signing,
    row: &SigningRow,
) -> Result<(), WorkflowError> {
    let invited = before
        .signers
        .iter()
        .filter(|party| party.status == SignerStatus::Pending);
    for party in invited {
        notices::mail(tx, key, row, party.id, MailKind::Retraction).await?;
    }
    Ok(())
}
