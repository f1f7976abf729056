//! What tells a data folder of which a part is away from a new one.
//!
//! A first start makes the folder of keys, then the records, then the folder of documents, and no
//! key or document before all three are there. So one that was cut short has left none.

use std::fs;
use std::io;
use std::path::Path;

use uuid::Uuid;

use crate::backup;
use crate::files;
use crate::folder::FolderError;
use crate::keys::{self, KeyError};
use crate::sled::mark;

/// Refuses a data folder that keeps keys or documents, but no records that say whose they are: to
/// a new store they would be nobody's. So it does one whose mark says that there were records. Refuses one that keeps keys, but has no folder of
/// documents. Makes and changes nothing; blocks on files.
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

/// The same of a data folder whose records are known to be none.
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

/// Whether nothing was ever written to the log of an engine's folder, or all of it is away.
fn is_blank(store: &Path) -> bool {
    match fs::metadata(store.join("db")) {
        Ok(log) => log.len() == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn holds_keys(data: &Path) -> Result<bool, FolderError> {
    holds(&data.join("keys"), keys::ENDING).map_err(failed_to_look(data))
}

/// Whether a folder holds a file that is named by an id.
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
