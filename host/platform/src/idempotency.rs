//! Requests that may be repeated without being carried out twice.

mod hold;
mod row;

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::keys::{DataKey, KeyError};
use parafa_store::{Guard, Page, Sealed, Transaction};
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
/// Answers up to this length are kept in the row, in bytes.
const LONGEST_INLINE: usize = 32 * 1024;

/// What tells a request from others.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// API key, method, path and idempotency key, in a form that keeps them
    /// apart.
    pub scope: String,
    /// Digest of the body, in hex.
    pub body: String,
}

/// The right to carry a request out.
#[derive(Clone, Debug)]
pub struct Claim {
    scope: String,
    id: Uuid,
}

/// What became of a request that wants to be carried out.
#[derive(Debug)]
pub enum Reserved {
    /// It was answered so.
    Answered(String),
    /// It is to be carried out.
    Claimed(Claim),
    /// It is being carried out.
    Running {
        /// Seconds after which it may have been answered.
        retry_after: u32,
    },
    /// Its key was used for another request.
    Reused,
}

/// An answer that is about to be stored with what it tells of.
#[derive(Clone, Debug)]
pub struct Answer {
    claim: Claim,
    data_key: Uuid,
    key: DataKey,
    body: Option<SealedAnswer>,
    file: Option<Uuid>,
    kept: SignedDuration,
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

    /// Claims a request, or tells what became of it.
    pub async fn reserve(&self, identity: &RequestIdentity) -> Result<Reserved, PlatformError> {
        let scope = self.records.master.index("idempotency", &identity.scope);
        let body = self.records.master.index("idempotent-body", &identity.body);
        let (scope, body) = (scope.to_string(), body.to_string());
        let Found { claimed, replaced } = self
            .records
            .store
            .transact(|tx| {
                let (scope, body) = (scope.clone(), body.clone());
                Box::pin(async move { claim_or_find(tx, &scope, &body).await })
            })
            .await?;
        if let Some(replaced) = replaced
            && let Err(error) = self.records.delete(&replaced.pending_deletion()).await
        {
            // The job that drops it is due.
            let error: &dyn std::error::Error = &error;
            tracing::warn!(
                error,
                "an answer that is not kept any more is left for a while"
            );
        }
        match claimed {
            Ok(claim) => Ok(Reserved::Claimed(claim)),
            Err(row) if row.body != body => Ok(Reserved::Reused),
            Err(row) => self.tell_what_became(row).await,
        }
    }

