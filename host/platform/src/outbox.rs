//! The outbox: notices to the outside, stored by the commit that they are about. A job
//! delivers each; a failed delivery changes nothing else.

use jiff::Timestamp;
use parafa_api_http::deliveries::{TEST_EVENT, WebhookDeliveryStatus};
use parafa_store::jobs::{self, HastenOutcome, Lane, NewJob};
use parafa_store::keys::DataKey;
use parafa_store::{
    AnyIndex, Content, Guard, Index, MAX_PAGE_ROWS, Named, Page, Sealed, StoreError, Table,
    TableName, Transaction,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::{KeyMode, Product};
use crate::error::PlatformError;
use crate::records::Records;

/// The lane of webhook deliveries.
pub const DELIVERIES: Lane = Lane::new("deliveries");
/// The lane of mail: all of it goes to one mail server, and waits for that alone.
pub const LETTERS: Lane = Lane::new("letters");
/// Kind of the job that posts to a webhook; its payload names one notice.
pub const DELIVER: &str = "deliver-event";
/// Kind of the job that sends a mail; its payload names the notices in it, all of them to one
/// party.
pub const MAIL: &str = "send-mail";

/// A notice to the outside. A mail's row is deleted once it is sent. Failed mail and webhook
/// notices are kept for a while, for inspection and replays.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NoticeRow {
    /// Also the idempotency key of all its deliveries.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// The product of the notice. Earlier programs had only one.
    #[serde(default = "first_product")]
    pub product: Product,
    /// Production or the sandbox. `None` in rows of earlier programs, which callers do not
    /// see.
    #[serde(default)]
    pub mode: Option<KeyMode>,
    /// The subject, such as a signing; the workspace for a test.
    #[serde(rename = "signing")]
    pub subject: Uuid,
    /// The party concerned.
    #[serde(rename = "signer")]
    pub party: Option<Uuid>,
    /// The next event; sent after this one was delivered or given up.
    pub next: Option<Uuid>,
    /// Content and receiver.
    pub kind: NoticeKind,
    /// Time of the event.
    pub occurred_at: Timestamp,
    /// The key of the payload: the subject's. For the last notice of an erased subject it is a
    /// separate one, which is erased with the row.
    pub data_key: Uuid,
    /// The product's payload; for an event with a [`Target`].
    pub payload: Sealed,
    /// Attempts since the event, or since the last replay.
    pub made: usize,
    /// The latest attempts, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    /// Outcome and time of its end.
    pub ended: Option<DeliveryEnd>,
}

/// Kind of receiver, with the product's own name for the notice.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "to", content = "what")]
pub enum NoticeKind {
    /// An event to the caller's webhook.
    Webhook(String),
    /// A mail to the party.
    Mail(String),
}

/// Address of an event; the whole payload of a test.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Target {
    /// The webhook's address.
    pub target: String,
}

/// One attempt to deliver a notice.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeliveryAttempt {
    /// Time of the attempt.
    pub at: Timestamp,
    /// The receiver's HTTP status or SMTP reply code, or the obstacle.
    pub outcome: String,
}

/// The end of a delivery.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct DeliveryEnd {
    /// Time of the end.
    pub at: Timestamp,
    /// The receiver acknowledged it.
    pub acknowledged: bool,
}

/// Index of the notices of a subject.
pub const NOTICES_OF_SUBJECT: Index<NoticeRow, Uuid> =
    Index::many("of_signing", |row| vec![row.subject]);

/// Index of a workspace's deliveries as seen by operators: notices to its webhooks, and failed
/// mail.
pub const DELIVERIES_OF_TENANT: Index<NoticeRow, Uuid> =
    Index::many("webhooks_of_tenant", |row| match row.kind {
        NoticeKind::Webhook(_) => vec![row.tenant],
        NoticeKind::Mail(_) => row.ended.map(|_| row.tenant).into_iter().collect(),
    });

/// Index of a workspace's webhook notices as seen by a product's callers, by the key of
/// [`seen_by`].
pub const DELIVERIES_OF_CALLERS: Index<NoticeRow, (Uuid, u32, bool, u32)> =
    Index::many("of_callers", |row| match (&row.kind, row.mode) {
        (NoticeKind::Webhook(_), Some(mode)) => [None, Some(row.status())]
            .map(|status| seen_by(row.tenant, row.product, mode, status))
            .to_vec(),
        _ => Vec::new(),
    });

