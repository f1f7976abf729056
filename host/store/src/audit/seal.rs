//! The ends of chains, sealed together hour by hour.
//!
//! The heads of the chains that changed last in an hour are the leaves of a Merkle tree. Its root
//! goes into a seal, whose hash covers the seal before: whoever knows one seal's hash knows all
//! that was sealed until then. A chain that changed again before its hour was sealed is sealed
//! with the later one. Leaves are references as events are, and outlive erasure.

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

/// Before everything that a seal's hash covers.
const HASH_TAG: &[u8] = b"parafa-seal/1";
/// For how long after its end an hour is left alone: whatever began in it is committed by then.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_mins(10);
const HOUR_SECONDS: i64 = 3600;
/// Leaves in one row; a power of two, so that rows are whole parts of the tree.
const PIECE_HEADS: usize = 256;
/// Most leaves under one seal, which one commit takes; an hour with more has several seals.
const SEAL_HEADS: usize = 64 * PIECE_HEADS;

/// The hour since 1970 that an instant is in; the first one for all that is earlier.
pub(super) fn hour_of(at: Timestamp) -> u64 {
    u64::try_from(at.as_second().div_euclid(HOUR_SECONDS)).unwrap_or_default()
}

/// When an hour since 1970 begins.
fn start_of(hour: u64) -> Timestamp {
    let seconds = i64::try_from(hour).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds.saturating_mul(HOUR_SECONDS)).unwrap_or(Timestamp::MAX)
}

/// When there is an hour to seal again that was not over yet, or not settled, at `now`.
#[must_use]
pub fn next_due(now: Timestamp) -> Timestamp {
    let settled = hour_of(shifted(now, -SETTLED_AFTER));
    shifted(start_of(settled + 1), SETTLED_AFTER)
}

/// The root over the heads of an hour.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Seal {
    /// The seal's place, from 1.
    pub number: u64,
    /// The hour, counted from 1970.
    pub hour: u64,
    /// How many heads it is over.
    pub size: u64,
    /// The root of their tree.
    pub root: Sha256Digest,
    /// The hash of the seal before; 32 zero bytes in the first one.
    pub previous: Sha256Digest,
    /// SHA-256 over a tag, the hash of the seal before and all of the above.
    pub hash: Sha256Digest,
    /// When it was made.
    pub sealed_at: Timestamp,
    /// The chain of the last leaf: in its hour, those after it are not under this seal.
    last: Uuid,
    /// The roots of the rows of leaves.
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
    /// When its hour began.
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

/// Some leaves of a tree, in order of their chains.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Piece {
    hour: u64,
    /// The chain of the last one.
    last: Uuid,
    /// The seal that is over them.
    seal: u64,
    /// Which part of the tree they are, from 0.
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

/// A leaf has the chain's id, the place and the hash of its last event.
fn leaf_hash(head: &Head) -> Sha256Digest {
    let sequence = head.sequence.to_be_bytes();
    merkle::leaf(&[&head.chain.as_bytes()[..], &sequence, head.hash.as_bytes()].concat())
}

/// Seals what hours that are over have left unsealed, the earliest of them; none where nothing
/// is left, or another host has sealed it meanwhile.
///
/// # Errors
/// The engine's failure.
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
                // Hosts that came to the same number find it taken, all but one.
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

/// The newest seal.
async fn newest(tx: &mut Transaction<'_>) -> Result<Option<Seal>, StoreError> {
    let page = tx.page::<Seal>(&Page::newest(1), Guard::none()).await?;
    Ok(page.rows.into_iter().next())
}

/// The heads of the earliest hour that has any after the seal `before`, as many as one seal takes.
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

/// The first key behind a head's.
fn after((hour, chain): (u64, Uuid)) -> (u64, Uuid) {
    (hour, Uuid::from_u128(chain.as_u128().saturating_add(1)))
}

/// What a head is sealed by.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Proof {
    /// The seal.
    pub seal: Seal,
    /// Which of its leaves the head is, from 0.
    pub index: u64,
    /// The hashes beside the way from the leaf to the root, the lowest first.
    pub path: Vec<Sha256Digest>,
}

/// A chain as a whole, with what it is sealed by.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProvenChain {
    /// The end of it.
    pub head: Head,
    /// All events.
    pub events: Vec<Event>,
    /// None as long as the head is not sealed.
    pub proof: Option<Proof>,
}

/// A chain with all its events, and what its head is sealed by.
///
/// # Errors
/// The engine's failure, or an event that cannot be read.
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
        // What was appended meanwhile lies beyond the head.
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

/// Up to `limit` seals after the one with this number, the earliest first.
///
/// # Errors
/// The engine's failure, or a seal that cannot be read.
pub async fn seals(store: &Store, after: u64, limit: usize) -> Result<Vec<Seal>, StoreError> {
    let page = &Page::oldest(limit).after(after);
    let page = store
        .read(|tx| Box::pin(async move { tx.page::<Seal>(page, Guard::none()).await }))
        .await?;
    Ok(page.rows)
}

/// What is wrong with a seal.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SealFault {
    /// It was changed, or is not the one that follows the seal before.
    #[error("it does not follow the seal before")]
    Unlinked,
    /// The leaves are others than those that were sealed.
    #[error("its leaves do not give its root")]
    Leaves,
    /// A chain has another event, or none, where one was sealed.
    #[error("event {sequence} of {chain} is not the one that was sealed")]
    Event {
        /// The chain.
        chain: Uuid,
        /// The event's place.
        sequence: u64,
    },
}

/// Recomputes a seal from its leaves, and looks for what they name in the chains of today.
///
/// # Errors
/// The engine's failure, or a row that cannot be read.
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

/// The rows of a seal's leaves. In an hour that has several seals they follow those of the seal
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

/// The first leaf whose event is not there as it was sealed.
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
