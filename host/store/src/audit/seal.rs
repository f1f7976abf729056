//! Hourly seals over the heads of chains.
//!
//! The heads of the chains that changed last in an hour are the leaves of a Merkle tree. Its root
//! goes into a seal, whose hash covers the previous seal: one seal's hash commits to everything
//! sealed until then. A chain that changed again before its hour was sealed is sealed with the
//! later hour. Leaves are references, as events are, and outlive erasure.

use ::bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Event, HEADS_BY_HOUR, Head, VERIFY_BATCH, events, head, merkle};
use crate::clock::shifted;
use crate::content::Content;
use crate::error::StoreError;
use crate::hex_bytes::Sha256Digest;
use crate::store::Store;
use crate::table::{MAX_PAGE_ROWS, Page, Table, TableName, layout};
use crate::transaction::{Guard, Transaction};

/// Prefix of a seal's hash input.
const HASH_TAG: &[u8] = b"parafa-seal/1";
/// Delay between the end of an hour and its sealing: commits begun in the hour have ended by then.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_mins(10);
const HOUR_SECONDS: i64 = 3600;
/// Leaves in one row; a power of two, so that each row is a complete subtree.
const PIECE_HEADS: usize = 256;
/// Most leaves under one seal, which one commit takes; a larger hour has several seals.
const SEAL_HEADS: usize = 64 * PIECE_HEADS;

/// Returns the hour of an instant, counted from 1970; 0 for earlier instants.
pub(super) fn hour_of(at: Timestamp) -> u64 {
    u64::try_from(at.as_second().div_euclid(HOUR_SECONDS)).unwrap_or_default()
}

/// Returns the beginning of an hour counted from 1970.
fn start_of(hour: u64) -> Timestamp {
    let seconds = i64::try_from(hour).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds.saturating_mul(HOUR_SECONDS)).unwrap_or(Timestamp::MAX)
}

/// Returns when the next hour can be sealed that had not ended, or settled, at `now`.
#[must_use]
pub fn next_due(now: Timestamp) -> Timestamp {
    let settled = hour_of(shifted(now, -SETTLED_AFTER));
    shifted(start_of(settled + 1), SETTLED_AFTER)
}

/// A seal: the root over the heads of an hour.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Seal {
    /// The seal's number, from 1.
    pub number: u64,
    /// The hour, counted from 1970.
    pub hour: u64,
    /// Number of heads.
    pub size: u64,
    /// Root of their Merkle tree.
    pub root: Sha256Digest,
    /// Hash of the previous seal; 32 zero bytes in the first one.
    pub previous: Sha256Digest,
    /// SHA-256 over a tag, the previous seal's hash and all of the above.
    pub hash: Sha256Digest,
    /// Time of sealing.
    pub sealed_at: Timestamp,
    /// Chain of the last leaf; later chains of the hour are not under this seal.
    last: Uuid,
    /// Roots of the rows of leaves.
    pieces: Vec<Sha256Digest>,
}

impl Table for Seal {
    type Key = u64;
    const NAME: TableName = TableName::reserved("_audit_seal");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> u64 {
        self.number
    }
}

impl Seal {
    /// Returns the beginning of the sealed hour.
    #[must_use]
    pub fn hour_began(&self) -> Timestamp {
        start_of(self.hour)
    }

    fn computed_hash(&self) -> Sha256Digest {
        let mut hasher = Sha256::new();
        hasher.update(HASH_TAG);
        hasher.update(self.previous.as_bytes());
        for number in [self.number, self.hour, self.size] {
            hasher.update(number.to_be_bytes());
        }
        hasher.update(self.root.as_bytes());
        hasher.finalize().into()
    }
}

/// A row of leaves, in the order of their chains.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Piece {
    hour: u64,
    /// Chain of the last leaf.
    last: Uuid,
    /// The seal that covers them.
    seal: u64,
    /// Index of this row in the tree, from 0.
    index: usize,
    heads: Vec<Head>,
}

impl Table for Piece {
    type Key = (u64, Uuid);
    const NAME: TableName = TableName::reserved("_audit_leaves");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> (u64, Uuid) {
        (self.hour, self.last)
    }
}

impl Piece {
    fn hashes(&self) -> Vec<Sha256Digest> {
        self.heads.iter().map(leaf_hash).collect()
    }
}

/// Hashes a leaf: the chain's id, the position and the hash of its last event.
fn leaf_hash(head: &Head) -> Sha256Digest {
    let sequence = head.sequence.to_be_bytes();
    merkle::leaf(&[&head.chain.as_bytes()[..], &sequence, head.hash.as_bytes()].concat())
}

