use bytes::Bytes;
use http::{HeaderMap, Uri};
use jiff::Timestamp;
use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::{StoreError, Transaction};
use serde::Deserialize;
use uuid::Uuid;

use super::keep::schedule_drop;
use super::send::{Outcome, post};
use super::signature::signed_headers;
use crate::app::App;
use crate::error::WorkflowError;
use crate::metrics;
use crate::records::{
    DeliveryAttempt, DeliveryEnd, EventPayload, NoticeKind, NoticeRow, Product, SigningRow,
    WebhookSecretRow,
};
use crate::retries::{Jitter, next_attempt};
use crate::workflow::notices;

/// Most attempts that a delivery's record lists; replays may add to them.
const LISTED_ATTEMPTS: usize = 50;

#[derive(Deserialize)]
struct Payload {
    notice: Uuid,
}

impl App {
    /// One attempt to deliver an event, whose turn it is: whatever waits is
    /// neither written nor signed.
    pub(crate) async fn deliver_event(&self, job: &ClaimedJob) -> Result<(), WorkflowError> {
        let Payload { notice } = job.payload()?;
        let Some(notice) = self.store.get::<NoticeRow>(&notice).await? else {
            return self.drop_delivery(job, notice).await;
        };
        let Some(payload) = self.notice_unless_lost::<EventPayload>(&notice).await? else {
            return self.drop_delivery(job, notice.id).await;
        };
        let now = self.store.now().await?;
        let target: Uri = payload
            .target
            .parse()
            .map_err(|_| WorkflowError::Inconsistent("a webhook's target is no address"))?;
        let (headers, body) = self.signed(&notice, &payload, now).await?;
        let port = self.webhooks.port.as_ref();
        let outcome = post(port, &target, headers, Bytes::from(body)).await;
        metrics::delivery_attempted(outcome.class());
        self.note_outcome(job, &notice, outcome).await
    }

    /// The event's body, and its headers with a signature of `now`.
    async fn signed(
        &self,
        notice: &NoticeRow,
        payload: &EventPayload,
        now: Timestamp,
    ) -> Result<(HeaderMap, Vec<u8>), WorkflowError> {
        let NoticeKind::Webhook(event) = notice.kind else {
            return Err(WorkflowError::Inconsistent("a mail stands among events"));
        };
        let secrets = (notice.tenant, Product::Signing.number());
        let secrets = self.store.get::<WebhookSecretRow>(&secrets).await?;
        let secrets = secrets.ok_or(WorkflowError::Inconsistent(
            "a workspace with events has no webhook secret",
        ))?;
        let secrets = secrets.open(&self.master, now)?;
        let body = (self.webhooks.write)(notice, event, payload)?;
        let headers = signed_headers(&secrets, notice.id, event, now, &body);
        Ok((headers, body))
    }

    /// Ends a delivery of which nobody can be told. Its record stays for as long
    /// as those of others, and a replay tells it if the key is there again.
    async fn drop_delivery(&self, job: &ClaimedJob, notice: Uuid) -> Result<(), WorkflowError> {
        let completed = self.store.transact(|tx| {
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
    ) -> Result<(), WorkflowError> {
        let jitter = Jitter::drawn();
        let last_word = self
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let now = tx.now();
                    let Some(mut notice) = tx.get::<NoticeRow>(&sent.id).await? else {
                        return Ok::<_, WorkflowError>(
                            jobs::complete(tx, job).await.map(|()| false)?,
                        );
                    };
                    let made = note_attempt(&mut notice, now, outcome);
                    release_next(tx, &mut notice).await?;
                    if outcome.may_be_repeated()
                        && let Some(again) = next_attempt(made, now, jitter)
                    {
                        tx.put(&notice).await?;
                        jobs::retry(tx, job, again).await?;
                        return Ok(false);
                    }
                    jobs::complete(tx, job).await?;
                    let signing = tx.get::<SigningRow>(&notice.signing).await?;
                    // Of a signing whose row is lost the key may be all that is left.
                    let has_own_key = signing.is_some_and(|row| row.data_key != notice.data_key);
                    if has_own_key {
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
        if last_word {
            self.keys.erase(sent.data_key).await?;
        }
        if sent.next.is_some() {
            self.work.notify_one();
        }
        Ok(())
    }
}

/// Lets the event after it come, which has waited for this one to be tried.
async fn release_next(tx: &mut Transaction<'_>, notice: &mut NoticeRow) -> Result<(), StoreError> {
    match notice.next.take() {
        Some(next) => notices::deliver(tx, next).await,
        None => Ok(()),
    }
}

/// Adds to the record; gives how many attempts of this run were made.
fn note_attempt(notice: &mut NoticeRow, now: Timestamp, outcome: Outcome) -> usize {
    notice.made += 1;
    notice.attempts.push(DeliveryAttempt {
        at: now,
        outcome: outcome.described(),
    });
    if notice.attempts.len() > LISTED_ATTEMPTS {
        notice.attempts.remove(0);
    }
    notice.made
}
