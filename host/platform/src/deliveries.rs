//! Webhook deliveries as callers see and control them.

use async_trait::async_trait;
use parafa_api_http::deliveries::{
    CallersDeliveries, DELIVERY_UNDER_WAY, DeliveryId, DeliveryList, DeliveryQuery, ResentDelivery,
    TEST_EVENT, TestEvent, WebhookAttempt, WebhookDelivery,
};
use parafa_api_http::{Presence, Problem};
use parafa_store::{Guard, Page, StoreError, Transaction};
use url::Url;

use crate::accounts::Caller;
use crate::error::{PlatformError, log_failure};
use crate::idempotency::Idempotency;
use crate::outbox::{
    self, DELIVERIES_OF_CALLERS, NoticeKind, NoticeRow, Replay, Subject, Target, seen_by,
};
use crate::records::Records;

/// Most searches of one request for deliveries of one event.
const LOOKS: usize = 20;

/// Failure of a caller's request about a delivery.
#[derive(Debug, thiserror::Error)]
enum DeliveryFault {
    /// The caller has no such delivery.
    #[error("there is no such delivery")]
    Unknown,
    /// The delivery is being attempted.
    #[error("the delivery is under way")]
    UnderWay,
    /// The records failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl From<StoreError> for DeliveryFault {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}

impl From<DeliveryFault> for Problem {
    fn from(fault: DeliveryFault) -> Self {
        match fault {
            DeliveryFault::Unknown => Self::not_found(),
            DeliveryFault::UnderWay => Self::of(DELIVERY_UNDER_WAY).with_retry_after(1),
            DeliveryFault::Platform(error) => {
                log_failure(&error, "a delivery could not be read or written");
                Self::unavailable("The deliveries cannot be read or written at the moment.")
            }
        }
    }
}

/// Service for callers' deliveries.
pub struct Deliveries {
    /// The rows.
    pub records: Records,
    /// Stored answers.
    pub idempotency: Idempotency,
}

#[async_trait]
impl CallersDeliveries<Caller> for Deliveries {
    async fn list(&self, caller: &Caller, query: DeliveryQuery) -> Result<DeliveryList, Problem> {
        Ok(self.page(caller, query).await?)
    }

    async fn read(&self, caller: &Caller, id: DeliveryId) -> Result<WebhookDelivery, Problem> {
        Ok(shown(&self.find(caller, id).await?))
    }

    async fn resend(&self, caller: &Caller, id: DeliveryId) -> Result<ResentDelivery, Problem> {
        let resent = self.replay(caller, id).await?;
        tracing::info!(notice.id = %resent.id, "a caller has an event sent again");
        Ok(ResentDelivery(shown(&resent)))
    }

    async fn send_test(
        &self,
        caller: &Caller,
        test: TestEvent,
    ) -> Result<WebhookDelivery, Problem> {
        Ok(shown(&self.post_test(caller, &test.webhook_url).await?))
    }
}

impl Deliveries {
    /// Returns whether this caller has a delivery.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn presence(
        &self,
        caller: &Caller,
        id: DeliveryId,
    ) -> Result<Presence, PlatformError> {
        match self.find(caller, id).await {
            Ok(_) => Ok(Presence::Present),
            Err(DeliveryFault::Platform(error)) => Err(error),
            Err(DeliveryFault::Unknown | DeliveryFault::UnderWay) => Ok(Presence::Absent),
        }
    }

    async fn replay(&self, caller: &Caller, id: DeliveryId) -> Result<NoticeRow, DeliveryFault> {
        let answer = |notice: &NoticeRow| ResentDelivery(shown(notice));
        self.idempotency
            .commit_outcome(caller.claim, &[], answer, |tx| {
                Box::pin(async move {
                    let mut notice = find(tx, caller, id).await?;
                    match outbox::replay(tx, &mut notice).await? {
                        Replay::Begun => Ok(notice),
                        Replay::UnderWay => Err(DeliveryFault::UnderWay),
                    }
                })
            })
            .await
    }

