//! From a backup to a data folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::copy::{copy_file, create, digest_of, make_parent, sync_folders_of};
use super::manifest::{Entry, Manifest};
use super::{BYTES, BackupError, KEYS, RECORDS, failed_to, is_empty, records};
use crate::clock::Clock;
use crate::engine::{Engine, SledEngine, SledOptions};
use crate::files;
use crate::schema::StoreMode;

/// Stands in a data folder from the first to the last step of a restore.
const MARKER: &str = "restoring";
/// Folder of the embedded engine in a data folder.
const STORE: &str = "store";

/// A backup whose files are all there and as they were written.
#[derive(Debug)]
pub struct Backup {
    folder: PathBuf,
    manifest: Manifest,
}

/// What was restored.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreReport {
    /// What the store was made for.
    pub mode: StoreMode,
    /// The last commit in it.
    pub sequence: u64,
    /// When the backup was complete, by the store's clock.
    pub taken_at: Timestamp,
    /// How many files were read.
    pub files: usize,
}

/// Whether a restore into this data folder has begun and not come to its end.
#[must_use]
pub fn is_half_restored(data: &Path) -> bool {
    data.join(MARKER).exists()
}

impl Backup {
    /// Reads all of a backup and checks every digest.
    ///
    /// # Errors
    /// [`BackupError::NotWhole`], [`BackupError::Damaged`], which names the file, a layout or
    /// schema that is not known; I/O errors.
    pub async fn open(folder: &Path) -> Result<Self, BackupError> {
        let folder = folder.to_owned();
        files::blocking(move || {
            let manifest = Manifest::read(&folder)?;
            for entry in &manifest.entries {
                verify(&folder, entry)?;
            }
            Ok(Self { folder, manifest })
        })
        .await
    }

    /// What the store was made for.
    #[must_use]
    pub fn mode(&self) -> StoreMode {
        self.manifest.header.mode
    }

    /// Makes a data folder with the embedded engine from it. `data` is made, or must be empty but
    /// for `allowed`; until this has returned, no server opens it.
    ///
    /// # Errors
    /// [`BackupError::NotEmpty`]; a file that changes while it is read; I/O errors. The folder is
    /// then to be removed.
    pub async fn restore(
        self,
        data: &Path,
        allowed: Option<&Path>,
        clock: Arc<dyn Clock>,
    ) -> Result<RestoreReport, BackupError> {
        let (folder, allowed) = (data.to_owned(), allowed.map(Path::to_owned));
        let backup = files::blocking(move || {
            self.copy_files(&folder, allowed.as_deref())?;
            Ok::<_, BackupError>(self)
        })
        .await?;
        let options = SledOptions::new(data.join(STORE));
        let engine = files::blocking(move || SledEngine::open(&options, clock)).await?;
        backup.restore_records(&engine).await?;
        let folder = data.to_owned();
        files::blocking(move || {
            // Its threads end, and its files are closed, before the folder is said to be whole.
            drop(engine);
            let marker = folder.join(MARKER);
            files::remove(&marker).map_err(failed_to("remove", &marker))
        })
        .await?;
        let header = &backup.manifest.header;
        Ok(RestoreReport {
            mode: header.mode,
            sequence: header.sequence,
            taken_at: header.taken_at,
            files: backup.manifest.entries.len(),
        })
    }

    /// Writes the records into an engine that holds none.
    ///
    /// # Errors
    /// A file that is no list of records; the engine's.
    pub async fn restore_records(&self, engine: &dyn Engine) -> Result<(), BackupError> {
        let path = self.folder.join(RECORDS);
        let sequence = records::restore(engine, &path).await?;
        if sequence != self.manifest.header.sequence {
            return Err(BackupError::Damaged {
                path,
                what: "of another backup than its manifest",
            });
        }
        Ok(())
    }

    fn copy_files(&self, data: &Path, allowed: Option<&Path>) -> Result<(), BackupError> {
        files::create_folder(data).map_err(failed_to("create", data))?;
        if !is_empty(data, allowed)? {
            return Err(BackupError::NotEmpty(data.to_owned()));
        }
        let marker = data.join(MARKER);
        create(&marker)?
            .sync_all()
            .map_err(failed_to("write", &marker))?;
        files::sync(data).map_err(failed_to("sync", data))?;
        for folder in [BYTES, KEYS].map(|name| data.join(name)) {
            files::create_folder(&folder).map_err(failed_to("create", &folder))?;
        }
        for entry in self.copied() {
            let (from, to) = (self.folder.join(&entry.path), data.join(&entry.path));
            make_parent(&to)?;
            let copied = copy_file(&from, &to)?;
            if copied.named(entry.path.clone()) != *entry {
                return Err(changed(from));
            }
        }
        let copied: Vec<Entry> = self.copied().cloned().collect();
        sync_folders_of(data, &copied)
    }

    /// All files but the records, which go into the engine.
    fn copied(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.manifest.entries.iter();
        entries.filter(|entry| entry.path != Path::new(RECORDS))
    }
}

fn verify(folder: &Path, entry: &Entry) -> Result<(), BackupError> {
    let path = folder.join(&entry.path);
    let names_our_own = [STORE, MARKER]
        .iter()
        .any(|name| entry.path.starts_with(name));
    if names_our_own {
        return Err(BackupError::Damaged {
            path,
            what: "no part of a backup",
        });
    }
    match digest_of(&path)? {
        None => Err(BackupError::Damaged {
            path,
            what: "missing",
        }),
        Some(found) if found.bytes < entry.bytes => Err(BackupError::Damaged {
            path,
            what: "cut off",
        }),
        Some(found) if found.named(entry.path.clone()) != *entry => Err(changed(path)),
        Some(_) => Ok(()),
    }
}

fn changed(path: PathBuf) -> BackupError {
    BackupError::Damaged {
        path,
        what: "not as it was written",
    }
}
