//! Stored data keys, each wrapped by a master key.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ::bytes::Bytes;
use jiff::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::aead::{self, Secret};
use super::{DataKey, KeyError, MasterKey};
use crate::blobs::{BlobError, Blobs, FolderFault};
use crate::files;
use crate::owned_folder::OwnedFolder;
use crate::sweep::Sweep;

/// Suffix of a key's file.
pub(crate) const ENDING: &str = ".key";

/// The data keys, each wrapped by a master key and named by its id: small files in a folder, or
/// rows of a database shared by hosts.
///
/// The files are outside the embedded engine because that may retain deleted values.
#[derive(Clone, Debug)]
pub struct DataKeys {
    blobs: Blobs,
    master: Arc<MasterKey>,
}

impl DataKeys {
    /// Opens the folder of a new store: creates it if needed, and marks it as the one with the
    /// store's keys. Blocks.
    ///
    /// # Errors
    /// A folder that cannot be created.
    pub fn create_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        let folder = OwnedFolder::open_marked(folder, ENDING)?;
        folder.set_mark()?;
        Ok(Self::of(Blobs::in_folder(folder), master))
    }

    /// Opens the folder of an existing store. A folder without a mark is marked if it holds keys.
    /// Otherwise it counts as missing until it is marked or another is mounted on it; see
    /// [`check`](Self::check). Blocks.
    ///
    /// # Errors
    /// A folder that cannot be created or read.
    pub fn open_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        let folder = OwnedFolder::open_marked(folder, ENDING)?;
        match folder.look_for() {
            Err(BlobError::Away { .. }) if !folder.whole()?.is_empty() => folder.set_mark()?,
            Err(BlobError::Away { .. }) | Ok(()) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self::of(Blobs::in_folder(folder), master))
    }

    pub(crate) fn of(blobs: Blobs, master: Arc<MasterKey>) -> Self {
        Self { blobs, master }
    }

    /// Marks a folder without mark and keys as the one with the store's keys. Only for a store
    /// without a row that names a key: any other has lost its keys with this.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn take_for_its_own(&self) -> Result<(), KeyError> {
        let Some(folder) = self.blobs.store().as_folder().cloned() else {
            return Ok(());
        };
        Ok(files::blocking(move || folder.set_mark()).await?)
    }

    /// Checks that the keys are available, so that a key not found is known not to exist.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], [`KeyError::Unavailable`]; I/O errors.
    pub async fn check(&self) -> Result<(), KeyError> {
        Ok(self.blobs.store().check().await?)
    }

    /// Returns the free bytes on the file system of the folder; `None` where the keys are not in a
    /// folder.
    ///
    /// # Errors
    /// A file system that does not report it.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        self.blobs.free_space().await
    }

    /// Creates a key. Do so before the row that names it is committed.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn create(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let key = DataKey::random()?;
        self.keep(id, &key).await?;
        Ok(key)
    }

    /// Stores a new key, durable on return. Content sealed under it may be written meanwhile;
    /// commit the row that names it afterwards.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn keep(&self, id: Uuid, key: &DataKey) -> Result<(), KeyError> {
        let wrapped = Box::new(self.wrapped(id, key.secret())?);
        Ok(self.blobs.store().write(id, wrapped).await?)
    }

    /// Rewraps a key by the active master key, if another one wraps it; returns whether it did. A
    /// key erased meanwhile stays erased.
    ///
    /// # Errors
    /// [`KeyError::Damaged`], [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn rewrap(&self, id: Uuid) -> Result<bool, KeyError> {
        let Some(found) = self.blobs.store().read(id).await? else {
            return Ok(false);
        };
        let unwrapped = unwrap(&self.master, id, &found);
        let (secret, is_current) = unwrapped.ok_or(KeyError::Damaged { id })?;
        if is_current {
            return Ok(false);
        }
        let anew = self.wrapped(id, secret.as_ref())?;
        Ok(self.blobs.store().replace(id, found, anew).await?)
    }

    /// Returns the ids of all keys that can be [rewrapped](Self::rewrap), in order. Its duration
    /// grows with their number.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn ids(&self) -> Result<Vec<Uuid>, KeyError> {
        self.check().await?;
        let mut ids = self.blobs.store().ids().await?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// Counts the keys in a quarantine where they cannot be rewrapped: they are removed, or
    /// restored, within days.
    ///
    /// # Errors
    /// [`KeyError::Unavailable`], I/O errors.
    pub async fn out_of_reach(&self) -> Result<usize, KeyError> {
        if self.blobs.store().as_folder().is_none() {
            return Ok(0);
        }
        Ok(self.blobs.quarantine().waiting().await?.len())
    }

    fn wrapped(&self, id: Uuid, secret: &[u8]) -> Result<Bytes, KeyError> {
        let wrapped = aead::seal(self.master.of_data_keys(), id.as_bytes(), secret)?;
        Ok(wrapped.into())
    }

    /// Opens the key with this id.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when it was erased, [`KeyError::Damaged`], [`KeyError::FolderAway`],
    /// [`KeyError::Unavailable`], I/O errors.
    pub async fn open(&self, id: Uuid) -> Result<DataKey, KeyError> {
        self.opened(id, self.blobs.store().read(id).await)
    }

    /// Opens the keys with these ids, in order, with one read. Each may fail as in
    /// [`open`](Self::open).
    pub async fn open_all(&self, ids: &[Uuid]) -> Vec<Result<DataKey, KeyError>> {
        let read = self.blobs.store().read_all(ids).await;
        let read = ids.iter().zip(read);
        read.map(|(id, read)| self.opened(*id, read)).collect()
    }

    /// Erases a key permanently, and with it everything sealed under it. Returns whether it
    /// existed. The erasure is durable on return.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors; then try again.
    pub async fn erase(&self, id: Uuid) -> Result<bool, KeyError> {
        Ok(self.blobs.remove(id).await?)
    }

    /// Starts a sweep for orphaned keys, at this time, in a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.blobs, since, now)
    }

    /// Unwraps the key with this id from what was read.
    fn opened(
        &self,
        id: Uuid,
        read: Result<Option<Bytes>, BlobError>,
    ) -> Result<DataKey, KeyError> {
        let wrapped = read?.ok_or(KeyError::Missing { id })?;
        let unwrapped = unwrap(&self.master, id, &wrapped);
        let (secret, _) = unwrapped.ok_or(KeyError::Damaged { id })?;
        Ok(DataKey::from_secret(secret))
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    pub(crate) fn master(&self) -> &Arc<MasterKey> {
        &self.master
    }
}

/// Unwraps a data key, and returns whether the active master key wraps it; `None` where no master
/// key does.
pub(super) fn unwrap(master: &MasterKey, id: Uuid, wrapped: &[u8]) -> Option<(Secret, bool)> {
    let (opened, is_current) = master.all_of_data_keys().find_map(|(key, is_current)| {
        let opened = aead::open(key, id.as_bytes(), wrapped.to_vec()).ok()?;
        Some((Zeroizing::new(opened), is_current))
    })?;
    let mut secret = Secret::default();
    if opened.len() != secret.len() {
        return None;
    }
    secret.copy_from_slice(&opened);
    Some((secret, is_current))
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

impl From<BlobError> for KeyError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Exists { id } => Self::Exists { id },
            BlobError::Away { path } => Self::FolderAway { path },
            BlobError::Unavailable { reason } => Self::Unavailable { reason },
            BlobError::Io(fault) => fault.into(),
        }
    }
}
