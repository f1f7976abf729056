//! The data folder, which holds everything that an embedded server stores.

use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::error::FolderError;
use crate::backup;
use crate::bytes::ByteFiles;
use crate::clock::Clock;
use crate::error::StoreError;
use crate::files;
use crate::keys::{self, DataKeys, KeyError, MasterKey, Wrapped};
use crate::mode::StoreMode;
use crate::schema;
use crate::sled::{self, AcceptedLoss, RecordsLook, SledEngine, SledOptions};
use crate::store::Store;
use crate::torn;

mod error;

/// Options for opening a data folder.
#[derive(Clone)]
pub struct FolderOptions {
    /// The data folder, in which `store/`, `bytes/` and `keys/` are created.
    pub path: PathBuf,
    /// The master key's file, outside those three folders. It is created with a new store only.
    pub master_key: PathBuf,
    /// Files of other master keys that may still wrap data, or will.
    pub other_master_keys: Vec<PathBuf>,
    /// The mode of the store.
    pub mode: StoreMode,
    /// Size of the engine's page cache in bytes.
    pub cache_bytes: u64,
    /// Most commits that one sync makes durable.
    pub commits_per_sync: NonZeroU16,
    /// The loss of records with which the store may still be opened.
    pub accepted_loss: AcceptedLoss,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// An open data folder.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The records.
    pub store: Store,
    /// The large content.
    pub files: ByteFiles,
    /// The data keys.
    pub keys: DataKeys,
    /// The master key, with the store's root secret.
    pub master: Arc<MasterKey>,
}

/// State of an unopened data folder.
#[derive(Debug)]
pub enum FolderLook {
    /// The data keys are wrapped by the master key.
    KeyFits,
    /// No data key shows whether the master key is the store's; opening the store does.
    KeyUntold,
    /// The folder of data keys is missing.
    KeysAway(KeyError),
}

impl Folder {
    /// Refuses a data folder that lacks a required part. Creates and changes nothing; accepts a
    /// folder that does not exist yet. Blocks.
    ///
    /// # Errors
    /// [`FolderError::RecordsAway`], [`FolderError::DocumentsAway`],
    /// [`FolderError::HalfRestored`]; I/O errors.
    pub fn refuse_torn(path: &Path) -> Result<(), FolderError> {
        torn::refuse(path)
    }

