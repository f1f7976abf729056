//! An attempt: one signer's way from the start button to the signature in the
//! document, as steps of a job. Each step reads what the one before stored,
//! does one thing with the outside world, and stores what comes next, so that
//! any host can take the attempt up wherever another one left it.

mod device;
mod finish;
mod identity;
mod prepare;

use jiff::{SignedDuration, Timestamp};
use parafa_domain::{AttemptFailure, AttemptId, CannotAct, Phase};
use parafa_plugin_host::{CallError, Plugin};
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::DataKey;
use parafa_store::{StoreError, Transaction, audit};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::history::record_events;
use super::lanes::ATTEMPTS;
use super::sealing;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{AttemptRow, AttemptStep, PluginFaults, PluginPin, SigningRow};

/// The kind of the job.
pub(crate) const DRIVE: &str = "drive-attempt";

/// How long an attempt keeps its turn without a step forward.
pub(super) const TURN: SignedDuration = SignedDuration::from_mins(10);
/// How long a signature that a device has made is worth finishing.
const FINISH_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// Crashes of one plugin on one version after which the signing fails.
const MAX_PLUGIN_FAULTS: u32 = 3;

#[derive(Deserialize, Serialize)]
struct Payload {
    attempt: Uuid,
}

/// All that a step works with.
struct Running {
    attempt: AttemptRow,
    signing: SigningRow,
    key: DataKey,
}

/// What a step came to.
enum StepOutcome {
    /// The same step again, at that time.
    Again(Timestamp),
    /// The attempt has ended without a signature.
    Failed(AttemptFailure),
    /// The next step, now.
    Next(Next),
    /// The plugin refuses this document, or has crashed on it.
    PluginFailed(CallError, PluginPin),
    /// The document is signed.
    Signed(finish::SignedVersion),
}

/// The next step.
struct Next {
    phase: Phase,
    step: AttemptStep,
    verification_code: Option<String>,
    plugin: Option<PluginPin>,
}

impl Next {
    fn step(phase: Phase, step: AttemptStep) -> StepOutcome {
        StepOutcome::Next(Self {
            phase,
            step,
            verification_code: None,
            plugin: None,
        })
    }
}

impl StepOutcome {
    /// One line for the operator when the attempt has got on or has ended.
    fn log(&self, running: &Running) {
        let (signing, attempt) = (running.attempt.signing, running.attempt.id);
        match self {
            // The plugin host has told of a plugin's failure.
            Self::Again(_) | Self::PluginFailed(..) => {}
            Self::Failed(failure) => {
                tracing::info!(signing.id = %signing, attempt.id = %attempt, failure = failure.code(), "attempt ended");
            }
            Self::Next(next) => {
                tracing::debug!(signing.id = %signing, attempt.id = %attempt, phase = next.phase.name(), "attempt goes on");
            }
            Self::Signed(signed) => signed.log(running),
        }
    }
}

/// The name that keeps an attempt's job from being there twice.
pub(super) fn unique_key(attempt: Uuid) -> String {
    format!("{DRIVE}/{attempt}")
}

