//! Data keys, one small file each.

use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::aead::{self, Secret};
use super::mark::Mark;
use super::{DataKey, KeyError, MasterKey};
use crate::files;
use crate::owned_folder::{FolderFault, OwnedFolder};
use crate::sweep::Sweep;

/// What the name of a key's file ends in.
pub(crate) const ENDING: &str = ".key";

/// The folder of data keys, each wrapped by the master key in a file named by its id.
///
/// The files are outside the engine because an engine may keep what it was told to delete.
#[derive(Clone, Debug)]
pub struct DataKeys {
    folder: OwnedFolder,
    mark: Mark,
    master: Arc<MasterKey>,
}

impl DataKeys {
    /// The folder of a new store: makes it, where it is not there yet, and marks it as the one
    /// that keeps the store's keys. Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        let keys = Self::at(folder, master)?;
        keys.mark.set()?;
        Ok(keys)
    }

    /// The folder of a store that was there before. One without a mark is marked if it holds keys;
    /// otherwise it counts as away until it is marked or another is mounted on it, see
    /// [`check`](Self::check). Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        let keys = Self::at(folder, master)?;
        match keys.mark.look_for() {
            Err(KeyError::FolderAway { .. }) if !keys.folder.ids()?.is_empty() => {
                keys.mark.set()?;
            }
            Err(KeyError::FolderAway { .. }) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        Ok(keys)
    }

    fn at(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        Ok(Self {
            folder: OwnedFolder::open(folder, ENDING)?,
            mark: Mark::of(folder),
            master,
        })
    }

    /// Marks the folder, which has no mark and no keys, as the one that keeps the store's keys.
    /// Only for a store without a row that names a key: any other has lost its keys with this.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn take_for_its_own(&self) -> Result<(), KeyError> {
        let mark = self.mark.clone();
        files::blocking(move || mark.set()).await
    }

    /// Whether the folder is there, so that a key which is not in it is no more.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`]; I/O errors.
    pub async fn check(&self) -> Result<(), KeyError> {
        let mark = self.mark.clone();
        files::blocking(move || mark.look_for()).await
    }

    /// Makes a key. Do so before the row that names it is committed.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], I/O errors.
    pub async fn create(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let key = DataKey::random()?;
        self.keep(id, &key).await?;
        Ok(key)
    }

    /// Keeps a new key, durably when this returns. What is sealed under it may be written
    /// meanwhile; the row that names it is committed afterwards.
    ///
    /// # Errors
    /// [`KeyError::Exists`], [`KeyError::FolderAway`], I/O errors.
    pub async fn keep(&self, id: Uuid, key: &DataKey) -> Result<(), KeyError> {
        let wrapped = aead::seal(&self.master.wrapping_key(), id.as_bytes(), key.secret())?;
        let (folder, mark) = (self.folder.clone(), self.mark.clone());
        files::blocking(move || {
            mark.look_for()?;
            folder
                .write(id, &wrapped)
                .map_err(|fault| match fault.source.kind() {
                    io::ErrorKind::AlreadyExists => KeyError::Exists { id },
                    _ => fault.into(),
                })
        })
        .await
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when it was erased, [`KeyError::Damaged`], [`KeyError::FolderAway`],
    /// I/O errors.
    pub async fn open(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let (folder, mark) = (self.folder.clone(), self.mark.clone());
        let wrapped = files::blocking(move || match folder.read(id)? {
            Some(wrapped) => Ok(wrapped),
            None => Err(match mark.look_for() {
                Ok(()) => KeyError::Missing { id },
                Err(error) => error,
            }),
        })
        .await?;
        let secret = unwrap(&self.master, id, wrapped).ok_or(KeyError::Damaged { id })?;
        Ok(DataKey::from_secret(secret))
    }

    /// Erases a key for good, and with it all that was sealed under it. Tells whether it was
    /// there; once this has returned it is gone, also after a loss of power.
    ///
    /// # Errors
    /// [`KeyError::FolderAway`], I/O errors; then try again.
    pub async fn erase(&self, id: Uuid) -> Result<bool, KeyError> {
        let was_there = self.folder.remove(id).await?;
        if !was_there {
            self.check().await?;
        }
        Ok(was_there)
    }

    /// A look for keys that nobody owns, at this time, in the folder of a store made at `since`.
    #[must_use]
    pub fn sweep(&self, since: Option<Timestamp>, now: Timestamp) -> Sweep {
        Sweep::of(&self.folder, since, now)
    }

    pub(crate) fn folder(&self) -> &OwnedFolder {
        &self.folder
    }

    pub(crate) fn master(&self) -> &Arc<MasterKey> {
        &self.master
    }
}

/// A data key out of its file; none where the file is not one of this master key.
pub(super) fn unwrap(master: &MasterKey, id: Uuid, wrapped: Vec<u8>) -> Option<Secret> {
    let opened = aead::open(&master.wrapping_key(), id.as_bytes(), wrapped);
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