    /// Posts a test event, sealed under a key of its own.
    async fn post_test(&self, caller: &Caller, target: &Url) -> Result<NoticeRow, DeliveryFault> {
        let records = &self.records;
        let data_key = records.store.new_id().await?;
        let key = records.keys.create(data_key).await;
        let key = &key.map_err(PlatformError::from)?;
        let payload = &Target {
            target: target.to_string(),
        };
        let about = Subject {
            tenant: caller.tenant,
            product: caller.product,
            mode: caller.mode,
            id: caller.tenant,
            party: None,
        };
        let sent: Result<NoticeRow, DeliveryFault> = self
            .idempotency
            .commit_outcome(caller.claim, &[], shown, |tx| {
                Box::pin(async move {
                    let kind = NoticeKind::Webhook(TEST_EVENT.to_owned());
                    let notice = outbox::note(tx, (data_key, key), about, kind, payload).await?;
                    outbox::deliver(tx, notice.id).await?;
                    Ok(notice)
                })
            })
            .await;
        if let Err(DeliveryFault::Platform(error)) = &sent
            && error.proves_nothing_stored()
        {
            records.discard_key(data_key).await;
        }
        sent
    }

    async fn page(
        &self,
        caller: &Caller,
        query: DeliveryQuery,
    ) -> Result<DeliveryList, DeliveryFault> {
        let key = &seen_by(caller.tenant, caller.product, caller.mode, query.status);
        let read = self.records.store.read(|tx| {
            Box::pin(async move {
                let limit = usize::from(query.limit);
                let mut data = Vec::new();
                let mut page = Page {
                    after: query.starting_after,
                    ..Page::newest(limit)
                };
                for _ in 0..LOOKS {
                    page.limit = limit - data.len();
                    let found = tx
                        .page_by(&DELIVERIES_OF_CALLERS, key, &page, Guard::none())
                        .await?;
                    page.after = found.rows.last().map(|notice| notice.id).or(page.after);
                    let asked = found.rows.iter().filter(|row| is_of(row, query.event));
                    data.extend(asked.map(shown));
                    if !found.more {
                        return Ok((data, None));
                    }
                    if data.len() == limit {
                        break;
                    }
                }
                Ok::<_, DeliveryFault>((data, page.after))
            })
        });
        let (data, next_cursor) = read.await?;
        Ok(DeliveryList {
            data,
            has_more: next_cursor.is_some(),
            next_cursor,
        })
    }

    async fn find(&self, caller: &Caller, id: DeliveryId) -> Result<NoticeRow, DeliveryFault> {
        let store = &self.records.store;
        store
            .read(|tx| Box::pin(async move { find(tx, caller, id).await }))
            .await
    }
}

async fn find(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    id: DeliveryId,
) -> Result<NoticeRow, DeliveryFault> {
    let notice = tx.get::<NoticeRow>(&id.0).await?;
    let is_seen = |notice: &NoticeRow| {
        matches!(notice.kind, NoticeKind::Webhook(_))
            && notice.tenant == caller.tenant
            && notice.product == caller.product
            && notice.mode == Some(caller.mode)
    };
    notice.filter(is_seen).ok_or(DeliveryFault::Unknown)
}

fn is_of(notice: &NoticeRow, event: Option<&str>) -> bool {
    event.is_none_or(|wanted| event_of(notice) == wanted)
}

fn event_of(notice: &NoticeRow) -> &str {
    let (NoticeKind::Webhook(name) | NoticeKind::Mail(name)) = &notice.kind;
    name
}

fn shown(notice: &NoticeRow) -> WebhookDelivery {
    let attempts = notice.attempts.iter();
    WebhookDelivery {
        delivery_id: DeliveryId(notice.id),
        event: event_of(notice).to_owned(),
        subject_id: (!notice.is_test()).then_some(notice.subject),
        occurred_at: notice.occurred_at,
        status: notice.status(),
        attempts: attempts
            .map(|attempt| WebhookAttempt {
                at: attempt.at,
                outcome: attempt.outcome.clone(),
            })
            .collect(),
    }
}
