//! Copies of files, with their digests.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::entry::{Content, Entry, EntryPath, create};
use super::error::{BackupError, failed_to};
use crate::blobs::Blobs;
use crate::files;
use crate::owned_folder::OwnedFolder;

/// Files copied by one thread before it reports.
const FILES_A_THREAD: usize = 8;
/// Threads that copy at the same time: most of a copy's time is the wait for its sync.
const THREADS: usize = 8;
/// Files copied at once.
pub(super) const AT_ONCE: usize = FILES_A_THREAD * THREADS;
/// Prefix of a file still being written, before its rename.
const TEMPORARY: &[u8] = b".tmp";
/// Bytes read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Copies of blobs. A blob is written once and eventually removed.
pub(super) struct Copies {
    blobs: Blobs,
    /// The backup's folder.
    target: Arc<Path>,
    entry_path: fn(Uuid) -> EntryPath,
    copied: HashSet<Uuid>,
}

impl Copies {
    pub(super) fn of(blobs: &Blobs, target: &Path, entry_path: fn(Uuid) -> EntryPath) -> Self {
        Self {
            blobs: blobs.clone(),
            target: target.into(),
            entry_path,
            copied: HashSet::new(),
        }
    }

    /// Returns the blobs that were not copied yet.
    pub(super) async fn new_files(&self) -> Result<Vec<Uuid>, BackupError> {
        let mut ids = self.blobs.ids().await?;
        ids.retain(|id| !self.copied.contains(id));
        Ok(ids)
    }

    /// Copies these files in parallel. A file that is removed meanwhile is skipped.
    pub(super) async fn copy(&mut self, ids: &[Uuid]) -> Result<Vec<Entry>, BackupError> {
        let mut copying = JoinSet::new();
        for ids in ids.chunks(FILES_A_THREAD) {
            let target = |id: &Uuid| (*id, (self.entry_path)(*id).in_folder(&self.target));
            let copies = ids.iter().map(target).collect();
            copying.spawn(copy_each(self.blobs.clone(), copies));
        }
        let mut entries = Vec::with_capacity(ids.len());
        while let Some(copied) = copying.join_next().await {
            let copied = copied.unwrap_or_else(|failure| files::resume(failure))?;
            for (id, content) in copied {
                self.copied.insert(id);
                entries.push(Entry {
                    path: (self.entry_path)(id),
                    content,
                });
            }
        }
        Ok(entries)
    }

    /// Removes the copies of blobs that no longer exist; returns their paths and lengths.
    pub(super) async fn drop_removed(&mut self) -> Result<Vec<(EntryPath, u64)>, BackupError> {
        let present: HashSet<Uuid> = self.blobs.ids().await?.into_iter().collect();
        let gone: Vec<Uuid> = self.copied.difference(&present).copied().collect();
        for id in &gone {
            self.copied.remove(id);
        }
        let (target, entry_path) = (self.target.clone(), self.entry_path);
        files::blocking(move || {
            let mut dropped = Vec::with_capacity(gone.len());
            for id in gone {
                let path = entry_path(id).in_folder(&target);
                let metadata = fs::metadata(&path).map_err(failed_to("read", &path))?;
                fs::remove_file(&path).map_err(failed_to("remove", &path))?;
                dropped.push((entry_path(id), metadata.len()));
            }
            let folder = entry_path(Uuid::nil()).in_folder(&target);
            let folder = folder.parent().unwrap_or(&target);
            files::sync(folder).map_err(failed_to("sync", folder))?;
            Ok(dropped)
        })
        .await
    }

    /// Returns the ids of the copied files.
    pub(super) fn into_ids(self) -> HashSet<Uuid> {
        self.copied
    }
}

