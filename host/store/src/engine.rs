//! What a storage engine must do.

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
/// Most entries that one scan answers with.
pub const MAX_SCAN_ENTRIES: usize = 1024;

/// Ordered, versioned bytes with conditional commits.
///
/// What `get` and `scan` answer may not be durable yet. It is once any `commit` that was
/// called afterwards, an empty one too, has been acknowledged; so whoever tells the world what
/// was read commits first.
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// The value under `key`.
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError>;

    /// The values under these keys, in their order, each of a moment of its own.
    ///
    /// The default asks for one after the other; an engine that is a network away does better.
    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.get(key).await?);
        }
        Ok(found)
    }

    /// The entries of a key range in key order, or against it.
    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError>;

    /// Applies the whole commit if every expected version is current, else nothing of it.
    ///
    /// `Committed` means durable: it survives a crash of the process and a loss of power.
    /// After an error other than a refused size the outcome is unknown until the engine has
    /// been reopened.
    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError>;

    /// The engine's idea of the time, the same for every process that shares the data.
    async fn now(&self) -> Result<Timestamp, EngineError>;

    /// Takes up to `claim.limit` entries of a due queue for the time of a lease.
    ///
    /// A due entry's key is `queue ‖ due time ‖ rest`, with the time encoded as a [`Key`],
    /// and its value counts the claims (four bytes, big-endian). Claiming moves the entry to
    /// `queue ‖ end of the lease ‖ rest`, so that an entry stands for its lease: while it is
    /// there, nobody else has claimed it. No two callers get the same entry.
    ///
    /// The default does this with `scan` and `commit`; an engine with row locks may do better.
    ///
    /// [`Key`]: crate::Key
    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        due::claim(self, claim).await
    }

    /// Begins a copy of all entries, which is made while others commit.
    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError>;

    /// Proves that every entry is there that was committed, and no other, while others commit.
    /// An engine that cannot lose any has nothing to do.
    ///
    /// # Errors
    /// [`EngineError::Short`], [`EngineError::Unhealthy`].
    async fn verify(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// `Ok` while the engine can be used; after an I/O error, why not.
    fn health(&self) -> Result<(), EngineError>;

    /// Whether other processes may work with the data at the same time.
    fn is_shared(&self) -> bool {
        false
    }

    /// The folder that the entries are kept in; none where they are not kept in one.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

#[async_trait]
impl<E: Engine + ?Sized> Engine for Arc<E> {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        (**self).get(key).await
    }

    async fn get_all(&self, keys: &[Bytes]) -> Result<Vec<Option<Versioned>>, EngineError> {
        (**self).get_all(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        (**self).scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        (**self).commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        (**self).now().await
    }

    async fn claim_due(&self, claim: ClaimDue) -> Result<Vec<DueEntry>, EngineError> {
        (**self).claim_due(claim).await
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        (**self).begin_copy().await
    }

    async fn verify(&self) -> Result<(), EngineError> {
        (**self).verify().await
    }

    fn health(&self) -> Result<(), EngineError> {
        (**self).health()
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }

    fn folder(&self) -> Option<&Path> {
        (**self).folder()
    }
}

/// How an engine has its entries copied while others commit.
pub enum EntriesCopy {
    /// Every commit from now on is told. Whatever was committed before, [`scan`](Engine::scan)
    /// finds: a commit that was acknowledged before the call is found, a later one is told, and
    /// one that was under way is one or both.
    Followed(Feed),
    /// What there is at one moment can be scanned, also if it is changed meanwhile.
    Snapshots(Box<dyn SnapshotSource>),
}

/// Shows all entries as they are when it is asked.
#[async_trait]
pub trait SnapshotSource: Send + Sync {
    /// The entries of this moment.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, EngineError>;
}

/// The entries of one moment.
#[async_trait]
pub trait Snapshot: Send + Sync {
    /// Those of a key range in key order, or against it.
    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError>;
}

/// When a value was written: the number of the commit. No two commits have the same one, and those
/// of one process grow.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Version(NonZeroU64);

impl Version {
    /// The version with this number; zero is none.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// The commit's number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0.get()
    }

    /// The version of the commit after this one.
    pub(crate) fn next(last: Option<Self>) -> Self {
        match last {
            None => Self(NonZeroU64::MIN),
            Some(Self(number)) => Self(number.saturating_add(1)),
        }
    }
}