/// Has the attempt's first step done.
pub(super) async fn schedule(
    tx: &mut Transaction<'_>,
    attempt: &AttemptRow,
) -> Result<(), StoreError> {
    let job = NewJob {
        lane: ATTEMPTS,
        kind: DRIVE.to_owned(),
        due: attempt.started_at,
        unique: Some(unique_key(attempt.id)),
        payload: serde_json::json!({ "attempt": attempt.id }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

/// Ends an attempt without a signature and forgets what it captured.
pub(super) async fn end(
    tx: &mut Transaction<'_>,
    mut attempt: AttemptRow,
    failure: AttemptFailure,
) -> Result<(), WorkflowError> {
    attempt.phase = Phase::Failed;
    attempt.failure = Some(failure);
    attempt.ended_at = Some(tx.now());
    attempt.step = None;
    attempt.step_number += 1;
    tx.put(&attempt).await?;
    let fields = audit::Fields::new()
        .reference("attempt", attempt.id)
        .reference("failure", failure.code());
    audit::append(tx, attempt.signing, "attempt.failed", fields).await?;
    Ok(())
}

impl App {
    /// Does the next step of an attempt.
    pub(crate) async fn drive_attempt(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        let Payload { attempt } = job.payload()?;
        let Some(running) = self.running(attempt).await? else {
            return self.drop_job(job).await;
        };
        let Some(sealed) = &running.attempt.step else {
            return self.drop_job(job).await;
        };
        let step = sealing::open_step(&running.key, attempt, sealed)?;
        let outcome = self.do_step(&running, step).await?;
        outcome.log(&running);
        self.store_outcome(job, &running, outcome).await?;
        self.changes.announce(running.attempt.signing);
        Ok(())
    }

    async fn running(&self, attempt: Uuid) -> Result<Option<Running>, WorkflowError> {
        let Some(attempt) = self.store.get::<AttemptRow>(&attempt).await? else {
            return Ok(None);
        };
        let Some(signing) = self.store.get::<SigningRow>(&attempt.signing).await? else {
            return Ok(None);
        };
        if attempt.phase.is_terminal() || signing.erased_at.is_some() {
            return Ok(None);
        }
        let key = self.data_key(signing.data_key).await?;
        Ok(Some(Running {
            attempt,
            signing,
            key,
        }))
    }

    async fn do_step(
        &self,
        running: &Running,
        step: AttemptStep,
    ) -> Result<StepOutcome, WorkflowError> {
        match step {
            AttemptStep::RequestCertificate { person } => {
                self.request_certificate(running, person).await
            }
            AttemptStep::AwaitCertificate { person, session } => {
                self.await_certificate(running, person, &session).await
            }
            AttemptStep::CheckCertificate {
                person,
                certificate,
            } => self.check_certificate(running, &person, certificate).await,
            AttemptStep::Prepare {
                certificate,
                request,
            } => self.prepare(running, &certificate, request).await,
            AttemptStep::AwaitSignature { session, prepared } => {
                self.await_signature(running, &session, prepared).await
            }
            AttemptStep::Finish { prepared, value } => self.finish(running, prepared, value).await,
        }
    }

    async fn drop_job(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        self.store
            .transact(|tx| Box::pin(async move { Ok(jobs::complete(tx, job).await?) }))
            .await
    }

    async fn store_outcome(
        &self,
        job: &ClaimedJob,
        running: &Running,
        outcome: StepOutcome,
    ) -> Result<(), WorkflowError> {
        let (outcome, key) = (&outcome, &running.key);
        let (id, step_number) = (running.attempt.id, running.attempt.step_number);
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let attempt = tx
                        .get::<AttemptRow>(&id)
                        .await?
                        .filter(|row| row.step_number == step_number);
                    let Some(attempt) = attempt.filter(|row| !row.phase.is_terminal()) else {
                        return Ok(jobs::complete(tx, job).await?);
                    };
                    let signing = tx
                        .get::<SigningRow>(&attempt.signing)
                        .await?
                        .ok_or(WorkflowError::NotFound)?;
                    match outcome {
                        StepOutcome::Again(due) => store_again(tx, job, attempt, *due).await,
                        StepOutcome::Next(next) => {
                            store_next(tx, job, key, attempt, signing, next).await
                        }
                        StepOutcome::Failed(failure) => {
                            store_failure(tx, job, attempt, signing, *failure).await
                        }
                        StepOutcome::PluginFailed(error, pin) => {
                            store_plugin_failure(tx, job, attempt, signing, error, pin).await
                        }
                        StepOutcome::Signed(version) => {
                            finish::store(tx, job, attempt, signing, version).await
                        }
                    }
                })
            })
            .await
    }
}

async fn store_again(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    mut attempt: AttemptRow,
    due: Timestamp,
) -> Result<(), WorkflowError> {
    attempt.tries += 1;
    tx.put(&attempt).await?;
    Ok(jobs::retry(tx, job, due).await?)
}

