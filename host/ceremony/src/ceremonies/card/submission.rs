//! Storing of what the app with the card submits. The commit makes the attempt's job due, and claims
//! it if it may.

use parafa_domain::{AttemptFailure, AttemptId, SignerId};
use parafa_platform::Records;
use parafa_platform::jobs::LEASE;
use parafa_store::jobs::{self, ClaimedJob, HastenOutcome};
use parafa_store::{Sealed, StoreError, Transaction};
use uuid::Uuid;

use super::{end, running};
use crate::attempt::{self, ATTEMPTS};
use crate::error::CeremonyError;

/// A card's signature with the step that finishes it.
pub(super) struct SubmittedStep {
    pub(super) attempt: Uuid,
    /// The step that waits for it.
    pub(super) step_number: u32,
    /// The signature, for a host that is working on the attempt.
    pub(super) submission: Sealed,
    /// The step that finishes it.
    pub(super) finish: Sealed,
    /// The digest of the completion.
    pub(super) digest: String,
}

/// Stores the first certificate, and takes the turn. `known_by` has the digests of the certificate,
/// the first one to be kept. Returns whether it is the first or the same again; any other ends the
/// attempt.
pub(super) async fn store_certificate(
    records: &Records,
    id: Uuid,
    known_by: &[String; 2],
    submission: &Sealed,
    claims: bool,
) -> Result<(bool, Option<ClaimedJob>), CeremonyError> {
    records
        .transact(|tx| {
            Box::pin(async move {
                let (mut attempt, mut row) = running(tx, id).await?;
                let now = tx.now();
                let card = attempt.card.as_mut().ok_or(CeremonyError::NotFound)?;
                match &card.certificate {
                    Some(first) if known_by.contains(first) => {
                        let signer = SignerId::new(attempt.signer);
                        row.ceremony.note_presence(signer, now);
                        tx.put(&row).await?;
                        return Ok((true, None));
                    }
                    Some(_) => {
                        let failure = AttemptFailure::IdentityMismatch;
                        end(tx, attempt, row, failure).await?;
                        return Ok((false, None));
                    }
                    None => {}
                }
                card.certificate = Some(known_by[0].clone());
                attempt.card_submission = Some(submission.clone());
                if attempt.awaits_turn {
                    let signer = SignerId::new(attempt.signer);
                    attempt::take_turn(&mut attempt, &mut row, now).map_err(|error| {
                        CeremonyError::of_begin(error, &row.ceremony, signer, now)
                    })?;
                    tx.put(&row).await?;
                }
                tx.put(&attempt).await?;
                let (_, claimed) = make_due(tx, id, claims).await?;
                Ok::<_, CeremonyError>((true, claimed))
            })
        })
        .await
}

/// Makes the card's signature the next to be finished. A host that is working on the attempt takes
/// it up itself. Returns whether the attempt has ended because the document has changed.
pub(super) async fn store_signature(
    records: &Records,
    signature: &SubmittedStep,
    claims: bool,
) -> Result<(bool, Option<ClaimedJob>), CeremonyError> {
    let id = signature.attempt;
    records
        .transact(|tx| {
            Box::pin(async move {
                let (mut attempt, mut row) = running(tx, id).await?;
                let is_awaited = attempt.step_number == signature.step_number;
                // The first submission counts.
                if !is_awaited || attempt.card_submission.is_some() {
                    return Ok((false, None));
                }
                attempt.completed_with = Some(signature.digest.clone());
                // A lapsed turn does not prevent an archive from becoming the newest version.
                if !row.is_newest(attempt.base_version) {
                    let failure = AttemptFailure::DocumentChanged;
                    end(tx, attempt, row, failure).await?;
                    return Ok((true, None));
                }
                row.ceremony.device_signed(AttemptId::new(id), tx.now())?;
                let (is_free, claimed) = make_due(tx, id, claims).await?;
                if is_free {
                    let finish = signature.finish.clone();
                    attempt::finish_next(tx, &mut attempt, &mut row, finish).await?;
                } else {
                    attempt.card_submission = Some(signature.submission.clone());
                }
                tx.put(&row).await?;
                tx.put(&attempt).await?;
                Ok::<_, CeremonyError>((false, claimed))
            })
        })
        .await
}

/// Makes the attempt's job due, and claims it if it may. Returns whether no host is working on the
/// attempt, and the claim.
async fn make_due(
    tx: &mut Transaction<'_>,
    id: Uuid,
    claims: bool,
) -> Result<(bool, Option<ClaimedJob>), StoreError> {
    let job = attempt::unique_key(id);
    if claims {
        let taken = jobs::take(tx, ATTEMPTS, &job, LEASE).await?;
        return Ok((taken.is_some(), taken));
    }
    let now = tx.now();
    let hastened = jobs::hasten(tx, ATTEMPTS, &job, now).await?;
    Ok((hastened == HastenOutcome::Due, None))
}
