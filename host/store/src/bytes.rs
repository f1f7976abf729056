//! Byte files: documents and other large content, one encrypted file each.

mod pieces;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::blobs::{BlobContent, BlobError, Blobs, Part};
use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::keys::{DataKey, KeyError};
use crate::owned_folder::{OwnedFolder, WHOLE};

pub use self::pieces::Pieces;
pub use crate::sweep::{QUARANTINE, SWEEP_AGE, SWEEP_REST, Sweep, SweepError};

/// Most bytes of content sealed and opened in place: some ten microseconds.
const MOST_IN_PLACE: usize = 32 * 1024;

/// Most bytes of a sealed file held in memory while it is written. A longer file is sealed piece
/// by piece, so as not to be in memory beside its content.
const MOST_SEALED_AHEAD: usize = 256 * 1024;

/// Number of reads of byte files, whole or in pieces, begun by this process.
pub static BYTE_FILE_READS: AtomicU64 = AtomicU64::new(0);

/// Reference to a byte file in its owner's row.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct StoredFile {
    /// The file's id.
    pub id: Uuid,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// SHA-256 digest of the content.
    pub sha256: Sha256Digest,
}

/// Byte files, named by UUIDv7, each encrypted under its owner's data key. They are in a folder,
/// in an object store, or in a database shared by hosts.
///
/// A file belongs to one row. It is written before that row is committed, and unlinked by a job
/// after the row's end is durable. No row ever lacks its file. Files left by a crash without a row
/// are swept after [`SWEEP_AGE`] and [`QUARANTINE`].
#[derive(Clone, Debug)]
pub struct ByteFiles(Blobs);

/// Failure of an operation on a byte file.
#[derive(Debug, thiserror::Error)]
pub enum ByteFileError {
    /// The file does not exist.
    #[error("the byte file {id} does not exist")]
    Missing {
        /// The file.
        id: Uuid,
    },
    /// The content does not decrypt under this key.
    #[error("the byte file {id} cannot be opened")]
    Sealed {
        /// The file.
        id: Uuid,
        /// The cause.
        source: KeyError,
    },
    /// The content differs from the owner's row.
    #[error("the byte file {id} does not have the length or the digest that its row states")]
    Differs {
        /// The file.
        id: Uuid,
    },
    /// A file with this id already exists.
    #[error("the byte file {id} already exists")]
    Exists {
        /// The file.
        id: Uuid,
    },
    /// The storage is unavailable or failed. Nothing is lost: a later attempt may succeed.
    #[error("the byte files are not available: {reason}")]
    Unavailable {
        /// The cause.
        reason: Arc<str>,
    },
    /// A file operation failed.
    #[error("could not {action} {path}")]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
}

impl ByteFiles {
    /// Opens the folder, or creates it. Blocks.
    ///
    /// # Errors
    /// A folder that cannot be created.
    pub fn open_folder(folder: &Path) -> Result<Self, ByteFileError> {
        let folder = OwnedFolder::open(folder, "").map_err(BlobError::from)?;
        Ok(Self::of(Blobs::in_folder(folder)))
    }

    pub(crate) fn of(blobs: Blobs) -> Self {
        Self(blobs)
    }

    /// Writes a file under an id just made by [`Transaction::new_id`] or the like. The file is
    /// durable on return; commit the row that owns it next.
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
        self.write_digested(key, id, content, Sha256Digest::of)
            .await
    }

    /// Like [`write`](Self::write), with the content's digest from `digest`, which may know a part
    /// of it. A file whose row has another digest cannot be read in pieces.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub async fn write_digested(
        &self,
        key: &DataKey,
        id: Uuid,
        content: Bytes,
        digest: impl FnOnce(&[u8]) -> Sha256Digest + Send + 'static,
    ) -> Result<StoredFile, ByteFileError> {
        let (key, length) = (key.clone(), content.len());
        let seal = move || {
            let stored = StoredFile {
                id,
                bytes: content.len() as u64,
                sha256: digest(&content),
            };
            let file = key.seal_file(id.as_bytes(), content);
            let file = file.map_err(|source| ByteFileError::Sealed { id, source })?;
            Ok::<_, ByteFileError>((file, stored))
        };
        if let Some(folder) = self.0.store().as_folder().cloned() {
            // The file is sealed by the thread that writes it.
            let write = move || {
                let (file, stored) = seal()?;
                folder.write_file(id, &file)?;
                Ok::<_, ByteFileError>(stored)
            };
            return files::blocking(write).await;
        }
        let seal = move || {
            let (file, stored) = seal()?;
            let blob: Box<dyn BlobContent> = match file.bytes() > MOST_SEALED_AHEAD {
                true => Box::new(file),
                false => Box::new(file.whole()),
            };
            Ok::<_, ByteFileError>((blob, stored))
        };
        let (blob, stored) = over(length, seal).await?;
        self.0.store().write(id, blob).await?;
        Ok(stored)
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], [`ByteFileError::Unavailable`], I/O
    /// errors.
    pub async fn read(&self, key: &DataKey, id: Uuid) -> Result<Bytes, ByteFileError> {
        BYTE_FILE_READS.fetch_add(1, Ordering::Relaxed);
        let key = key.clone();
        let open = move |sealed: Bytes| {
            key.open_file(id.as_bytes(), sealed.into())
                .map(Bytes::from)
                .map_err(|source| ByteFileError::Sealed { id, source })
        };
        let missing = ByteFileError::Missing { id };
        if let Some(folder) = self.0.store().as_folder() {
            let open = move |whole: Part| open(whole.bytes);
            let opened = folder.part_for(id, WHOLE, MOST_IN_PLACE as u64, open);
            return opened.await?.unwrap_or(Err(missing));
        }
        let sealed = self.0.store().read(id).await?.ok_or(missing)?;
        over(sealed.len(), move || open(sealed)).await
    }

    /// Returns the free bytes on the file system of the folder; `None` where the files are not in
    /// a folder.
    ///
    /// # Errors
    /// A file system that does not report it.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        self.0.free_space().await
    }

    /// Returns the content of a file in pieces, for slow consumers. The length and the first piece
    /// are verified on return, and all content before the last piece is given.
    ///
    /// # Errors
    /// [`ByteFileError::Missing`], [`ByteFileError::Sealed`], [`ByteFileError::Differs`],
    /// [`ByteFileError::Unavailable`], I/O errors.
    pub async fn pieces(&self, key: &DataKey, file: StoredFile) -> Result<Pieces, ByteFileError> {
        BYTE_FILE_READS.fetch_add(1, Ordering::Relaxed);
        Pieces::open(self.0.clone(), key, file).await
    }

    /// Removes a file permanently; returns whether it existed. Trying again is harmless.
    ///
    /// # Errors
    /// [`ByteFileError::Unavailable`], I/O errors; then try again.
    pub async fn unlink(&self, id: Uuid) -> Result<bool, ByteFileError> {
        Ok(self.0.remove(id).await?)
    }

    /// Checks that the storage is available.
    ///
    /// # Errors
    /// [`ByteFileError::Unavailable`]; I/O errors.
    pub async fn check(&self) -> Result<(), ByteFileError> {
        Ok(self.0.store().check().await?)
    }

    /// Starts a sweep for orphaned files, at this time, in a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.0, since, now)
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0
    }
}

/// Seals, opens or hashes content of this length: short content in place, since waking another
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
