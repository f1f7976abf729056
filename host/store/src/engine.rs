//! The contract of storage engines.

use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

pub use self::feed::{Committed, Feed};
pub use crate::key::MAX_KEY_BYTES;
use crate::sled::Loss;

pub(crate) mod due;
pub(crate) mod feed;

/// Largest value, in bytes.
pub const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Most puts and deletes in one commit.
pub const MAX_COMMIT_WRITES: usize = 4096;
/// Largest sum of keys and values written by one commit, in bytes.
pub const MAX_COMMIT_BYTES: usize = 8 * 1024 * 1024;
/// Most entries in one scan's answer.
pub const MAX_SCAN_ENTRIES: usize = 1024;

/// Ordered, versioned bytes with conditional commits.
///
/// Answers of `get` and `scan` may not be durable yet. They are once any later `commit`, even an
/// empty one, has been acknowledged; so commit before telling the outside world what was read.
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// Returns the value under `key`.
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError>;

    /// Returns the values under these keys, in order, each read at its own moment.
    ///
    /// The default asks for one after the other; an engine behind a network does better.
    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.get(key).await?);
        }
        Ok(found)
    }

    /// Returns the entries of a key range in ascending or descending key order.
    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError>;

    /// Applies the whole commit if every expected version is current, else nothing.
    ///
    /// `Committed` means durable: it survives a crash of the process and a loss of power. After an
    /// error other than a refused size the outcome is unknown until the engine has been reopened.
    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError>;

    /// Returns the engine's time, the same for every process that shares the data.
    async fn now(&self) -> Result<Timestamp, EngineError>;

    /// Claims up to `claim.limit` entries of a due queue for the time of a lease.
    ///
    /// A due entry's key is `queue ‖ due time ‖ rest`, with the time encoded as a [`Key`]. Its
    /// value counts the claims (four bytes, big-endian). Claiming moves the entry to `queue ‖ end
    /// of the lease ‖ rest`. An entry therefore stands for its lease: while it is there, no one
    /// else has claimed it. No two callers get the same entry.
    ///
    /// The default does this with `scan` and `commit`; an engine with row locks may do better.
    ///
    /// [`Key`]: crate::Key
    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        due::claim(self, claim).await
    }

    /// Begins a copy of all entries, made while others commit.
    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError>;

    /// Verifies, while others commit, that exactly the committed entries exist. An engine that
    /// cannot lose entries has nothing to do.
    ///
    /// # Errors
    /// [`EngineError::Short`], [`EngineError::Unhealthy`].
    async fn verify(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns `Ok` while the engine can be used, and the reason after an I/O error.
    fn health(&self) -> Result<(), EngineError>;

    /// Returns whether other processes may use the data at the same time.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns the folder with the entries; `None` where they are not in one.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Ways to copy an engine's entries while others commit.
pub enum EntriesCopy {
    /// A feed of every commit from now on. Earlier commits are found by [`scan`](Engine::scan). A
    /// commit acknowledged before the call is found, a later one is fed, and a concurrent one is
    /// found, fed, or both.
    Followed(Feed),
    /// Snapshots of one moment that can be scanned despite later changes.
    Snapshots(Box<dyn SnapshotSource>),
}

/// Source of snapshots.
#[async_trait]
pub trait SnapshotSource: Send + Sync {
    /// Takes a snapshot of the entries.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, EngineError>;
}

/// The entries of one moment.
#[async_trait]
pub trait Snapshot: Send + Sync {
    /// Returns the entries of a key range in ascending or descending key order.
    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError>;
}

/// The number of the commit that wrote a value. Numbers are unique, and those of one process grow.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Version(NonZeroU64);

impl Version {
    /// Returns the version with this number; `None` for zero.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// Returns the commit's number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0.get()
    }

    /// Returns the version of the next commit.
    pub(crate) fn next(last: Option<Self>) -> Self {
        match last {
            None => Self(NonZeroU64::MIN),
            Some(Self(number)) => Self(number.saturating_add(1)),
        }
    }
}

/// A value with the version of its commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Versioned {
    /// Version of the commit that wrote the value.
    pub version: Version,
    /// The value.
    pub value: Bytes,
}

/// A key with its value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Bytes,
    /// The value and its version.
    pub stored: Versioned,
}

/// The order of a scan.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Direction {
    /// Smallest key first.
    #[default]
    Ascending,
    /// Largest key first: with UUIDv7 keys, the newest first.
    Descending,
}

/// A bounded read of a key range.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scan {
    /// First key of the range.
    pub start: Vec<u8>,
    /// First key after the range.
    pub end: Vec<u8>,
    /// The order of the answer.
    pub direction: Direction,
    /// Most entries in the answer; held at [`MAX_SCAN_ENTRIES`].
    pub limit: usize,
}

impl Scan {
    /// Returns the effective limit.
    #[must_use]
    pub fn bounded_limit(&self) -> usize {
        self.limit.min(MAX_SCAN_ENTRIES)
    }
}

/// Writes and their conditions.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Commit {
    /// Expected versions by key; `None` for a key that must be absent.
    pub expectations: Vec<(Bytes, Option<Version>)>,
    /// Keys with their new values. No key is written twice in one commit.
    pub puts: Vec<(Bytes, Bytes)>,
    /// Keys to remove; an absent key is not an error.
    pub deletes: Vec<Bytes>,
}

