use jiff::SignedDuration;
use parafa_platform::jobs::TIMERS;
use parafa_platform::outbox::NoticeRow;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{StoreError, Transaction};
use uuid::Uuid;

use super::{Payload, WebhookSender};
use crate::error::DeliveryError;

/// The kind of the job that forgets a delivery.
pub const DROP_NOTICE: &str = "drop-notice";

/// Time for which an ended delivery can be viewed and replayed.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Schedules the deletion of a delivery that has ended now.
pub(crate) async fn schedule_drop(
    tx: &mut Transaction<'_>,
    notice: Uuid,
) -> Result<(), StoreError> {
    let (due, payload) = (
        shifted(tx.now(), KEPT),
        serde_json::json!({ "notice": notice }),
    );
    jobs::schedule(tx, (TIMERS, DROP_NOTICE), notice, due, payload).await
}

impl WebhookSender {
    /// Deletes a delivery, unless it was replayed since: then later. The data key of a test event
    /// is deleted too.
    ///
    /// # Errors
    /// The store failed.
    pub async fn drop_notice(&self, job: &ClaimedJob) -> Result<(), DeliveryError> {
        let Payload { notice } = job.payload()?;
        let idle = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let mut idle = None;
                    if let Some(row) = tx.get::<NoticeRow>(&notice).await? {
                        let ended = row.ended.map_or(now, |end| end.at);
                        let due = shifted(ended, KEPT);
                        if now < due {
                            jobs::retry(tx, job, due).await?;
                            return Ok(None);
                        }
                        tx.delete::<NoticeRow>(&notice).await?;
                        idle = row.is_test().then_some(row.data_key);
                    }
                    jobs::complete(tx, job).await?;
                    Ok::<_, DeliveryError>(idle)
                })
            })
            .await?;
        if let Some(key) = idle {
            self.records.discard_key(key).await;
        }
        Ok(())
    }
}
