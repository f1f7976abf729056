//! An engine with planned faults, over one without.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::engine::{
    ClaimDue, Commit, CommitOutcome, DueEntry, Engine, EngineError, EntriesCopy, Entry, Scan,
    Versioned, due,
};

/// Point of a crash.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CrashPoint {
    /// Before any of the commit is durable.
    BeforeCommit,
    /// When the commit is durable and not acknowledged.
    BeforeAcknowledgement,
}

/// A reproducible plan of faults: the same seed and calls give the same faults.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FaultPlan {
    /// Seed of the pseudo-random sequence.
    pub seed: u64,
    /// Commits, of a thousand, that conflict although their expectations hold.
    pub conflicts_per_mille: u16,
    /// Most yields to other tasks before a call acts.
    pub max_yields: u8,
    /// The commit at which the engine crashes (the first is 0), and the point in it.
    pub crash: Option<(u64, CrashPoint)>,
}

/// An engine that conflicts, delays and crashes as planned.
///
/// After a crash every call fails. The engine below then holds all acknowledged commits, none in
/// part, and perhaps the one in progress.
pub struct FaultyEngine {
    inner: Arc<dyn Engine>,
    faults: Mutex<Faults>,
    crashed: Mutex<Option<Arc<str>>>,
    is_away: AtomicBool,
}

impl FaultyEngine {
    /// Creates an engine over `inner` that fails according to `plan`.
    #[must_use]
    pub fn new(inner: Arc<dyn Engine>, plan: FaultPlan) -> Self {
        Self {
            inner,
            faults: Mutex::new(Faults::new(plan)),
            crashed: Mutex::new(None),
            is_away: AtomicBool::new(false),
        }
    }

    /// Makes every call find the engine unavailable, until it is set back.
    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    /// Returns the number of commits called, including conflicts and read-only ones.
    #[must_use]
    pub fn commits(&self) -> u64 {
        lock(&self.faults).commits
    }

    /// Refuses a call according to the plan. The engine below judges its calls itself: it may
    /// fail one and answer the next.
    ///
    /// # Errors
    /// After a crash, and while it is set away.
    pub fn reach(&self) -> Result<(), EngineError> {
        if let Some(reason) = &*lock(&self.crashed) {
            return Err(EngineError::Unhealthy {
                reason: reason.clone(),
            });
        }
        match self.is_away.load(Ordering::Relaxed) {
            true => Err(EngineError::Unavailable {
                reason: "injected absence".into(),
            }),
            false => Ok(()),
        }
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
impl Engine for FaultyEngine {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.dawdle().await;
        self.reach()?;
        self.inner.get(key).await
    }

    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        self.dawdle().await;
        self.reach()?;
        self.inner.get_all(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.dawdle().await;
        self.reach()?;
        self.inner.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        commit.check_limits()?;
        self.dawdle().await;
        self.reach()?;
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
        let outcome = self.inner.commit(commit).await;
        if crash == Some(CrashPoint::BeforeAcknowledgement) {
            return Err(self.crash(CrashPoint::BeforeAcknowledgement));
        }
        outcome
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.reach()?;
        self.inner.now().await
    }

    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        if lock(&self.faults).plan != FaultPlan::default() {
            // Uses commits of its own, so that claims are subject to faults too.
            return due::claim(self, claim).await;
        }
        self.reach()?;
        let claimed = self.inner.claim_due(claim).await?;
        lock(&self.faults).commits += u64::from(!claimed.is_empty());
        Ok(claimed)
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.dawdle().await;
        self.reach()?;
        self.inner.begin_copy().await
    }

    async fn verify(&self) -> Result<(), EngineError> {
        self.inner.verify().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.reach()?;
        self.inner.health()
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn folder(&self) -> Option<&Path> {
        self.inner.folder()
    }
}

impl fmt::Debug for FaultyEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyEngine").finish_non_exhaustive()
    }
}

/// The state of a plan.
#[derive(Debug)]
struct Faults {
    plan: FaultPlan,
    state: u64,
    commits: u64,
}

impl Faults {
    fn new(plan: FaultPlan) -> Self {
        Self {
            state: plan.seed,
            plan,
            commits: 0,
        }
    }

    fn yields(&mut self) -> u64 {
        match self.plan.max_yields {
            0 => 0,
            most => self.next() % (u64::from(most) + 1),
        }
    }

    fn conflict(&mut self) -> bool {
        match self.plan.conflicts_per_mille {
            0 => false,
            rate => self.next() % 1000 < u64::from(rate),
        }
    }

    /// Counts a commit; returns the point at which the engine crashes in it, if any.
    fn crash(&mut self) -> Option<CrashPoint> {
        let number = self.commits;
        self.commits += 1;
        self.plan
            .crash
            .filter(|(at, _)| *at == number)
            .map(|(_, point)| point)
    }

    /// Returns the next number of the sequence (SplitMix64).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