async fn store_next(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    key: &DataKey,
    mut attempt: AttemptRow,
    mut signing: SigningRow,
    next: &Next,
) -> Result<(), WorkflowError> {
    let now = tx.now();
    let id = AttemptId::new(attempt.id);
    let renewed = if next.phase == Phase::Completing {
        signing.signing.device_signed(id, after(now, FINISH_WITHIN))
    } else {
        signing.signing.renew_turn(id, after(now, TURN))
    };
    if let Err(CannotAct::LostTurn) = renewed {
        return store_failure(tx, job, attempt, signing, AttemptFailure::Cancelled).await;
    }
    if !attempt.phase.may_become(next.phase) {
        return Err(WorkflowError::Inconsistent(
            "an attempt went from one phase to one that cannot follow",
        ));
    }
    attempt.phase = next.phase;
    attempt.step = Some(sealing::seal_step(key, attempt.id, &next.step)?);
    attempt.step_number += 1;
    attempt.tries = 0;
    if next.verification_code.is_some() {
        attempt
            .verification_code
            .clone_from(&next.verification_code);
    }
    if next.plugin.is_some() {
        attempt.plugin.clone_from(&next.plugin);
    }
    tx.put(&attempt).await?;
    tx.put(&signing).await?;
    Ok(jobs::retry(tx, job, now).await?)
}

async fn store_failure(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    attempt: AttemptRow,
    mut signing: SigningRow,
    failure: AttemptFailure,
) -> Result<(), WorkflowError> {
    signing.signing.end_turn(AttemptId::new(attempt.id));
    tx.put(&signing).await?;
    end(tx, attempt, failure).await?;
    Ok(jobs::complete(tx, job).await?)
}

/// A refusal of a document that intake took, or the third crash on it, ends
/// the signing; an earlier crash ends the attempt, or is tried again when the
/// device has signed already.
async fn store_plugin_failure(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    attempt: AttemptRow,
    mut signing: SigningRow,
    error: &CallError,
    pin: &PluginPin,
) -> Result<(), WorkflowError> {
    let detail = match error {
        CallError::Refused(refusal) => {
            Some(format!("The document cannot be signed: {}", refusal.detail))
        }
        CallError::Fault(_) => {
            let earlier = signing.plugin_faults.take().filter(|faults| {
                faults.version == attempt.base_version && faults.plugin_sha256 == pin.sha256
            });
            let count = earlier.map_or(0, |faults| faults.count) + 1;
            signing.plugin_faults = Some(PluginFaults {
                version: attempt.base_version,
                plugin_sha256: pin.sha256.clone(),
                count,
            });
            (count >= MAX_PLUGIN_FAULTS)
                .then(|| "The document could not be processed for signing.".to_owned())
        }
    };
    if let Some(detail) = detail {
        let id = signing.signing.id.uuid();
        let events = signing.signing.fail();
        signing.detail = Some(detail);
        record_events(tx, id, &events).await?;
        return store_failure(
            tx,
            job,
            attempt,
            signing,
            AttemptFailure::ProviderUnavailable,
        )
        .await;
    }
    if attempt.phase == Phase::Completing {
        let again = after(tx.now(), finish::pause(attempt.tries));
        tx.put(&signing).await?;
        return store_again(tx, job, attempt, again).await;
    }
    store_failure(
        tx,
        job,
        attempt,
        signing,
        AttemptFailure::ProviderUnavailable,
    )
    .await
}

fn pin(plugin: &Plugin) -> PluginPin {
    PluginPin {
        id: plugin.id().to_owned(),
        version: plugin.version().to_owned(),
        sha256: plugin.digest().to_string(),
        contract: plugin.contract_version(),
    }
}

fn after(now: Timestamp, pause: SignedDuration) -> Timestamp {
    now.saturating_add(pause).unwrap_or(Timestamp::MAX)
}
