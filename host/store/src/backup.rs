//! Copies of all that a deployment keeps, made while it runs.
//!
//! A backup is a folder:
//!
//! ```text
//! records           what the engine keeps: a scan, and the commits made meanwhile
//! bytes/ID          the byte files, sealed as they are
//! keys/ID.key       the data keys, wrapped as they are
//! …                 further files of whoever keeps them beside the store
//! manifest.jsonl    what kind of store it is, and the digest of every file; complete at the end
//! ```
//!
//! It shows one moment: the records of every commit up to it, and the files and keys that these
//! name. A file is written before the commit that names it, and removed after the one that no
//! longer does. So files are copied first, as they come, until few are left to copy. Then
//! removals wait: the records are sealed with their last commit, the last files fetched, those
//! that are gone dropped from the copy, and the manifest completed. The master key is never part
//! of it; the manifest is authenticated under a key that is derived from it.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use self::completeness::Completeness;
use self::copy::{AT_ONCE, Copies, copy_beside, refuse_inside};
use self::entry::{BYTES, Entry, EntryPath, KEYS, RECORDS};
use self::error::failed_to;
use self::manifest::{Header, ManifestWriter, Moment};
use self::records::{Reader, RecordsCopy};
use crate::blobs::Hold;
use crate::bytes::ByteFiles;
use crate::content::Named;
use crate::error::StoreError;
use crate::files::{self, Offloaded};
use crate::keys::DataKeys;
use crate::mode::StoreMode;
use crate::schema::{self, SCHEMA_VERSION};
use crate::store::Store;
use crate::tables::Tables;

pub use self::error::BackupError;
pub use self::held::hold_records;
pub(crate) use self::marks::{is_half_restored, is_proven, prove_restored};
pub use self::marks::{is_held, release};
pub use self::missing::{Missing, MissingItem, Shortfall};
pub use self::restore::{Backup, RestoreOptions, RestoreReport};

mod completeness;
mod copy;
mod entry;
mod error;
mod filling;
mod held;
mod manifest;
mod marks;
mod missing;
mod records;
mod restore;
mod restore_shared;

/// A round that copies no more files than this is the last one before removals wait.
const FEW_FILES: usize = 256;
/// Most files that are copied while removals wait.
const MOST_AT_THE_END: usize = 4096;
/// How many rounds may copy no fewer files than the one before.
const MOST_STALLED_ROUNDS: usize = 8;
/// How often the commits are taken in while removals are waited for.
const TAKE_IN_EVERY: Duration = Duration::from_millis(20);

/// What is backed up.
#[derive(Clone, Debug)]
pub struct BackupSource {
    /// The records.
    pub store: Store,
    /// The large content.
    pub files: ByteFiles,
    /// The data keys.
    pub keys: DataKeys,
    /// The data folder, in which the other files lie.
    pub data: PathBuf,
    /// What else there is.
    pub inventory: Inventory,
}

/// What a deployment keeps that this crate does not know.
#[derive(Clone, Copy, Debug)]
pub struct Inventory {
    /// Files and folders of a data folder that are backed up beside the store, copied in this
    /// order; one that is not there is left out.
    pub beside: fn(StoreMode) -> Vec<PathBuf>,
    /// What backups of earlier programs have beside these. No other file is restored.
    pub formerly_beside: &'static [&'static str],
    /// All tables that there may be.
    pub tables: Tables,
}

/// What a backup holds.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// What the store was made for.
    pub mode: StoreMode,
    /// The last commit in it.
    pub sequence: u64,
    /// When it was complete, by the store's clock.
    pub taken_at: Timestamp,
    /// How many files there are, the manifest not counted.
    pub files: usize,
    /// Their length in bytes.
    pub bytes: u64,
    /// What its rows need and it does not hold, because the data folder did not either, and the
    /// rows that cannot be read. Nothing if the store's schema is not this program's own.
    pub missing: Vec<Missing>,
}

