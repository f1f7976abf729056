//! Audit trails: the events of a subject, in an order that cannot be changed afterwards.
//!
//! Each event's hash covers the previous one, so that a changed, missing or inserted event
//! breaks the chain. Events outlive erasure: they hold references, never personal data.
//!
//! The heads of the chains that changed are [sealed](seal) together every hour, so that a chain
//! cannot be rebuilt from its first event either.

mod merkle;
pub mod seal;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::content::Content;
use crate::error::StoreError;
use crate::hex_bytes::Sha256Digest;
use crate::store::Store;
use crate::table::{AnyIndex, Index, Table, TableName};
use crate::transaction::{Guard, Transaction};

/// Prefix of an event's hash input.
const HASH_TAG: &[u8] = b"parafa-audit/1";
/// Events read at once while verifying.
const VERIFY_BATCH: usize = 256;

/// Named values of an event.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Creates a set without values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that is not personal data: an id, a digest, a state, a time.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "ids, numbers and references are handed over as they are"
    )]
    pub fn reference(mut self, name: &str, value: impl ToString) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// Returns the names and values, in the order in which they are hashed.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let values = self.0.iter();
        values.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// An event in a chain.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Event {
    /// The subject of the chain.
    pub chain: Uuid,
    /// The position in the chain, from 1.
    pub sequence: u64,
    /// Time of appending.
    pub at: Timestamp,
    /// The event's name.
    pub name: String,
    /// The named values.
    pub fields: Fields,
    /// SHA-256 over the previous hash (32 zero bytes for the first event) and all of the above.
    pub hash: Sha256Digest,
}

impl Table for Event {
    type Key = (Uuid, u64);
    const NAME: TableName = TableName::reserved("_audit");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {
        (self.chain, self.sequence)
    }
}

/// The head of a chain. An empty chain has position 0 and a zero hash.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Head {
    /// The subject.
    pub chain: Uuid,
    /// The last event's position.
    pub sequence: u64,
    /// The last event's hash.
    pub hash: Sha256Digest,
    /// Hour of appending, counted from 1970; unknown for events of earlier versions of the
    /// program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hour: Option<u64>,
}

/// Index of the chains by the hour of their last change. An event in the same hour as the
/// previous one leaves the entry unchanged.
const HEADS_BY_HOUR: Index<Head, u64> = Index::many("hour", |head| head.hour.into_iter().collect());

impl Table for Head {
    type Key = Uuid;
    const NAME: TableName = TableName::reserved("_audit_head");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.chain
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&HEADS_BY_HOUR]
    }
}

impl Head {
    fn empty(chain: Uuid) -> Self {
        Self {
            chain,
            sequence: 0,
            hash: Sha256Digest::ZERO,
            hour: None,
        }
    }

    /// Returns whether both are at the same event.
    fn is_at(&self, other: &Self) -> bool {
        let place = |head: &Self| (head.chain, head.sequence, head.hash);
        place(self) == place(other)
    }
}

/// Outcome of verifying a chain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Every event is in place and the last one is the head's.
    Intact(Head),
    /// The event at this position is missing, changed, or not the head's.
    Broken {
        /// The first faulty position.
        sequence: u64,
    },
}

/// Appends an event to a subject's chain and returns the new head.
///
/// # Errors
/// Fields that are too large, or an engine failure.
pub async fn append(
    tx: &mut Transaction<'_>,
    chain: Uuid,
    name: &str,
    fields: Fields,
) -> Result<Head, StoreError> {
    let head = head(tx, chain).await?;
    let mut event = Event {
        chain,
        sequence: head.sequence + 1,
        at: tx.now(),
        name: name.to_owned(),
        fields,
        hash: Sha256Digest::ZERO,
    };
    event.hash = event.hash_after(&head.hash);
    tx.insert(&event).await?;
    let head = Head {
        chain,
        sequence: event.sequence,
        hash: event.hash,
        hour: Some(seal::hour_of(event.at)),
    };
    tx.put(&head).await?;
    Ok(head)
}

/// Returns the head of a subject's chain.
///
/// # Errors
/// An engine failure.
pub async fn head(tx: &mut Transaction<'_>, chain: Uuid) -> Result<Head, StoreError> {
    let head = tx.get::<Head>(&chain).await?;
    Ok(head.unwrap_or_else(|| Head::empty(chain)))
}

/// Returns up to `limit` events of a chain, from position `from`.
///
/// # Errors
/// An engine failure.
pub async fn events(
    tx: &mut Transaction<'_>,
    chain: Uuid,
    from: u64,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let page = tx
        .children_from::<Event>(&(chain,), &(chain, from), limit, Guard::none())
        .await?;
    Ok(page.rows)
}

/// Recomputes a chain from its first event to its head.
///
/// # Errors
/// An engine failure, or an unreadable event.
pub async fn verify(store: &Store, chain: Uuid) -> Result<Verdict, StoreError> {
    // The head is read first: events appended meanwhile are beyond it.
    let end = store
        .get::<Head>(&chain)
        .await?
        .unwrap_or_else(|| Head::empty(chain));
    let mut reached = Head::empty(chain);
    while reached.sequence < end.sequence {
        let from = reached.sequence + 1;
        let batch: Vec<Event> = store
            .read(|tx| Box::pin(events(tx, chain, from, VERIFY_BATCH)))
            .await?;
        if batch.is_empty() {
            return Ok(Verdict::Broken { sequence: from });
        }
        for event in batch {
            if reached.sequence == end.sequence {
                break;
            }
            let sequence = reached.sequence + 1;
            if event.sequence != sequence || event.hash != event.hash_after(&reached.hash) {
                return Ok(Verdict::Broken { sequence });
            }
            reached.sequence = sequence;
            reached.hash = event.hash;
        }
    }
    Ok(if reached.is_at(&end) {
        Verdict::Intact(end)
    } else {
        Verdict::Broken {
            sequence: end.sequence,
        }
    })
}

impl Event {
    fn hash_after(&self, previous: &Sha256Digest) -> Sha256Digest {
        let mut hasher = Sha256::new();
        hasher.update(HASH_TAG);
        hasher.update(previous.as_bytes());
        hasher.update(self.chain.as_bytes());
        hasher.update(self.sequence.to_be_bytes());
        hasher.update(self.at.as_nanosecond().to_be_bytes());
        update_text(&mut hasher, &self.name);
        for (name, value) in self.fields.iter() {
            update_text(&mut hasher, name);
            update_text(&mut hasher, value);
        }
        hasher.finalize().into()
    }
}

/// Hashes a text after its length, so that no two lists of texts hash alike.
fn update_text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text.as_bytes());
}
