//! The embedded engine, on sled.
//!
//! sled's own `flush` passes the bytes to the kernel only, so durability is ensured here: the
//! leader thread flushes and then calls `fdatasync` on its own handle of the database file. All
//! keys are in one tree, because a sled batch is atomic within one tree only.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use self::leader::Leader;
pub use self::loss::{AcceptedLoss, Loss, Moment, TableLoss};
use self::opening::Opening;
pub use self::options::SledOptions;
use self::shared::Shared;
pub use self::trial::RecordsLook;
pub(crate) use self::trial::look_at;
use crate::clock::Clock;
use crate::engine::{
    Commit, CommitOutcome, Engine, EngineError, EntriesCopy, Entry, Scan, Versioned,
};
use crate::files;

mod commit_progress;
mod consistency_check;
mod leader;
mod loss;
pub(crate) mod mark;
mod opening;
mod options;
mod salvage;
mod shared;
mod tally;
mod trial;

/// Entries of a scan, or of a commit that only reads, read in place, as a value is: waking another
/// thread takes longer than reading them.
const READ_IN_PLACE: usize = 64;

/// The embedded engine: one process, one folder, no set-up.
///
/// Dropping it waits for the commits in progress.
pub struct SledEngine {
    leader: Leader,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    had_commits: bool,
}

impl SledEngine {
    /// Opens the folder, or creates it, and reads all entries. Its last state is recorded in a
    /// file beside it, with the suffix `.mark`. A folder that sled cannot read is set aside there,
    /// with the suffix `.damaged-` and the time. A new one is made of the readable entries, if
    /// nothing is missing or the loss is accepted. Blocks.
    ///
    /// # Errors
    /// [`EngineError::InUse`] while another engine has the folder open, [`EngineError::Short`],
    /// damage, I/O errors.
    pub fn open(options: &SledOptions, clock: Arc<dyn Clock>) -> Result<Self, EngineError> {
        let (shared, opening) = match Self::parts(options, clock.now()) {
            Err(error @ EngineError::Damaged { .. }) => {
                tracing::error!(%error, "the store cannot be read");
                salvage::mend(options, clock.now())?;
                Self::parts(options, clock.now())?
            }
            parts => parts?,
        };
        let had_commits = opening.mark.sequence > 0;
        Ok(Self {
            leader: Leader::start(
                shared.clone(),
                options.commits_per_sync,
                opening,
                clock.clone(),
            )?,
            shared,
            clock,
            had_commits,
        })
    }

    /// Returns whether there had been commits when it was opened, even if nothing of them is left.
    pub(crate) fn had_commits(&self) -> bool {
        self.had_commits
    }

    fn parts(options: &SledOptions, now: Timestamp) -> Result<(Arc<Shared>, Opening), EngineError> {
        let shared = Arc::new(Shared::open(options)?);
        let opening = Opening::of(&shared, options, now)?;
        Ok((shared, opening))
    }

    /// Returns true if a commit only reads, and all versions that it expects are there at one
    /// moment, between two groups of the leader. Otherwise the leader decides.
    fn is_current(&self, commit: &Commit) -> Result<bool, EngineError> {
        if !commit.is_read_only() || commit.expectations.len() > READ_IN_PLACE {
            return Ok(false);
        }
        let Some(group) = self.shared.settling.last_if_settled() else {
            return Ok(false);
        };
        for (key, expected) in &commit.expectations {
            let stored = self.shared.get(key)?;
            if stored.map(|stored| stored.version) != *expected {
                return Ok(false);
            }
        }
        Ok(self.shared.settling.is_last(group))
    }
}

#[async_trait]
impl Engine for SledEngine {
    /// Reads in place: a page is nearly always cached. Otherwise it takes one read of a few KiB,
    /// which is cheaper than waking another thread.
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.shared.health.check()?;
        self.shared.get(key)
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.shared.health.check()?;
        let few = Scan {
            limit: scan.limit.min(READ_IN_PLACE),
            ..scan.clone()
        };
        let found = self.shared.scan(few)?;
        if found.len() < READ_IN_PLACE || scan.bounded_limit() <= READ_IN_PLACE {
            return Ok(found);
        }
        let shared = self.shared.clone();
        files::blocking(move || shared.scan(scan)).await
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        commit.check_limits()?;
        self.shared.health.check()?;
        if commit.is_empty() {
            // The leader may be busy with a sync that does not concern what was read.
            self.shared.settling.settle().await;
            self.shared.health.check()?;
            return Ok(CommitOutcome::Committed);
        }
        if self.is_current(&commit)? {
            self.shared.health.check()?;
            return Ok(CommitOutcome::Committed);
        }
        self.leader.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        Ok(self.clock.now())
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.shared.health.check()?;
        Ok(EntriesCopy::Followed(self.leader.follow().await?))
    }

    async fn verify(&self) -> Result<(), EngineError> {
        self.shared.health.check()?;
        self.leader.verify().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.shared.health.check()
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.shared.folder)
    }
}

impl fmt::Debug for SledEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledEngine").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ::bytes::Bytes;
    use futures::FutureExt;

    use super::*;
    use crate::clock::SystemClock;

    #[tokio::test]
    async fn a_commit_that_only_reads_is_answered_in_place_between_groups() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SledOptions::new(folder.path().join("store"));
        let engine = SledEngine::open(&options, Arc::new(SystemClock)).expect("opened");
        let key = Bytes::from_static(b"tnote\0a");
        let put = Commit {
            puts: vec![(key.clone(), Bytes::from_static(b"text"))],
            ..Commit::default()
        };
        engine.commit(put).await.expect("written");
        let stored = engine.get(&key).await.expect("read").expect("it is there");
        let reading = |version| Commit {
            expectations: vec![(key.clone(), version)],
            ..Commit::default()
        };
        let current = reading(Some(stored.version));

        let outcome = engine.commit(current.clone()).now_or_never();
        let outcome = outcome.expect("at once").expect("committed");
        assert_eq!(outcome, CommitOutcome::Committed);

        let outcome = engine.commit(reading(None)).await.expect("answered");
        assert_eq!(outcome, CommitOutcome::Conflict { key: key.clone() });

        engine.shared.settling.begin();
        assert!(!engine.is_current(&current).expect("read"));
        engine.shared.settling.end();
        assert!(engine.is_current(&current).expect("read"));

        engine.shared.health.fail(&"it is out of order");
        assert!(engine.commit(current).await.is_err());
    }
}