/// Returns the key in [`DELIVERIES_OF_CALLERS`] of the deliveries with this status, or of all.
#[must_use]
pub fn seen_by(
    tenant: Uuid,
    product: Product,
    mode: KeyMode,
    status: Option<WebhookDeliveryStatus>,
) -> (Uuid, u32, bool, u32) {
    // These numbers are stored in keys of rows and never change.
    let status = match status {
        None => 0,
        Some(WebhookDeliveryStatus::Pending) => 1,
        Some(WebhookDeliveryStatus::Delivered) => 2,
        Some(WebhookDeliveryStatus::Failed) => 3,
    };
    (tenant, product.number(), mode == KeyMode::Live, status)
}

impl Table for NoticeRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("notices");
    const CONTENT: Content = Content::Keys;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        Named::key(self.data_key)
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[
            &NOTICES_OF_SUBJECT,
            &DELIVERIES_OF_TENANT,
            &DELIVERIES_OF_CALLERS,
        ]
    }
}

fn first_product() -> Product {
    Product::Signing
}

/// Subject of a notice.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The workspace.
    pub tenant: Uuid,
    /// The product of the subject.
    pub product: Product,
    /// Production or the sandbox.
    pub mode: KeyMode,
    /// The subject.
    pub id: Uuid,
    /// The party concerned.
    pub party: Option<Uuid>,
}

/// Stores a notice, sealed under a data key named by its id. It is delivered by [`deliver`] or
/// [`send`].
///
/// # Errors
/// When the store fails.
pub async fn note<T: Serialize>(
    tx: &mut Transaction<'_>,
    (data_key, key): (Uuid, &DataKey),
    about: Subject,
    kind: NoticeKind,
    payload: &T,
) -> Result<NoticeRow, PlatformError> {
    let id = tx.new_id()?;
    let notice = NoticeRow {
        id,
        tenant: about.tenant,
        product: about.product,
        mode: Some(about.mode),
        subject: about.id,
        party: about.party,
        next: None,
        kind,
        occurred_at: tx.now(),
        data_key,
        payload: key.seal_json(&context(id), payload)?,
        made: 0,
        attempts: Vec::new(),
        ended: None,
    };
    tx.insert(&notice).await?;
    Ok(notice)
}

/// Enqueues the delivery of a notice to a webhook.
///
/// # Errors
/// When the store fails.
pub async fn deliver(tx: &mut Transaction<'_>, notice: Uuid) -> Result<(), StoreError> {
    let (payload, now) = (serde_json::json!({ "notice": notice }), tx.now());
    jobs::schedule(tx, (DELIVERIES, DELIVER), notice, now, payload).await
}

async fn hasten(tx: &mut Transaction<'_>, notice: Uuid) -> Result<HastenOutcome, StoreError> {
    let now = tx.now();
    jobs::hasten(tx, DELIVERIES, &jobs::unique_key(DELIVER, notice), now).await
}

/// Outcome of a replay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Replay {
    /// The delivery is due now.
    Begun,
    /// The delivery is being attempted, and is unchanged.
    UnderWay,
}

/// Restarts the delivery of an event: its schedule restarts and its id stays. A delivery that
/// waits for its next attempt has that now. One that waits for another event has that one
/// attempted.
///
/// # Errors
/// When the store fails.
pub async fn replay(
    tx: &mut Transaction<'_>,
    notice: &mut NoticeRow,
) -> Result<Replay, StoreError> {
    if notice.ended.take().is_some() {
        deliver(tx, notice.id).await?;
    } else if hasten_event(tx, notice).await? == Replay::UnderWay {
        return Ok(Replay::UnderWay);
    }
    notice.made = 0;
    tx.put(notice).await?;
    Ok(Replay::Begun)
}

