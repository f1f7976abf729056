//! Restores a backup to a data folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::completeness::Completeness;
use super::copy::{content_of, copy_file, make_parent, refuse_inside, sync_folders_of};
use super::entry::{BYTES, Content, Entry, EntryPath, KEYS};
use super::error::failed_to;
use super::filling::Filling;
use super::manifest::{self, Manifest};
use super::missing::Missing;
use super::records::Reader;
use super::{BackupError, Inventory, is_empty, marks};
use crate::clock::Clock;
use crate::content::Named;
use crate::engine::{Commit, Engine};
use crate::files::{self, Offloaded};
use crate::keys::{KeyError, MasterKey};
use crate::mark::Mark;
use crate::mode::StoreMode;
use crate::schema;
use crate::sled::{SledEngine, SledOptions};

/// Folder of the embedded engine within a data folder.
const STORE: &str = "store";

/// A backup whose files are all present and intact.
#[derive(Debug)]
pub struct Backup {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    inventory: Inventory,
    records: Content,
}

/// Target of a restore.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RestoreOptions {
    /// The data folder. It is created, or must be empty except for the master key.
    pub data: PathBuf,
    /// The master key's file. If it exists, a backup that was not written by a server with this
    /// key is refused. Otherwise the folder is refused when it is opened.
    pub master_key: Option<PathBuf>,
    /// Files of other master keys that may have authenticated the backup.
    pub other_master_keys: Vec<PathBuf>,
    /// Nothing is sent from the folder until [`release`](super::release).
    pub hold: bool,
}

/// Summary of a restore.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreReport {
    /// The mode that the store was made for.
    pub mode: StoreMode,
    /// Number of the last commit.
    pub sequence: u64,
    /// Time of the backup's completion, by the store's clock.
    pub taken_at: Timestamp,
    /// Number of files read.
    pub files: usize,
    /// The backup was written with the master key. False until the key exists.
    pub authentic: bool,
    /// Nothing is sent from the folder until it is released.
    pub held: bool,
    /// Content that rows need and the backup lacks, and unreadable rows. Empty if the backup's
    /// schema is not this program's own.
    pub missing: Vec<Missing>,
}

impl Backup {
    /// Reads a whole backup, checks every digest, and refuses other files.
    ///
    /// # Errors
    /// [`BackupError::NotWhole`], [`BackupError::Damaged`] with the file's name, an unknown
    /// format or schema; I/O errors.
    pub async fn open(folder: &Path, inventory: Inventory) -> Result<Self, BackupError> {
        let folder = folder.to_owned();
        files::blocking(move || {
            let manifest = Manifest::read(&folder)?;
            let mut beside = (inventory.beside)(manifest.header.mode);
            beside.extend(inventory.formerly_beside.iter().map(PathBuf::from));
            for entry in &manifest.entries {
                verify(&folder, entry, &beside)?;
            }
            let mut entries = manifest.entries.iter();
            let records = entries.find(|entry| entry.path == EntryPath::Records);
            let records =
                records.ok_or_else(|| damaged(&folder, &EntryPath::Records, "missing"))?;
            refuse_others(&folder, &manifest)?;
            Ok(Self {
                records: records.content,
                folder,
                manifest,
                inventory,
            })
        })
        .await
    }

    /// Returns the mode that the store was made for.
    #[must_use]
    pub fn mode(&self) -> StoreMode {
        self.manifest.header.mode
    }

