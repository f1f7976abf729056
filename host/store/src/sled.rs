//! The embedded engine, on sled.
//!
//! sled's own `flush` hands the bytes to the kernel and no further, so durability is made here:
//! the leader thread flushes and then calls `fdatasync` on a handle of its own of the database
//! file. All keys live in one tree, because a sled batch is atomic within one tree only.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::bytes::Bytes;
use async_trait::async_trait;
use fs4::fs_std::FileExt;
use jiff::Timestamp;

use self::commit_progress::CommitProgress;
use self::leader::Leader;
pub use self::loss::{AcceptedLoss, Loss, Moment, TableLoss};
use self::opening::Opening;
pub use self::trial::RecordsLook;
pub(crate) use self::trial::look_at;
use crate::clock::Clock;
use crate::engine::{
    Commit, CommitOutcome, Direction, Engine, EngineError, EntriesCopy, Entry, Scan, Version,
    Versioned, failed_to,
};
use crate::files;

mod commit_progress;
mod consistency_check;
mod leader;
mod loss;
pub(crate) mod mark;
mod opening;
mod salvage;
mod tally;
mod trial;

/// sled writes a page past a quarter of a segment to a file of its own that it never syncs. A
/// page holds some 16 values, so 8 MiB segments keep pages of the largest values in the log.
const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
/// How often sled's own lock is tried again after a previous engine of this process.
const LOCK_ATTEMPTS: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Length of the version before each value.
const VERSION_BYTES: usize = 8;
/// The number of the last commit; before all keys of transactions.
const SEQUENCE_KEY: &[u8] = b"\0sequence";
const FIRST_KEY: &[u8] = b"\x01";

/// Where the engine keeps its files, and how much memory it may use.
#[derive(Clone, Debug)]
pub struct SledOptions {
    /// The folder; made when it is missing.
    pub folder: PathBuf,
    /// Size of the page cache in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync makes durable.
    pub commits_per_sync: NonZeroU16,
    /// Whether to go on with what is left of a store that has lost something.
    pub accepted_loss: AcceptedLoss,
}

impl SledOptions {
    /// Size of the page cache in bytes when nothing else is asked for.
    pub const DEFAULT_CACHE_BYTES: u64 = 64 * 1024 * 1024;
    /// Least size of the page cache in bytes: with less the engine does not start.
    pub const LEAST_CACHE_BYTES: u64 = 256;
    /// Most commits that one sync makes durable when nothing else is asked for.
    pub const DEFAULT_COMMITS_PER_SYNC: NonZeroU16 = NonZeroU16::new(256).expect("it is not zero");

    /// The folder with the default cache.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            cache_bytes: Self::DEFAULT_CACHE_BYTES,
            commits_per_sync: Self::DEFAULT_COMMITS_PER_SYNC,
            accepted_loss: AcceptedLoss::None,
        }
    }
}

/// The embedded engine: one process, one folder, no set-up.
///
/// Dropping it waits for the commits under way.
pub struct SledEngine {
    leader: Leader,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    had_commits: bool,
}

impl SledEngine {
    /// Opens the folder, or makes it, and reads all that is in it. What it had last is kept in a
    /// file beside it, with the ending `.mark`. A folder that sled cannot read is set aside there,
    /// with the ending `.damaged-` and the time, and a new one made of what can be read, if
    /// nothing is missing or that is accepted. Blocks on files.
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

    /// Whether anything had been committed when it was opened, also where nothing of it is left.
    pub(crate) fn had_commits(&self) -> bool {
        self.had_commits
    }

    fn parts(options: &SledOptions, now: Timestamp) -> Result<(Arc<Shared>, Opening), EngineError> {
        let shared = Arc::new(Shared::open(options)?);
        let opening = Opening::of(&shared, options, now)?;
        Ok((shared, opening))
    }
}

#[async_trait]
impl Engine for SledEngine {
    /// Reads in place: a page is nearly always cached, and otherwise one read of a few KiB,
    /// which is cheaper than handing the call to another thread.
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.shared.health.check()?;
        self.shared.get(key)
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.shared.health.check()?;
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
}

