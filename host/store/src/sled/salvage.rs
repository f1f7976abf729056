//! Salvage of a store that sled cannot read, without sled.
//!
//! The readable entries become a new store, if nothing is missing or the loss is accepted. The old
//! store is kept under another name, with any changes that sled made before it failed. The log and
//! the entries are all in memory meanwhile.

mod log;
mod pages;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use self::pages::Entries;
use super::mark::{self, Found};
use super::opening::Readable;
use super::options::SledOptions;
use super::shared::{Shared, lock_exclusively, lock_folder};
use crate::engine::{EngineError, failed_to};
use crate::files;

/// Entries written to a new store at a time.
const ENTRIES_A_BATCH: usize = 512;

/// Refuses or repairs a store that sled could not read. Blocks.
///
/// # Errors
/// [`EngineError::Short`] for a loss that is not accepted; I/O errors.
pub(super) fn mend(options: &SledOptions, now: Timestamp) -> Result<(), EngineError> {
    let path = options.folder.join("db");
    let _lock = lock_folder(&options.folder)?;
    let file = File::open(&path).map_err(failed_to("open", &path))?;
    once_closed(&file, &options.folder)?;
    let log = log::read(&file).map_err(failed_to("read", &path))?;
    let marked = read_mark(options)?;
    replace(options, pages::entries(&log), &marked, now)
}

fn read_mark(options: &SledOptions) -> Result<Found, EngineError> {
    let path = mark::path_beside(&options.folder);
    mark::read(&path).map_err(failed_to("read", &path))
}

/// Waits for threads of sled that still have the log open. They may write to files beside it.
fn once_closed(log: &File, folder: &Path) -> Result<(), EngineError> {
    let path = folder.join("db");
    lock_exclusively(log, folder, &path)?;
    log.unlock().map_err(failed_to("unlock", &path))
}

/// Replaces the store by one with these entries.
fn replace(
    options: &SledOptions,
    entries: Entries,
    marked: &Found,
    now: Timestamp,
) -> Result<(), EngineError> {
    let folder = &options.folder;
    let readable = Readable::new(entries, marked);
    let loss = readable.loss(marked);
    if let Some(loss) = loss.filter(|loss| !options.accepted_loss.covers(loss)) {
        return Err(EngineError::Short {
            folder: folder.display().to_string(),
            loss: Box::new(loss),
        });
    }
    let kept = free_name(folder, now).map_err(failed_to("look for", folder))?;
    // The two are exchanged in one step, so that there is always a store.
    write(options, &kept, &readable)?;
    renameat_with(CWD, folder, CWD, &kept, RenameFlags::EXCHANGE)
        .map_err(|error| failed_to("set aside", folder)(error.into()))?;
    if let Some(parent) = folder.parent() {
        files::sync(parent).map_err(failed_to("sync", parent))?;
    }
    tracing::error!(
        kept = %kept.display(),
        entries = readable.entries.len(),
        "the store was damaged: what is readable is in a new store, and the old one is kept"
    );
    Ok(())
}

fn write(options: &SledOptions, folder: &Path, readable: &Readable) -> Result<(), EngineError> {
    let shared = Shared::open(&SledOptions {
        folder: folder.to_owned(),
        ..options.clone()
    })?;
    let entries: Vec<_> = readable.entries.iter().collect();
    for some in entries.chunks(ENTRIES_A_BATCH) {
        let mut batch = sled::Batch::default();
        for (key, value) in some {
            batch.insert(&key[..], &value[..]);
        }
        shared.apply(batch)?;
    }
    drop(shared);
    let path = folder.join("db");
    let file = File::open(&path).map_err(failed_to("open", &path))?;
    once_closed(&file, folder)
}

fn beside(folder: &Path, ending: &str) -> PathBuf {
    let mut path = folder.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    path.into()
}

/// Returns an unused name for a store that is set aside.
fn free_name(folder: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let moment = now.strftime("damaged-%Y%m%dT%H%M%SZ").to_string();
    for number in 1_u32.. {
        let path = match number {
            1 => beside(folder, &moment),
            _ => beside(folder, &format!("{moment}-{number}")),
        };
        if !fs::exists(&path)? {
            return Ok(path);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests;
