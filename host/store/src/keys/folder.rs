//! Data keys, one small file each.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::aead::{self, Secret};
use super::{DataKey, KeyError, MasterKey};
use crate::files;
use crate::owned_folder::{FolderFault, OwnedFolder};

/// What the name of a key's file ends in.
const ENDING: &str = ".key";

/// The folder of data keys, each wrapped by the master key in a file named by its id.
///
/// The files are outside the engine because an engine may keep what it was told to delete.
#[derive(Clone, Debug)]
pub struct DataKeys {
    folder: OwnedFolder,
    master: Arc<MasterKey>,
}

impl DataKeys {
    /// Opens the folder, or makes it. Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        Ok(Self {
            folder: OwnedFolder::open(folder, ENDING)?,
            master,
        })
    }

    /// Makes a key. Do so before the row that names it is committed.
    ///
    /// # Errors
    /// [`KeyError::Exists`], I/O errors.
    pub async fn create(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let key = DataKey::random()?;
        self.keep(id, &key).await?;
        Ok(key)
    }

    /// Keeps a new key, durably when this returns. What is sealed under it may be written
    /// meanwhile; the row that names it is committed afterwards.
    ///
    /// # Errors
    /// [`KeyError::Exists`], I/O errors.
    pub async fn keep(&self, id: Uuid, key: &DataKey) -> Result<(), KeyError> {
        let wrapped = aead::seal(&self.master.wrapping_key(), id.as_bytes(), key.secret())?;
        let folder = self.folder.clone();
        let written = files::blocking(move || folder.write(id, &wrapped)).await;
        written.map_err(|fault| match fault.source.kind() {
            io::ErrorKind::AlreadyExists => KeyError::Exists { id },
            _ => fault.into(),
        })
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when it was erased, [`KeyError::Damaged`], I/O errors.
    pub async fn open(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let folder = self.folder.clone();
        let wrapped = files::blocking(move || folder.read(id)).await?;
        let wrapped = wrapped.ok_or(KeyError::Missing { id })?;
        let damaged = |_| KeyError::Damaged { id };
        let opened = aead::open(&self.master.wrapping_key(), id.as_bytes(), wrapped)
            .map(Zeroizing::new)
            .map_err(damaged)?;
        let mut secret = Secret::default();
        if opened.len() != secret.len() {
            return Err(KeyError::Damaged { id });
        }
        secret.copy_from_slice(&opened);
        Ok(DataKey::from_secret(secret))
    }

    /// Erases a key for good, and with it all that was sealed under it. Tells whether it was
    /// there; once this has returned it is gone, also after a loss of power.
    ///
    /// # Errors
    /// I/O errors; then try again.
    pub async fn erase(&self, id: Uuid) -> Result<bool, KeyError> {
        Ok(self.folder.remove(id).await?)
    }

    /// Erases the keys that are older than [`SWEEP_AGE`](crate::bytes::SWEEP_AGE) and that nobody
    /// owns; tells how many. A key's age is that of its UUIDv7. `owned` picks from a batch of ids
    /// those that have a row.
    ///
    /// # Errors
    /// I/O errors, or the one of `owned`.
    pub async fn sweep<F, Fut, E>(&self, now: Timestamp, owned: F) -> Result<usize, E>
    where
        F: Fn(Vec<Uuid>) -> Fut,
        Fut: Future<Output = Result<HashSet<Uuid>, E>>,
        E: From<KeyError>,
    {
        let failed = |fault| E::from(KeyError::from(fault));
        self.folder.sweep(now, owned, failed).await
    }

    pub(crate) fn folder(&self) -> &OwnedFolder {
        &self.folder
    }

    pub(crate) fn master(&self) -> &Arc<MasterKey> {
        &self.master
    }
}

impl From<FolderFault> for KeyError {
    fn from(fault: FolderFault) -> Self {
        Self::Io {
            action: fault.action,
            path: fault.path.display().to_string(),
            source: fault.source,
        }
    }
}
