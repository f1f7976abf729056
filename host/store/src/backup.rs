//! Backups of everything that a deployment keeps, made while it runs.
//!
//! A backup is a folder:
//!
//! ```text
//! records           the engine's records: a scan, and the commits made meanwhile
//! bytes/ID          the byte files, still sealed
//! keys/ID.key       the data keys, still wrapped
//! …                 further files kept beside the store
//! manifest.jsonl    the kind of store, and the digest of every file; complete at the end
//! ```
//!
//! It is a snapshot of one moment: the records of every commit up to it, and the files and keys
//! that they name. A file is written before the commit that names it, and removed after the commit
//! that no longer does. Files are therefore copied first, round by round, until few new ones
//! appear. Then removals wait: the records are sealed with their last commit, the last files
//! copied, removed files dropped from the copy, and the manifest completed. The master key is never
//! part of a backup; the manifest is authenticated with a key derived from it.

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

/// Most files in a round that is the last one before removals wait.
const FEW_FILES: usize = 256;
/// Most files copied while removals wait.
const MOST_AT_THE_END: usize = 4096;
/// Most rounds that copy no fewer files than the previous one.
const MOST_STALLED_ROUNDS: usize = 8;
/// Interval between reads of the feed of commits while waiting for removals.
const TAKE_IN_EVERY: Duration = Duration::from_millis(20);

/// Source of a backup.
#[derive(Clone, Debug)]
pub struct BackupSource {
    /// The records.
    pub store: Store,
    /// The large content.
    pub files: ByteFiles,
    /// The data keys.
    pub keys: DataKeys,
    /// The data folder, which contains the other files.
    pub data: PathBuf,
    /// Files that the program keeps beside the store.
    pub inventory: Inventory,
}

/// A deployment's data that this crate does not know.
#[derive(Clone, Copy, Debug)]
pub struct Inventory {
    /// Files and folders of a data folder that are backed up beside the store, in this order;
    /// missing ones are skipped.
    pub beside: fn(StoreMode) -> Vec<PathBuf>,
    /// Further files in backups of earlier programs. No other file is restored.
    pub formerly_beside: &'static [&'static str],
    /// All tables that may exist.
    pub tables: Tables,
}

/// Summary of a backup.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// The mode that the store was made for.
    pub mode: StoreMode,
    /// Number of the last commit.
    pub sequence: u64,
    /// Time of completion, by the store's clock.
    pub taken_at: Timestamp,
    /// Number of files, without the manifest.
    pub files: usize,
    /// Their length in bytes.
    pub bytes: u64,
    /// Content that rows need and the data folder lacked, and unreadable rows. Empty if the store's
    /// schema is not this program's own.
    pub missing: Vec<Missing>,
}

/// Copies everything into `target`, which is created or must be empty, while others read and write.
/// Only removals wait, and only at the end while the newest files are copied.
///
/// Everything acknowledged before the call is in the backup; what is erased before it is complete
/// is not. Until the call returns, `target` is not a backup. Dropping the future stops the copying.
///
/// # Errors
/// [`BackupError::NotEmpty`], [`BackupError::Inside`], [`BackupError::TooBusy`],
/// [`BackupError::UnknownTable`]; [`KeyError::FolderAway`](crate::keys::KeyError::FolderAway), also
/// if the folder of data keys disappears meanwhile; I/O errors; a store that fails or has lost
/// data.
pub async fn back_up(source: &BackupSource, target: &Path) -> Result<BackupReport, BackupError> {
    source.keys.check().await?;
    let mut copying = Copying::begin(source, target).await?;
    // Verified first: files written during the scan of all records are copied afterwards.
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

/// A backup in progress.
struct Copying {
    schema: u32,
    mode: StoreMode,
    records: RecordsCopy,
    manifest: Offloaded<ManifestWriter>,
    files: Copies,
    keys: Copies,
}

impl Copying {
    /// Creates the folder, copies the files beside the store, then all records.
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

    /// Copies files, round by round, until few enough new ones appear that removals need not wait
    /// long.
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

    /// Verifies that the store has lost nothing, because the copy would lack it too.
    async fn verify(&mut self, source: &BackupSource) -> Result<(), BackupError> {
        let mut verified = pin!(source.store.verify());
        loop {
            tokio::select! {
                verified = &mut verified => return Ok(verified?),
                () = tokio::time::sleep(TAKE_IN_EVERY) => self.records.append_committed().await?,
            }
        }
    }

    /// Waits for running removals and blocks new ones until both holds are dropped.
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

    /// Completes the snapshot while removals wait. Returns the files and keys that were copied.
    async fn complete(
        mut self,
        source: &BackupSource,
        removals: &[Hold; 2],
    ) -> Result<(BackupReport, Named), BackupError> {
        let records = self.records.seal().await?;
        // From here on a missing key counts as erased.
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
        // The folder must not have disappeared during the listing.
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

/// Checks that this program knows the tables of all rows.
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

/// Returns the content that the rows of a records file need and the backup lacks.
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

/// Returns whether a folder contains nothing but `allowed`.
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