/// A value and the commit that wrote it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Versioned {
    /// The commit that wrote the value.
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

/// The order in which a scan answers.
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
    /// First key past the range.
    pub end: Vec<u8>,
    /// The order of the answer.
    pub direction: Direction,
    /// Most entries in the answer; held at [`MAX_SCAN_ENTRIES`].
    pub limit: usize,
}

impl Scan {
    /// The limit that applies.
    #[must_use]
    pub fn bounded_limit(&self) -> usize {
        self.limit.min(MAX_SCAN_ENTRIES)
    }
}

/// Writes, and what must hold for them to happen.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Commit {
    /// Keys with the version that each must have, `None` for a key that must be absent.
    pub expectations: Vec<(Bytes, Option<Version>)>,
    /// Keys with their new values. No key is written twice in one commit.
    pub puts: Vec<(Bytes, Bytes)>,
    /// Keys to remove; an absent one is no fault.
    pub deletes: Vec<Bytes>,
}

impl Commit {
    /// Whether nothing is written and nothing expected: all that it does is wait until what was
    /// read is durable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.expectations.is_empty() && self.is_read_only()
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.puts.is_empty() && self.deletes.is_empty()
    }

    /// Length of all that is written, in bytes of keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let puts = self.puts.iter().map(|(key, value)| key.len() + value.len());
        puts.chain(self.deletes.iter().map(Bytes::len)).sum()
    }

    /// Checks the limits on keys, values and the whole.
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

/// What became of a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CommitOutcome {
    /// All of it is durable.
    Committed,
    /// Nothing of it happened, because this key has another version than expected.
    Conflict {
        /// The first key found to differ.
        key: Bytes,
    },
}

/// What to take from a due queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClaimDue {
    /// The queue: the prefix that its keys share.
    pub queue: Vec<u8>,
    /// The time as of which an entry is due.
    pub now: Timestamp,
    /// For how long the claimed entries are the caller's.
    pub lease: SignedDuration,
    /// Most entries to take.
    pub limit: usize,
}

/// An entry that was claimed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DueEntry {
    /// Where the entry stands now; when it is gone, so is the lease.
    pub key: Bytes,
    /// What follows the time in the key.
    pub rest: Bytes,
    /// How often the entry has been claimed, this time included.
    pub claims: u32,
    /// When the lease ends.
    pub until: Timestamp,
}

/// Why an engine could not do what it was asked.
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
    /// More was committed than is kept for a follower that does not keep up.
    #[error("a follower of the commits fell more than {limit} bytes behind")]
    FellBehind {
        /// How far it may, in bytes of keys and values.
        limit: usize,
    },
    /// Another process has the folder open.
    #[error("the store in {folder} is in use by another process")]
    InUse {
        /// The folder.
        folder: String,
    },
    /// What is stored is not what this engine writes.
    #[error("the stored data is damaged: {what}")]
    Damaged {
        /// What was found.
        what: &'static str,
    },
    /// The store has lost what it had acknowledged.
    #[error(
        "the store in {folder} is not what it was: {loss}; restore a backup to another folder, or start with `parafa serve {}` to go on with what is left",
        .loss.option()
    )]
    Short {
        /// The folder.
        folder: String,
        /// What is lost.
        loss: Box<Loss>,
    },
    /// A file operation failed while opening.
    #[error("could not {action} {path}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: String,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The database is away, or did not answer in time. It may be back at any moment; of a commit
    /// it is not known whether it happened.
    #[error("the database cannot be used: {reason}")]
    Unavailable {
        /// What it failed with last.
        reason: Arc<str>,
    },
    /// The engine has failed before and does nothing until it is reopened.
    #[error("the storage engine has failed and must be restarted: {reason}")]
    Unhealthy {
        /// The first failure.
        reason: Arc<str>,
    },
}

/// What a file operation's error is to callers.
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
