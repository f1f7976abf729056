//! Data keys, one small file each.

use std::collections::HashSet;
use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::RwLock;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::aead::{self, Secret};
use super::{DataKey, KEY_BYTES, KeyError, MasterKey};
use crate::files;
use crate::sweep::{SweepFailure, sweep};

/// The folder of data keys, each wrapped by the master key in a file named by its id.
///
/// The files are outside the engine because an engine may keep what it was told to delete.
#[derive(Clone, Debug)]
pub struct DataKeys {
    folder: Arc<Path>,
    master: Arc<MasterKey>,
    /// Shared by those who erase keys, held alone by a backup while it looks which there are.
    removals: Arc<RwLock<()>>,
}

impl DataKeys {
    /// Opens the folder, or makes it. Blocks on it.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open_folder(folder: &Path, master: Arc<MasterKey>) -> Result<Self, KeyError> {
        files::create_folder(folder).map_err(io("create", folder))?;
        Ok(Self {
            folder: folder.into(),
            master,
            removals: Arc::default(),
        })
    }

    /// Makes a key. Do so before the row that names it is committed.
    ///
    /// # Errors
    /// [`KeyError::Exists`], I/O errors.
    pub async fn create(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let secret = aead::random::<KEY_BYTES>()?;
        let wrapped = aead::seal(&self.master.wrapping_key(), id.as_bytes(), secret.as_ref())?;
        let path = self.path(id);
        let temporary = self.folder.join(format!("{id}.new"));
        files::blocking(
            move || match files::write_new(&temporary, &path, &wrapped) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Err(KeyError::Exists { id })
                }
                written => written.map_err(io("write", &path)),
            },
        )
        .await?;
        Ok(DataKey::from_secret(secret))
    }

    /// The key with this id.
    ///
    /// # Errors
    /// [`KeyError::Missing`] when it was erased, [`KeyError::Damaged`], I/O errors.
    pub async fn open(&self, id: Uuid) -> Result<DataKey, KeyError> {
        let path = self.path(id);
        let wrapped = files::blocking(move || match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(KeyError::Missing { id }),
            read => read.map_err(io("read", &path)),
        })
        .await?;
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
        let path = self.path(id);
        let _removing = self.removals.read().await;
        files::blocking(move || files::remove(&path).map_err(io("remove", &path))).await
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
        let failed = |failure: SweepFailure| {
            E::from(KeyError::Io {
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
        self.folder.join(format!("{id}.key"))
    }
}

fn io<'p>(action: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> KeyError + 'p {
    move |source| KeyError::Io {
        action,
        path: path.display().to_string(),
        source,
    }
}
