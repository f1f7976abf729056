//! Verification of a data folder's records on a copy.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{SledEngine, SledOptions, mark};
use crate::clock::Clock;
use crate::engine::EngineError;
use crate::files;

/// Space that a copy leaves free, in bytes.
const ROOM_LEFT_BYTES: u64 = 64 * 1024 * 1024;

/// Result of inspecting a data folder's records without changing them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RecordsLook {
    /// Everything acknowledged is there.
    Whole,
    /// A server has them open, and checked them when it opened them. `is_marked` says whether
    /// the mark that the next server checks is readable.
    InUse {
        /// The mark is readable.
        is_marked: bool,
    },
    /// The folder of temporary files has no space for a copy.
    NoRoom {
        /// Length of the copy.
        bytes: u64,
    },
}

/// Copies an engine's folder and its mark to a temporary folder, and opens the copy.
pub(crate) fn look_at(store: &Path, clock: Arc<dyn Clock>) -> Result<RecordsLook, EngineError> {
    let failed = |source| EngineError::Io {
        action: "copy",
        path: store.display().to_string(),
        source,
    };
    let marked = mark::path_beside(store);
    let Some(lock) = lock(store).map_err(failed)? else {
        let is_marked = mark::is_readable(&marked).map_err(failed)?;
        return Ok(RecordsLook::InUse { is_marked });
    };
    let files = files_in(store).map_err(failed)?;
    let bytes = files.iter().map(|(_, bytes)| bytes).sum();
    let temporary = tempfile::tempdir().map_err(failed)?;
    let free = files::available_space(temporary.path()).map_err(failed)?;
    if free < u64::saturating_add(bytes, ROOM_LEFT_BYTES) {
        return Ok(RecordsLook::NoRoom { bytes });
    }
    let copy = temporary.path().join("store");
    copy_all(store, &copy, &files).map_err(failed)?;
    match fs::copy(&marked, mark::path_beside(&copy)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        copied => drop(copied.map_err(failed)?),
    }
    // A server that starts meanwhile waits only until here.
    drop(lock);
    match SledEngine::open(&SledOptions::new(copy), clock) {
        // The error names the original folder instead of the copy.
        Err(EngineError::Short { loss, .. }) => Err(EngineError::Short {
            folder: store.display().to_string(),
            loss,
        }),
        opened => opened.map(|_| RecordsLook::Whole),
    }
}

/// Takes the lock of an engine's folder, unless an engine has it.
fn lock(store: &Path) -> io::Result<Option<Option<File>>> {
    match File::open(store.join("lock")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(None)),
        file => {
            let file = file?;
            Ok(files::is_locked(file.try_lock_shared())?.then_some(Some(file)))
        }
    }
}

/// Returns the files of an engine, with the folder of values beside its log, and their lengths.
fn files_in(store: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    for below in ["", "blobs/"] {
        let folder = match fs::read_dir(store.join(below)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            folder => folder?,
        };
        for entry in folder {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name());
            if let (true, Some(name)) = (kind.is_file(), name.to_str()) {
                files.push((format!("{below}{name}"), entry.metadata()?.len()));
            }
        }
    }
    Ok(files)
}

fn copy_all(store: &Path, copy: &Path, files: &[(String, u64)]) -> io::Result<()> {
    fs::create_dir_all(copy.join("blobs"))?;
    for (name, _) in files {
        fs::copy(store.join(name), copy.join(name))?;
    }
    Ok(())
}
