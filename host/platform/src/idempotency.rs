//! Requests that may be repeated without being carried out twice.

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

/// The kind of the job that drops a kept answer.
pub const DROP_ANSWER: &str = "drop-answer";

/// How long a request is taken to be running of which nobody says that it is.
const RUNNING: SignedDuration = SignedDuration::from_secs(60);
/// After how long a claim goes that was neither answered nor given back.
const ABANDONED: SignedDuration = SignedDuration::from_hours(1);
/// When to look again whether the same request was answered, in seconds.
const LOOK_AGAIN_SECONDS: u32 = 5;

/// The right to carry a request out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Claim {
    scope: BlindIndex,
    id: Uuid,
}

/// Of a claim, and of what its answer is in: the row may be another claim's by
/// then.
#[derive(Deserialize, Serialize)]
struct Payload {
    scope: String,
    claim: Uuid,
    #[serde(rename = "remains")]
    pending_deletion: PendingDeletion,
}

/// Claims requests and keeps what they were answered.
#[derive(Clone)]
pub struct Idempotency {
    records: Records,
    kept: SignedDuration,
}

impl Idempotency {
    /// Keeps answers in these records for so long.
    #[must_use]
    pub fn new(records: Records, kept: SignedDuration) -> Self {
        Self { records, kept }
    }

    /// Claims a request that is made with this key, or tells what became of it.
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
            // The job that drops it is due.
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an expired answer could not be removed yet");
        }
        match claimed {
            Ok(claim) => Ok(Reservation::Claimed(claim)),
            Err(row) if row.body != *body => Ok(Reservation::Reused),
            Err(row) => self.tell_what_became(row).await,
        }
    }

    /// Gives a claim back, if there is one, so that the request may be made again.
    /// One that was answered meanwhile stays as it is, and one that cannot be
    /// given back ends by itself.
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

    /// Drops an answer whose day is over, or a claim that led to none. One whose
    /// request is still being carried out is left until nobody renews it.
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

    /// Removes the kept answers that tell of something.
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
                    // What it told of is being erased at this moment.
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

/// What a request that wants to be carried out finds.
struct Found {
    /// The right to do so, or the row of whoever has it or had it.
    claimed: Result<Claim, IdempotencyRow>,
    /// The row whose time was over.
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

/// The row of a claim, as long as it is neither answered nor somebody else's.
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

/// Forgets some of the kept answers that tell of something; gives what they
/// are in, or none when there were none left.
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
        // The caller of this removes what it is in; if that fails, the job does.
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

    /// What its answer is in.
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

    /// When to look again whether the request is still being carried out, if it
    /// may be. One look is not enough: a clock that leaps ends the time of a
    /// claim that is about to be renewed.
    fn looked_at_again(&self, now: Timestamp, earlier_looks: u32) -> Option<Timestamp> {
        match self.state {
            IdempotencyState::Running { until } if now < until => Some(until),
            IdempotencyState::Running { .. } if earlier_looks == 0 => Some(shifted(now, RUNNING)),
            _ => None,
        }
    }
}
