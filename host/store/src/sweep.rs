//! What a crash may have left in a folder of files that are named by UUIDv7.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::clock::shifted;

/// How old an ownerless file must be before a sweep removes it.
pub const SWEEP_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How long it must have lain untouched by the operating system's clock as well: the store's
/// clock may jump, and a file whose row is being committed is none that nobody owns.
pub const SWEEP_REST: Duration = Duration::from_secs(60 * 60);
/// What the name of a file ends in while it is written.
pub(crate) const TEMPORARY: &str = "new";

/// A file that a sweep looks at.
pub(crate) struct OldFile {
    pub(crate) id: Uuid,
    pub(crate) path: PathBuf,
    /// Whether it was never finished, and so is nobody's.
    pub(crate) is_temporary: bool,
}

/// The files of a store made at `since` that are older than [`SWEEP_AGE`] and have rested for
/// [`SWEEP_REST`]; older than the store is none of its files. Blocks on the folder.
pub(crate) fn old_files(
    folder: &Path,
    since: Option<Timestamp>,
    now: Timestamp,
) -> io::Result<Vec<OldFile>> {
    let before = shifted(now, -SWEEP_AGE);
    let is_old = |made| made < before && since.is_none_or(|since| made >= since);
    let mut old = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let id = path.file_stem().and_then(|stem| stem.to_str());
        let Some(id) = id.and_then(|stem| Uuid::parse_str(stem).ok()) else {
            continue;
        };
        if made_at(id).is_some_and(is_old) && has_rested(&entry) {
            old.push(OldFile {
                id,
                is_temporary: path.extension().is_some_and(|end| end == TEMPORARY),
                path,
            });
        }
    }
    Ok(old)
}

/// Whether nobody has written the file for [`SWEEP_REST`]. One that is gone meanwhile, or whose
/// times cannot be read, is left alone.
fn has_rested(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let modified = modified.unwrap_or_else(|_| SystemTime::now());
    modified.elapsed().is_ok_and(|rest| rest >= SWEEP_REST)
}

/// The instant in a UUIDv7 (RFC 9562, 5.7).
fn made_at(id: Uuid) -> Option<Timestamp> {
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    let seconds = i64::try_from(seconds).ok()?;
    let nanoseconds = i32::try_from(nanoseconds).ok()?;
    Timestamp::new(seconds, nanoseconds).ok()
}
