//! Documents and other large content, one encrypted file each.

use std::collections::HashSet;
use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::RwLock;
use uuid::Uuid;

use crate::files;
use crate::hex_bytes::Sha256Digest;
use crate::keys::{DataKey, KeyError};
use crate::sweep::{SweepFailure, sweep};

pub use crate::sweep::{SWEEP_AGE, SWEEP_REST};

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
/// without a row is swept after [`SWEEP_AGE`].
#[derive(Clone, Debug)]
pub struct ByteFiles {
    folder: Arc<Path>,
    /// Shared by those who remove files, held alone by a backup while it looks which there are.
    removals: Arc<RwLock<()>>,
}

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
        files::create_folder(folder).map_err(io("create", folder))?;
        Ok(Self {
            folder: folder.into(),
            removals: Arc::default(),
        })
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
        let key = key.clone();
        let path = self.path(id);
        let temporary = self.folder.join(format!("{id}.new"));
        files::blocking(move || {
            let sealed = key
                .seal_file(id.as_bytes(), &content)
                .map_err(|source| ByteFileError::Sealed { id, source })?;
            files::write_new(&temporary, &path, &sealed).map_err(io("write", &path))?;
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
        let key = key.clone();
        let path = self.path(id);
        files::blocking(move || {
            let sealed = match fs::read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(ByteFileError::Missing { id });
                }
                read => read.map_err(io("read", &path))?,
            };
            key.open_file(id.as_bytes(), sealed)
                .map(Bytes::from)
                .map_err(|source| ByteFileError::Sealed { id, source })
        })
        .await
    }

    /// Removes a file for good; tells whether it was there. Trying again is harmless.
    ///
    /// # Errors
    /// I/O errors; then try again.
    pub async fn unlink(&self, id: Uuid) -> Result<bool, ByteFileError> {
        let path = self.path(id);
        let _removing = self.removals.read().await;
        files::blocking(move || files::remove(&path).map_err(io("remove", &path))).await
    }

    /// Removes the files that are older than [`SWEEP_AGE`] and that nobody owns; tells how many.
    /// A file's age is that of its UUIDv7. `owned` picks from a batch of ids those that have a
    /// row.
    ///
    /// # Errors
    /// I/O errors, or the one of `owned`.
    pub async fn sweep<F, Fut, E>(&self, now: Timestamp, owned: F) -> Result<usize, E>
    where
        F: Fn(Vec<Uuid>) -> Fut,
        Fut: Future<Output = Result<HashSet<Uuid>, E>>,
        E: From<ByteFileError>,
    {
        let failed = |failure: SweepFailure| {
            E::from(ByteFileError::Io {
                action: failure.action,
                path: failure.path.display().to_string(),
                source: failure.source,
            })
        };
        let _removing = self.removals.read().await;
        sweep(&self.folder, now, owned, failed).await
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn removals(&self) -> &RwLock<()> {
        &self.removals
    }

    fn path(&self, id: Uuid) -> PathBuf {
        self.folder.join(id.to_string())
    }
}

fn io<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> ByteFileError + 'p {
    move |source| ByteFileError::Io {
        action,
        path: path.display().to_string(),
        source,
    }
}
