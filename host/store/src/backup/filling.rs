//! An engine being filled from a backup, which no one else can open or fill meanwhile.

use std::time::Duration;

use ::bytes::Bytes;
use jiff::SignedDuration;
use tokio::time::Instant;
use uuid::Uuid;

use super::BackupError;
use super::held::hold_records;
use crate::clock::shifted;
use crate::engine::{Commit, CommitOutcome, Engine, Version};
use crate::schema::{self, RestoringRow};
use crate::table::{decode, encode, layout};

/// Time that a restore counts as running without a renewal.
const TERM: SignedDuration = SignedDuration::from_secs(60);
const RENEW_EVERY: Duration = Duration::from_secs(10);

/// An engine being filled.
pub(super) struct Filling<'e> {
    engine: &'e dyn Engine,
    /// The lease on a shared engine.
    turn: Option<Turn>,
}

/// Lease of a restore, on which each of its commits depends.
struct Turn {
    restore: Uuid,
    version: Version,
    renewed: Instant,
    /// The restored records are held: hosts send nothing.
    is_held: bool,
}

impl<'e> Filling<'e> {
    /// Creates one for an engine that no one else can open.
    pub(super) fn alone(engine: &'e dyn Engine) -> Self {
        Self { engine, turn: None }
    }

    /// Takes the lease on a shared engine. The engine must be empty, except for the lease of a
    /// restore that was interrupted before it wrote records.
    pub(super) async fn shared(engine: &'e dyn Engine, is_held: bool) -> Result<Self, BackupError> {
        let before = match &schema::first_entries(engine, 2).await?[..] {
            [] => None,
            [only] if only.key == key() => {
                let row: RestoringRow = decode(&only.stored.value)?;
                if engine.now().await? < row.until {
                    return Err(BackupError::RestoreUnderWay);
                }
                Some(only.stored.version)
            }
            _ => return Err(BackupError::DatabaseInUse),
        };
        let restore = Uuid::new_v4();
        let version = take(engine, restore, before).await?;
        // A stalled restore may have written meanwhile; from now on it cannot.
        if schema::first_entries(engine, 2).await?.len() > 1 {
            return Err(BackupError::DatabaseInUse);
        }
        Ok(Self {
            engine,
            turn: Some(Turn {
                restore,
                version,
                renewed: Instant::now(),
                is_held,
            }),
        })
    }

    /// Renews the lease.
    pub(super) async fn keep(&mut self) -> Result<(), BackupError> {
        if let Some(turn) = &mut self.turn
            && turn.renewed.elapsed() >= RENEW_EVERY
        {
            let renewed = Instant::now();
            turn.version = take(self.engine, turn.restore, Some(turn.version)).await?;
            turn.renewed = renewed;
        }
        Ok(())
    }

    pub(super) async fn write(&mut self, commit: Commit) -> Result<(), BackupError> {
        if commit.is_read_only() {
            return Ok(());
        }
        self.keep().await?;
        self.commit(commit).await
    }

    /// Writes the row without which the records cannot be opened, and the rows that must exist by
    /// then.
    pub(super) async fn end(mut self, mut commit: Commit) -> Result<(), BackupError> {
        self.keep().await?;
        if let Some(turn) = &self.turn {
            hold_records(&mut commit, turn.is_held)?;
            commit.deletes.push(key());
        }
        self.commit(commit).await
    }

    async fn commit(&self, mut commit: Commit) -> Result<(), BackupError> {
        if let Some(turn) = &self.turn {
            commit.expectations.push((key(), Some(turn.version)));
        }
        match self.engine.commit(commit).await? {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::Conflict { .. } => Err(BackupError::RestoreUnderWay),
        }
    }
}

fn key() -> Bytes {
    layout::row::<RestoringRow>(&()).into()
}

/// Takes or renews the lease if its version is unchanged.
async fn take(
    engine: &dyn Engine,
    restore: Uuid,
    before: Option<Version>,
) -> Result<Version, BackupError> {
    let until = shifted(engine.now().await?, TERM);
    let row = encode(&RestoringRow { restore, until })?;
    let commit = Commit {
        expectations: vec![(key(), before), (schema::key().into(), None)],
        puts: vec![(key(), row.into())],
        ..Commit::default()
    };
    match engine.commit(commit).await? {
        CommitOutcome::Committed => {}
        CommitOutcome::Conflict { key } if key[..] == schema::key()[..] => {
            return Err(BackupError::DatabaseInUse);
        }
        CommitOutcome::Conflict { .. } => return Err(BackupError::RestoreUnderWay),
    }
    let taken = engine.get(&key()).await?;
    let taken = taken.ok_or(BackupError::RestoreUnderWay)?;
    let row: RestoringRow = decode(&taken.value)?;
    if row.restore != restore {
        return Err(BackupError::RestoreUnderWay);
    }
    Ok(taken.version)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::{ManualClock, MemoryEngine};

    #[tokio::test]
    async fn a_restore_that_has_lost_its_turn_writes_nothing_more() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let engine = MemoryEngine::new(Arc::new(clock.clone()));
        let mut late = Filling::shared(&engine, false).await.expect("empty");
        clock.advance(TERM);
        let mut next = Filling::shared(&engine, false).await.expect("empty still");
        let record = |key| Commit {
            puts: vec![(Bytes::from_static(key), Bytes::new())],
            ..Commit::default()
        };

        let refused = late.write(record(b"late")).await;
        assert!(matches!(refused, Err(BackupError::RestoreUnderWay)));
        let refused = late.end(record(b"late")).await;
        assert!(matches!(refused, Err(BackupError::RestoreUnderWay)));

        next.write(record(b"next")).await.expect("its turn");
        let whole = (schema::key().into(), Bytes::new());
        let end = Commit {
            puts: vec![whole],
            ..Commit::default()
        };
        next.end(end).await.expect("its turn");
        let left = schema::first_entries(&engine, 10).await.expect("entries");
        let left: Vec<_> = left.into_iter().map(|entry| entry.key).collect();
        assert_eq!(left, [Bytes::from_static(b"next"), schema::key().into()]);
    }
}
