//! What a crash may have left in a folder of files that are named by UUIDv7.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::clock::shifted;
use crate::files;
use crate::owned_folder::{FolderFault, OwnedFolder, failed_to};

/// How old an ownerless file must be before a sweep takes it out of its folder.
pub const SWEEP_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How long it must have lain untouched by the operating system's clock as well: the store's
/// clock may jump, and a file whose row is being committed is none that nobody owns.
pub const SWEEP_REST: Duration = Duration::from_secs(60 * 60);
/// How long it lies in quarantine before it is removed.
pub const QUARANTINE: SignedDuration = SignedDuration::from_hours(24);
/// What the name of a file ends in while it is written.
pub(crate) const TEMPORARY: &str = "new";

/// A look through a folder of files, each of which belongs to one row, for those that are
/// nobody's.
///
/// A file's age is that of its UUIDv7, and what is older than the store is left alone. A file
/// that no row names goes to a quarantine first, from where it is brought back should a row name
/// it after all: the rows may be what is lost.
#[derive(Clone, Debug)]
pub struct Sweep {
    folder: OwnedFolder,
    /// When the store was made.
    since: Option<Timestamp>,
    now: Timestamp,
}

/// A file operation of a sweep that failed.
#[derive(Debug, thiserror::Error)]
#[error("could not {action} {path}")]
pub struct SweepError {
    /// What was attempted.
    action: &'static str,
    /// On which file or folder.
    path: String,
    /// The operating system's answer.
    source: io::Error,
}

/// A file that a sweep looks at.
struct OldFile {
    path: PathBuf,
    /// None of one that was never finished, and so is nobody's.
    id: Option<Uuid>,
}

impl Sweep {
    pub(crate) fn of(folder: &OwnedFolder, since: Option<Timestamp>, now: Timestamp) -> Self {
        Self {
            folder: folder.clone(),
            since,
            now,
        }
    }

    /// Brings back what is named and lies in quarantine; tells how many files that were.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn bring_back(&self, is_named: impl Fn(Uuid) -> bool) -> Result<usize, SweepError> {
        let waiting = self.waiting().await?.into_iter().map(|(id, _)| id);
        let named: Vec<Uuid> = waiting.filter(|id| is_named(*id)).collect();
        Ok(self.folder.bring_back(&named).await?)
    }

    /// Removes what was never finished, if it is old; gives the old files that are not named.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn ownerless(
        &self,
        is_named: impl Fn(Uuid) -> bool,
    ) -> Result<Vec<Uuid>, SweepError> {
        let sweep = self.clone();
        let old = files::blocking(move || sweep.old_files()).await;
        let old = old.map_err(failed_to("list", self.folder.path()))?;
        let mut ownerless = Vec::new();
        for file in old {
            match file.id {
                None => self.folder.remove_half_written(file.path).await?,
                Some(id) if is_named(id) => {}
                Some(id) => ownerless.push(id),
            }
        }
        Ok(ownerless)
    }

    /// Puts files into quarantine; tells how many were there.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn quarantine(&self, ids: &[Uuid]) -> Result<usize, SweepError> {
        Ok(self.folder.quarantine(ids, self.now).await?)
    }

    /// Removes what has lain in quarantine for [`QUARANTINE`], for good; tells how many files
    /// that were.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn remove_waiting(&self) -> Result<usize, SweepError> {
        let before = shifted(self.now, -QUARANTINE);
        let mut removed = 0;
        for (id, since) in self.waiting().await? {
            if since.is_some_and(|since| since <= before) && self.is_of_store(id) {
                removed += usize::from(self.folder.remove(id).await?);
            }
        }
        self.folder.close_quarantine().await?;
        Ok(removed)
    }

    /// How many files are in quarantine.
    ///
    /// # Errors
    /// I/O errors.
    pub async fn count_waiting(&self) -> Result<usize, SweepError> {
        Ok(self.waiting().await?.len())
    }

    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, SweepError> {
        let folder = self.folder.clone();
        Ok(files::blocking(move || folder.quarantined()).await?)
    }

    /// The files that are older than [`SWEEP_AGE`] and have rested for [`SWEEP_REST`]. Blocks on
    /// the folder.
    fn old_files(&self) -> io::Result<Vec<OldFile>> {
        let before = shifted(self.now, -SWEEP_AGE);
        let mut old = Vec::new();
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            let path = entry.path();
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| self.folder.id_of(name));
            let is_temporary = path.extension().is_some_and(|end| end == TEMPORARY);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let unfinished = stem.and_then(|stem| Uuid::parse_str(stem).ok());
            let Some(named) = id.or(unfinished.filter(|_| is_temporary)) else {
                continue;
            };
            let is_old = made_at(named).is_some_and(|made| match made > self.now {
                // Of a start whose clock was ahead: ids go on from there.
                true => has_rested(&entry, SWEEP_AGE.unsigned_abs()),
                false => made < before,
            });
            if is_old && self.is_of_store(named) && has_rested(&entry, SWEEP_REST) {
                old.push(OldFile { path, id });
            }
        }
        Ok(old)
    }

    /// Whether a file was made no earlier than the store.
    fn is_of_store(&self, id: Uuid) -> bool {
        let made = made_at(id);
        made.is_some_and(|made| self.since.is_none_or(|since| made >= since))
    }
}

/// Whether nobody has written the file for so long. One that is gone meanwhile, or whose times
/// cannot be read, is left alone.
fn has_rested(entry: &fs::DirEntry, wanted: Duration) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let modified = modified.unwrap_or_else(|_| SystemTime::now());
    modified.elapsed().is_ok_and(|rest| rest >= wanted)
}

/// The instant in a UUIDv7 (RFC 9562, 5.7).
fn made_at(id: Uuid) -> Option<Timestamp> {
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    let seconds = i64::try_from(seconds).ok()?;
    let nanoseconds = i32::try_from(nanoseconds).ok()?;
    Timestamp::new(seconds, nanoseconds).ok()
}

impl From<FolderFault> for SweepError {
    fn from(fault: FolderFault) -> Self {
        Self {
            action: fault.action,
            path: fault.path.display().to_string(),
            source: fault.source,
        }
    }
}