impl fmt::Debug for SledEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledEngine").finish_non_exhaustive()
    }
}

/// What the leader and the readers share. Fields drop in order: the lock goes last.
struct Shared {
    db: sled::Db,
    folder: PathBuf,
    health: Health,
    settling: CommitProgress,
    file: File,
    overflow: PathBuf,
    _lock: File,
}

impl Shared {
    fn open(options: &SledOptions) -> Result<Self, EngineError> {
        let folder = &options.folder;
        files::create_folder(folder).map_err(failed_to("create", folder))?;
        let lock = lock_folder(folder)?;
        remove_unfinished_snapshots(folder).map_err(failed_to("clean", folder))?;
        remove_unfinished_settings(folder).map_err(failed_to("clean", folder))?;
        let db = open_sled(options)?;
        let path = folder.join("db");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed_to("open", &path))?;
        let shared = Self {
            db,
            folder: folder.clone(),
            health: Health::default(),
            settling: CommitProgress::new(),
            file,
            overflow: folder.join("blobs"),
            _lock: lock,
        };
        shared.sync_files(folder)?;
        Ok(shared)
    }

    /// Makes what opening has created durable.
    fn sync_files(&self, folder: &Path) -> Result<(), EngineError> {
        self.file
            .sync_all()
            .map_err(failed_to("sync", &folder.join("db")))?;
        for path in [folder.join("conf"), self.overflow.clone(), folder.into()] {
            files::sync(&path).map_err(failed_to("sync", &path))?;
        }
        Ok(())
    }

    fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.guarded(|| match self.db.get(key) {
            Ok(found) => found.map(|value| unpack(&value)).transpose(),
            Err(error) => Err(self.health.fail(&error)),
        })
    }

    fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.guarded(|| self.scan_unguarded(scan))
    }

    /// Reads. Where a page cannot be read, sled answers so or panics; either way nothing is to be
    /// built on what it says afterwards.
    fn guarded<T>(&self, read: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
        let read = catch_unwind(AssertUnwindSafe(read));
        read.unwrap_or_else(|_| Err(self.health.fail(&"it has panicked over a damaged page")))
    }

    fn scan_unguarded(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        let limit = scan.bounded_limit();
        let start = scan.start.max(FIRST_KEY.to_vec());
        if start >= scan.end {
            return Ok(Vec::new());
        }
        let range = self.db.range(start..scan.end);
        match scan.direction {
            Direction::Ascending => self.entries(range.take(limit)),
            Direction::Descending => self.entries(range.rev().take(limit)),
        }
    }

    fn entries(
        &self,
        found: impl Iterator<Item = sled::Result<(sled::IVec, sled::IVec)>>,
    ) -> Result<Vec<Entry>, EngineError> {
        found
            .map(|entry| {
                let (key, value) = entry.map_err(|error| self.health.fail(&error))?;
                Ok(Entry {
                    key: Bytes::copy_from_slice(&key),
                    stored: unpack(&value)?,
                })
            })
            .collect()
    }

    /// The error of a store that has lost something.
    fn short(&self, loss: Loss) -> EngineError {
        EngineError::Short {
            folder: self.folder.display().to_string(),
            loss: Box::new(loss),
        }
    }

    /// Applies a batch and returns once it is on the disk.
    fn apply(&self, batch: sled::Batch) -> Result<(), EngineError> {
        self.db
            .apply_batch(batch)
            .map_err(|error| self.health.fail(&error))?;
        self.db.flush().map_err(|error| self.health.fail(&error))?;
        files::once_descriptors_are_there(|| self.sync_overflow())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| self.health.fail(&error))
    }

    /// Syncs pages that sled has put outside its log. With [`SEGMENT_BYTES`] there are none, and
    /// a lost one would be lost data, so this looks each time.
    fn sync_overflow(&self) -> io::Result<()> {
        let mut found = false;
        for entry in std::fs::read_dir(&self.overflow)? {
            match files::sync(&entry?.path()) {
                // sled has written the page anew, elsewhere.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                synced => synced?,
            }
            found = true;
        }
        if found {
            files::sync(&self.overflow)?;
        }
        Ok(())
    }
}