async fn hasten_event(tx: &mut Transaction<'_>, notice: &NoticeRow) -> Result<Replay, StoreError> {
    match hasten(tx, notice.id).await? {
        HastenOutcome::Due => return Ok(Replay::Begun),
        HastenOutcome::Claimed => return Ok(Replay::UnderWay),
        HastenOutcome::Missing => {}
    }
    let page = &Page::oldest(MAX_PAGE_ROWS);
    let events = tx.page_by(&NOTICES_OF_SUBJECT, &notice.subject, page, Guard::none());
    let events = events.await?.rows;
    let mut waits = notice.id;
    while let Some(before) = events.iter().find(|event| event.next == Some(waits)) {
        if hasten(tx, before.id).await? != HastenOutcome::Missing {
            break;
        }
        waits = before.id;
    }
    Ok(Replay::Begun)
}

/// Enqueues one mail with these notices.
///
/// # Errors
/// When the store fails.
pub async fn send(tx: &mut Transaction<'_>, notices: &[Uuid]) -> Result<(), StoreError> {
    let job = NewJob {
        lane: LETTERS,
        kind: MAIL.to_owned(),
        due: tx.now(),
        unique: None,
        payload: serde_json::json!({ "notices": notices }),
    };
    jobs::enqueue(tx, job).await?;
    Ok(())
}

/// Deletes the undelivered notices of a subject; returns their keys.
///
/// # Errors
/// When the store fails.
pub async fn drop_notices(
    tx: &mut Transaction<'_>,
    subject: Uuid,
) -> Result<Vec<Uuid>, StoreError> {
    let mut keys = Vec::new();
    let mut page = Page::oldest(MAX_PAGE_ROWS);
    loop {
        let found = tx
            .page_by(&NOTICES_OF_SUBJECT, &subject, &page, Guard::none())
            .await?;
        let last = found.rows.last().map(|notice| notice.id);
        for notice in found.rows {
            tx.delete::<NoticeRow>(&notice.id).await?;
            keys.push(notice.data_key);
        }
        match last {
            Some(last) if found.more => page = Page::oldest(MAX_PAGE_ROWS).after(last),
            _ => break,
        }
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

impl NoticeRow {
    /// Most attempts listed; replays may add to them.
    const LISTED_ATTEMPTS: usize = 50;

    /// Returns its status.
    #[must_use]
    pub fn status(&self) -> WebhookDeliveryStatus {
        match self.ended {
            None => WebhookDeliveryStatus::Pending,
            Some(end) if end.acknowledged => WebhookDeliveryStatus::Delivered,
            Some(_) => WebhookDeliveryStatus::Failed,
        }
    }

    /// Returns whether it is a test without a subject, whose data key is erased with it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        matches!(&self.kind, NoticeKind::Webhook(event) if event == TEST_EVENT)
    }

    /// Notes an attempt; returns the number of attempts in this run.
    pub fn note_attempt(&mut self, at: Timestamp, outcome: &str) -> usize {
        self.made += 1;
        self.attempts.push(DeliveryAttempt {
            at,
            outcome: outcome.to_owned(),
        });
        if self.attempts.len() > Self::LISTED_ATTEMPTS {
            self.attempts.remove(0);
        }
        self.made
    }

    /// Opens its payload.
    ///
    /// # Errors
    /// When it was not sealed under this key, or is not a `T`.
    pub fn open<T: DeserializeOwned>(&self, key: &DataKey) -> Result<T, PlatformError> {
        Ok(key.open_json(&context(self.id), &self.payload)?)
    }
}

impl Records {
    /// Returns the payload of a notice; `None` once its key is erased, or if it is permanently
    /// unreadable.
    ///
    /// # Errors
    /// When it cannot be read at the moment.
    pub async fn notice_unless_lost<T: DeserializeOwned>(
        &self,
        notice: &NoticeRow,
    ) -> Result<Option<T>, PlatformError> {
        let payload = match self.keys.open(notice.data_key).await {
            Ok(key) => notice.open(&key),
            Err(error) => Err(error.into()),
        };
        match payload {
            Ok(payload) => Ok(Some(payload)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) if error.is_unreadable() => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(notice.id = %notice.id, error, "a notice is lost: it cannot be read");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the context of a notice's sealed payload.
fn context(notice: Uuid) -> Vec<u8> {
    [b"notice\0", &notice.as_bytes()[..]].concat()
}
