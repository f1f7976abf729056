//! Documents and other large content, one encrypted file each.

mod pieces;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::blobs::{BlobContent, BlobError, Blobs};
use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::keys::{DataKey, KeyError};
use crate::owned_folder::OwnedFolder;

pub use self::pieces::Pieces;
pub use crate::sweep::{QUARANTINE, SWEEP_AGE, SWEEP_REST, Sweep, SweepError};

/// Length of content that is sealed and opened in place, in bytes: some ten microseconds.
const MOST_IN_PLACE: usize = 32 * 1024;

/// Length of a sealed file that is in memory whole while it is written, in bytes: a longer one is
/// sealed piece by piece, not to be there beside its content.
const MOST_SEALED_AHEAD: usize = 256 * 1024;

/// How many reads of byte files, whole or piece by piece, this process has begun.
pub static BYTE_FILE_READS: AtomicU64 = AtomicU64::new(0);

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

/// The byte files, named by UUIDv7, each encrypted under its owner's data key: in a folder, in an
/// object store, or in a database that several hosts share.
///
/// A file belongs to one row. It is written before that row is committed and unlinked by a job
/// after the row's end is durable, so that no row ever lacks its file; what a crash leaves
/// without a row is swept after [`SWEEP_AGE`] and [`QUARANTINE`].
#[derive(Clone, Debug)]
pub struct ByteFiles(Blobs);

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
    /// A file with this id is already there.
    #[error("the byte file {id} already exists")]
    Exists {
        /// The file.
        id: Uuid,
    },
    /// What keeps the files is away, or does not do what it is asked. Nothing is lost: the same
    /// may succeed later.
    #[error("the byte files are not available: {reason}")]
    Unavailable {
        /// Why.
        reason: Arc<str>,
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
        let folder = OwnedFolder::open(folder, "").map_err(BlobError::from)?;
        Ok(Self::of(Blobs::in_folder(folder)))
    }

    pub(crate) fn of(blobs: Blobs) -> Self {
        Self(blobs)
    }

    /// Writes a file under an id that [`Transaction::new_id`] or the like has made now. When
    /// this returns, the file is durable; commit the row that owns it next.
    ///
    /// [`Transaction::new_id`]: crate::Transaction::new_id
    ///
    /// # Errors
    /// [`ByteFileError::Exists`], [`ByteFileError::Unavailable`], I/O errors.
    pub async fn write(
        &self,
        key: &DataKey,
        id: Uuid,
        content: Bytes,
    ) -> Result<StoredFile, ByteFileError> {
        let key = key.clone();
        let (blob, stored) = over(content.len(), move || {
            let stored = StoredFile {
                id,
                bytes: content.len() as u64,
                sha256: Sha256Digest::of(&content),
            };
            let file = key
                .seal_file(id.as_bytes(), content)
                .map_err(|source| ByteFileError::Sealed { id, source })?;
            let blob: Box<dyn BlobContent> = match file.bytes() > MOST_SEALED_AHEAD {
                true => Box::new(file),
                false => Box::new(file.whole()),
            };
            Ok::<_, ByteFileError>((blob, stored))
        })
        .await?;
        self.0.store().write(id, blob).await?;
        Ok(stored)
    }

    /// The content of a file.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], [`ByteFileError::Unavailable`], I/O
    /// errors.
    pub async fn read(&self, key: &DataKey, id: Uuid) -> Result<Bytes, ByteFileError> {
        BYTE_FILE_READS.fetch_add(1, Ordering::Relaxed);
        let sealed = self.0.store().read(id).await?;
        let sealed = sealed.ok_or(ByteFileError::Missing { id })?;
        let key = key.clone();
        over(sealed.len(), move || {
            key.open_file(id.as_bytes(), sealed.into())
                .map(Bytes::from)
                .map_err(|source| ByteFileError::Sealed { id, source })
        })
        .await
    }

    /// Bytes that are free on the file system of the folder; none where no folder keeps the files,
    /// so that nobody can tell.
    ///
    /// # Errors
    /// When the file system does not tell.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        self.0.free_space().await
    }

    /// The content of a file piece by piece, for those who may be slow to take it. Its length and
    /// the first piece are known to be sound when this returns, and all of it before the last
    /// piece is given.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], [`ByteFileError::Differs`],
    /// [`ByteFileError::Unavailable`], I/O errors.
    pub async fn pieces(&self, key: &DataKey, file: StoredFile) -> Result<Pieces, ByteFileError> {
        BYTE_FILE_READS.fetch_add(1, Ordering::Relaxed);
        Pieces::open(self.0.clone(), key, file).await
    }

    /// Removes a file for good; tells whether it was there. Trying again is harmless.
    ///
    /// # Errors
    /// [`ByteFileError::Unavailable`], I/O errors; then try again.
    pub async fn unlink(&self, id: Uuid) -> Result<bool, ByteFileError> {
        Ok(self.0.remove(id).await?)
    }

    /// Whether what keeps the files is there and answers.
    ///
    /// # Errors
    /// [`ByteFileError::Unavailable`]; I/O errors.
    pub async fn check(&self) -> Result<(), ByteFileError> {
        Ok(self.0.store().check().await?)
    }

    /// A look for files that nobody owns, at this time, among those of a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.0, since, now)
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0
    }
}

/// Seals, opens or hashes content of this length: short content in place, since to wake another
/// thread takes longer.
async fn over<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if bytes <= MOST_IN_PLACE {
        work()
    } else {
        files::blocking(work).await
    }
}

impl From<BlobError> for ByteFileError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Exists { id } => Self::Exists { id },
            BlobError::Unavailable { reason } => Self::Unavailable { reason },
            BlobError::Io(fault) => Self::Io {
                action: fault.action,
                path: fault.path.display().to_string(),
                source: fault.source,
            },
            away @ BlobError::Away { .. } => Self::Unavailable {
                reason: away.to_string().into(),
            },
        }
    }
}