/// Copies everything into `target`, which is made or must be empty, while others read and write.
/// Only removals wait, and only at the end for as long as it takes to fetch the newest files.
///
/// What was acknowledged before the call is in the backup; what was erased before it is complete
/// is not. Until it has returned, `target` is no backup. Dropping the future ends the copying.
///
/// # Errors
/// [`BackupError::NotEmpty`], [`BackupError::Inside`], [`BackupError::TooBusy`],
/// [`BackupError::UnknownTable`];
/// [`KeyError::FolderAway`](crate::keys::KeyError::FolderAway), also if the folder of data keys goes
/// away meanwhile; I/O errors; a store that fails, or that has lost something.
pub async fn back_up(source: &BackupSource, target: &Path) -> Result<BackupReport, BackupError> {
    source.keys.check().await?;
    let mut copying = Copying::begin(source, target).await?;
    // First: what is written while all records are looked through is copied afterwards.
    copying.verify(source).await?;
    copying.copy_until_few_are_left().await?;
    let removals = copying.wait_for_removals(source).await?;
    let schema = copying.schema;
    let (mut report, there) = copying.complete(source, &removals).await?;
    drop(removals);
    let (records, tables, at) = (
        target.join(RECORDS),
        source.inventory.tables,
        report.taken_at,
    );
    let missing =
        files::blocking(move || missing_in(records, Completeness::new(&there, tables, at, schema)));
    report.missing = missing.await?;
    Ok(report)
}

/// A backup that is being made.
struct Copying {
    schema: u32,
    mode: StoreMode,
    records: RecordsCopy,
    manifest: Offloaded<ManifestWriter>,
    files: Copies,
    keys: Copies,
}

impl Copying {
    /// Makes the folder, copies what lies beside the store, and then all records that there are.
    async fn begin(source: &BackupSource, target: &Path) -> Result<Self, BackupError> {
        let (schema, mode) = schema::of(source.store.engine()).await?;
        if schema <= SCHEMA_VERSION {
            known(source).await?;
        }
        let (made, data) = (target.to_owned(), source.data.clone());
        let manifest = files::blocking(move || {
            make_target(&made, &data)?;
            ManifestWriter::create(&made, &Header::new(schema, mode))
        });
        let manifest = Offloaded::new(manifest.await?);
        let beside = copy_beside((source.inventory.beside)(mode), &source.data, target);
        list(&manifest, beside.await?).await?;
        let mut records = RecordsCopy::begin(&source.store, &target.join(RECORDS)).await?;
        records.scan().await?;
        Ok(Self {
            schema,
            mode,
            records,
            manifest,
            files: Copies::of(source.files.blobs(), target, EntryPath::Bytes),
            keys: Copies::of(source.keys.blobs(), target, EntryPath::Key),
        })
    }

    /// Copies files, round by round, until so few come in during one that removals need not wait
    /// for long.
    async fn copy_until_few_are_left(&mut self) -> Result<(), BackupError> {
        let mut before = usize::MAX;
        let mut stalled = 0;
        loop {
            let mut copied = 0;
            for copies in [&mut self.files, &mut self.keys] {
                let new = copies.new_files().await?;
                for ids in new.chunks(AT_ONCE) {
                    list(&self.manifest, copies.copy(ids).await?).await?;
                    self.records.append_committed().await?;
                }
                copied += new.len();
            }
            if copied <= FEW_FILES {
                return self.records.sync().await;
            }
            stalled += usize::from(copied >= before);
            if stalled == MOST_STALLED_ROUNDS {
                return Err(BackupError::TooBusy);
            }
            before = copied;
        }
    }

    /// Makes sure that the store has lost nothing: what it has lost is not in the copy either.
    async fn verify(&mut self, source: &BackupSource) -> Result<(), BackupError> {
        let mut verified = pin!(source.store.verify());
        loop {
            tokio::select! {
                verified = &mut verified => return Ok(verified?),
                () = tokio::time::sleep(TAKE_IN_EVERY) => self.records.append_committed().await?,
            }
        }
    }

