//! Attempts: one signer's way from the start button to the signature in the
//! document, as steps of a job. Each step reads what the previous one stored, does
//! one thing with the outside world, and stores the next step. Any host can
//! therefore continue the attempt.

mod card;
mod device;
mod device_link;
mod end;
mod finish;
mod identity;
mod job;
mod outcome;
mod prepare;
mod transition;
mod turns;

use std::collections::BTreeSet;

use parafa_domain::{AttemptFailure, SigningMethod};
use parafa_platform::jobs::hold;
use parafa_plugin_host::Document;
use parafa_store::Transaction;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_traces::TARGET;
use tracing::{Instrument, info_span};
use uuid::Uuid;

pub(super) use self::card::{CARD_WITHIN, finish_next, forget_answered, link};
pub(super) use self::device::verified;
pub(crate) use self::end::end;
use self::finish::is_withdrawn;
use self::job::Payload;
pub(super) use self::job::schedule;
pub(crate) use self::job::unique_key;
pub use self::job::{ATTEMPTS, DRIVE};
pub(crate) use self::outcome::TURN;
pub use self::outcome::pin;
pub(super) use self::outcome::tell_end;
use self::outcome::{Running, StepOutcome, Stored, TOO_LATE};
pub(super) use self::transition::take_turn;
pub use self::turns::DocumentTurns;
use super::Ceremonies;
use crate::document::document;
use crate::error::CeremonyError;
use crate::records::{AttemptRow, AttemptStep, CeremonyRow};
use crate::{prompts, sealing};

impl Ceremonies {
    /// Returns the methods available here, for any signer.
    pub fn methods_set_up(&self) -> BTreeSet<SigningMethod> {
        let cards = self.card_app.as_ref().map(|_| SigningMethod::Nfc);
        self.providers.keys().copied().chain(cards).collect()
    }

    /// Returns a document for plugins.
    async fn read_document(&self, key: &DataKey, bytes: Uuid) -> Result<Document, CeremonyError> {
        document(&self.records, &self.known_documents, key, bytes).await
    }

    /// Does the next step of an attempt. `job` is the current claim, also after a
    /// failure, and says whether there is another step to continue with.
    pub async fn drive_attempt(&self, job: &mut ClaimedJob) -> Result<(), CeremonyError> {
        let Payload { attempt } = job.payload()?;
        let Some(running) = self.running(attempt, job.attempts).await? else {
            return Ok(self.records.complete(job).await?);
        };
        let now = self.records.store.now().await?;
        if let Some(failure) = running.over(now) {
            return self.end_attempt(job, &running, failure).await;
        }
        let (key, step) = match self.open_attempt(&running).await {
            Ok(opened) => opened,
            Err(error) if running.is_late(now) => {
                tracing::error!(
                    attempt.id = %attempt,
                    error = &error as &dyn std::error::Error,
                    "an attempt cannot be read any more"
                );
                return self.end_attempt(job, &running, TOO_LATE).await;
            }
            Err(error) => return Err(error),
        };
        let span = info_span!(
            target: TARGET,
            "step",
            otel.name = format_args!("step {}", step.name()),
        );
        let step = async {
            match self.do_step(&running, &key, step).instrument(span).await {
                Err(CeremonyError::MethodNotSetUp(_)) => {
                    Ok(StepOutcome::Failed(AttemptFailure::ProviderUnavailable))
                }
                outcome => outcome,
            }
        };
        let outcome = hold(&self.records.store, job, step).await?;
        let now = self.records.store.now().await?;
        let outcome = running.conclusive(outcome, now)?;
        match self.conclude(job, &running, &key, outcome).await {
            Err(error) if running.is_late(now) && !error.is_contention() => {
                tracing::error!(
                    attempt.id = %attempt,
                    error = &error as &dyn std::error::Error,
                    "the outcome of an attempt cannot be stored"
                );
                self.end_attempt(job, &running, TOO_LATE).await
            }
            concluded => concluded,
        }
    }

