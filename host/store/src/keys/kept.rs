//! Data keys where they are kept, each wrapped by the master key.

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

/// What the name of a key's file ends in.
pub(crate) const ENDING: &str = ".key";

/// The data keys, each wrapped by the master key and named by its id: small files in a folder, or
/// rows of a database that several hosts share.
///
/// Files are outside the embedded engine because that may keep what it was told to delete.
#[derive(Clone, Debug)]
pub struct DataKeys {
    blobs: Blobs,
    master: Arc<MasterKey>,
}

impl DataKeys {
    /// The folder of a new store: makes it, where it is not there yet, and marks it as the one
    /// that keeps the store's keys. Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        let folder = OwnedFolder::open_marked(folder, ENDING)?;
        folder.set_mark()?;
        Ok(Self::of(Blobs::in_folder(folder), master))
    }

    /// The folder of a store that was there before. One without a mark is marked if it holds keys;
    /// otherwise it counts as away until it is marked or another is mounted on it, see
    /// [`check`](Self::check). Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
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

    /// Marks the folder, which has no mark and no keys, as the one that keeps the store's keys.
    /// Only for a store without a row that names a key: any other has lost its keys with this.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn take_for_its_own(&self) -> Result<(), KeyError> {
        let Some(folder) = self.blobs.store().as_folder().cloned() else {
            return Ok(());
        };
        Ok(files::blocking(move || folder.set_mark()).await?)
    }

    /// Whether the keys are there, so that one which is not among them is no more.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], [`KeyError::Unavailable`]; I/O errors.
    pub async fn check(&self) -> Result<(), KeyError> {
        Ok(self.blobs.store().check().await?)
    }

    /// Bytes that are free on the file system of the folder; none where no folder keeps the keys,
    /// so that nobody can tell.
    ///
    /// # Errors
    /// When the file system does not tell.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        self.blobs.free_space().await
    }

    /// Makes a key. Do so before the row that names it is committed.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn create(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let key = DataKey::random()?;
        self.keep(id, &key).await?;
        Ok(key)
    }

    /// Keeps a new key, durably when this returns. What is sealed under it may be written
    /// meanwhile; the row that names it is committed afterwards.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors.
    pub async fn keep(&self, id: Uuid, key: &DataKey) -> Result<(), KeyError> {
        let wrapped = aead::seal(self.master.of_data_keys(), id.as_bytes(), key.secret())?;
        let wrapped = Box::new(Bytes::from(wrapped));
        Ok(self.blobs.store().write(id, wrapped).await?)
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when it was erased, [`KeyError::Damaged`], [`KeyError::FolderAway`],
    /// [`KeyError::Unavailable`], I/O errors.
    pub async fn open(&self, id: Uuid) -> Result<DataKey, KeyError> {
        self.opened(id, self.blobs.store().read(id).await)
    }

    /// The keys with these ids, in their order, read together. Each may fail as of
    /// [`open`](Self::open).
    pub async fn open_all(&self, ids: &[Uuid]) -> Vec<Result<DataKey, KeyError>> {
        let read = self.blobs.store().read_all(ids).await;
        let read = ids.iter().zip(read);
        read.map(|(id, read)| self.opened(*id, read)).collect()
    }

    /// Erases a key for good, and with it all that was sealed under it. Tells whether it was
    /// there; once this has returned it is gone, also after a loss of power.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], [`KeyError::Unavailable`], I/O errors; then try again.
    pub async fn erase(&self, id: Uuid) -> Result<bool, KeyError> {
        Ok(self.blobs.remove(id).await?)
    }

    /// A look for keys that nobody owns, at this time, among those of a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.blobs, since, now)
    }

    /// The key with this id, out of what was read of it.
    fn opened(
        &self,
        id: Uuid,
        read: Result<Option<Bytes>, BlobError>,
    ) -> Result<DataKey, KeyError> {
        let wrapped = read?.ok_or(KeyError::Missing { id })?.to_vec();
        let secret = unwrap(&self.master, id, wrapped).ok_or(KeyError::Damaged { id })?;
        Ok(DataKey::from_secret(secret))
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    pub(crate) fn master(&self) -> &Arc<MasterKey> {
        &self.master
    }
}

/// A data key out of what is kept of it; none where that is not of this master key.
pub(super) fn unwrap(master: &MasterKey, id: Uuid, wrapped: Vec<u8>) -> Option<Secret> {
    let opened = aead::open(master.of_data_keys(), id.as_bytes(), wrapped);
    let opened = Zeroizing::new(opened.ok()?);
    let mut secret = Secret::default();
    if opened.len() != secret.len() {
        return None;
    }
    secret.copy_from_slice(&opened);
    Some(secret)
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
