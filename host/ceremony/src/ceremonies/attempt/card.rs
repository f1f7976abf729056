//! Steps that need the app with the signer's card. Its submissions are stored in the attempt's
//! row, and taken from there.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, Phase};
use parafa_eid::SignerCertificate;
use parafa_store::clock::shifted;
use parafa_store::keys::DataKey;
use parafa_store::{Sealed, Transaction};
use uuid::Uuid;

use super::outcome::{Next, Running, StepOutcome};
use crate::error::CeremonyError;
use crate::records::{
    AttemptRow, AttemptStep, CardAccess, CardLinkRow, CardSubmission, CeremonyRow,
    ChosenCertificate, PreparedSignature,
};
use crate::{prompts, sealing};

/// Time limit for the app's next call.
pub(crate) const CARD_WITHIN: SignedDuration = SignedDuration::from_mins(5);

impl Running {
    /// Returns the card's certificate, once the app has sent it.
    pub(super) fn card_certificate(
        &self,
        key: &DataKey,
    ) -> Result<Option<ChosenCertificate>, CeremonyError> {
        Ok(match self.card_submission(key)? {
            Some(CardSubmission::Certificate(der)) => Some(ChosenCertificate {
                certificate: SignerCertificate::bare(der),
                choice: None,
            }),
            _ => None,
        })
    }

    /// Waits for the app to send the card's signature. The call that accepted it has verified it.
    pub(super) fn await_card_signature(
        &self,
        key: &DataKey,
        prepared: PreparedSignature,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<StepOutcome, CeremonyError> {
        let Some(CardSubmission::Signature(value)) = self.card_submission(key)? else {
            return Ok(wait(until, now));
        };
        let step = AttemptStep::Finish { prepared, value };
        Ok(Next::step(Phase::Completing, step))
    }

    /// Returns the app's submission for this step.
    fn card_submission(&self, key: &DataKey) -> Result<Option<CardSubmission>, CeremonyError> {
        let sealed = self.attempt.card_submission.as_ref();
        sealed
            .map(|sealed| sealing::open(key, self.attempt.id, sealed))
            .transpose()
    }
}

/// Returns the step that requests the card's signature of what the plugin has prepared.
pub(super) fn ask(
    chosen: ChosenCertificate,
    prepared: PreparedSignature,
    verification_code: String,
    now: Timestamp,
) -> Next {
    let step = AttemptStep::AwaitCardSignature {
        chosen,
        prepared,
        until: shifted(now, CARD_WITHIN),
    };
    Next {
        verification_code: Some(verification_code),
        ..Next::new(Phase::WaitingForUser, step)
    }
}

/// Waits for the app's submission.
pub(super) fn wait(until: Timestamp, now: Timestamp) -> StepOutcome {
    if now >= until {
        return StepOutcome::Failed(AttemptFailure::Timeout);
    }
    StepOutcome::WaitingForCard(until)
}

/// Makes the finish of the card's signature the next step, without a step that only detects the
/// submission. The caller stores the rows.
pub(crate) async fn finish_next(
    tx: &mut Transaction<'_>,
    attempt: &mut AttemptRow,
    row: &mut CeremonyRow,
    finish: Sealed,
) -> Result<(), CeremonyError> {
    // Earlier failures did not concern this signature.
    row.plugin_faults = None;
    prompts::end(tx, attempt, true).await?;
    attempt.phase = Phase::Completing;
    attempt.step = Some(finish);
    attempt.step_number += 1;
    attempt.tries = 0;
    Ok(())
}

/// Removes the links to an ended attempt, except that of the app whose completion ended it, which
/// may not have got the answer.
pub(super) async fn unlink(
    tx: &mut Transaction<'_>,
    attempt: &mut AttemptRow,
) -> Result<(), CeremonyError> {
    attempt.card_submission = None;
    let Some(mut card) = attempt.card.take() else {
        return Ok(());
    };
    let is_completed = attempt.completed_with.is_some();
    let answered = card.token_hash.take_if(|_| is_completed);
    for hash in card.hashes() {
        tx.delete::<CardLinkRow>(&hash.to_owned()).await?;
    }
    attempt.card = answered.map(|token| CardAccess {
        code_hash: None,
        code_until: card.code_until,
        token_hash: Some(token),
        certificate: None,
    });
    Ok(())
}

/// Removes that app's link.
pub(crate) async fn forget_answered(
    tx: &mut Transaction<'_>,
    attempt: Uuid,
) -> Result<(), CeremonyError> {
    let attempt = tx.get::<AttemptRow>(&attempt).await?;
    let token = attempt.and_then(|attempt| attempt.card?.token_hash);
    if let Some(token) = token {
        tx.delete::<CardLinkRow>(&token).await?;
    }
    Ok(())
}

/// Adds a link to an attempt for the holder of the secret with this hash.
pub(crate) async fn link(
    tx: &mut Transaction<'_>,
    attempt: Uuid,
    hash: &str,
) -> Result<(), CeremonyError> {
    let row = CardLinkRow {
        hash: hash.to_owned(),
        attempt,
    };
    Ok(tx.put(&row).await?)
}
