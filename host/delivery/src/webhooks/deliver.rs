use bytes::Bytes;
use http::{HeaderMap, Uri};
use jiff::Timestamp;
use parafa_platform::PlatformError;
use parafa_platform::outbox::{self, DeliveryEnd, NoticeKind, NoticeRow, Target};
use parafa_platform::webhook_secret::WebhookSecretRow;
use parafa_store::clock::shifted;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{StoreError, Transaction};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::keep::schedule_drop;
use super::send::{Outcome, post};
use super::signature::signed_headers;
use super::{Payload, WebhookSender};
use crate::error::DeliveryError;
use crate::metrics;
use crate::retries::{Jitter, next_attempt};

impl WebhookSender {
    /// One attempt to deliver an event that is next in its line. Waiting events are neither written
    /// nor signed.
    ///
    /// # Errors
    /// The store failed. Failures of the receiver are retried instead.
    pub async fn deliver(&self, job: &ClaimedJob) -> Result<(), DeliveryError> {
        let Payload { notice } = job.payload()?;
        let Some(notice) = self.records.store.get::<NoticeRow>(&notice).await? else {
            return self.drop_delivery(job, notice).await;
        };
        let payload = self.records.notice_unless_lost::<Value>(&notice).await?;
        let Some(payload) = payload else {
            return self.drop_delivery(job, notice.id).await;
        };
        let now = self.records.store.now().await?;
        let target = Target::deserialize(&payload).ok();
        let target = target.and_then(|payload| payload.target.parse::<Uri>().ok());
        let Some(target) = target else {
            tracing::error!(notice.id = %notice.id, "a webhook's target is not a URL: its event is lost");
            return self.drop_delivery(job, notice.id).await;
        };
        let (headers, body) = match self.signed(&notice, payload, now).await {
            Err(DeliveryError::Source(error)) => {
                tracing::error!(notice.id = %notice.id, error = format!("{error:#}"), "an event cannot be written and is lost");
                return self.drop_delivery(job, notice.id).await;
            }
            signed => signed?,
        };
        let body = Bytes::from(body);
        let outcome = post(self.port.as_ref(), &target, headers, body, now).await;
        metrics::delivery_attempted(outcome.class());
        self.note_outcome(job, &notice, outcome).await
    }

    /// The event's body, and its headers with a signature of `now`.
    async fn signed(
        &self,
        notice: &NoticeRow,
        payload: Value,
        now: Timestamp,
    ) -> Result<(HeaderMap, Vec<u8>), DeliveryError> {
        let NoticeKind::Webhook(event) = &notice.kind else {
            return Err(PlatformError::Inconsistent("an email is among the events").into());
        };
        let secrets = (notice.tenant, notice.product.number());
        let secrets = self.records.store.get::<WebhookSecretRow>(&secrets).await?;
        let secrets = secrets.ok_or(PlatformError::Inconsistent(
            "a workspace with events has no webhook secret",
        ))?;
        let secrets = secrets.open(&self.records.master, now)?;
        let body = match notice.is_test() {
            true => test_body(notice, event),
            false => self.sources.of(notice)?.event_body(notice, payload),
        };
        let body = body.map_err(DeliveryError::Source)?;
        let headers = signed_headers(&secrets, notice.id, event, now, &body);
        Ok((headers, body))
    }

    /// Ends a delivery that cannot be made. Its record stays as long as others', and a replay
    /// delivers it if the key is restored.
    async fn drop_delivery(&self, job: &ClaimedJob, notice: Uuid) -> Result<(), DeliveryError> {
        let completed = self.records.transact(|tx| {
            Box::pin(async move {
                if let Some(mut notice) = tx.get::<NoticeRow>(&notice).await? {
                    release_next(tx, &mut notice).await?;
                    notice.ended = Some(DeliveryEnd {
                        at: tx.now(),
                        acknowledged: false,
                    });
                    tx.put(&notice).await?;
                    schedule_drop(tx, notice.id).await?;
                }
                jobs::complete(tx, job).await
            })
        });
        Ok(completed.await?)
    }

    async fn note_outcome(
        &self,
        job: &ClaimedJob,
        sent: &NoticeRow,
        outcome: Outcome,
    ) -> Result<(), DeliveryError> {
        let jitter = Jitter::drawn();
        let source = self.sources.of(sent)?;
        let erases_key = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let Some(mut notice) = tx.get::<NoticeRow>(&sent.id).await? else {
                        return Ok::<_, DeliveryError>(
                            jobs::complete(tx, job).await.map(|()| false)?,
                        );
                    };
                    let made = notice.note_attempt(now, &outcome.described());
                    release_next(tx, &mut notice).await?;
                    if outcome.may_be_repeated()
                        && let Some(again) = next_attempt(made, now, jitter)
                    {
                        let again = again.max(shifted(now, outcome.pause()));
                        tx.put(&notice).await?;
                        jobs::retry(tx, job, again).await?;
                        return Ok(false);
                    }
                    jobs::complete(tx, job).await?;
                    if source.has_own_key(tx, &notice).await? {
                        tx.delete::<NoticeRow>(&notice.id).await?;
                        return Ok(true);
                    }
                    notice.ended = Some(DeliveryEnd {
                        at: now,
                        acknowledged: matches!(outcome, Outcome::Acknowledged(_)),
                    });
                    tx.put(&notice).await?;
                    schedule_drop(tx, notice.id).await?;
                    Ok(false)
                })
            })
            .await?;
        if erases_key {
            self.records.keys.erase(sent.data_key).await?;
        }
        if sent.next.is_some() {
            self.work.notify_one();
        }
        Ok(())
    }
}

/// Body of a test event, the same for all products.
fn test_body(notice: &NoticeRow, event: &str) -> anyhow::Result<Vec<u8>> {
    let body = json!({
        "event": event,
        "deliveryId": notice.id,
        "occurredAt": format!("{:.3}", notice.occurred_at),
    });
    Ok(serde_json::to_vec(&body)?)
}

/// Schedules the next event, which waited until this one was tried.
async fn release_next(tx: &mut Transaction<'_>, notice: &mut NoticeRow) -> Result<(), StoreError> {
    match notice.next.take() {
        Some(next) => outbox::deliver(tx, next).await,
        None => Ok(()),
    }
}
