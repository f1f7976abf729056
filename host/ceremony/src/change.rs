//! Stores the changes of a ceremony by a call: its row, attempts that lost their
//! turn, and the notices.

use parafa_domain::{
    AttemptFailure, AttemptId, Ceremony, CeremonyEvent, CeremonyStatus, SignerId, SignerStatus,
};
use parafa_platform::accounts::Caller;
use parafa_store::keys::DataKey;
use parafa_store::{Guard, MAX_PAGE_ROWS, Page, Transaction, jobs};
use uuid::Uuid;

use super::history::record_events;
use super::{attempt, notices, sealing};
use crate::attempt::ATTEMPTS;
use crate::error::CeremonyError;
use crate::owner::Owners;
use crate::records::{CeremonyRow, MailKind, RUNNING_ATTEMPTS, SignerPrivate, SignerPrivateRow};

/// Returns the ceremony, if this caller may change it: not an erased one.
pub async fn changeable(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<CeremonyRow, CeremonyError> {
    let row = tx.get::<CeremonyRow>(&id).await?;
    row.filter(|row| row.is_of(caller) && row.erased_at.is_none())
        .ok_or(CeremonyError::NotFound)
}

/// Stores the ceremony after a transition from `before`.
pub async fn store(
    tx: &mut Transaction<'_>,
    owners: &Owners,
    key: &DataKey,
    before: &Ceremony,
    row: &CeremonyRow,
    events: &[CeremonyEvent],
) -> Result<(), CeremonyError> {
    tx.put(row).await?;
    settle_attempts(tx, row).await?;
    if row.ceremony.status == CeremonyStatus::Cancelled && before.status == CeremonyStatus::Pending
    {
        forget_locks(tx, key, before).await?;
        retract(tx, key, before, row).await?;
    }
    notices::record(tx, owners, key, row, events).await
}

/// Like [`store`], where the sealed content is no longer readable: personal data
/// stay as they are, and there are no notices.
pub(super) async fn store_untold(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    events: &[CeremonyEvent],
) -> Result<(), CeremonyError> {
    tx.put(row).await?;
    settle_attempts(tx, row).await?;
    record_events(tx, row.ceremony.id.uuid(), events).await?;
    Ok(())
}

/// Ends the attempts of parties who can no longer sign, and deletes what they
/// captured; a step in progress finds its job gone. Those who wait for the turn
/// check it at once, if it is free.
pub(super) async fn settle_attempts(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let (id, now) = (row.ceremony.id.uuid(), tx.now());
    let running = Page::oldest(MAX_PAGE_ROWS);
    let running = tx
        .page_by(&RUNNING_ATTEMPTS, &id, &running, Guard::none())
        .await?;
    for attempt in running.rows {
        let party = row.ceremony.signer(SignerId::new(attempt.signer));
        let may_sign = party.is_some_and(|party| party.status.is_open());
        let job = attempt::unique_key(attempt.id);
        if !may_sign && !row.ceremony.has_turn(AttemptId::new(attempt.id)) {
            attempt::end(tx, attempt, AttemptFailure::Cancelled).await?;
            jobs::cancel(tx, ATTEMPTS, &job).await?;
        } else if attempt.waits_for_turn() && row.ceremony.turn.is_none() {
            jobs::hasten(tx, ATTEMPTS, &job, now).await?;
        }
    }
    Ok(())
}

/// Changes the private data of a party.
pub async fn change_private(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    signer: SignerId,
    change: impl FnOnce(&mut SignerPrivate),
) -> Result<(), CeremonyError> {
    let signer = signer.uuid();
    let row = tx.get::<SignerPrivateRow>(&signer).await?;
    let row = row.ok_or(CeremonyError::Inconsistent("a signer has no row"))?;
    let mut private: SignerPrivate = sealing::open(key, signer, &row.private)?;
    change(&mut private);
    let is_locked = private.personal_code.is_some();
    tx.put(&SignerPrivateRow {
        signer,
        private: sealing::seal(key, signer, &private)?,
        identity_lock: row.identity_lock.filter(|_| is_locked),
    })
    .await?;
    Ok(())
}

/// Deletes the expected identities of signers who have not signed.
async fn forget_locks(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    before: &Ceremony,
) -> Result<(), CeremonyError> {
    let locked = before
        .signers
        .iter()
        .filter(|party| party.status.is_open() && party.identity_locked);
    for party in locked {
        change_private(tx, key, party.id, |private| private.personal_code = None).await?;
    }
    Ok(())
}

/// Notes retractions to those whose link was live.
async fn retract(
    tx: &mut Transaction<'_>,
    key: &DataKey,
    before: &Ceremony,
    row: &CeremonyRow,
) -> Result<(), CeremonyError> {
    let invited = before
        .signers
        .iter()
        .filter(|party| party.status == SignerStatus::Pending);
    for party in invited {
        notices::mail(tx, key, row, party.id, MailKind::Retraction).await?;
    }
    Ok(())
}