/// Copies blobs to these paths, one after the other.
async fn copy_each(
    blobs: Blobs,
    copies: Vec<(Uuid, PathBuf)>,
) -> Result<Vec<(Uuid, Content)>, BackupError> {
    if let Some(folder) = blobs.store().as_folder().cloned() {
        return files::blocking(move || copy_files(&folder, &copies)).await;
    }
    let mut copied = Vec::with_capacity(copies.len());
    for (id, to) in copies {
        if let Some(sealed) = blobs.store().read(id).await? {
            let content = files::blocking(move || copy_opened(&sealed[..], &to, &to)).await?;
            copied.push((id, content));
        }
    }
    Ok(copied)
}

fn copy_files(
    folder: &OwnedFolder,
    copies: &[(Uuid, PathBuf)],
) -> Result<Vec<(Uuid, Content)>, BackupError> {
    let mut copied = Vec::with_capacity(copies.len());
    for (id, to) in copies {
        if let Some(content) = copy_if_there(&folder.file(*id), to)? {
            copied.push((*id, content));
        }
    }
    Ok(copied)
}

/// Copies the files and folders beside the store with these names, in order. Missing ones are
/// skipped; one may be a link to another folder.
pub(super) async fn copy_beside(
    names: Vec<PathBuf>,
    data: &Path,
    backup: &Path,
) -> Result<Vec<Entry>, BackupError> {
    let (data, backup) = (data.to_owned(), backup.to_owned());
    files::blocking(move || {
        let mut entries = Vec::new();
        for name in names {
            let from = data.join(&name);
            if fs::exists(&from).map_err(failed_to("read", &from))? {
                refuse_inside(&backup, &from)?;
                copy_tree(&from, &backup, &name, &mut entries)?;
            }
        }
        sync_folders_of(&backup, &entries)?;
        Ok(entries)
    })
    .await
}

/// Refuses a folder inside the other one: its content would be copied again.
pub(super) fn refuse_inside(folder: &Path, other: &Path) -> Result<(), BackupError> {
    let [inner, outer] = [folder, other].map(files::resolved);
    let inner = inner.map_err(failed_to("find", folder))?;
    let outer = outer.map_err(failed_to("find", other))?;
    if inner.starts_with(&outer) {
        return Err(BackupError::Inside {
            folder: folder.to_owned(),
            other: other.to_owned(),
        });
    }
    Ok(())
}

/// Copies a file or a folder's whole content. Files that are removed meanwhile or have a
/// temporary name are skipped.
fn copy_tree(
    from: &Path,
    backup: &Path,
    name: &Path,
    entries: &mut Vec<Entry>,
) -> Result<(), BackupError> {
    let metadata = files::if_there(fs::metadata(from)).map_err(failed_to("read", from))?;
    let Some(kind) = metadata.map(|metadata| metadata.file_type()) else {
        return Ok(());
    };
    if kind.is_dir() {
        let listed = files::if_there(fs::read_dir(from)).map_err(failed_to("list", from))?;
        let mut inside = Vec::new();
        for entry in listed.into_iter().flatten() {
            let entry = entry.map_err(failed_to("list", from))?;
            if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY) {
                continue;
            }
            let kind = files::if_there(entry.file_type()).map_err(failed_to("read", from))?;
            let Some(kind) = kind else {
                continue;
            };
            if !kind.is_dir() && !kind.is_file() {
                return Err(BackupError::NoFile(entry.path()));
            }
            inside.push(entry.file_name());
        }
        inside.sort();
        for entry in inside {
            copy_tree(&from.join(&entry), backup, &name.join(&entry), entries)?;
        }
        return Ok(());
    }
    let path = EntryPath::beside(name).filter(|_| kind.is_file());
    let path = path.ok_or_else(|| BackupError::NoFile(from.to_owned()))?;
    let to = backup.join(name);
    make_parent(&to)?;
    if let Some(content) = copy_if_there(from, &to)? {
        entries.push(Entry { path, content });
    }
    Ok(())
}

