//! State shared by the leader and the readers: sled's database, and files beside it.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::bytes::Bytes;

use super::commit_progress::CommitProgress;
use super::loss::Loss;
use super::options::SledOptions;
use crate::engine::{Direction, EngineError, Entry, Scan, Version, Versioned, failed_to};
use crate::files;

/// sled writes a page larger than a quarter of a segment to a separate file that it never syncs.
/// A page holds some 16 values, so 8 MiB segments keep pages of the largest values in the log.
pub(super) const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
/// Attempts to take a lock that others hold only briefly.
const LOCK_ATTEMPTS: u32 = 300;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Length of the version before each value.
const VERSION_BYTES: usize = 8;
/// Key of the last commit's number, before all keys of transactions.
pub(super) const SEQUENCE_KEY: &[u8] = b"\0sequence";
const FIRST_KEY: &[u8] = b"\x01";

/// State shared by the leader and the readers. Fields drop in order: the lock goes last.
pub(super) struct Shared {
    pub(super) db: sled::Db,
    pub(super) folder: PathBuf,
    pub(super) health: Health,
    pub(super) settling: CommitProgress,
    file: File,
    overflow: PathBuf,
    _lock: File,
}

impl Shared {
    pub(super) fn open(options: &SledOptions) -> Result<Self, EngineError> {
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

    /// Makes everything that opening has created durable.
    fn sync_files(&self, folder: &Path) -> Result<(), EngineError> {
        files::sync_all(&self.file).map_err(failed_to("sync", &folder.join("db")))?;
        for path in [folder.join("conf"), self.overflow.clone(), folder.into()] {
            files::sync(&path).map_err(failed_to("sync", &path))?;
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.guarded(|| match self.db.get(key) {
            Ok(found) => found.map(|value| unpack(&value)).transpose(),
            Err(error) => Err(self.health.fail(&error)),
        })
    }

    pub(super) fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        self.guarded(|| self.scan_unguarded(scan))
    }

    /// Runs a read. For an unreadable page, sled returns an error or panics; in either case its
    /// later answers are unreliable.
    pub(super) fn guarded<T>(
        &self,
        read: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
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

    /// Returns the error of a store with a loss.
    pub(super) fn short(&self, loss: Loss) -> EngineError {
        EngineError::Short {
            folder: self.folder.display().to_string(),
            loss: Box::new(loss),
        }
    }

    /// Applies a batch and returns when it is on the disk.
    pub(super) fn apply(&self, batch: sled::Batch) -> Result<(), EngineError> {
        self.db
            .apply_batch(batch)
            .map_err(|error| self.health.fail(&error))?;
        self.db.flush().map_err(|error| self.health.fail(&error))?;
        files::once_descriptors_are_there(|| self.sync_overflow())
            .and_then(|()| files::sync_data(&self.file))
            .map_err(|error| self.health.fail(&error))
    }

    /// Syncs pages that sled has put outside its log. With [`SEGMENT_BYTES`] there are none, but
    /// an unsynced one could be lost, so this checks each time.
    fn sync_overflow(&self) -> io::Result<()> {
        let mut found = false;
        for entry in std::fs::read_dir(&self.overflow)? {
            match files::sync(&entry?.path()) {
                // sled has rewritten the page elsewhere.
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

/// Health of the engine: its first failure.
#[derive(Default)]
pub(super) struct Health(OnceLock<Arc<str>>);

impl Health {
    pub(super) fn check(&self) -> Result<(), EngineError> {
        match self.0.get() {
            None => Ok(()),
            Some(reason) => Err(EngineError::Unhealthy {
                reason: reason.clone(),
            }),
        }
    }

    /// Notes a failure and returns the first one.
    pub(super) fn fail(&self, cause: &dyn fmt::Display) -> EngineError {
        let reason = self.0.get_or_init(|| {
            tracing::error!(%cause, "the storage engine has failed");
            cause.to_string().into()
        });
        EngineError::Unhealthy {
            reason: reason.clone(),
        }
    }
}

/// Joins a version and a value to one sled value.
pub(super) fn pack(version: Version, value: &[u8]) -> Vec<u8> {
    [&version.number().to_be_bytes(), value].concat()
}

pub(super) fn unpack(packed: &[u8]) -> Result<Versioned, EngineError> {
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

pub(super) fn lock_folder(folder: &Path) -> Result<File, EngineError> {
    let path = folder.join("lock");
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed_to("open", &path))?;
    lock_exclusively(&lock, folder, &path)?;
    // A repair puts another folder in its place, with a lock of its own.
    let identity = |file: Metadata| (file.dev(), file.ino());
    let locked = lock.metadata().map(identity);
    let there = std::fs::metadata(&path).map(identity);
    if locked.map_err(failed_to("look at", &path))? == there.map_err(failed_to("look at", &path))? {
        return Ok(lock);
    }
    Err(EngineError::InUse {
        folder: folder.display().to_string(),
    })
}

/// Locks a file of an engine's folder. Waits for brief holders: an inspection of the records, an
/// ending thread of sled, or a child of this process before its `exec`.
///
/// # Errors
/// [`EngineError::InUse`] where the lock stays taken; I/O errors.
pub(super) fn lock_exclusively(file: &File, folder: &Path, path: &Path) -> Result<(), EngineError> {
    for _ in 0..LOCK_ATTEMPTS {
        if files::is_locked(file.try_lock()).map_err(failed_to("lock", path))? {
            return Ok(());
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    Err(EngineError::InUse {
        folder: folder.display().to_string(),
    })
}

/// Removes the rest of a snapshot of sled's page table whose writing was interrupted. sled would
/// take the file for a snapshot and refuse to open if it is incomplete. The log alone contains
/// everything that a snapshot does.
fn remove_unfinished_snapshots(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "generating") {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes the settings of a first start of sled that was interrupted. sled writes them in two
/// parts, unsynced, before there is a log, and would never open again with a partial file.
fn remove_unfinished_settings(folder: &Path) -> io::Result<()> {
    let has_log = std::fs::metadata(folder.join("db")).is_ok_and(|log| log.len() > 0);
    if !has_log {
        files::unlink(&folder.join("conf"))?;
    }
    Ok(())
}

/// Opens sled, waiting for threads of a previous engine in this process that still hold sled's
/// own lock. Another process cannot hold it: [`lock_folder`] comes first.
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
        // sled panics on some truncated logs.
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

/// Returns whether a file is shorter than sled expects.
fn is_for_want_of_bytes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
    )
}
