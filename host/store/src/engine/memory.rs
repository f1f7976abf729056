//! An engine in memory, for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::Timestamp;

use super::fault::{CrashPoint, FaultPlan, Faults};
use super::feed::{Committed, Feed, Followers};
use super::{
    Commit, CommitOutcome, Direction, Engine, EngineError, Entry, Scan, Version, Versioned,
};
use crate::clock::Clock;

/// What survives the engine: hand a clone to [`MemoryEngine::open`] to reopen the data.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    last: Option<Version>,
    rows: BTreeMap<Bytes, Versioned>,
    followers: Followers,
}

/// An engine in memory that can be told to conflict, dawdle and crash.
///
/// After a crash every call fails. The disk then holds all that was acknowledged, nothing by
/// halves, and perhaps the one commit that was under way.
pub struct MemoryEngine {
    disk: MemoryDisk,
    faults: Mutex<Faults>,
    crashed: Mutex<Option<Arc<str>>>,
    clock: Arc<dyn Clock>,
}

impl MemoryEngine {
    /// An engine on `disk` that fails as `faults` plans.
    #[must_use]
    pub fn open(disk: MemoryDisk, faults: FaultPlan, clock: Arc<dyn Clock>) -> Self {
        Self {
            disk,
            faults: Mutex::new(Faults::new(faults)),
            crashed: Mutex::new(None),
            clock,
        }
    }

    /// An empty engine that never fails.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::open(MemoryDisk::default(), FaultPlan::default(), clock)
    }

    /// How many commits were called for, those that conflicted or only read included.
    #[must_use]
    pub fn commits(&self) -> u64 {
        lock(&self.faults).commits()
    }

    async fn dawdle(&self) {
        let yields = lock(&self.faults).yields();
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
    }

    fn crash(&self, point: CrashPoint) -> EngineError {
        let reason: Arc<str> = match point {
            CrashPoint::BeforeCommit => "injected crash before a commit".into(),
            CrashPoint::BeforeAcknowledgement => "injected crash after a commit".into(),
        };
        *lock(&self.crashed) = Some(reason.clone());
        EngineError::Unhealthy { reason }
    }
}

#[async_trait]
impl Engine for MemoryEngine {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.dawdle().await;
        self.health()?;
        Ok(lock(&self.disk.0).rows.get(key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.dawdle().await;
        self.health()?;
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
        self.dawdle().await;
        self.health()?;
        let (crash, conflict) = {
            let mut faults = lock(&self.faults);
            (faults.crash(), faults.conflict())
        };
        if crash == Some(CrashPoint::BeforeCommit) {
            return Err(self.crash(CrashPoint::BeforeCommit));
        }
        if let (true, Some((key, _))) = (conflict, commit.expectations.first()) {
            return Ok(CommitOutcome::Conflict { key: key.clone() });
        }
        let outcome = lock(&self.disk.0).apply(commit);
        if crash == Some(CrashPoint::BeforeAcknowledgement) {
            return Err(self.crash(CrashPoint::BeforeAcknowledgement));
        }
        Ok(outcome)
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        Ok(self.clock.now())
    }

    async fn follow(&self) -> Result<Feed, EngineError> {
        self.dawdle().await;
        self.health()?;
        let mut disk = lock(&self.disk.0);
        let last = disk.last;
        Ok(disk.followers.add(last))
    }

    fn health(&self) -> Result<(), EngineError> {
        match &*lock(&self.crashed) {
            None => Ok(()),
            Some(reason) => Err(EngineError::Unhealthy {
                reason: reason.clone(),
            }),
        }
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
