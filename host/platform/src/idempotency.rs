//! Idempotent requests, which may be repeated without being executed twice.

mod answer;
mod hold;
mod row;

use jiff::{SignedDuration, Timestamp};
use parafa_api_http::{IdempotentRequest, Reservation};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::KeyError;
use parafa_store::{BlindIndex, Guard, Page, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{PlatformError, seconds_until};
use crate::jobs::TIMERS;
use crate::records::{PendingDeletion, Records};

pub use self::row::{ANSWERS_ABOUT, IdempotencyRow, IdempotencyState, SealedAnswer};

/// Kind of the job that deletes a stored answer.
pub const DROP_ANSWER: &str = "drop-answer";

/// Time that a claim counts as running without a heartbeat.
const RUNNING: SignedDuration = SignedDuration::from_secs(60);
/// When an abandoned claim is deleted.
const ABANDONED: SignedDuration = SignedDuration::from_hours(1);
/// Delay before checking again for an answer to the same request, in seconds.
const LOOK_AGAIN_SECONDS: u32 = 5;

/// A claim: the right to execute a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Claim {
    scope: BlindIndex,
    id: Uuid,
}

/// Identifies a claim and its answer's content: the row may be another claim's by
/// then.
#[derive(Deserialize, Serialize)]
struct Payload {
    scope: String,
    claim: Uuid,
    #[serde(rename = "remains")]
    pending_deletion: PendingDeletion,
}

/// Claims of requests, and their stored answers.
#[derive(Clone)]
pub struct Idempotency {
    records: Records,
    kept: SignedDuration,
}

impl Idempotency {
    /// Stores answers in these records for this time.
    #[must_use]
    pub fn new(records: Records, kept: SignedDuration) -> Self {
        Self { records, kept }
    }

    /// Claims a request with this key, or returns its outcome.
    pub async fn reserve(
        &self,
        key: Uuid,
        request: &IdempotentRequest,
    ) -> Result<Reservation<Claim>, PlatformError> {
        let master = &self.records.master;
        let scope = master.index("idempotency", &request.scope(key));
        let body = master.index("idempotent-body", &hex::encode(request.body_sha256));
        let body = &body.to_string();
        let Found { claimed, replaced } = self
            .records
            .transact(|tx| Box::pin(async move { claim_or_find(tx, scope, body).await }))
            .await?;
        if let Some(replaced) = replaced
            && let Err(error) = self.records.delete(&replaced.pending_deletion()).await
        {
            // The job that deletes it is due.
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an expired answer could not be removed yet");
        }
        match claimed {
            Ok(claim) => Ok(Reservation::Claimed(claim)),
            Err(row) if row.body != *body => Ok(Reservation::Reused),
            Err(row) => self.tell_what_became(row).await,
        }
    }

    /// Releases a claim, if there is one, so that the request may be repeated. A
    /// claim answered meanwhile is unchanged, and one that cannot be released
    /// expires.
    pub async fn give_back(&self, claim: Option<Claim>) {
        let Some(claim) = &claim else { return };
        let given_back: Result<(), PlatformError> = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    if let Some(row) = row_of(tx, claim).await? {
                        tx.delete::<IdempotencyRow>(&row.scope).await?;
                        jobs::cancel(tx, TIMERS, &jobs::unique_key(DROP_ANSWER, claim.id)).await?;
                    }
                    Ok(())
                })
            })
            .await;
        if let Err(error) = given_back {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an idempotency key could not be released yet");
        }
    }

    /// Deletes an expired answer, or a claim without an answer. A running request
    /// is left until its claim is no longer renewed.
    pub async fn drop_answer(&self, job: &ClaimedJob) -> Result<(), PlatformError> {
        let Payload {
            scope,
            claim,
            pending_deletion,
        } = job.payload()?;
        self.records.delete(&pending_deletion).await?;
        self.records
            .transact(|tx| {
                let scope = scope.clone();
                Box::pin(async move {
                    let stored = tx.get::<IdempotencyRow>(&scope).await?;
                    if let Some(row) = stored.filter(|row| row.claim == claim) {
                        if let Some(again) = row.looked_at_again(tx.now(), job.failures) {
                            return Ok(jobs::give_back(tx, job, again).await?);
                        }
                        tx.delete::<IdempotencyRow>(&scope).await?;
                    }
                    Ok::<_, PlatformError>(jobs::complete(tx, job).await?)
                })
            })
            .await
    }

    /// Deletes the stored answers about a subject.
    ///
    /// # Errors
    /// The first failure.
    pub async fn remove_answers(&self, subject: Uuid) -> Result<(), PlatformError> {
        let mut outcome = Ok(());
        loop {
            let forgotten = self
                .records
                .transact(|tx| Box::pin(async move { forget_answers_about(tx, subject).await }))
                .await?;
            match forgotten {
                Some(pending) => outcome = outcome.and(self.records.delete(&pending).await),
                None => return outcome,
            }
        }
    }

    async fn tell_what_became(
        &self,
        row: IdempotencyRow,
    ) -> Result<Reservation<Claim>, PlatformError> {
        match &row.state {
            IdempotencyState::Running { until } => Ok(Reservation::InProgress {
                retry_after_seconds: seconds_until(*until, self.records.store.now().await?)
                    .min(LOOK_AGAIN_SECONDS),
            }),
            IdempotencyState::Answered {
                data_key, answer, ..
            } => {
                let key = match self.records.keys.open(*data_key).await {
                    // The subject of the answer is being erased.
                    Err(KeyError::Missing { .. }) => {
                        return Ok(Reservation::InProgress {
                            retry_after_seconds: 1,
                        });
                    }
                    opened => opened?,
                };
                let answer = self.open_answer(&key, row.claim, answer).await?;
                Ok(Reservation::Answered(answer))
            }
        }
    }
}

