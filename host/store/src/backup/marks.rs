//! Marker files in a data folder: the progress of a restore, and the hold.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::entry::create;
use super::error::{BackupError, failed_to};
use super::manifest::Seal;
use crate::files;
use crate::keys::MasterKey;

/// Present in a data folder from the first to the last step of a restore.
const RESTORING: &str = "restoring";
/// Contains the seal of a backup restored without the master key, until the key exists.
const UNPROVEN: &str = "unproven";
/// Present in a data folder from which nothing may be sent.
const HELD: &str = "held";

/// Returns whether a restore into this data folder was begun and not finished.
pub(crate) fn is_half_restored(data: &Path) -> bool {
    data.join(RESTORING).exists()
}

/// Returns whether this data folder is held because it is a copy of another.
#[must_use]
pub fn is_held(data: &Path) -> bool {
    data.join(HELD).exists()
}

/// Releases the hold of a data folder; returns whether there was one. Blocks.
///
/// # Errors
/// I/O errors.
pub fn release(data: &Path) -> Result<bool, BackupError> {
    let held = data.join(HELD);
    files::remove(&held).map_err(failed_to("remove", &held))
}

/// Returns whether a backup restored before the master key existed was written by a server
/// with that key. Once proven, it is not checked again. Blocks.
///
/// # Errors
/// I/O errors.
pub(crate) fn prove_restored(data: &Path, master: &MasterKey) -> io::Result<bool> {
    let is_proven = is_proven(data, master)?;
    let path = data.join(UNPROVEN);
    if is_proven && path.try_exists()? {
        files::remove(&path)?;
    }
    Ok(is_proven)
}

/// Like [`prove_restored`], but changes nothing. Blocks.
///
/// # Errors
/// I/O errors.
pub(crate) fn is_proven(data: &Path, master: &MasterKey) -> io::Result<bool> {
    match fs::read(data.join(UNPROVEN)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        seal => Ok(serde_json::from_slice::<Seal>(&seal?).is_ok_and(|seal| seal.is_by(master))),
    }
}

/// Marks a data folder as being restored, until [`end_restore`].
pub(super) fn begin_restore(data: &Path) -> Result<(), BackupError> {
    mark(data, RESTORING, &[])
}

pub(super) fn end_restore(data: &Path) -> Result<(), BackupError> {
    let marker = data.join(RESTORING);
    files::remove(&marker).map_err(failed_to("remove", &marker))?;
    Ok(())
}

/// Has the master key checked against the backup's seal when the folder is opened.
pub(super) fn mark_unproven(data: &Path, seal: &Seal) -> Result<(), BackupError> {
    let seal = serde_json::to_vec(seal);
    let seal = seal.map_err(|error| failed_to("write", &data.join(UNPROVEN))(error.into()))?;
    mark(data, UNPROVEN, &seal)
}

pub(super) fn mark_held(data: &Path) -> Result<(), BackupError> {
    mark(data, HELD, &[])
}

fn mark(data: &Path, name: &str, content: &[u8]) -> Result<(), BackupError> {
    let path = data.join(name);
    let mut file = create(&path)?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| files::sync(data))
        .map_err(failed_to("write", &path))
}
