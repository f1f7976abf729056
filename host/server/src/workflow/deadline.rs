//! The hard deadline of a signing.

use jiff::{SignedDuration, Timestamp};
use parafa_domain::SigningEvent;
use parafa_store::jobs::{self, ClaimedJob, NewJob};
use parafa_store::{StoreError, Transaction, audit};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::lanes::TIMERS;
use crate::app::App;
use crate::error::WorkflowError;
use crate::records::SigningRow;

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
                    let events = row.signing.expire(now);
                    if let Some(later) = next_look(&row, now) {
                        return Ok(jobs::retry(tx, job, later).await?);
                    }
                    if events.contains(&SigningEvent::Expired) {
                        audit::append(tx, signing, "signing.expired", audit::Fields::new()).await?;
                        tx.put(&row).await?;
                    }
                    Ok::<_, WorkflowError>(jobs::complete(tx, job).await?)
                })
            })
            .await?;
        self.changes.announce(signing);
        Ok(())
    }
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
