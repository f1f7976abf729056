//! An engine in memory, for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::clock::Clock;
use crate::engine::feed::{Committed, Followers};
use crate::engine::{
    Commit, CommitOutcome, Direction, Engine, EngineError, EntriesCopy, Entry, Scan, Version,
    Versioned,
};

/// The data, which survive the engine: pass a clone to [`MemoryEngine::open`] to reopen
/// them.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    last: Option<Version>,
    rows: BTreeMap<Bytes, Versioned>,
    followers: Followers,
}

/// An in-memory engine that never fails.
pub struct MemoryEngine {
    disk: MemoryDisk,
    clock: Arc<dyn Clock>,
    is_shared: bool,
}

impl MemoryEngine {
    /// Creates an engine on `disk`.
    #[must_use]
    pub fn open(disk: MemoryDisk, clock: Arc<dyn Clock>) -> Self {
        Self {
            disk,
            clock,
            is_shared: false,
        }
    }

    /// Returns the same engine, as one of several hosts that share the disk.
    #[must_use]
    pub fn shared(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// Creates an empty engine.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::open(MemoryDisk::default(), clock)
    }
}

#[async_trait]
impl Engine for MemoryEngine {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        Ok(lock(&self.disk.0).rows.get(key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        if scan.start >= scan.end {
            return Ok(Vec::new());
        }
        let limit = scan.bounded_limit();
        let direction = scan.direction;
        let disk = lock(&self.disk.0);
        let range = disk
            .rows
            .range(Bytes::from(scan.start)..Bytes::from(scan.end))
            .map(|(key, stored)| Entry {
                key: key.clone(),
                stored: stored.clone(),
            });
        Ok(match direction {
            Direction::Ascending => range.take(limit).collect(),
            Direction::Descending => range.rev().take(limit).collect(),
        })
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        commit.check_limits()?;
        Ok(lock(&self.disk.0).apply(commit))
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        Ok(self.clock.now())
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        let mut disk = lock(&self.disk.0);
        let last = disk.last;
        Ok(EntriesCopy::Followed(disk.followers.add(last)))
    }

    fn health(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }
}

impl fmt::Debug for MemoryEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryEngine").finish_non_exhaustive()
    }
}

impl Rows {
    fn apply(&mut self, commit: Commit) -> CommitOutcome {
        for (key, expected) in &commit.expectations {
            let current = self.rows.get(key).map(|stored| stored.version);
            if current != *expected {
                return CommitOutcome::Conflict { key: key.clone() };
            }
        }
        let version = Version::next(self.last);
        self.last = Some(version);
        if !self.followers.is_empty() {
            self.followers.tell(&Committed::new(version, &commit));
        }
        for key in commit.deletes {
            self.rows.remove(&key);
        }
        for (key, value) in commit.puts {
            self.rows.insert(key, Versioned { version, value });
        }
        CommitOutcome::Committed
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
