//! File operations that survive a loss of power.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};
use tokio::sync::oneshot;
use tokio::task::JoinError;

/// Pauses between attempts to get a descriptor: the first, which doubles, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Suffix of a file being written.
pub(crate) const TEMPORARY: &str = "new";

/// Number of times this process has waited for a sync to disk: of records, a file or the entries
/// of a folder. Syncs of backups, databases and object stores are not counted.
pub static SYNCS: AtomicU64 = AtomicU64::new(0);

/// Runs blocking `work` on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = oneshot::channel();
    // Boxed, since the runtime's task code is compiled anew for every closure.
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        let _ = sender.send(work());
    });
    if let Err(failure) = tokio::task::spawn_blocking(work).await {
        resume(failure);
    }
    done.await
        .expect("work that came to its end has sent what came of it")
}

/// Resumes the panic of work done elsewhere.
pub(crate) fn resume(failure: JoinError) -> ! {
    std::panic::resume_unwind(match failure.try_into_panic() {
        Ok(panic) => panic,
        Err(_) => Box::new("the runtime was shut down"),
    })
}

/// A value used on threads that may block, by one at a time.
#[derive(Debug)]
pub(crate) struct Offloaded<T>(Arc<Mutex<T>>);

impl<T: Send + 'static> Offloaded<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    pub(crate) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> R {
        let value = self.0.clone();
        blocking(move || work(&mut value.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

/// Returns whether a file operation failed for a reason that an operator can fix: a path, a
/// permission, a full disk.
pub(crate) fn is_for_operators(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
    )
}

/// Returns whether opening a file failed only because too many are open, in this process or the
/// system. That passes, and says nothing about the disk.
fn is_for_want_of_descriptors(error: &io::Error) -> bool {
    /// `ENFILE` and `EMFILE`.
    const TOO_MANY_OPEN: [i32; 2] = [23, 24];

    let code = error.raw_os_error();
    code.is_some_and(|code| TOO_MANY_OPEN.contains(&code))
}

/// Repeats `work` while descriptors are short. Blocks.
pub(crate) fn once_descriptors_are_there<T>(
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    let mut pause = SHORTEST_PAUSE;
    loop {
        match work() {
            Err(error) if is_for_want_of_descriptors(&error) => {
                if pause == SHORTEST_PAUSE {
                    tracing::warn!(%error, "the store waits for free file descriptors");
                }
                std::thread::sleep(pause);
                pause = LONGEST_PAUSE.min(pause * 2);
            }
            done => return done,
        }
    }
}

/// Returns the free bytes on the file system of a path.
pub(crate) fn available_space(path: &Path) -> io::Result<u64> {
    let system = rustix::fs::statvfs(path)?;
    Ok(system.f_frsize.saturating_mul(system.f_bavail))
}

/// Returns false if somebody else has the lock.
pub(crate) fn is_locked(tried: Result<(), TryLockError>) -> io::Result<bool> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns the free bytes on the file system of a folder, if given.
pub(crate) async fn free_space(folder: Option<&Path>) -> io::Result<Option<u64>> {
    let Some(folder) = folder.map(Path::to_owned) else {
        return Ok(None);
    };
    blocking(move || available_space(&folder).map(Some)).await
}

/// Resolves a path with its links; the part that does not exist yet is taken as named.
pub(crate) fn resolved(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for there in path.ancestors() {
        let (Ok(mut real), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) else {
            continue;
        };
        for part in rest.components() {
            match part {
                Component::ParentDir => {
                    real.pop();
                }
                part => real.push(part),
            }
        }
        return Ok(real);
    }
    Ok(path)
}

/// Creates a folder that only its owner may enter, with its parents, and syncs each parent. An
/// existing folder is synced too: the process that made it may have been killed before its sync.
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

/// Syncs a folder, unless this process could not have changed it.
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
    sync_all(&File::open(path)?)
}

/// Like [`sync`], for an open file.
pub(crate) fn sync_all(file: &File) -> io::Result<()> {
    SYNCS.fetch_add(1, Ordering::Relaxed);
    file.sync_all()
}

/// Like [`sync_all`], without metadata that is not needed to read the content.
pub(crate) fn sync_data(file: &File) -> io::Result<()> {
    SYNCS.fetch_add(1, Ordering::Relaxed);
    file.sync_data()
}

/// Writes a new file that only its owner may read: under `temporary` first, synced, renamed to
/// `path`, and the folder synced. `path` never shows a partial file.
pub(crate) fn write_new(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    write_and_rename(temporary, path, [content])?;
    sync(parent_of(path))
}

/// Like [`write_new`], for content in pieces and without the sync of the folder, without which
/// the name may be lost.
pub(crate) fn write_and_rename(
    temporary: &Path,
    path: &Path,
    content: impl IntoIterator<Item: AsRef<[u8]>>,
) -> io::Result<()> {
    if path.try_exists()? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    replace(temporary, path, content)
}

/// Like [`write_and_rename`], where `path` exists: it shows either the old content or the new.
pub(crate) fn replace(
    temporary: &Path,
    path: &Path,
    content: impl IntoIterator<Item: AsRef<[u8]>>,
) -> io::Result<()> {
    let written = write(temporary, content).and_then(|()| fs::rename(temporary, path));
    if written.is_err() {
        // The write's error is the one to report; a sweep removes the rest.
        let _ = fs::remove_file(temporary);
    }
    written
}

fn write(path: &Path, content: impl IntoIterator<Item: AsRef<[u8]>>) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    for piece in content {
        file.write_all(piece.as_ref())?;
    }
    sync_all(&file)
}

/// Reads this many bytes of a file, from `start` on, into a buffer that is not zeroed first.
pub(crate) fn read_at(file: &File, start: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::with_capacity(length);
    while bytes.len() < length {
        let at = start + bytes.len() as u64;
        match pread(file, spare_capacity(&mut bytes), at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The buffer may be longer.
    bytes.truncate(length);
    Ok(bytes)
}

/// Removes a file permanently; returns whether it existed. The folder is synced in either case,
/// so that a removal interrupted by a crash is completed by the next attempt.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    let was_there = unlink(path)?;
    sync(parent_of(path))?;
    Ok(was_there)
}

/// Like [`remove`], without the sync of the folder, without which the file may reappear.
pub(crate) fn unlink(path: &Path) -> io::Result<bool> {
    Ok(if_there(fs::remove_file(path))?.is_some())
}

/// Maps "not found" to `None`.
pub(crate) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_descriptor_is_tried_until_there_is_one() {
        let mut codes = [23, 24, 24].into_iter();

        let done = once_descriptors_are_there(|| match codes.next() {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => Ok("synced"),
        });

        assert_eq!(done.unwrap(), "synced");
    }

    #[test]
    fn a_part_of_a_file_is_read_unless_the_file_ends_within_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, b"a file of some bytes").expect("written");
        let file = File::open(&path).expect("opened");

        assert_eq!(read_at(&file, 2, 0).expect("read"), b"");
        assert_eq!(read_at(&file, 2, 12).expect("read"), b"file of some");
        assert_eq!(read_at(&file, 15, 5).expect("read"), b"bytes");
        let error = read_at(&file, 15, 6).expect_err("the file has ended");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_disk_that_fails_is_not_tried_again() {
        const BROKEN: i32 = 5;
        let mut tries = 0;

        let done = once_descriptors_are_there(|| {
            tries += 1;
            Err::<(), _>(io::Error::from_raw_os_error(BROKEN))
        });

        assert_eq!(done.unwrap_err().raw_os_error(), Some(BROKEN));
        assert_eq!(tries, 1);
    }
}