impl Commit {
    /// Returns whether the commit neither writes nor expects anything: it only waits until earlier
    /// reads are durable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.expectations.is_empty() && self.is_read_only()
    }

    /// Returns whether the commit writes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.puts.is_empty() && self.deletes.is_empty()
    }

    /// Returns the length of all writes, in bytes of keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let puts = self.puts.iter().map(|(key, value)| key.len() + value.len());
        puts.chain(self.deletes.iter().map(Bytes::len)).sum()
    }

    /// Checks the limits on keys, values and the whole commit.
    ///
    /// # Errors
    /// The first limit that is exceeded.
    pub fn check_limits(&self) -> Result<(), EngineError> {
        let writes = self.puts.len() + self.deletes.len();
        if writes > MAX_COMMIT_WRITES {
            return Err(EngineError::TooManyWrites {
                writes,
                limit: MAX_COMMIT_WRITES,
            });
        }
        for (key, value) in &self.puts {
            check_key(key)?;
            check_value(value)?;
        }
        for key in &self.deletes {
            check_key(key)?;
        }
        let total = self.bytes();
        if total > MAX_COMMIT_BYTES {
            return Err(EngineError::CommitTooLarge {
                bytes: total,
                limit: MAX_COMMIT_BYTES,
            });
        }
        Ok(())
    }
}

/// Outcome of a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CommitOutcome {
    /// All of it is durable.
    Committed,
    /// Nothing was written, because this key has another version than expected.
    Conflict {
        /// The first key found to differ.
        key: Bytes,
    },
}

/// A claim on a due queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClaimDue {
    /// The queue: the common prefix of its keys.
    pub queue: Vec<u8>,
    /// Time at which due entries are claimed.
    pub now: Timestamp,
    /// Duration of the lease.
    pub lease: SignedDuration,
    /// Most entries to claim.
    pub limit: usize,
}

/// A claimed entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DueEntry {
    /// The present key of the entry; when it is gone, the lease is lost.
    pub key: Bytes,
    /// The part of the key after the time.
    pub rest: Bytes,
    /// Number of claims of this entry, including this one.
    pub claims: u32,
    /// End of the lease.
    pub until: Timestamp,
}

/// Failure of an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A key is too long.
    #[error("key of {bytes} bytes exceeds the limit of {limit}")]
    KeyTooLong {
        /// Length of the key in bytes.
        bytes: usize,
        /// [`MAX_KEY_BYTES`].
        limit: usize,
    },
    /// A value is too large.
    #[error("value of {bytes} bytes exceeds the limit of {limit}")]
    ValueTooLarge {
        /// Length of the value in bytes.
        bytes: usize,
        /// [`MAX_VALUE_BYTES`].
        limit: usize,
    },
    /// A commit writes too many keys.
    #[error("commit of {writes} writes exceeds the limit of {limit}")]
    TooManyWrites {
        /// Puts and deletes together.
        writes: usize,
        /// [`MAX_COMMIT_WRITES`].
        limit: usize,
    },
    /// A commit writes too many bytes.
    #[error("commit of {bytes} bytes exceeds the limit of {limit}")]
    CommitTooLarge {
        /// Keys and values together, in bytes.
        bytes: usize,
        /// [`MAX_COMMIT_BYTES`].
        limit: usize,
    },
    /// A follower fell behind by more than the retained commits.
    #[error("a follower of the commits fell more than {limit} bytes behind")]
    FellBehind {
        /// Size of the retained commits, in bytes of keys and values.
        limit: usize,
    },
    /// Another process has the folder open.
    #[error("the store in {folder} is in use by another process")]
    InUse {
        /// The folder.
        folder: String,
    },
    /// Stored data are not in this engine's format.
    #[error("the stored data is damaged: {what}")]
    Damaged {
        /// The damage.
        what: &'static str,
    },
    /// The store has lost acknowledged data.
    #[error(
        "the store in {folder} is not what it was: {loss}; restore a backup to another folder, or start with `parafa serve {}` to continue without the lost records",
        .loss.option()
    )]
    Short {
        /// The folder.
        folder: String,
        /// The loss.
        loss: Box<Loss>,
    },
    /// A file operation failed while opening.
    #[error("could not {action} {path}")]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The database is unavailable, or did not answer in time. It may be back at any moment; the
    /// outcome of a commit is unknown.
    #[error("the database cannot be used: {reason}")]
    Unavailable {
        /// The last failure.
        reason: Arc<str>,
    },
    /// The engine failed before and refuses calls until it is reopened.
    #[error("the storage engine has failed and must be restarted: {reason}")]
    Unhealthy {
        /// The first failure.
        reason: Arc<str>,
    },
}

/// Maps a file operation's error to an engine error.
pub(crate) fn failed_to<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> EngineError + 'p {
    move |source| EngineError::Io {
        action,
        path: path.display().to_string(),
        source,
    }
}

/// Checks a key against [`MAX_KEY_BYTES`].
pub(crate) fn check_key(key: &[u8]) -> Result<(), EngineError> {
    if key.len() > MAX_KEY_BYTES {
        return Err(EngineError::KeyTooLong {
            bytes: key.len(),
            limit: MAX_KEY_BYTES,
        });
    }
    Ok(())
}

/// Checks a value against [`MAX_VALUE_BYTES`].
pub(crate) fn check_value(value: &[u8]) -> Result<(), EngineError> {
    if value.len() > MAX_VALUE_BYTES {
        return Err(EngineError::ValueTooLarge {
            bytes: value.len(),
            limit: MAX_VALUE_BYTES,
        });
    }
    Ok(())
}