    /// Inspects the files of a data folder with a store, whether or not a server runs on it.
    /// Creates and changes nothing, and therefore does not open the store: opening it completes
    /// what a crash interrupted. Blocks.
    ///
    /// # Errors
    /// Those errors of [`open`](Self::open) that can be detected; I/O errors.
    pub fn look_at(path: &Path, master: &MasterKey) -> Result<FolderLook, FolderError> {
        let named = || path.display().to_string();
        if backup::is_half_restored(path) {
            return Err(FolderError::HalfRestored { path: named() });
        }
        match backup::is_proven(path, master) {
            Ok(true) => {}
            Ok(false) => return Err(FolderError::NotAuthentic { path: named() }),
            Err(source) => {
                let path = named();
                return Err(FolderError::Mark { path, source });
            }
        }
        match keys::look_at(&path.join("keys"), master) {
            Ok(Wrapped::ByThis) => Ok(FolderLook::KeyFits),
            Ok(Wrapped::NoneTells) => Ok(FolderLook::KeyUntold),
            Ok(Wrapped::ByAnother) => Err(StoreError::WrongMasterKey.into()),
            Err(away @ KeyError::FolderAway { .. }) => Ok(FolderLook::KeysAway(away)),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks that the records of a data folder are complete, on a copy where no process has them
    /// open. Creates and changes nothing in the folder. Blocks while it copies and reads.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) for the records; I/O errors.
    pub fn look_at_records(path: &Path, clock: Arc<dyn Clock>) -> Result<RecordsLook, FolderError> {
        Ok(sled::look_at(&path.join("store"), clock)?)
    }

    /// Opens a data folder, or creates it.
    ///
    /// # Errors
    /// A folder in use, of the other mode or under another key; a missing key to an existing
    /// store; a folder that lacks a part; I/O errors.
    pub async fn open(options: &FolderOptions) -> Result<Self, FolderError> {
        let options = options.clone();
        let (mode, path) = (options.mode, options.path.clone());
        let accepts_loss = options.accepted_loss != AcceptedLoss::None;
        let parts = files::blocking(move || Parts::open(&options)).await?;
        if !parts.engine.had_commits() && schema::is_empty(&parts.engine).await? {
            // The log is not empty, but there is no row: it was truncated, or is the rest of
            // another store. If there were commits and all their rows are lost, that loss was
            // accepted.
            let data = path.clone();
            files::blocking(move || torn::refuse_without_records(&data)).await?;
        }
        let engine = Arc::new(parts.engine);
        let store = if accepts_loss {
            let (folder, master) = (path.join("keys"), parts.master.clone());
            // The row with the key's check value may be lost.
            let wrapped = files::blocking(move || keys::look_at(&folder, &master)).await;
            if matches!(wrapped, Ok(Wrapped::ByAnother)) {
                return Err(StoreError::WrongMasterKey.into());
            }
            Store::open_what_is_left(engine, &parts.master, mode).await?
        } else {
            Store::open(engine, &parts.master, mode).await?
        };
        let master = parts.master.clone();
        let data = path.clone();
        let proven = files::blocking(move || backup::prove_restored(&data, &master)).await;
        let path = path.display().to_string();
        match proven {
            Ok(true) => {}
            Ok(false) => return Err(FolderError::NotAuthentic { path }),
            Err(source) => return Err(FolderError::Mark { path, source }),
        }
        Self::of(store, parts.files, parts.keys).await
    }

    /// Assembles an open folder, with the store's root secret.
    pub(crate) async fn of(
        store: Store,
        files: ByteFiles,
        keys: DataKeys,
    ) -> Result<Self, FolderError> {
        let master = schema::keyed(&store, keys.master()).await?;
        Ok(Self {
            store,
            files,
            keys,
            master: Arc::new(master),
        })
    }
}

struct Parts {
    engine: SledEngine,
    files: ByteFiles,
    keys: DataKeys,
    master: Arc<MasterKey>,
}

impl Parts {
    fn open(options: &FolderOptions) -> Result<Self, FolderError> {
        torn::refuse(&options.path)?;
        let [store, bytes, keys] = ["store", "bytes", "keys"].map(|name| options.path.join(name));
        let mut key_files = std::iter::once(&options.master_key).chain(&options.other_master_keys);
        let folders = [&store, &bytes, &keys];
        if let Some(inside) = key_files.find(|file| folders.iter().any(|it| file.starts_with(it))) {
            return Err(FolderError::MasterKeyInside {
                path: inside.display().to_string(),
            });
        }
        let is_new = !store.exists();
        let master = Arc::new(master_key(options, &store)?);
        // Created first of the three: once there is a store, an unmarked folder without keys is
        // not accepted as its own.
        let keys = if is_new {
            DataKeys::create_folder(&keys, master.clone())?
        } else {
            DataKeys::open_folder(&keys, master.clone())?
        };
        let engine = SledEngine::open(
            &SledOptions {
                folder: store,
                cache_bytes: options.cache_bytes,
                commits_per_sync: options.commits_per_sync,
                accepted_loss: options.accepted_loss,
            },
            options.clock.clone(),
        )?;
        Ok(Self {
            engine,
            files: ByteFiles::open_folder(&bytes)?,
            keys,
            master,
        })
    }
}

/// Loads the master key; creates it only for a new store, because an existing one needs its own.
fn master_key(options: &FolderOptions, store: &Path) -> Result<MasterKey, KeyError> {
    let path = &options.master_key;
    let key = match MasterKey::load(path) {
        Err(KeyError::MasterMissing { .. }) if !store.exists() => {
            if let Some(parent) = path.parent() {
                files::create_folder(parent).map_err(|source| KeyError::Io {
                    action: "create",
                    path: parent.display().to_string(),
                    source,
                })?;
            }
            MasterKey::create(path)
        }
        loaded => loaded,
    }?;
    key.beside(&options.other_master_keys)
}