    /// Creates a data folder with the embedded engine from the backup. Until the call returns,
    /// no server opens it.
    ///
    /// # Errors
    /// [`BackupError::NotEmpty`], [`BackupError::Inside`], [`BackupError::NotAuthentic`]; a file
    /// that changes while it is read; I/O errors. A folder left by a failed call must be
    /// removed.
    pub async fn restore(
        self,
        options: RestoreOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<RestoreReport, BackupError> {
        let backup = Arc::new(self);
        let options = Arc::new(options);
        let (this, to) = (backup.clone(), options.clone());
        let is_authentic = files::blocking(move || this.copy_files(&to)).await?;
        let engine = SledOptions::new(options.data.join(STORE));
        let engine = files::blocking(move || SledEngine::open(&engine, clock)).await?;
        let missing = backup.restore_records(&engine).await?;
        let to = options.clone();
        files::blocking(move || {
            // Ends the engine's threads and closes its files before the folder is marked
            // complete.
            drop(engine);
            marks::end_restore(&to.data)
        })
        .await?;
        Ok(backup.report(is_authentic, options.hold, missing))
    }

    pub(super) fn report(
        &self,
        is_authentic: bool,
        is_held: bool,
        missing: Vec<Missing>,
    ) -> RestoreReport {
        let Manifest {
            header,
            moment,
            entries,
            ..
        } = &self.manifest;
        RestoreReport {
            mode: header.mode,
            sequence: moment.sequence,
            taken_at: moment.taken_at,
            files: entries.len(),
            authentic: is_authentic,
            held: is_held,
            missing,
        }
    }

    /// Writes the records into an empty engine; returns the content that they need and the
    /// backup lacks.
    ///
    /// # Errors
    /// A file that is not a records file; one that changed since the backup was opened, or is of
    /// another store than the manifest; an engine failure.
    pub async fn restore_records(&self, engine: &dyn Engine) -> Result<Vec<Missing>, BackupError> {
        self.fill(Filling::alone(engine)).await
    }

    pub(super) async fn fill(&self, mut filling: Filling<'_>) -> Result<Vec<Missing>, BackupError> {
        let path = EntryPath::Records.in_folder(&self.folder);
        let Manifest { header, moment, .. } = &self.manifest;
        let there = self.contents();
        let tables = self.inventory.tables;
        let mut completeness = Completeness::new(&there, tables, moment.taken_at, header.schema);
        let opened = path.clone();
        let records = files::blocking(move || Reader::open(opened)).await?;
        let records = Offloaded::new(records);
        let schema_key = schema::key();
        let mut schema_row = None;
        let sequence = loop {
            let mut part = records.run(Reader::part).await?;
            completeness.note(&part)?;
            // Written last: without it no server opens the records.
            if let Some(row) = part.rows.remove(&schema_key[..]) {
                schema_row = row;
            }
            filling.write(part.commit()).await?;
            if let Some(sequence) = part.end {
                break sequence;
            }
        };
        if records.run(Reader::content).await? != self.records {
            return Err(changed(path));
        }
        let (schema, mode) = schema::told_by(schema_row.as_deref())?;
        // A host that replaced the master key meanwhile has left the store with a later schema.
        let is_of_manifest =
            sequence == moment.sequence && mode == header.mode && schema >= header.schema;
        if !is_of_manifest {
            return Err(BackupError::Damaged {
                path,
                what: "of another backup than its manifest",
            });
        }
        let last = schema_row.map(|row| (schema_key.into(), row));
        let last = Commit {
            puts: last.into_iter().collect(),
            ..Commit::default()
        };
        filling.end(last).await?;
        Ok(completeness.into_missing())
    }

    /// Restores all files except the records, which go into the engine. Returns whether the
    /// master key exists, and the backup is therefore known to be authentic.
    fn copy_files(&self, options: &RestoreOptions) -> Result<bool, BackupError> {
        let RestoreOptions {
            data, master_key, ..
        } = options;
        refuse_inside(data, &self.folder)?;
        if marks::is_half_restored(data) {
            return Err(BackupError::HalfRestored(data.clone()));
        }
        let is_authentic = self.is_authentic(options)?;
        files::create_folder(data).map_err(failed_to("create", data))?;
        if !is_empty(data, master_key.as_deref())? {
            return Err(BackupError::NotEmpty(data.clone()));
        }
        marks::begin_restore(data)?;
        if !is_authentic {
            marks::mark_unproven(data, &self.manifest.seal)?;
        }
        if options.hold {
            marks::mark_held(data)?;
        }
        for folder in [BYTES, KEYS].map(|name| data.join(name)) {
            files::create_folder(&folder).map_err(failed_to("create", &folder))?;
        }
        Mark::of(&data.join(KEYS)).set()?;
        let copied = || {
            let entries = self.manifest.entries.iter();
            entries.filter(|entry| entry.path != EntryPath::Records)
        };
        for entry in copied() {
            let [from, to] = [&self.folder, data].map(|folder| entry.path.in_folder(folder));
            make_parent(&to)?;
            if copy_file(&from, &to)? != entry.content {
                return Err(changed(from));
            }
        }
        sync_folders_of(data, copied())?;
        Ok(is_authentic)
    }

    fn is_authentic(&self, options: &RestoreOptions) -> Result<bool, BackupError> {
        let Some(path) = &options.master_key else {
            return Ok(false);
        };
        match MasterKey::load_with(path, &options.other_master_keys) {
            Ok(master) if self.manifest.is_by(&master) => Ok(true),
            Ok(_) => Err(BackupError::NotAuthentic {
                folder: self.folder.clone(),
                master_key: path.to_owned(),
            }),
            Err(KeyError::MasterMissing { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn contents(&self) -> Named {
        let mut contents = Named::default();
        for entry in &self.manifest.entries {
            match entry.path {
                EntryPath::Bytes(id) => contents.files.insert(id),
                EntryPath::Key(id) => contents.keys.insert(id),
                EntryPath::Records | EntryPath::Beside(_) => false,
            };
        }
        contents
    }
}

fn verify(folder: &Path, entry: &Entry, beside: &[PathBuf]) -> Result<(), BackupError> {
    let path = &entry.path;
    if let EntryPath::Beside(name) = path
        && !beside
            .iter()
            .any(|known| Path::new(name).starts_with(known))
    {
        return Err(damaged(folder, path, "no part of a backup"));
    }
    let what = match content_of(&path.in_folder(folder))? {
        None => "missing",
        Some(found) if found.bytes < entry.content.bytes => "cut off",
        Some(found) if found != entry.content => return Err(changed(path.in_folder(folder))),
        Some(_) => return Ok(()),
    };
    Err(damaged(folder, path, what))
}

/// Refuses a folder with files that the manifest does not name.
fn refuse_others(folder: &Path, manifest: &Manifest) -> Result<(), BackupError> {
    let entries = manifest.entries.iter();
    let mut known: HashSet<_> = entries.map(|entry| entry.path.in_folder(folder)).collect();
    known.insert(folder.join(manifest::NAME));
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| failed_to("list", &folder)(source);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if !known.contains(&path) {
                let what = "not named by its manifest";
                return Err(BackupError::Damaged { path, what });
            }
        }
    }
    Ok(())
}

fn damaged(folder: &Path, path: &EntryPath, what: &'static str) -> BackupError {
    BackupError::Damaged {
        path: path.in_folder(folder),
        what,
    }
}

pub(super) fn changed(path: PathBuf) -> BackupError {
    BackupError::Damaged {
        path,
        what: "not as it was written",
    }
}