/// Copies a file to a new path and syncs the copy. Returns `None` if the file does not exist.
fn copy_if_there(from: &Path, to: &Path) -> Result<Option<Content>, BackupError> {
    let opened = files::if_there(File::open(from)).map_err(failed_to("read", from))?;
    opened
        .map(|source| copy_opened(source, from, to))
        .transpose()
}

/// Copies a file to a new path and syncs the copy.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<Content, BackupError> {
    let opened = File::open(from).map_err(failed_to("read", from))?;
    copy_opened(opened, from, to)
}

fn copy_opened(source: impl Read, from: &Path, to: &Path) -> Result<Content, BackupError> {
    let mut copy = create(to)?;
    let content = read_through(source, from, |chunk| {
        copy.write_all(chunk).map_err(failed_to("write", to))
    })?;
    copy.sync_all().map_err(failed_to("sync", to))?;
    Ok(content)
}

/// Returns a file's length and digest; `None` if it does not exist.
pub(super) fn content_of(path: &Path) -> Result<Option<Content>, BackupError> {
    let opened = files::if_there(File::open(path)).map_err(failed_to("read", path))?;
    opened
        .map(|source| read_through(source, path, |_| Ok(())))
        .transpose()
}

/// Reads a file no longer than a document, with its length and digest.
pub(super) fn read_whole(path: &Path) -> Result<(Vec<u8>, Content), BackupError> {
    let opened = File::open(path).map_err(failed_to("read", path))?;
    let mut whole = Vec::new();
    let content = read_through(opened, path, |chunk| {
        whole.extend_from_slice(chunk);
        Ok(())
    })?;
    Ok((whole, content))
}

/// Creates the parent folder of a file.
pub(super) fn make_parent(path: &Path) -> Result<(), BackupError> {
    match path.parent() {
        Some(parent) if !parent.is_dir() => {
            files::create_folder(parent).map_err(failed_to("create", parent))
        }
        _ => Ok(()),
    }
}

/// Makes the entries of these files' folders durable.
pub(super) fn sync_folders_of<'e>(
    root: &Path,
    entries: impl IntoIterator<Item = &'e Entry>,
) -> Result<(), BackupError> {
    let mut folders = BTreeSet::new();
    for entry in entries {
        if let Some(folder) = entry.path.in_folder(root).parent()
            && !folders.contains(folder)
        {
            folders.insert(folder.to_owned());
        }
    }
    for folder in folders {
        files::sync(&folder).map_err(failed_to("sync", &folder))?;
    }
    Ok(())
}

fn read_through(
    mut source: impl Read,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<Content, BackupError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut digest = Sha256::new();
    let mut bytes = 0;
    loop {
        let read = source.read(&mut chunk).map_err(failed_to("read", path))?;
        let Some(read) = chunk.get(..read).filter(|read| !read.is_empty()) else {
            break;
        };
        digest.update(read);
        bytes += read.len() as u64;
        take(read)?;
    }
    Ok(Content {
        bytes,
        sha256: digest.finalize().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paths that are copied from a folder `from` with these files.
    fn copied(files: &[&str], from: &str) -> Vec<String> {
        let [data, backup] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        for file in files {
            let path = data.path().join(file);
            make_parent(&path).expect("its folder");
            fs::write(path, "content").expect("written");
        }
        let mut entries = Vec::new();
        let name = Path::new(from);
        let done = copy_tree(&data.path().join(name), backup.path(), name, &mut entries);
        done.expect("copied");
        entries.into_iter().map(|entry| entry.path.into()).collect()
    }

    #[test]
    fn what_is_still_being_written_is_left_out() {
        let files = [
            "notes/a",
            "notes/.tmpX7f",
            "notes/.tmp-folder/b",
            "notes/c/d",
        ];

        assert_eq!(copied(&files, "notes"), ["notes/a", "notes/c/d"]);
    }

    #[test]
    fn what_is_gone_since_it_was_listed_is_left_out() {
        assert_eq!(copied(&["notes/a"], "notes/b"), [""; 0]);
    }
}
