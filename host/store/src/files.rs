//! Files that are there after a loss of power.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Runs `work`, which blocks, where it may.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failure) => std::panic::resume_unwind(match failure.try_into_panic() {
            Ok(panic) => panic,
            Err(_) => Box::new("the runtime was shut down"),
        }),
    }
}

/// Makes a folder that only its owner may enter, with its parents, and syncs each parent. A
/// folder that is there may have been made by a process that was killed before its sync.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    let parent = parent_of(folder);
    if folder.is_dir() {
        return sync_if_allowed(parent);
    }
    create_folder(parent)?;
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => sync(parent),
    }
}

/// Syncs a folder, unless it is one that this process could not have changed.
fn sync_if_allowed(folder: &Path) -> io::Result<()> {
    match sync(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ReadOnlyFilesystem
                    | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a file's content, or a folder's entries, durable.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Writes a new file that only its owner may read: under `temporary` first, synced, renamed to
/// `path`, and the folder synced. `path` never shows half a file.
pub(crate) fn write_new(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let written = write_and_rename(temporary, path, content);
    if written.is_err() {
        // The first error is the one to tell; a sweep removes what is left.
        let _ = fs::remove_file(temporary);
    }
    written
}

fn write_and_rename(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    if path.try_exists()? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, path)?;
    sync(parent_of(path))
}

/// Removes a file for good; tells whether it was there. The folder is synced either way, so
/// that a removal cut short by a crash is completed by the next try.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    let was_there = match fs::remove_file(path) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    sync(parent_of(path))?;
    Ok(was_there)
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