    /// Ends an attempt, even an unreadable one.
    async fn end_attempt(
        &self,
        job: &ClaimedJob,
        running: &Running,
        failure: AttemptFailure,
    ) -> Result<(), CeremonyError> {
        let stored = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    match still_running(tx, running).await? {
                        Some((attempt, row)) if running.has_signed_since(&attempt, &row) => {
                            let now = tx.now();
                            transition::store_again(tx, job, attempt, 0, now).await
                        }
                        Some((attempt, row)) => {
                            transition::store_failure(tx, job, attempt, row, failure).await
                        }
                        None => {
                            jobs::complete(tx, job).await?;
                            Ok(Stored::Nothing)
                        }
                    }
                })
            })
            .await?;
        stored.tell(running, &StepOutcome::Failed(failure));
        self.changes.announce(running.attempt.ceremony);
        Ok(())
    }

    async fn conclude(
        &self,
        job: &mut ClaimedJob,
        running: &Running,
        key: &DataKey,
        outcome: StepOutcome,
    ) -> Result<(), CeremonyError> {
        let stored = self.store_outcome(job, running, key, &outcome).await;
        self.discard_what_is_lost(&stored, &outcome).await;
        let stored = stored?;
        stored.tell(running, &outcome);
        self.changes.announce(running.attempt.ceremony);
        if let Stored::GoesOn(claim) = stored {
            *job = *claim;
        }
        Ok(())
    }

    async fn running(&self, attempt: Uuid, claims: u32) -> Result<Option<Running>, CeremonyError> {
        let read = self.records.read(|tx| {
            Box::pin(async move {
                let Some(attempt) = tx.get::<AttemptRow>(&attempt).await? else {
                    return Ok(None);
                };
                let ceremony = tx.get::<CeremonyRow>(&attempt.ceremony).await?;
                Ok::<_, CeremonyError>(ceremony.map(|ceremony| (attempt, ceremony)))
            })
        });
        let Some((attempt, ceremony)) = read.await? else {
            return Ok(None);
        };
        if attempt.phase.is_terminal() || ceremony.erased_at.is_some() {
            return Ok(None);
        }
        Ok(Some(Running {
            attempt,
            ceremony,
            claims,
            finish_within: self.finish_within,
        }))
    }

    async fn open_attempt(
        &self,
        running: &Running,
    ) -> Result<(DataKey, AttemptStep), CeremonyError> {
        let attempt = &running.attempt;
        let sealed = attempt.step.as_ref();
        let sealed = sealed.ok_or(CeremonyError::Inconsistent("a running attempt has no step"))?;
        let key = self.records.data_key(running.ceremony.data_key).await?;
        let step = sealing::open(&key, attempt.id, sealed)?;
        Ok((key, step))
    }

    async fn do_step(
        &self,
        running: &Running,
        key: &DataKey,
        step: AttemptStep,
    ) -> Result<StepOutcome, CeremonyError> {
        match step {
            AttemptStep::RequestCertificate {
                person,
                phone_number,
            } => {
                self.request_certificate(running, person, phone_number.as_deref())
                    .await
            }
            AttemptStep::RequestDeviceLink => self.request_device_link(running).await,
            AttemptStep::AwaitDeviceLink { session } => {
                self.await_device_link(running, key, session).await
            }
            AttemptStep::AwaitCertificate { person, session } => {
                self.await_certificate(running, person, &session).await
            }
            AttemptStep::CheckCertificate { person, chosen } => {
                self.check_certificate(running, person.as_deref(), chosen)
                    .await
            }
            AttemptStep::AwaitCard { person, until } => match running.card_certificate(key)? {
                // The submission stays in the row until it is checked, which may be
                // repeated.
                Some(chosen) => {
                    self.check_certificate(running, person.as_deref(), chosen)
                        .await
                }
                None => Ok(card::wait(until, self.records.store.now().await?)),
            },
            AttemptStep::AwaitCardSignature {
                prepared, until, ..
            } => {
                let now = self.records.store.now().await?;
                running.await_card_signature(key, prepared, until, now)
            }
            AttemptStep::AwaitTurn { chosen, request } => {
                let now = self.records.store.now().await?;
                Ok(running.await_turn(chosen, request, now))
            }
            AttemptStep::Prepare { chosen, request } => {
                self.prepare_attempt(running, key, chosen, request).await
            }
            AttemptStep::Ask {
                chosen,
                prepared,
                asked_at,
            } => self.ask(running, &chosen, prepared, asked_at).await,
            AttemptStep::AwaitSignature {
                session,
                prepared,
                must_return,
            } => {
                self.await_signature(running, &session, prepared, must_return)
                    .await
            }
            AttemptStep::AwaitReturn {
                prepared,
                value,
                until,
            } => {
                let now = self.records.store.now().await?;
                Ok(running.await_return(prepared, value, until, now))
            }
            AttemptStep::Finish { prepared, value } => {
                self.finish(running, key, prepared, value).await
            }
        }
    }

    async fn store_outcome(
        &self,
        job: &ClaimedJob,
        running: &Running,
        key: &DataKey,
        outcome: &StepOutcome,
    ) -> Result<Stored, CeremonyError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let Some((mut attempt, row)) = still_running(tx, running).await? else {
                        jobs::complete(tx, job).await?;
                        return Ok(Stored::Nothing);
                    };
                    let failed =
                        matches!(outcome, StepOutcome::Failed(_) | StepOutcome::Unasked(_));
                    if failed && running.has_signed_since(&attempt, &row) {
                        let now = tx.now();
                        return transition::store_again(tx, job, attempt, 0, now).await;
                    }
                    if !failed && !attempt.goes_on_in(&row.ceremony) {
                        let failure = attempt.loss_in(&row.ceremony);
                        return transition::store_failure(tx, job, attempt, row, failure).await;
                    }
                    if let StepOutcome::Signed(signed) = outcome
                        && is_withdrawn(tx, signed).await?
                    {
                        let failure = AttemptFailure::PluginFailed;
                        return transition::store_failure(tx, job, attempt, row, failure).await;
                    }
                    match outcome {
                        StepOutcome::Again(pause) => {
                            let (tries, due) = (attempt.tries + 1, shifted(tx.now(), *pause));
                            transition::store_again(tx, job, attempt, tries, due).await
                        }
                        StepOutcome::Waiting(poll) => {
                            let (tries, due) = poll.next(attempt.tries, tx.now());
                            transition::store_again(tx, job, attempt, tries, due).await
                        }
                        StepOutcome::WaitingForReturn(until) => {
                            let due = if attempt.returned { tx.now() } else { *until };
                            transition::store_again(tx, job, attempt, 0, due).await
                        }
                        StepOutcome::WaitingForCard(until) => {
                            let has_come = attempt.card_submission.is_some();
                            let due = if has_come { tx.now() } else { *until };
                            transition::store_again(tx, job, attempt, 0, due).await
                        }
                        StepOutcome::Next(next) => {
                            transition::store_next(tx, job, key, attempt, row, next).await
                        }
                        StepOutcome::Failed(failure) => {
                            transition::store_failure(tx, job, attempt, row, *failure).await
                        }
                        StepOutcome::Unasked(failure) => {
                            prompts::forget(tx, &mut attempt).await?;
                            transition::store_failure(tx, job, attempt, row, *failure).await
                        }
                        StepOutcome::PluginFailed(error, pin) => {
                            transition::store_plugin_failure(
                                tx,
                                &self.owners,
                                job,
                                key,
                                attempt,
                                row,
                                (error, pin),
                            )
                            .await
                        }
                        StepOutcome::Signed(version) => {
                            transition::store_signed(
                                tx,
                                &self.owners,
                                job,
                                key,
                                attempt,
                                row,
                                version,
                            )
                            .await
                        }
                    }
                })
            })
            .await
    }
}

/// Returns the present rows, unless the attempt has ended or progressed since.
async fn still_running(
    tx: &mut Transaction<'_>,
    running: &Running,
) -> Result<Option<(AttemptRow, CeremonyRow)>, CeremonyError> {
    let before = &running.attempt;
    let attempt = tx.get::<AttemptRow>(&before.id).await?;
    let is_same =
        |row: &AttemptRow| row.step_number == before.step_number && !row.phase.is_terminal();
    let Some(attempt) = attempt.filter(is_same) else {
        return Ok(None);
    };
    let row = tx.get::<CeremonyRow>(&attempt.ceremony).await?;
    let row = row.ok_or(CeremonyError::NotFound)?;
    Ok(Some((attempt, row)))
}
