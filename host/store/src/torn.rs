//! Tells an incomplete data folder from a new one.
//!
//! A first start creates the folder of keys, then the records, then the folder of documents, and no
//! key or document before all three exist. An interrupted one has therefore left none.

use std::fs;
use std::io;
use std::path::Path;

use uuid::Uuid;

use crate::backup;
use crate::files;
use crate::folder::FolderError;
use crate::keys::{self, KeyError};
use crate::sled::mark;

/// Refuses a data folder with keys or documents but without records of their owners: to a new store
/// they would be orphans. Also refuses one whose mark says that there were records, and one with
/// keys but without a folder of documents. Creates and changes nothing; blocks.
pub(crate) fn refuse(data: &Path) -> Result<(), FolderError> {
    if backup::is_half_restored(data) {
        return Err(FolderError::HalfRestored {
            path: data.display().to_string(),
        });
    }
    let store = data.join("store");
    if is_blank(&store) {
        let knows_commits = mark::knows_commits(&mark::path_beside(&store));
        if knows_commits.map_err(failed_to_look(data))? {
            return Err(records_away(data));
        }
        refuse_without_records(data)?;
    }
    if !fs::exists(data.join("bytes")).map_err(failed_to_look(data))? && holds_keys(data)? {
        return Err(FolderError::DocumentsAway {
            path: data.display().to_string(),
        });
    }
    Ok(())
}

/// Like [`refuse`], for a data folder whose records are known to be empty.
pub(crate) fn refuse_without_records(data: &Path) -> Result<(), FolderError> {
    if holds_keys(data)? || holds(&data.join("bytes"), "").map_err(failed_to_look(data))? {
        return Err(records_away(data));
    }
    Ok(())
}

fn records_away(data: &Path) -> FolderError {
    FolderError::RecordsAway {
        path: data.display().to_string(),
    }
}

/// Returns whether the log of an engine's folder is empty or missing.
fn is_blank(store: &Path) -> bool {
    match fs::metadata(store.join("db")) {
        Ok(log) => log.len() == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn holds_keys(data: &Path) -> Result<bool, FolderError> {
    holds(&data.join("keys"), keys::ENDING).map_err(failed_to_look(data))
}

/// Returns whether a folder contains a file named by an id.
fn holds(folder: &Path, ending: &str) -> io::Result<bool> {
    let Some(entries) = files::if_there(fs::read_dir(folder))? else {
        return Ok(false);
    };
    for entry in entries {
        let name = entry?.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(ending));
        if id.is_some_and(|id| Uuid::parse_str(id).is_ok()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn failed_to_look(data: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = data.display().to_string();
    move |source| {
        FolderError::Keys(KeyError::Io {
            action: "look through",
            path,
            source,
        })
    }
}
