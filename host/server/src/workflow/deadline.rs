//! The hard deadline of a signing.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::AttemptFailure;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::{StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::attempt;
use super::history::record_events;
use super::lanes::{ATTEMPTS, TIMERS};
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{AttemptRow, SigningRow};

/// The kind of the job.
pub(crate) const EXPIRE: &str = "expire-signing";

/// How long a signature that a device has made already may hold the deadline
/// up before it is looked at again.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_mins(1);

#[derive(Deserialize, Serialize)]
struct Payload {
    signing: Uuid,
}

/// Has the deadline looked at when it comes.
pub(super) async fn schedule(tx: &mut Transaction<'_>, row: &SigningRow) -> Result<(), StoreError> {
    let signing = row.signing.id.uuid();
    let job = NewJob {
        lane: TIMERS,
        kind: EXPIRE.to_owned(),
        due: row.signing.expires_at,
        unique: Some(format!("{EXPIRE}/{signing}")),
        payload: serde_json::json!({ "signing": signing }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

impl App {
    /// Ends a signing whose deadline has passed.
    pub(crate) async fn expire_signing(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        let Payload { signing } = job.payload()?;
        self.store
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let Some(mut row) = tx.get::<SigningRow>(&signing).await? else {
                        return Ok(jobs::complete(tx, job).await?);
                    };
                    let turn = row.signing.turn;
                    let events = row.signing.expire(now);
                    if let Some(later) = next_look(&row, now) {
                        return Ok(jobs::retry(tx, job, later).await?);
                    }
                    if !events.is_empty() {
                        tx.put(&row).await?;
                        record_events(tx, signing, &events).await?;
                        if let Some(turn) = turn {
                            end_attempt(tx, turn.attempt.uuid()).await?;
                        }
                    }
                    Ok::<_, WorkflowError>(jobs::complete(tx, job).await?)
                })
            })
            .await?;
        self.changes.announce(signing);
        Ok(())
    }
}

/// The deadline wins over a signature that no device has made yet.
async fn end_attempt(tx: &mut Transaction<'_>, id: Uuid) -> Result<(), WorkflowError> {
    let running = tx.get::<AttemptRow>(&id).await?;
    if let Some(running) = running.filter(|attempt| !attempt.phase.is_terminal()) {
        attempt::end(tx, running, AttemptFailure::Cancelled).await?;
        jobs::cancel(tx, ATTEMPTS, &attempt::unique_key(id)).await?;
    }
    Ok(())
}

fn next_look(row: &SigningRow, now: Timestamp) -> Option<Timestamp> {
    if row.signing.status != parafa_domain::SigningStatus::Pending {
        return None;
    }
    Some(
        row.signing
            .expires_at
            .max(now.saturating_add(LOOK_AGAIN).unwrap_or(Timestamp::MAX)),
    )
}
