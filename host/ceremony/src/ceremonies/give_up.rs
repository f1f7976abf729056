//! Giving up an attempt by the signer.

use parafa_domain::{AttemptFailure, AttemptId, SignerId};
use parafa_store::Transaction;
use parafa_store::jobs::{self, HastenOutcome};

use super::{Access, Ceremonies, OpenedLink};
use crate::attempt::ATTEMPTS;
use crate::error::CeremonyError;
use crate::records::{AttemptRow, CeremonyRow};
use crate::{attempt, change, deadline, prompts};

impl Ceremonies {
    /// Gives up the running attempt; the turn is free again.
    pub async fn give_up_attempt(&self, link: &OpenedLink) -> Result<(), CeremonyError> {
        if link.access != Access::Sign {
            return Err(CeremonyError::NotFound);
        }
        let (ceremony, signer) = (link.row.ceremony.id.uuid(), link.party()?.id);
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = tx
                        .get::<CeremonyRow>(&ceremony)
                        .await?
                        .ok_or(CeremonyError::NotFound)?;
                    let running = running_attempt(tx, &row, signer).await?;
                    let running = running.ok_or(CeremonyError::NotFound)?;
                    if running.has_signed_in(&row.ceremony) {
                        return Err(parafa_domain::CannotAct::SignatureUnderWay.into());
                    }
                    row.ceremony.end_turn(AttemptId::new(running.id));
                    give_up(tx, running).await?;
                    change::settle_attempts(tx, &row).await?;
                    deadline::wait_no_longer(tx, &row).await?;
                    Ok::<_, CeremonyError>(tx.put(&row).await?)
                })
            })
            .await?;
        self.changes.announce(ceremony);
        self.work.notify_one();
        Ok(())
    }
}

/// Returns the signer's attempt within the transaction, unless it has ended.
pub(crate) async fn running_attempt(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
    signer: SignerId,
) -> Result<Option<AttemptRow>, CeremonyError> {
    let Some(attempt) = row.ceremony.signer(signer).and_then(|party| party.attempt) else {
        return Ok(None);
    };
    let attempt = tx.get::<AttemptRow>(&attempt.uuid()).await?;
    Ok(attempt.filter(|attempt| !attempt.phase.is_terminal()))
}

/// Ends an attempt that its signer gives up. It does not count as a prompt if no
/// step had begun, because the person was not prompted then.
pub(super) async fn give_up(
    tx: &mut Transaction<'_>,
    mut running: AttemptRow,
) -> Result<(), CeremonyError> {
    let (job, now) = (attempt::unique_key(running.id), tx.now());
    let is_untouched = running.step_number == 0 && running.tries == 0;
    if is_untouched && jobs::hasten(tx, ATTEMPTS, &job, now).await? == HastenOutcome::Due {
        prompts::forget(tx, &mut running).await?;
    }
    attempt::end(tx, running, AttemptFailure::Cancelled).await?;
    // A step in progress finds its job gone.
    jobs::cancel(tx, ATTEMPTS, &job).await?;
    Ok(())
}