    /// Gives a claim back, so that the request may be made again. One that was
    /// answered meanwhile stays as it is.
    pub async fn release(&self, claim: &Claim) -> Result<(), PlatformError> {
        self.records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let stored = tx.get::<IdempotencyRow>(&claim.scope).await?;
                    if stored.is_some_and(|row| row.is_running_as(claim)) {
                        tx.delete::<IdempotencyRow>(&claim.scope).await?;
                        jobs::cancel(tx, TIMERS, &unique(claim.id)).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// The same where nobody can be told that it failed: the claim ends by itself
    /// then.
    pub async fn give_back(&self, claim: &Claim) {
        if let Err(error) = self.release(claim).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an idempotency key stays claimed for a while");
        }
    }

    /// Makes an answer ready to be kept; `body` where it is known already.
    pub async fn prepare_answer(
        &self,
        claim: &Claim,
        body: Option<&str>,
    ) -> Result<Answer, PlatformError> {
        let data_key = self.records.store.new_id().await?;
        let key = self.records.keys.create(data_key).await?;
        let mut answer = Answer {
            claim: claim.clone(),
            data_key,
            key,
            body: None,
            file: None,
            kept: self.kept,
        };
        match body {
            None => {}
            Some(body) if body.len() <= LONGEST_INLINE => {
                let sealed = seal_answer(&answer.key, claim.id, body)?;
                answer.body = Some(SealedAnswer::Inline(sealed));
            }
            Some(body) => {
                let id = self.records.store.new_id().await?;
                let content = bytes::Bytes::copy_from_slice(body.as_bytes());
                self.records.files.write(&answer.key, id, content).await?;
                answer.body = Some(SealedAnswer::File(id));
                answer.file = Some(id);
            }
        }
        Ok(answer)
    }

    /// Removes what was made ready for an answer that is not kept.
    pub async fn discard_answer(&self, answer: &Answer) {
        let unlinked = match answer.file {
            Some(file) => self.records.files.unlink(file).await.map(|_| ()),
            None => Ok(()),
        };
        let erased = self.records.keys.erase(answer.data_key).await;
        if let (Err(_), _) | (_, Err(_)) = (unlinked, erased) {
            tracing::warn!("a kept answer that nobody needs could not be removed");
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
            .store
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
                .store
                .transact(|tx| Box::pin(async move { forget_answers_about(tx, subject).await }))
                .await?;
            match forgotten {
                Some(pending) => outcome = outcome.and(self.records.delete(&pending).await),
                None => return outcome,
            }
        }
    }

    async fn tell_what_became(&self, row: IdempotencyRow) -> Result<Reserved, PlatformError> {
        match &row.state {
            IdempotencyState::Running { until } => Ok(Reserved::Running {
                retry_after: seconds_until(*until, self.records.store.now().await?)
                    .min(LOOK_AGAIN_SECONDS),
            }),
            IdempotencyState::Answered {
                data_key, answer, ..
            } => {
                let key = match self.records.keys.open(*data_key).await {
                    // What it told of is being erased at this moment.
                    Err(KeyError::Missing { .. }) => {
                        return Ok(Reserved::Running { retry_after: 1 });
                    }
                    opened => opened?,
                };
                let text = match answer {
                    SealedAnswer::Inline(sealed) => open_answer(&key, row.claim, sealed)?,
                    SealedAnswer::File(file) => {
                        self.records.files.read(&key, *file).await?.to_vec()
                    }
                };
                let text = String::from_utf8(text)
                    .map_err(|_| PlatformError::Inconsistent("a kept answer is not UTF-8"))?;
                Ok(Reserved::Answered(text))
            }
        }
    }
}

impl Answer {
    /// The same with the body that was not known before.
    pub fn with_body(&self, body: &str) -> Result<Self, PlatformError> {
        let sealed = seal_answer(&self.key, self.claim.id, body)?;
        Ok(Self {
            body: Some(SealedAnswer::Inline(sealed)),
            ..self.clone()
        })
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
    scope: &str,
    body: &str,
) -> Result<Found, PlatformError> {
    let now = tx.now();
    let replaced = match tx.get::<IdempotencyRow>(&scope.to_owned()).await? {
        Some(row) if now < row.until() => {
            return Ok(Found {
                claimed: Err(row),
                replaced: None,
            });
        }
        replaced => replaced,
    };
    let claim = Claim {
        scope: scope.to_owned(),
        id: tx.new_id()?,
    };
    tx.put(&IdempotencyRow {
        scope: scope.to_owned(),
        body: body.to_owned(),
        claim: claim.id,
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

/// Keeps an answer in the commit of what it tells of. Fails when the claim has
/// run out and somebody else carries the request out.
pub async fn keep(
    tx: &mut Transaction<'_>,
    answer: &Answer,
    subjects: &[Uuid],
) -> Result<(), PlatformError> {
    let claim = &answer.claim;
    let row = tx.get::<IdempotencyRow>(&claim.scope).await?;
    let row = row.filter(|row| row.is_running_as(claim));
    let row = row.ok_or(PlatformError::ClaimLost)?;
    let body = answer.body.clone();
    let body = body.ok_or(PlatformError::Inconsistent("a kept answer has no body"))?;
    let until = shifted(tx.now(), answer.kept);
    tx.put(&IdempotencyRow {
        state: IdempotencyState::Answered {
            until,
            data_key: answer.data_key,
            answer: body,
            subjects: subjects.to_vec(),
        },
        ..row
    })
    .await?;
    let pending_deletion = PendingDeletion {
        data_keys: vec![answer.data_key],
        byte_files: answer.file.into_iter().collect(),
    };
    jobs::cancel(tx, TIMERS, &unique(claim.id)).await?;
    schedule_drop(tx, claim, until, pending_deletion).await
}

async fn schedule_drop(
    tx: &mut Transaction<'_>,
    claim: &Claim,
    due: Timestamp,
    pending_deletion: PendingDeletion,
) -> Result<(), PlatformError> {
    let payload = Payload {
        scope: claim.scope.clone(),
        claim: claim.id,
        pending_deletion,
    };
    let job = NewJob {
        lane: TIMERS,
        kind: DROP_ANSWER.to_owned(),
        due,
        unique: Some(unique(claim.id)),
        payload: serde_json::json!(payload),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
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
        jobs::hasten(tx, TIMERS, &unique(row.claim), now).await?;
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

    fn is_running_as(&self, claim: &Claim) -> bool {
        matches!(self.state, IdempotencyState::Running { .. }) && self.claim == claim.id
    }
}

fn unique(claim: Uuid) -> String {
    format!("{DROP_ANSWER}/{claim}")
}

/// The text of a kept answer, bound to the claim that it answers.
fn seal_answer(key: &DataKey, claim: Uuid, answer: &str) -> Result<Sealed, PlatformError> {
    Ok(key.seal(&context(claim), answer.as_bytes())?)
}

fn open_answer(key: &DataKey, claim: Uuid, sealed: &Sealed) -> Result<Vec<u8>, PlatformError> {
    Ok(key.open(&context(claim), sealed)?.to_vec())
}

fn context(claim: Uuid) -> Vec<u8> {
    [b"answer\0", &claim.as_bytes()[..]].concat()
}