/// Result of an attempt to claim.
struct Found {
    /// The claim, or the row of the present or former one.
    claimed: Result<Claim, IdempotencyRow>,
    /// The expired row.
    replaced: Option<IdempotencyRow>,
}

async fn claim_or_find(
    tx: &mut Transaction<'_>,
    scope: BlindIndex,
    body: &str,
) -> Result<Found, PlatformError> {
    let now = tx.now();
    let replaced = match tx.get::<IdempotencyRow>(&scope.to_string()).await? {
        Some(row) if now < row.until() => {
            return Ok(Found {
                claimed: Err(row),
                replaced: None,
            });
        }
        replaced => replaced,
    };
    let id = tx.new_id()?;
    let claim = Claim { scope, id };
    tx.put(&IdempotencyRow {
        scope: scope.to_string(),
        body: body.to_owned(),
        claim: id,
        state: IdempotencyState::Running {
            until: shifted(now, RUNNING),
        },
    })
    .await?;
    schedule_drop(
        tx,
        &claim,
        shifted(now, ABANDONED),
        PendingDeletion::default(),
    )
    .await?;
    Ok(Found {
        claimed: Ok(claim),
        replaced,
    })
}

/// Returns the row of a claim, if it is unanswered and still this claim's.
async fn row_of(
    tx: &mut Transaction<'_>,
    claim: &Claim,
) -> Result<Option<IdempotencyRow>, PlatformError> {
    let row = tx.get::<IdempotencyRow>(&claim.scope.to_string()).await?;
    let is_running = |row: &IdempotencyRow| matches!(row.state, IdempotencyState::Running { .. });
    Ok(row.filter(|row| is_running(row) && row.claim == claim.id))
}

async fn schedule_drop(
    tx: &mut Transaction<'_>,
    claim: &Claim,
    due: Timestamp,
    pending_deletion: PendingDeletion,
) -> Result<(), PlatformError> {
    let payload = Payload {
        scope: claim.scope.to_string(),
        claim: claim.id,
        pending_deletion,
    };
    let payload = serde_json::json!(payload);
    Ok(jobs::schedule(tx, (TIMERS, DROP_ANSWER), claim.id, due, payload).await?)
}

/// Deletes rows of stored answers about a subject; returns their content, or
/// `None` if there were none left.
pub async fn forget_answers_about(
    tx: &mut Transaction<'_>,
    subject: Uuid,
) -> Result<Option<PendingDeletion>, PlatformError> {
    const AT_ONCE: usize = 100;

    let page = Page::oldest(AT_ONCE);
    let found = tx
        .page_by(&ANSWERS_ABOUT, &subject, &page, Guard::none())
        .await?;
    if found.rows.is_empty() {
        return Ok(None);
    }
    let mut pending_deletion = PendingDeletion::default();
    for row in found.rows {
        let of_row = row.pending_deletion();
        pending_deletion.data_keys.extend(of_row.data_keys);
        pending_deletion.byte_files.extend(of_row.byte_files);
        tx.delete::<IdempotencyRow>(&row.scope).await?;
        // The caller deletes the content; if that fails, the job does.
        let now = tx.now();
        jobs::hasten(tx, TIMERS, &jobs::unique_key(DROP_ANSWER, row.claim), now).await?;
    }
    Ok(Some(pending_deletion))
}

impl IdempotencyRow {
    fn until(&self) -> Timestamp {
        match self.state {
            IdempotencyState::Running { until } | IdempotencyState::Answered { until, .. } => until,
        }
    }

    /// Returns the content of its answer.
    fn pending_deletion(&self) -> PendingDeletion {
        match &self.state {
            IdempotencyState::Running { .. } => PendingDeletion::default(),
            IdempotencyState::Answered {
                data_key, answer, ..
            } => PendingDeletion {
                data_keys: vec![*data_key],
                byte_files: match answer {
                    SealedAnswer::Inline(_) => Vec::new(),
                    SealedAnswer::File(file) => vec![*file],
                },
            },
        }
    }

    /// Returns when to check again whether the request is still running, if it may
    /// be. One check is not enough: a clock that leaps expires a claim just before
    /// its renewal.
    fn looked_at_again(&self, now: Timestamp, earlier_looks: u32) -> Option<Timestamp> {
        match self.state {
            IdempotencyState::Running { until } if now < until => Some(until),
            IdempotencyState::Running { .. } if earlier_looks == 0 => Some(shifted(now, RUNNING)),
            _ => None,
        }
    }
}
