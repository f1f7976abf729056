//! An engine that skips a check: the tests' invariants must detect it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use parafa_store::engine::{
    ClaimDue, Commit, CommitOutcome, DueEntry, Engine, EngineError, Entry, Scan, Version, Versioned,
};
use parafa_store::{EntriesCopy, FaultyEngine};

use super::invariants::Invariant;

/// Skipped check.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SkippedCheck {
    /// Check that a claimed job is still this host's.
    Leases,
    /// Check that rows read have not changed since.
    Versions,
}

impl SkippedCheck {
    /// Returns whether skipping the check may break this invariant.
    pub(crate) fn may_break(self, invariant: Invariant) -> bool {
        match self {
            // Steps have numbers, so no signature is made twice. But a job is
            // lost if a host overwrites it after losing its claim.
            Self::Leases => invariant == Invariant::EverythingEnds,
            // Interleaving decides which one breaks first. Prompts to phones
            // have numbers, and apps come back with digests.
            Self::Versions => !matches!(
                invariant,
                Invariant::NobodySignsForAnother | Invariant::PhonesRingOnce
            ),
        }
    }
}

/// Engine without one of its checks.
pub(crate) struct CarelessEngine {
    engine: Arc<FaultyEngine>,
    skipped_check: SkippedCheck,
    /// Keys of the jobs that this host has claimed.
    claimed: Mutex<HashSet<Bytes>>,
}

impl CarelessEngine {
    pub(crate) fn new(engine: Arc<FaultyEngine>, skipped_check: SkippedCheck) -> Self {
        Self {
            engine,
            skipped_check,
            claimed: Mutex::default(),
        }
    }

    fn is_forgotten(&self, key: &[u8]) -> bool {
        match self.skipped_check {
            SkippedCheck::Leases => self.claimed.lock().unwrap().contains(key),
            SkippedCheck::Versions => true,
        }
    }
}

#[async_trait]
impl Engine for CarelessEngine {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        let found = self.engine.get(key).await?;
        // A claimed job appears to be there, even if it is gone.
        let claims = || Versioned {
            version: Version::new(1).unwrap(),
            value: Bytes::from_static(&[0, 0, 0, 1]),
        };
        let is_held = self.skipped_check == SkippedCheck::Leases && self.is_forgotten(key);
        Ok(found.or_else(|| is_held.then(claims)))
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.engine.scan(scan).await
    }

    async fn commit(&self, mut commit: Commit) -> Result<CommitOutcome, EngineError> {
        let looked_at = |(key, _): &(Bytes, Option<Version>)| !self.is_forgotten(key);
        commit.expectations.retain(looked_at);
        self.engine.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.engine.now().await
    }

    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        let claimed = self.engine.claim_due(claim).await?;
        let keys = claimed.iter().map(|entry| entry.key.clone());
        self.claimed.lock().unwrap().extend(keys);
        Ok(claimed)
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.engine.begin_copy().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.engine.health()
    }

    fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }
}
