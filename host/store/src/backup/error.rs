//! Errors of backups and restores.

use std::io;
use std::path::{Path, PathBuf};

use crate::blobs::{BlobError, FolderFault};
use crate::engine::EngineError;
use crate::error::StoreError;
use crate::files;
use crate::folder::FolderError;
use crate::keys::KeyError;
use crate::schema::SCHEMA_VERSION;

/// Failure of a backup or restore.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The master key's file cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The target folder is not empty.
    #[error("{} is not empty: name a folder that is not there yet, or an empty one", .0.display())]
    NotEmpty(PathBuf),
    /// The database is not empty.
    #[error(
        "the database holds records already, or those of a restore that was cut short: name an empty one"
    )]
    DatabaseInUse,
    /// Another restore into the database is running.
    #[error(
        "another restore into the database is under way, or was cut short within the last minute: wait for it, or try again in a minute"
    )]
    RestoreUnderWay,
    /// No server with this master key has written the backup.
    #[error(
        "{} was not written by a server with this master key: put the deployment's key at secrets.master_key_file",
        .0.display()
    )]
    NotByMaster(PathBuf),
    /// The shared storage cannot be opened.
    #[error(transparent)]
    Shared(Box<FolderError>),
    /// A restore into the folder was interrupted.
    #[error(
        "{} is the rest of a restore that was cut short: remove it and restore the backup again",
        .0.display()
    )]
    HalfRestored(PathBuf),
    /// The target folder is inside a source folder.
    #[error("{} lies in {}: name a folder outside of it", folder.display(), other.display())]
    Inside {
        /// The target folder.
        folder: PathBuf,
        /// The folder around it.
        other: PathBuf,
    },
    /// Something to back up is neither a folder nor a file with a usable name.
    #[error("{} is neither a file nor a folder, or has a name that is not UTF-8", .0.display())]
    NoFile(PathBuf),
    /// Files are written faster than they can be copied.
    #[error(
        "records are written faster than they can be copied, so there is no backup: try again at a quieter time"
    )]
    TooBusy,
    /// The folder is not a complete backup.
    #[error("{} is not a whole backup: {what}", folder.display())]
    NotWhole {
        /// The folder.
        folder: PathBuf,
        /// Description of the fault.
        what: String,
    },
    /// A file differs from what was written.
    #[error("the backup is damaged: {} is {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// `missing`, or the difference.
        what: &'static str,
    },
    /// The backup was not written with this master key.
    #[error(
        "{} was not written by a server with the master key {}: it is another deployment's, or somebody has changed it",
        folder.display(), master_key.display()
    )]
    NotAuthentic {
        /// The backup.
        folder: PathBuf,
        /// The master key's file.
        master_key: PathBuf,
    },
    /// The backup has an unknown format.
    #[error(
        "the backup has format {found}, and this program reads format {known}: restore it with the program that made it"
    )]
    UnknownFormat {
        /// The format found.
        found: u32,
        /// The format known here.
        known: u32,
    },
    /// The backup is of a store with an unknown schema.
    #[error(
        "the backup is of a store with schema version {found}; this program knows up to {}",
        SCHEMA_VERSION
    )]
    UnknownSchema {
        /// The version found.
        found: u32,
    },
    /// The store has a table with unknown content.
    #[error(
        "the store holds a table {table} that this program does not know: back it up with the program that wrote to it last"
    )]
    UnknownTable {
        /// The table.
        table: String,
    },
    /// A file operation failed.
    #[error("could not {action} {}", path.display())]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

impl BackupError {
    /// Returns whether the request or its target is at fault, not a store or disk.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Store(_) => false,
            Self::Shared(error) => error.is_refusal(),
            Self::Key(error) => error.is_refusal(),
            Self::Io { source, .. } => files::is_for_operators(source),
            _ => true,
        }
    }
}

impl From<EngineError> for BackupError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::FellBehind { .. } => Self::TooBusy,
            error => Self::Store(error.into()),
        }
    }
}

impl From<FolderError> for BackupError {
    fn from(error: FolderError) -> Self {
        Self::Shared(Box::new(error))
    }
}

impl From<FolderFault> for BackupError {
    fn from(fault: FolderFault) -> Self {
        Self::Io {
            action: fault.action,
            path: fault.path,
            source: fault.source,
        }
    }
}

impl From<BlobError> for BackupError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Io(fault) => fault.into(),
            BlobError::Unavailable { reason } => {
                Self::Store(EngineError::Unavailable { reason }.into())
            }
            error => Self::Key(error.into()),
        }
    }
}

pub(super) fn failed_to<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> BackupError + 'p {
    move |source| BackupError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
