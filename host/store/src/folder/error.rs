//! Errors of opening a data folder or shared storage.

use std::io;

use crate::bytes::ByteFileError;
use crate::engine::EngineError;
use crate::error::StoreError;
use crate::files;
use crate::keys::KeyError;
use crate::postgres::DatabaseError;
use crate::shared::ObjectsError;

/// Failure to open a data folder or shared storage.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The shared document storage.
    #[error(transparent)]
    Objects(#[from] ObjectsError),
    /// The large content.
    #[error(transparent)]
    Files(#[from] ByteFileError),
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A restore into the folder was interrupted.
    #[error(
        "{path} is the rest of a restore that was cut short: remove it and restore the backup again"
    )]
    HalfRestored {
        /// The folder.
        path: String,
    },
    /// There are keys or documents, but no records.
    #[error(
        "there are data keys or documents in {path}, or the mark of a store, but not the records in {path}/store: mount that folder or bring it back, or restore a backup to another folder"
    )]
    RecordsAway {
        /// The data folder.
        path: String,
    },
    /// There are keys, but no folder with the documents sealed under them.
    #[error(
        "there are data keys in {path}, but not the folder {path}/bytes of the documents: mount it or bring it back, or restore a backup to another folder; if the documents are gone for good, make an empty folder there"
    )]
    DocumentsAway {
        /// The data folder.
        path: String,
    },
    /// The restored backup was not written with this master key.
    #[error(
        "{path} was restored from a backup that was not written by a server with this master key: \
         somebody has changed it; remove the folder and restore another backup"
    )]
    NotAuthentic {
        /// The folder.
        path: String,
    },
    /// A marker file in the folder cannot be read or removed.
    #[error("could not read the origin of the restored {path}")]
    Mark {
        /// The folder.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The master key's file is inside a folder that it protects.
    #[error("the master key {path} must lie outside the store's folders")]
    MasterKeyInside {
        /// The master key's file.
        path: String,
    },
}

impl FolderError {
    /// Returns whether shared storage is temporarily unreachable.
    #[must_use]
    pub fn is_away(&self) -> bool {
        match self {
            Self::Store(StoreError::Engine(error)) | Self::Engine(error) => {
                matches!(error, EngineError::Unavailable { .. })
            }
            Self::Database(error) => error.obstacle().may_pass(),
            Self::Objects(error) => !error.is_refusal(),
            Self::Files(error) => matches!(error, ByteFileError::Unavailable { .. }),
            Self::Keys(error) => matches!(error, KeyError::Unavailable { .. }),
            _ => false,
        }
    }

    /// Returns whether the configuration or the folders are at fault, not a failing disk.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Store(error) => matches!(
                error,
                StoreError::SchemaTooNew { .. }
                    | StoreError::WrongMode { .. }
                    | StoreError::WrongMasterKey
                    | StoreError::NoMasterKeyFits
                    | StoreError::EarlierMasterKeyMissing
                    | StoreError::RootUnreadable
                    | StoreError::SchemaMissing
                    | StoreError::Restoring
            ),
            Self::Engine(error) => match error {
                EngineError::InUse { .. }
                | EngineError::Short { .. }
                | EngineError::Damaged { .. } => true,
                EngineError::Io { source, .. } => files::is_for_operators(source),
                _ => false,
            },
            Self::Database(error) => error.is_refusal(),
            Self::Objects(error) => error.is_refusal(),
            Self::Keys(error) => error.is_refusal(),
            Self::Files(ByteFileError::Io { source, .. }) | Self::Mark { source, .. } => {
                files::is_for_operators(source)
            }
            Self::Files(_) => false,
            Self::HalfRestored { .. }
            | Self::RecordsAway { .. }
            | Self::DocumentsAway { .. }
            | Self::NotAuthentic { .. }
            | Self::MasterKeyInside { .. } => true,
        }
    }
}