    /// Waits until nobody removes anything, and lets nobody until both holds are dropped.
    async fn wait_for_removals(&mut self, source: &BackupSource) -> Result<[Hold; 2], BackupError> {
        let mut held = pin!(async {
            Ok([
                source.files.blobs().quarantine().hold_removals().await?,
                source.keys.blobs().quarantine().hold_removals().await?,
            ])
        });
        loop {
            tokio::select! {
                held = &mut held => return held,
                () = tokio::time::sleep(TAKE_IN_EVERY) => self.records.append_committed().await?,
            }
        }
    }

    /// Brings everything to one moment, while nothing is removed. Gives what there are copies of.
    async fn complete(
        mut self,
        source: &BackupSource,
        removals: &[Hold; 2],
    ) -> Result<(BackupReport, Named), BackupError> {
        let records = self.records.seal().await?;
        // A key that is not there counts as erased from here on.
        source.keys.check().await?;
        for copies in [&mut self.files, &mut self.keys] {
            let new = copies.new_files().await?;
            if new.len() > MOST_AT_THE_END {
                return Err(BackupError::TooBusy);
            }
            for ids in new.chunks(AT_ONCE) {
                list(&self.manifest, copies.copy(ids).await?).await?;
            }
            let dropped = copies.drop_removed().await?;
            let unlist = move |manifest: &mut ManifestWriter| {
                let mut dropped = dropped.into_iter();
                dropped.try_for_each(|(path, bytes)| manifest.drop(path, bytes))
            };
            self.manifest.run(unlist).await?;
        }
        // Nor had the folder gone while it was looked through.
        source.keys.check().await?;
        for held in removals {
            held.check().await?;
        }
        let moment = Moment {
            sequence: records.sequence(),
            taken_at: source.store.now().await?,
        };
        let entry = Entry {
            path: EntryPath::Records,
            content: records.finish().await?,
        };
        list(&self.manifest, vec![entry]).await?;
        let master = source.keys.master().clone();
        let finish = move |manifest: &mut ManifestWriter| manifest.finish(moment, &master);
        let totals = self.manifest.run(finish).await?;
        let report = BackupReport {
            mode: self.mode,
            sequence: moment.sequence,
            taken_at: moment.taken_at,
            files: totals.files,
            bytes: totals.bytes,
            missing: Vec::new(),
        };
        let there = Named {
            files: self.files.into_ids(),
            keys: self.keys.into_ids(),
        };
        Ok((report, there))
    }
}

/// Makes sure that this program knows what all rows need.
async fn known(source: &BackupSource) -> Result<(), BackupError> {
    match source.inventory.tables.check(&source.store).await {
        Err(StoreError::UnknownTable { table }) => Err(BackupError::UnknownTable { table }),
        checked => Ok(checked?),
    }
}

async fn list(
    manifest: &Offloaded<ManifestWriter>,
    entries: Vec<Entry>,
) -> Result<(), BackupError> {
    let add = move |manifest: &mut ManifestWriter| {
        let mut entries = entries.iter();
        entries.try_for_each(|entry| manifest.add(entry))
    };
    manifest.run(add).await
}

/// What the rows of a file of records need and is not there.
fn missing_in(
    records: PathBuf,
    mut completeness: Completeness<'_>,
) -> Result<Vec<Missing>, BackupError> {
    let mut records = Reader::open(records)?;
    loop {
        let part = records.part()?;
        completeness.note(&part)?;
        if part.end.is_some() {
            return Ok(completeness.into_missing());
        }
    }
}

fn make_target(target: &Path, data: &Path) -> Result<(), BackupError> {
    refuse_inside(target, data)?;
    files::create_folder(target).map_err(failed_to("create", target))?;
    if !is_empty(target, None)? {
        return Err(BackupError::NotEmpty(target.to_owned()));
    }
    for folder in [BYTES, KEYS].map(|name| target.join(name)) {
        files::create_folder(&folder).map_err(failed_to("create", &folder))?;
    }
    Ok(())
}

/// Whether a folder holds nothing but `allowed`.
fn is_empty(folder: &Path, allowed: Option<&Path>) -> Result<bool, BackupError> {
    let failed = |source| failed_to("list", folder)(source);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if allowed.is_none_or(|allowed| allowed != path) {
            return Ok(false);
        }
    }
    Ok(true)
}
