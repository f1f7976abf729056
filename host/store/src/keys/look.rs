//! Read-only inspection of a folder of data keys.

use std::fs;
use std::io;
use std::path::Path;

use uuid::Uuid;

use super::aead::SEALED_KEY_BYTES;
use super::kept::{ENDING, unwrap};
use super::{KeyError, MasterKey};
use crate::mark::Mark;

/// Keys to try: one may be damaged, but not all of these.
const TRIED: usize = 16;

/// Relation of the data keys to a master key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wrapped {
    /// Wrapped by this one.
    ByThis,
    /// Wrapped by another one.
    ByAnother,
    /// Unknown: there is no key to try.
    NoneTells,
}

/// Inspects a folder of data keys without creating or changing anything. Blocks.
///
/// # Errors
/// [`KeyError::FolderAway`] where there is neither a mark nor a key; I/O errors.
pub(crate) fn look_at(folder: &Path, master: &MasterKey) -> Result<Wrapped, KeyError> {
    let marked = Mark::of(folder).look_for().map_err(KeyError::from);
    let failed = |source| KeyError::Io {
        action: "look through",
        path: folder.display().to_string(),
        source,
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return marked.map(|()| Wrapped::NoneTells);
        }
        entries => entries.map_err(failed)?,
    };
    let (mut holds_keys, mut tried) = (false, 0);
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(ENDING));
        let Some(id) = id.and_then(|id| Uuid::parse_str(id).ok()) else {
            continue;
        };
        holds_keys = true;
        let wrapped = match fs::read(entry.path()) {
            // The key was erased meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            wrapped => wrapped.map_err(failed)?,
        };
        if wrapped.len() != SEALED_KEY_BYTES {
            continue;
        }
        if unwrap(master, id, &wrapped).is_some() {
            return Ok(Wrapped::ByThis);
        }
        tried += 1;
        if tried == TRIED {
            break;
        }
    }
    match marked {
        Err(KeyError::FolderAway { .. }) if holds_keys => {}
        marked => marked?,
    }
    Ok(if tried == 0 {
        Wrapped::NoneTells
    } else {
        Wrapped::ByAnother
    })
}