/// Whether the engine has failed.
#[derive(Default)]
struct Health(OnceLock<Arc<str>>);

impl Health {
    fn check(&self) -> Result<(), EngineError> {
        match self.0.get() {
            None => Ok(()),
            Some(reason) => Err(EngineError::Unhealthy {
                reason: reason.clone(),
            }),
        }
    }

    /// Notes a failure, of which the first is kept, and answers with it.
    fn fail(&self, cause: &dyn fmt::Display) -> EngineError {
        let reason = self.0.get_or_init(|| {
            tracing::error!(%cause, "the storage engine has failed");
            cause.to_string().into()
        });
        EngineError::Unhealthy {
            reason: reason.clone(),
        }
    }
}

/// A version and a value as one sled value.
fn pack(version: Version, value: &[u8]) -> Vec<u8> {
    [&version.number().to_be_bytes(), value].concat()
}

fn unpack(packed: &[u8]) -> Result<Versioned, EngineError> {
    let damaged = EngineError::Damaged {
        what: "a value without a version",
    };
    let Some((version, value)) = packed.split_first_chunk::<VERSION_BYTES>() else {
        return Err(damaged);
    };
    Ok(Versioned {
        version: Version::new(u64::from_be_bytes(*version)).ok_or(damaged)?,
        value: Bytes::copy_from_slice(value),
    })
}

fn lock_folder(folder: &Path) -> Result<File, EngineError> {
    let path = folder.join("lock");
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed_to("open", &path))?;
    if FileExt::try_lock_exclusive(&lock).map_err(failed_to("lock", &path))? {
        Ok(lock)
    } else {
        Err(EngineError::InUse {
            folder: folder.display().to_string(),
        })
    }
}

/// Removes what sled left when it was cut short in writing a snapshot of its page table. It would
/// take the file for a snapshot and, where that is not whole, refuse to open. The log alone says
/// all that a snapshot does.
fn remove_unfinished_snapshots(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "generating") {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes the settings that sled left when its first start was cut short. It writes them in two
/// parts, unsynced, before there is a log, and would never again open with a half of them.
fn remove_unfinished_settings(folder: &Path) -> io::Result<()> {
    let has_log = std::fs::metadata(folder.join("db")).is_ok_and(|log| log.len() > 0);
    if !has_log {
        files::unlink(&folder.join("conf"))?;
    }
    Ok(())
}

/// Opens sled, waiting for threads of a previous engine in this process that still hold sled's
/// own lock. Another process cannot: [`lock_folder`] comes first.
fn open_sled(options: &SledOptions) -> Result<sled::Db, EngineError> {
    let config = sled::Config::new()
        .path(&options.folder)
        .cache_capacity(options.cache_bytes)
        .segment_size(SEGMENT_BYTES)
        .flush_every_ms(None);
    let damaged = |cause: &dyn fmt::Display| {
        tracing::error!(%cause, "the storage engine cannot read its log");
        EngineError::Damaged {
            what: "the engine's log cannot be read",
        }
    };
    let mut attempts = 0;
    loop {
        // It takes for granted much of what a log says that was cut off.
        let opened = catch_unwind(AssertUnwindSafe(|| config.open()));
        match opened {
            Ok(Ok(db)) => return Ok(db),
            Ok(Err(sled::Error::Io(error)))
                if error.kind() == io::ErrorKind::Other && attempts < LOCK_ATTEMPTS =>
            {
                attempts += 1;
                std::thread::sleep(LOCK_PAUSE);
            }
            Ok(Err(sled::Error::Io(error))) if !is_for_want_of_bytes(&error) => {
                return Err(failed_to("open", &options.folder)(error));
            }
            Ok(Err(error)) => return Err(damaged(&error)),
            Err(_panic) => return Err(damaged(&"it has panicked")),
        }
    }
}

/// Whether there is less in a file than sled says that there is.
fn is_for_want_of_bytes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
    )
}