/// Seals the earliest hour that is over and has unsealed heads. Returns `None` where none is left,
/// or where another host has sealed it meanwhile.
///
/// # Errors
/// An engine failure.
pub async fn seal_next(store: &Store) -> Result<Option<Seal>, StoreError> {
    let before = store.read(|tx| Box::pin(newest(tx))).await?;
    let now = store.now().await?;
    let Some(last_hour) = hour_of(shifted(now, -SETTLED_AFTER)).checked_sub(1) else {
        return Ok(None);
    };
    if before.as_ref().is_some_and(|seal| seal.hour > last_hour) {
        tracing::warn!(
            "the clock was set back behind the newest seal: nothing is sealed until it has passed that"
        );
        return Ok(None);
    }
    let heads = unsealed(store, before.as_ref(), last_hour).await?;
    let Some(last) = heads.last() else {
        return Ok(None);
    };
    let number = before.as_ref().map_or(1, |before| before.number + 1);
    let (hour, last) = (last.hour.unwrap_or_default(), last.chain);
    let pieces: Vec<Piece> = heads
        .chunks(PIECE_HEADS)
        .enumerate()
        .map(|(index, heads)| Piece {
            hour,
            last: heads.last().map_or(last, |head| head.chain),
            seal: number,
            index,
            heads: heads.to_vec(),
        })
        .collect();
    let roots: Vec<_> = pieces
        .iter()
        .map(|piece| merkle::root(&piece.hashes()))
        .collect();
    let mut seal = Seal {
        number,
        hour,
        size: heads.len() as u64,
        root: merkle::root(&roots),
        previous: before.map_or(Sha256Digest::ZERO, |before| before.hash),
        hash: Sha256Digest::ZERO,
        sealed_at: now,
        last,
        pieces: roots,
    };
    seal.hash = seal.computed_hash();
    let (sealed, pieces) = (&seal, &pieces);
    let inserted = store
        .transact(|tx| {
            Box::pin(async move {
                // Of the hosts with the same number, only the first can insert it.
                tx.insert(sealed).await?;
                for piece in pieces {
                    tx.put(piece).await?;
                }
                Ok::<_, StoreError>(())
            })
        })
        .await;
    match inserted {
        Ok(()) => Ok(Some(seal)),
        Err(StoreError::Exists { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the newest seal.
async fn newest(tx: &mut Transaction<'_>) -> Result<Option<Seal>, StoreError> {
    let page = tx.page::<Seal>(&Page::newest(1), Guard::none()).await?;
    Ok(page.rows.into_iter().next())
}

/// Returns the first unsealed heads after the seal `before`: those of one hour, at most one seal's
/// worth.
async fn unsealed(
    store: &Store,
    before: Option<&Seal>,
    last_hour: u64,
) -> Result<Vec<Head>, StoreError> {
    let mut heads: Vec<Head> = Vec::new();
    let mut from = before.map_or((0, Uuid::nil()), |seal| after((seal.hour, seal.last)));
    loop {
        let to = heads.first().and_then(|head| head.hour);
        let to = to.unwrap_or(last_hour);
        let limit = MAX_PAGE_ROWS.min(SEAL_HEADS - heads.len());
        let page = store
            .read(|tx| Box::pin(tx.between(&HEADS_BY_HOUR, &from, &to, limit)))
            .await?;
        let hour = heads.first().or(page.rows.first());
        let hour = hour.and_then(|head| head.hour);
        let read = page.rows.len();
        heads.extend(page.rows.into_iter().take_while(|head| head.hour == hour));
        let Some(last) = heads.last() else {
            return Ok(heads);
        };
        from = after((hour.unwrap_or_default(), last.chain));
        if !page.more || heads.len() == SEAL_HEADS || read == 0 {
            return Ok(heads);
        }
    }
}

/// Returns the first key after a head's.
fn after((hour, chain): (u64, Uuid)) -> (u64, Uuid) {
    (hour, Uuid::from_u128(chain.as_u128().saturating_add(1)))
}

/// Proof that a head is sealed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Proof {
    /// The seal.
    pub seal: Seal,
    /// Index of the head among its leaves, from 0.
    pub index: u64,
    /// Audit path: the sibling hashes from the leaf to the root, the lowest first.
    pub path: Vec<Sha256Digest>,
}

/// A whole chain with the proof of its seal.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProvenChain {
    /// The head.
    pub head: Head,
    /// All events.
    pub events: Vec<Event>,
    /// `None` until the head is sealed.
    pub proof: Option<Proof>,
}

/// Returns a chain with all its events and the proof of its head.
///
/// # Errors
/// An engine failure, or an unreadable event.
pub async fn prove(store: &Store, chain: Uuid) -> Result<ProvenChain, StoreError> {
    let (head, proof) = store
        .read(|tx| {
            Box::pin(async move {
                let head = head(tx, chain).await?;
                let proof = proof_of(tx, &head).await?;
                Ok::<_, StoreError>((head, proof))
            })
        })
        .await?;
    let mut all: Vec<Event> = Vec::new();
    loop {
        let from = all.last().map_or(1, |event| event.sequence + 1);
        let batch: Vec<Event> = store
            .read(|tx| Box::pin(events(tx, chain, from, VERIFY_BATCH)))
            .await?;
        let is_last = batch.len() < VERIFY_BATCH;
        // Events appended meanwhile are beyond the head.
        let until = batch
            .into_iter()
            .filter(|event| event.sequence <= head.sequence);
        all.extend(until);
        if is_last
            || all
                .last()
                .is_none_or(|event| event.sequence == head.sequence)
        {
            return Ok(ProvenChain {
                head,
                events: all,
                proof,
            });
        }
    }
}

async fn proof_of(tx: &mut Transaction<'_>, head: &Head) -> Result<Option<Proof>, StoreError> {
    let Some(hour) = head.hour else {
        return Ok(None);
    };
    let first = (hour, head.chain);
    let found = tx
        .children_from::<Piece>(&(hour,), &first, 1, Guard::none())
        .await?;
    let Some(piece) = found.rows.into_iter().next() else {
        return Ok(None);
    };
    let Some(at) = piece.heads.iter().position(|sealed| sealed.is_at(head)) else {
        return Ok(None);
    };
    let Some(seal) = tx.get::<Seal>(&piece.seal).await? else {
        return Ok(None);
    };
    let mut path = merkle::path(&piece.hashes(), at);
    path.extend(merkle::path(&seal.pieces, piece.index));
    Ok(Some(Proof {
        index: (piece.index * PIECE_HEADS + at) as u64,
        seal,
        path,
    }))
}

/// Returns up to `limit` seals after the one with this number, the earliest first.
///
/// # Errors
/// An engine failure, or an unreadable seal.
pub async fn seals(store: &Store, after: u64, limit: usize) -> Result<Vec<Seal>, StoreError> {
    let page = &Page::oldest(limit).after(after);
    let page = store
        .read(|tx| Box::pin(async move { tx.page::<Seal>(page, Guard::none()).await }))
        .await?;
    Ok(page.rows)
}

/// Fault of a seal.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SealFault {
    /// The seal was changed, or does not follow the previous seal.
    #[error("it does not follow the seal before")]
    Unlinked,
    /// The leaves differ from those that were sealed.
    #[error("its leaves do not give its root")]
    Leaves,
    /// A sealed event is missing from its chain or differs.
    #[error("event {sequence} of {chain} is not the one that was sealed")]
    Event {
        /// The chain.
        chain: Uuid,
        /// The event's position.
        sequence: u64,
    },
}

/// Recomputes a seal from its leaves, and compares these with the chains' present events.
///
/// # Errors
/// An engine failure, or an unreadable row.
pub async fn verify_seal(store: &Store, seal: &Seal) -> Result<Option<SealFault>, StoreError> {
    let before = store.get::<Seal>(&seal.number.saturating_sub(1)).await?;
    let follows = match &before {
        Some(before) => seal.previous == before.hash,
        None => seal.number == 1 && seal.previous == Sha256Digest::ZERO,
    };
    if !follows || seal.hash != seal.computed_hash() {
        return Ok(Some(SealFault::Unlinked));
    }
    let pieces = pieces_of(store, seal, before.as_ref()).await?;
    let size: usize = pieces.iter().map(|piece| piece.heads.len()).sum();
    let roots: Vec<_> = pieces
        .iter()
        .map(|piece| merkle::root(&piece.hashes()))
        .collect();
    if roots != seal.pieces || merkle::root(&roots) != seal.root || size as u64 != seal.size {
        return Ok(Some(SealFault::Leaves));
    }
    for piece in &pieces {
        let changed = store.read(|tx| Box::pin(changed_event(tx, piece))).await?;
        if changed.is_some() {
            return Ok(changed);
        }
    }
    Ok(None)
}

/// Reads the rows of a seal's leaves. In an hour with several seals they follow those of the seal
/// `before`.
async fn pieces_of(
    store: &Store,
    seal: &Seal,
    before: Option<&Seal>,
) -> Result<Vec<Piece>, StoreError> {
    /// Rows read at once.
    const AT_ONCE: usize = 16;

    let hour = seal.hour;
    let mut pieces: Vec<Piece> = Vec::new();
    let before = before.filter(|before| before.hour == hour);
    let mut first = before.map_or((hour, Uuid::nil()), |before| after((hour, before.last)));
    loop {
        let read = store
            .read(|tx| {
                Box::pin(async move {
                    tx.children_from::<Piece>(&(hour,), &first, AT_ONCE, Guard::none())
                        .await
                })
            })
            .await?;
        let last = read.rows.last().map(Table::key);
        let own = read
            .rows
            .into_iter()
            .filter(|piece| piece.seal == seal.number);
        pieces.extend(own);
        match last {
            Some(last) if read.more && last.1 < seal.last => first = after(last),
            _ => return Ok(pieces),
        }
    }
}

/// Returns the first leaf whose event is missing or differs from what was sealed.
async fn changed_event(
    tx: &mut Transaction<'_>,
    piece: &Piece,
) -> Result<Option<SealFault>, StoreError> {
    let keys = piece.heads.iter();
    let keys = keys.map(|head| layout::row::<Event>(&(head.chain, head.sequence)));
    tx.read_ahead(keys.map(Bytes::from).collect()).await?;
    for head in &piece.heads {
        let event = tx.get::<Event>(&(head.chain, head.sequence)).await?;
        if event.is_none_or(|event| event.hash != head.hash) {
            return Ok(Some(SealFault::Event {
                chain: head.chain,
                sequence: head.sequence,
            }));
        }
    }
    Ok(None)
}
