//! Copies of all that a deployment keeps, made while it runs.
//!
//! A backup is a folder:
//!
//! ```text
//! records           what the engine keeps: a scan, and the commits made meanwhile
//! bytes/ID          the byte files, sealed as they are
//! keys/ID.key       the data keys, wrapped as they are
//! …                 further files of whoever keeps them beside the store
//! manifest.jsonl    what kind of store it is, and the digest of every file; written last
//! ```
//!
//! It shows one moment: the records of every commit up to it, and the files and keys that these
//! name. A file is written before the commit that names it, and removed after the one that no
//! longer does. So files are copied first, as they come, and at the end, while nothing is
//! removed, the records are brought up to date, the last files fetched, and those that are gone
//! dropped from the copy. The master key is never part of it.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use crate::bytes::ByteFiles;
use crate::engine::EngineError;
use crate::error::StoreError;
use crate::files;
use crate::keys::DataKeys;
use crate::schema::{self, SCHEMA_VERSION, StoreMode};
use crate::store::Store;

use self::copy::{Names, OwnFiles, copy_extras};
use self::manifest::{Entry, Header, Manifest};
use self::records::RecordsCopy;

pub use self::restore::{Backup, RestoreReport, is_half_restored};

mod copy;
mod manifest;
mod records;
mod restore;

/// Name of the file with the records.
const RECORDS: &str = "records";
/// Names of the folders with the byte files and the data keys.
const BYTES: &str = "bytes";
const KEYS: &str = "keys";
/// A round that copies no more files than this is the last one before removals wait.
const FEW_FILES: usize = 16;
/// Most rounds of copying before removals wait.
const MAX_ROUNDS: usize = 8;

/// What is backed up.
#[derive(Clone, Debug)]
pub struct BackupSource {
    /// The records.
    pub store: Store,
    /// The large content.
    pub files: ByteFiles,
    /// The data keys.
    pub keys: DataKeys,
    /// Further files and folders, copied in this order as they are when it is their turn.
    pub extras: Vec<Extra>,
}

/// A file or folder that is backed up beside the store. One that is not there is left out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Extra {
    /// Its path in the backup, and in the data folder that is restored: no name of the store's.
    pub name: PathBuf,
    /// Where it is.
    pub path: PathBuf,
}

/// What a backup holds.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// What the store was made for.
    pub mode: StoreMode,
    /// The last commit in it.
    pub sequence: u64,
    /// When it was complete, by the store's clock.
    pub taken_at: Timestamp,
    /// How many files there are, the manifest not counted.
    pub files: usize,
    /// Their length in bytes.
    pub bytes: u64,
}

/// Why there is no backup, or nothing is restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The folder to write to holds something already.
    #[error("{} is not empty: name a folder that is not there yet, or an empty one", .0.display())]
    NotEmpty(PathBuf),
    /// The folder is no backup, or one that was cut short.
    #[error("{} is not a whole backup: {what}", folder.display())]
    NotWhole {
        /// The folder.
        folder: PathBuf,
        /// What is missing or wrong.
        what: String,
    },
    /// A file is not as it was written.
    #[error("the backup is damaged: {} is {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// `missing`, or how it differs.
        what: &'static str,
    },
    /// The backup has a layout that this program does not know.
    #[error("the backup has format {found}; this program knows {known}")]
    UnknownFormat {
        /// The format found.
        found: u32,
        /// The one known here.
        known: u32,
    },
    /// The backup was made of a store that this program does not know.
    #[error(
        "the backup is of a store with schema version {found}; this program knows up to {}",
        SCHEMA_VERSION
    )]
    UnknownSchema {
        /// The version found.
        found: u32,
    },
    /// A file operation failed.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
}

impl BackupError {
    /// Whether it lies with what was asked for, and not with a store or disk that fails.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Store(_) | Self::Io { .. })
    }
}

impl From<EngineError> for BackupError {
    fn from(error: EngineError) -> Self {
        Self::Store(error.into())
    }
}

/// Copies everything into `target`, which is made or must be empty, while others read and write.
/// Only removals wait, and only at the end for as long as it takes to fetch the newest files.
///
/// What was acknowledged before the call is in the backup; what was erased before it ends is
/// not. Until it has returned, `target` is no backup.
///
/// # Errors
/// [`BackupError::NotEmpty`]; I/O errors; a store that fails or commits faster than it can be
/// copied.
pub async fn back_up(source: &BackupSource, target: &Path) -> Result<BackupReport, BackupError> {
    let target = target.to_owned();
    let made = target.clone();
    files::blocking(move || make_target(&made)).await?;
    let (schema, mode) = schema::of(&source.store).await?;
    let mut records = RecordsCopy::begin(&source.store, &target.join(RECORDS)).await?;
    records.scan().await?;
    let mut bytes = OwnFiles::new(source.files.folder(), &target, Names::Bytes);
    let mut keys = OwnFiles::new(source.keys.folder(), &target, Names::Keys);
    for _ in 0..MAX_ROUNDS {
        let copied = bytes.copy_new(Some(&mut records)).await?;
        if copied + keys.copy_new(Some(&mut records)).await? <= FEW_FILES {
            break;
        }
    }

    let removals = (
        source.files.removals().write().await,
        source.keys.removals().write().await,
    );
    records.catch_up().await?;
    for own in [&mut bytes, &mut keys] {
        own.copy_new(None).await?;
        own.drop_removed().await?;
    }
    drop(removals);

    let (sequence, records) = records.finish().await?;
    let extras = copy_extras(source.extras.clone(), &target).await?;
    let entries: Vec<Entry> = [records]
        .into_iter()
        .chain(bytes.into_entries())
        .chain(keys.into_entries())
        .chain(extras)
        .collect();
    let taken_at = source.store.now().await?;
    let report = BackupReport {
        mode,
        sequence,
        taken_at,
        files: entries.len(),
        bytes: entries.iter().map(|entry| entry.bytes).sum(),
    };
    let manifest = Manifest {
        header: Header::new(schema, mode, sequence, taken_at),
        entries,
    };
    files::blocking(move || manifest.write(&target)).await?;
    Ok(report)
}

fn make_target(target: &Path) -> Result<(), BackupError> {
    files::create_folder(target).map_err(failed_to("create", target))?;
    if !is_empty(target, None)? {
        return Err(BackupError::NotEmpty(target.to_owned()));
    }
    for folder in [BYTES, KEYS].map(|name| target.join(name)) {
        files::create_folder(&folder).map_err(failed_to("create", &folder))?;
    }
    Ok(())
}

/// Whether a folder holds nothing but `allowed`.
fn is_empty(folder: &Path, allowed: Option<&Path>) -> Result<bool, BackupError> {
    let failed = |source| failed_to("list", folder)(source);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if allowed.is_none_or(|allowed| allowed != path) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn failed_to<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> BackupError + 'p {
    move |source| BackupError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
