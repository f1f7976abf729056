//! Removes what a crash has left in a folder of files that are named by UUIDv7.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::clock::shifted;
use crate::files;

/// How old an ownerless file must be before a sweep removes it.
pub const SWEEP_AGE: SignedDuration = SignedDuration::from_hours(24);
/// How long it must have lain untouched by the operating system's clock as well: the store's
/// clock may jump, and a file whose row is being committed is none that nobody owns.
pub const SWEEP_REST: Duration = Duration::from_secs(60 * 60);
/// Most files about which a sweep asks at once.
const BATCH: usize = 256;
/// What the name of a file ends in while it is written.
const TEMPORARY: &str = "new";

/// A file that could not be removed, or a folder that could not be listed.
pub(crate) struct SweepFailure {
    pub(crate) action: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

/// Removes the files of `folder` that are older than [`SWEEP_AGE`], that have rested for
/// [`SWEEP_REST`], and that `owned` does not pick from their ids; tells how many.
pub(crate) async fn sweep<F, Fut, E>(
    folder: &Arc<Path>,
    now: Timestamp,
    owned: F,
    failed: impl Fn(SweepFailure) -> E,
) -> Result<usize, E>
where
    F: Fn(Vec<Uuid>) -> Fut,
    Fut: Future<Output = Result<HashSet<Uuid>, E>>,
{
    let listed = folder.clone();
    let old = files::blocking(move || old_files(&listed, now)).await;
    let old = old.map_err(&failed)?;
    let mut removed = 0;
    for batch in old.chunks(BATCH) {
        let owned = owned(batch.iter().map(|file| file.id).collect()).await?;
        for file in batch {
            if file.is_temporary || !owned.contains(&file.id) {
                let path = file.path.clone();
                let outcome = files::blocking(move || {
                    files::remove(&path).map_err(|source| SweepFailure {
                        action: "remove",
                        path,
                        source,
                    })
                });
                outcome.await.map_err(&failed)?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

struct OldFile {
    id: Uuid,
    path: PathBuf,
    is_temporary: bool,
}

fn old_files(folder: &Path, now: Timestamp) -> Result<Vec<OldFile>, SweepFailure> {
    let failed = |source| SweepFailure {
        action: "list",
        path: folder.to_owned(),
        source,
    };
    let before = shifted(now, -SWEEP_AGE);
    let mut old = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let id = path.file_stem().and_then(|stem| stem.to_str());
        let Some(id) = id.and_then(|stem| Uuid::parse_str(stem).ok()) else {
            continue;
        };
        if made_at(id).is_some_and(|made| made < before) && has_rested(&entry) {
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
