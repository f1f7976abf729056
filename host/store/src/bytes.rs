//! Documents and other large content, one encrypted file each.

mod pieces;

use std::io;
use std::path::Path;

use ::bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::keys::{DataKey, KeyError};
use crate::owned_folder::{FolderFault, OwnedFolder};

pub use self::pieces::Pieces;
pub use crate::sweep::{QUARANTINE, SWEEP_AGE, SWEEP_REST, Sweep, SweepError};

/// What the owner's row keeps about its file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct StoredFile {
    /// The file's name.
    pub id: Uuid,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// SHA-256 digest of the content.
    pub sha256: Sha256Digest,
}

/// The folder of byte files, named by UUIDv7, each encrypted under its owner's data key.
///
/// A file belongs to one row. It is written before that row is committed and unlinked by a job
/// after the row's end is durable, so that no row ever lacks its file; what a crash leaves
/// without a row is swept after [`SWEEP_AGE`] and [`QUARANTINE`].
#[derive(Clone, Debug)]
pub struct ByteFiles(OwnedFolder);

/// Why a byte file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ByteFileError {
    /// There is no such file.
    #[error("the byte file {id} does not exist")]
    Missing {
        /// The file.
        id: Uuid,
    },
    /// The content does not open under this key.
    #[error("the byte file {id} cannot be opened")]
    Sealed {
        /// The file.
        id: Uuid,
        /// Why not.
        source: KeyError,
    },
    /// The content is not the one that the owner's row tells of.
    #[error("the byte file {id} does not have the length or the digest that its row tells")]
    Differs {
        /// The file.
        id: Uuid,
    },
    /// A file operation failed.
    #[error("could not {action} {path}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: String,
        /// The operating system's answer.
        source: io::Error,
    },
}

impl ByteFiles {
    /// Opens the folder, or makes it. Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open_folder(folder: &Path) -> Result<Self, ByteFileError> {
        Ok(Self(OwnedFolder::open(folder, "")?))
    }

    /// Writes a file under an id that [`Transaction::new_id`] or the like has made now. When
    /// this returns, the file is durable; commit the row that owns it next.
    ///
    /// [`Transaction::new_id`]: crate::Transaction::new_id
    ///
    /// # Errors
    /// When there is such a file already; I/O errors.
    pub async fn write(
        &self,
        key: &DataKey,
        id: Uuid,
        content: Bytes,
    ) -> Result<StoredFile, ByteFileError> {
        let (folder, key) = (self.0.clone(), key.clone());
        files::blocking(move || {
            let sealed = key
                .seal_file(id.as_bytes(), &content)
                .map_err(|source| ByteFileError::Sealed { id, source })?;
            folder.write(id, &sealed)?;
            Ok(StoredFile {
                id,
                bytes: content.len() as u64,
                sha256: Sha256Digest::of(&content),
            })
        })
        .await
    }

    /// The content of a file.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], I/O errors.
    pub async fn read(&self, key: &DataKey, id: Uuid) -> Result<Bytes, ByteFileError> {
        let (folder, key) = (self.0.clone(), key.clone());
        files::blocking(move || {
            let sealed = folder.read(id)?.ok_or(ByteFileError::Missing { id })?;
            key.open_file(id.as_bytes(), sealed)
                .map(Bytes::from)
                .map_err(|source| ByteFileError::Sealed { id, source })
        })
        .await
    }

    /// Bytes that are free on the file system of the folder.
    ///
    /// # Errors
    /// When the file system does not tell.
    pub async fn free_space(&self) -> io::Result<u64> {
        let folder = self.0.path().to_owned();
        files::blocking(move || fs4::available_space(folder)).await
    }

    /// The content of a file piece by piece, for those who may be slow to take it. Its length and
    /// the first piece are known to be sound when this returns, and all of it before the last
    /// piece is given.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], [`ByteFileError::Differs`], I/O
    /// errors.
    pub async fn pieces(&self, key: &DataKey, file: StoredFile) -> Result<Pieces, ByteFileError> {
        Pieces::open(self.0.clone(), key.clone(), file).await
    }

    /// Removes a file for good; tells whether it was there. Trying again is harmless.
    ///
    /// # Errors
    /// I/O errors; then try again.
    pub async fn unlink(&self, id: Uuid) -> Result<bool, ByteFileError> {
        Ok(self.0.remove(id).await?)
    }

    /// A look for files that nobody owns, at this time, in the folder of a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.0, since, now)
    }

    pub(crate) fn folder(&self) -> &OwnedFolder {
        &self.0
    }
}

impl From<FolderFault> for ByteFileError {
    fn from(fault: FolderFault) -> Self {
        Self::Io {
            action: fault.action,
            path: fault.path.display().to_string(),
            source: fault.source,
        }
    }
}
