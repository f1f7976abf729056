//! What is told outside, stored by the commit that it is about. Delivering it is a job's; one
//! that is never delivered changes nothing else.

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

/// The lane of what webhooks are told.
pub const DELIVERIES: Lane = Lane::new("deliveries");
/// The lane of what persons are written: all of it goes to one mail server, and waits for that
/// alone.
pub const LETTERS: Lane = Lane::new("letters");
/// The kind of the job that tells a webhook; its payload names one notice.
pub const DELIVER: &str = "deliver-event";
/// The kind of the job that sends a mail; its payload names the notices that
/// go into it, all of them to one party.
pub const MAIL: &str = "send-mail";

/// Something that is to be told outside. A mail's row goes once it is sent; one that did not
/// arrive and a webhook's stay a while, to be looked at and replayed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NoticeRow {
    /// Also the idempotency key of every delivery of it.
    pub id: Uuid,
    /// The workspace.
    pub tenant: Uuid,
    /// Whose notice it is. Earlier programs knew one product.
    #[serde(default = "first_product")]
    pub product: Product,
    /// Whether production or the sandbox has it. Earlier programs did not say: callers do not
    /// see what those have left.
    #[serde(default)]
    pub mode: Option<KeyMode>,
    /// What it is about, such as a signing; of a test, the workspace.
    #[serde(rename = "signing")]
    pub subject: Uuid,
    /// The party concerned.
    #[serde(rename = "signer")]
    pub party: Option<Uuid>,
    /// The event after it, of which a webhook is told once it was told of this
    /// one, or could not be.
    pub next: Option<Uuid>,
    /// What is told, and to whom.
    pub kind: NoticeKind,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// The key of the payload: the subject's, or for the last notice of an erased
    /// subject one of the notice's own, which goes with the row.
    pub data_key: Uuid,
    /// What the product tells; of an event a [`Target`] too.
    pub payload: Sealed,
    /// Attempts since it happened, or since it was replayed.
    pub made: usize,
    /// The last of all attempts, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    /// How it ended, and when.
    pub ended: Option<DeliveryEnd>,
}

/// What is told, and to whom, by the product's own name for it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "to", content = "what")]
pub enum NoticeKind {
    /// An event, to the caller's webhook.
    Webhook(String),
    /// A letter, to the party.
    Mail(String),
}

/// Where an event goes; all that is kept of a test.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Target {
    /// The webhook's address.
    pub target: String,
}

/// One attempt to deliver a notice.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeliveryAttempt {
    /// When.
    pub at: Timestamp,
    /// The receiver's HTTP status or SMTP reply code, or what stood in its way.
    pub outcome: String,
}

/// The end of a delivery.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct DeliveryEnd {
    /// When.
    pub at: Timestamp,
    /// Whether the receiver took it.
    pub acknowledged: bool,
}

/// The notices of a subject.
pub const NOTICES_OF_SUBJECT: Index<NoticeRow, Uuid> =
    Index::many("of_signing", |row| vec![row.subject]);

/// What an operator sees of a workspace: the notices to its webhooks, and mail that did not
/// arrive.
pub const DELIVERIES_OF_TENANT: Index<NoticeRow, Uuid> =
    Index::many("webhooks_of_tenant", |row| match row.kind {
        NoticeKind::Webhook(_) => vec![row.tenant],
        NoticeKind::Mail(_) => row.ended.map(|_| row.tenant).into_iter().collect(),
    });

/// The notices to the webhooks of a workspace that callers of a product see, by the key of
/// [`seen_by`].
pub const DELIVERIES_OF_CALLERS: Index<NoticeRow, (Uuid, u32, bool, u32)> =
    Index::many("of_callers", |row| match (&row.kind, row.mode) {
        (NoticeKind::Webhook(_), Some(mode)) => [None, Some(row.status())]
            .map(|status| seen_by(row.tenant, row.product, mode, status))
            .to_vec(),
        _ => Vec::new(),
    });

/// The key in [`DELIVERIES_OF_CALLERS`] of those that have come so far, or of all.
#[must_use]
pub fn seen_by(
    tenant: Uuid,
    product: Product,
    mode: KeyMode,
    status: Option<WebhookDeliveryStatus>,
) -> (Uuid, u32, bool, u32) {
    // Numbers stand in keys of rows, and never change.
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

/// What a notice is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The workspace.
    pub tenant: Uuid,
    /// The product whose subject it is.
    pub product: Product,
    /// Whether it is production's or the sandbox's.
    pub mode: KeyMode,
    /// The subject.
    pub id: Uuid,
    /// The party concerned.
    pub party: Option<Uuid>,
}

/// Stores a notice, sealed under a data key that is named by its id. Nobody is told until
/// [`deliver`] or [`send`].
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

/// Has a webhook told of a notice.
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

/// What came of the wish to have a webhook told again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Replay {
    /// It is told now.
    Begun,
    /// It is being told at this moment, and stays as it is.
    UnderWay,
}

/// Starts the delivery of an event over: its schedule begins anew and its id stays. One that
/// waits for its next attempt has that now, and one that waits for another to be tried first
/// has that one tried.
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

/// Has one mail sent of these notices.
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

/// Drops what has not been told yet of a subject; gives the keys of it.
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
    /// Most attempts that are listed; replays may add to them.
    const LISTED_ATTEMPTS: usize = 50;

    /// Its status.
    #[must_use]
    pub fn status(&self) -> WebhookDeliveryStatus {
        match self.ended {
            None => WebhookDeliveryStatus::Pending,
            Some(end) if end.acknowledged => WebhookDeliveryStatus::Delivered,
            Some(_) => WebhookDeliveryStatus::Failed,
        }
    }

    /// Whether it tells of nothing, and its data key goes with it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        matches!(&self.kind, NoticeKind::Webhook(event) if event == TEST_EVENT)
    }

    /// Notes an attempt; gives how many of this run were made.
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

    /// What it is to say.
    ///
    /// # Errors
    /// When it was not sealed under this key, or is no `T`.
    pub fn open<T: DeserializeOwned>(&self, key: &DataKey) -> Result<T, PlatformError> {
        Ok(key.open_json(&context(self.id), &self.payload)?)
    }
}

impl Records {
    /// What a notice is to say; none once its key is erased, and where it can
    /// never be read again.
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

/// What the sealed payload of a notice is bound to.
fn context(notice: Uuid) -> Vec<u8> {
    [b"notice\0", &notice.as_bytes()[..]].concat()
}
