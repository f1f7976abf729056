//! Claims of due entries by `scan` and `commit` alone.

use ::bytes::Bytes;
use jiff::Timestamp;

use super::{
    ClaimDue, Commit, CommitOutcome, Direction, DueEntry, Engine, EngineError, Entry, Scan,
};
use crate::clock::shifted;
use crate::key::{Key, TIMESTAMP_BYTES};

/// Rounds after which a claim under contention gives up and returns nothing.
const MAX_ROUNDS: usize = 8;

pub(crate) async fn claim<E: Engine + ?Sized>(
    engine: &E,
    claim: ClaimDue,
) -> Result<Vec<DueEntry>, EngineError> {
    let until = shifted(claim.now, claim.lease);
    for _ in 0..MAX_ROUNDS {
        let due = engine.scan(due_range(&claim)).await?;
        if let Some(taken) = take(engine, due, &claim.queue, until).await? {
            return Ok(taken);
        }
    }
    Ok(Vec::new())
}

/// Claims the remaining entries with these keys, due or not.
pub(crate) async fn claim_these<E: Engine + ?Sized>(
    engine: &E,
    queue: &[u8],
    keys: &[Vec<u8>],
    until: Timestamp,
) -> Result<Vec<DueEntry>, EngineError> {
    if let Some(taken) = try_to_claim(engine, queue, keys, until).await? {
        return Ok(taken);
    }
    // Under contention, claims them one by one.
    let mut taken = Vec::new();
    for key in keys {
        let one = try_to_claim(engine, queue, std::slice::from_ref(key), until);
        taken.extend(one.await?.unwrap_or_default());
    }
    Ok(taken)
}

/// Claims all remaining entries; `None` under contention on every attempt.
async fn try_to_claim<E: Engine + ?Sized>(
    engine: &E,
    queue: &[u8],
    keys: &[Vec<u8>],
    until: Timestamp,
) -> Result<Option<Vec<DueEntry>>, EngineError> {
    for _ in 0..MAX_ROUNDS {
        let mut there = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(stored) = engine.get(key).await? {
                let key = Bytes::copy_from_slice(key);
                there.push(Entry { key, stored });
            }
        }
        if let Some(taken) = take(engine, there, queue, until).await? {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

/// Moves entries to the end of their lease; `None` if another caller has moved one of them.
async fn take<E: Engine + ?Sized>(
    engine: &E,
    entries: Vec<Entry>,
    queue: &[u8],
    until: Timestamp,
) -> Result<Option<Vec<DueEntry>>, EngineError> {
    let moves = Moves::of(entries, queue, until)?;
    if moves.0.is_empty() {
        return Ok(Some(Vec::new()));
    }
    Ok(match engine.commit(moves.as_commit()).await? {
        CommitOutcome::Committed => Some(moves.into_entries()),
        CommitOutcome::Conflict { .. } => None,
    })
}

/// Returns the key range of the due entries of a claim.
pub(crate) fn due_range(claim: &ClaimDue) -> Scan {
    let mut end = claim.queue.clone();
    let just_past = shifted(claim.now, jiff::SignedDuration::from_millis(1));
    just_past.encode(&mut end);
    Scan {
        start: claim.queue.clone(),
        end,
        direction: Direction::Ascending,
        limit: claim.limit,
    }
}

/// Entries to be moved to the end of a lease.
pub(crate) struct Moves(Vec<Move>);

struct Move {
    from: Entry,
    entry: DueEntry,
}

impl Move {
    fn of(from: Entry, queue: &[u8], until: Timestamp) -> Result<Self, EngineError> {
        let damaged = EngineError::Damaged {
            what: "an entry of a due queue",
        };
        let rest_at = queue.len() + TIMESTAMP_BYTES;
        let (Ok(claims), true) = (
            <[u8; 4]>::try_from(from.stored.value.as_ref()),
            from.key.len() >= rest_at,
        ) else {
            return Err(damaged);
        };
        let rest = from.key.slice(rest_at..);
        let mut key = queue.to_vec();
        until.encode(&mut key);
        key.extend_from_slice(&rest);
        Ok(Self {
            entry: DueEntry {
                key: Bytes::from(key),
                rest,
                claims: u32::from_be_bytes(claims).saturating_add(1),
                until,
            },
            from,
        })
    }
}

impl Moves {
    /// Plans the moves of these entries.
    ///
    /// # Errors
    /// [`EngineError::Damaged`] for entries that are not of a due queue.
    pub(crate) fn of(
        entries: Vec<Entry>,
        queue: &[u8],
        until: Timestamp,
    ) -> Result<Self, EngineError> {
        let moves = entries.into_iter();
        let moves = moves.map(|entry| Move::of(entry, queue, until));
        Ok(Self(moves.collect::<Result<_, _>>()?))
    }

    pub(crate) fn as_commit(&self) -> Commit {
        let moves = &self.0;
        Commit {
            expectations: moves
                .iter()
                .map(|moved| (moved.from.key.clone(), Some(moved.from.stored.version)))
                .collect(),
            puts: moves
                .iter()
                .map(|moved| {
                    let claims = moved.entry.claims.to_be_bytes();
                    (moved.entry.key.clone(), Bytes::copy_from_slice(&claims))
                })
                .collect(),
            deletes: moves
                .iter()
                .filter(|moved| moved.from.key != moved.entry.key)
                .map(|moved| moved.from.key.clone())
                .collect(),
        }
    }

    /// Returns the entries as they are afterwards.
    pub(crate) fn into_entries(self) -> Vec<DueEntry> {
        self.0.into_iter().map(|moved| moved.entry).collect()
    }
}
