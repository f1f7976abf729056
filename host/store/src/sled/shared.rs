//! What the leader and the readers share: sled's database, and files of its own beside it.

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

/// sled writes a page past a quarter of a segment to a file of its own that it never syncs. A
/// page holds some 16 values, so 8 MiB segments keep pages of the largest values in the log.
pub(super) const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
/// How often a lock is tried that somebody may have for a moment only.
const LOCK_ATTEMPTS: u32 = 300;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Length of the version before each value.
const VERSION_BYTES: usize = 8;
/// The number of the last commit; before all keys of transactions.
pub(super) const SEQUENCE_KEY: &[u8] = b"\0sequence";
const FIRST_KEY: &[u8] = b"\x01";

/// What the leader and the readers share. Fields drop in order: the lock goes last.
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

    /// Makes what opening has created durable.
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

    /// Reads. Where a page cannot be read, sled answers so or panics; either way nothing is to be
    /// built on what it says afterwards.
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

    /// The error of a store that has lost something.
    pub(super) fn short(&self, loss: Loss) -> EngineError {
        EngineError::Short {
            folder: self.folder.display().to_string(),
            loss: Box::new(loss),
        }
    }

    /// Applies a batch and returns once it is on the disk.
    pub(super) fn apply(&self, batch: sled::Batch) -> Result<(), EngineError> {
        self.db
            .apply_batch(batch)
            .map_err(|error| self.health.fail(&error))?;
        self.db.flush().map_err(|error| self.health.fail(&error))?;
        files::once_descriptors_are_there(|| self.sync_overflow())
            .and_then(|()| files::sync_data(&self.file))
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

    /// Notes a failure, of which the first is kept, and answers with it.
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

/// A version and a value as one sled value.
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
    // Who mends a store puts another folder in its place, which has a lock of its own.
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

/// Locks a file of an engine's folder, waiting for who has it for moments only: a look at the
/// records, a thread of sled that is about to end, a child of this process that has not come to
/// `exec` yet.
///
/// # Errors
/// [`EngineError::InUse`] where somebody keeps it; I/O errors.
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
