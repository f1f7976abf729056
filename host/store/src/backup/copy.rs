//! Copies of files, with their digests.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::manifest::Entry;
use super::records::RecordsCopy;
use super::{BYTES, BackupError, Extra, KEYS, failed_to};
use crate::files;
use crate::hex_bytes::Sha256Digest;

/// Files that are copied before the records are brought up to date again.
const AT_ONCE: usize = 64;
/// Bytes that are read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Which files of a folder are copied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Names {
    /// `ID`, into `bytes`.
    Bytes,
    /// `ID.key`, into `keys`.
    Keys,
}

impl Names {
    fn folder(self) -> &'static str {
        match self {
            Self::Bytes => BYTES,
            Self::Keys => KEYS,
        }
    }

    fn has(self, name: &str) -> bool {
        let id = match self {
            Self::Bytes => Some(name),
            Self::Keys => name.strip_suffix(".key"),
        };
        id.is_some_and(|id| Uuid::parse_str(id).is_ok())
    }
}

/// The copies of a folder of files that are written once and removed at some time.
pub(super) struct OwnFiles {
    folder: Arc<Path>,
    target: Arc<Path>,
    names: Names,
    copied: BTreeMap<String, Copied>,
}

impl OwnFiles {
    pub(super) fn new(folder: &Path, backup: &Path, names: Names) -> Self {
        Self {
            folder: folder.into(),
            target: backup.join(names.folder()).into(),
            names,
            copied: BTreeMap::new(),
        }
    }

    /// Copies what is there and was not copied yet; tells how many files that were. One that is
    /// removed meanwhile is left out. `records` are kept up to date meanwhile; the last time they
    /// are not, or they would name files that came after the look at the folder.
    pub(super) async fn copy_new(
        &mut self,
        mut records: Option<&mut RecordsCopy>,
    ) -> Result<usize, BackupError> {
        let mut new = self.list().await?;
        new.retain(|name| !self.copied.contains_key(name));
        for names in new.chunks(AT_ONCE) {
            let names = names.to_vec();
            let (folder, target) = (self.folder.clone(), self.target.clone());
            let copied = files::blocking(move || copy_all(&folder, &target, names)).await?;
            self.copied.extend(copied);
            if let Some(records) = records.as_deref_mut() {
                records.append_committed().await?;
            }
        }
        Ok(new.len())
    }

    /// Removes the copies of what is there no longer.
    pub(super) async fn drop_removed(&mut self) -> Result<(), BackupError> {
        let present: HashSet<String> = self.list().await?.into_iter().collect();
        let gone: Vec<String> = self
            .copied
            .keys()
            .filter(|name| !present.contains(*name))
            .cloned()
            .collect();
        for name in &gone {
            self.copied.remove(name);
        }
        let target = self.target.clone();
        files::blocking(move || {
            for name in gone {
                let path = target.join(name);
                fs::remove_file(&path).map_err(failed_to("remove", &path))?;
            }
            files::sync(&target).map_err(failed_to("sync", &target))
        })
        .await
    }

    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry> {
        let folder = Path::new(self.names.folder());
        self.copied
            .into_iter()
            .map(move |(name, copied)| copied.named(folder.join(name)))
    }

    async fn list(&self) -> Result<Vec<String>, BackupError> {
        let (folder, names) = (self.folder.clone(), self.names);
        files::blocking(move || {
            let mut found = Vec::new();
            for entry in fs::read_dir(&folder).map_err(failed_to("list", &folder))? {
                let name = entry.map_err(failed_to("list", &folder))?.file_name();
                if let Some(name) = name.to_str().filter(|name| names.has(name)) {
                    found.push(name.to_owned());
                }
            }
            Ok(found)
        })
        .await
    }
}

fn copy_all(
    folder: &Path,
    target: &Path,
    names: Vec<String>,
) -> Result<Vec<(String, Copied)>, BackupError> {
    let mut copied = Vec::with_capacity(names.len());
    for name in names {
        if let Some(file) = copy_if_there(&folder.join(&name), &target.join(&name))? {
            copied.push((name, file));
        }
    }
    Ok(copied)
}

/// Copies files and folders beside the store, in their order.
pub(super) async fn copy_extras(
    extras: Vec<Extra>,
    backup: &Path,
) -> Result<Vec<Entry>, BackupError> {
    let backup = backup.to_owned();
    files::blocking(move || {
        let mut entries = Vec::new();
        for extra in extras {
            copy_tree(&extra.path, &backup, &extra.name, &mut entries)?;
        }
        sync_folders_of(&backup, &entries)?;
        Ok(entries)
    })
    .await
}

fn copy_tree(
    from: &Path,
    backup: &Path,
    name: &Path,
    entries: &mut Vec<Entry>,
) -> Result<(), BackupError> {
    let kind = match fs::symlink_metadata(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(failed_to("read", from))?.file_type(),
    };
    if kind.is_dir() {
        let mut inside = Vec::new();
        for entry in fs::read_dir(from).map_err(failed_to("list", from))? {
            inside.push(entry.map_err(failed_to("list", from))?.file_name());
        }
        inside.sort();
        for entry in inside {
            copy_tree(&from.join(&entry), backup, &name.join(&entry), entries)?;
        }
        return Ok(());
    }
    if kind.is_file() {
        let to = backup.join(name);
        make_parent(&to)?;
        let copied = copy_if_there(from, &to)?;
        entries.extend(copied.map(|copied| copied.named(name.to_owned())));
    }
    Ok(())
}

/// What a copy holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Copied {
    pub(super) bytes: u64,
    pub(super) sha256: Sha256Digest,
}

impl Copied {
    pub(super) fn named(self, path: PathBuf) -> Entry {
        Entry {
            path,
            bytes: self.bytes,
            sha256: self.sha256,
        }
    }
}

/// Copies a file to where none is, and syncs the copy. None if there is no such file.
fn copy_if_there(from: &Path, to: &Path) -> Result<Option<Copied>, BackupError> {
    match File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => copy_opened(opened.map_err(failed_to("read", from))?, from, to).map(Some),
    }
}

/// Copies a file to where none is, and syncs the copy.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<Copied, BackupError> {
    let opened = File::open(from).map_err(failed_to("read", from))?;
    copy_opened(opened, from, to)
}

fn copy_opened(source: File, from: &Path, to: &Path) -> Result<Copied, BackupError> {
    let mut copy = create(to)?;
    let copied = read_through(source, from, |chunk| {
        copy.write_all(chunk).map_err(failed_to("write", to))
    })?;
    copy.sync_all().map_err(failed_to("sync", to))?;
    Ok(copied)
}

/// The digest of a file; none if there is no such file.
pub(super) fn digest_of(path: &Path) -> Result<Option<Copied>, BackupError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => {
            read_through(opened.map_err(failed_to("read", path))?, path, |_| Ok(())).map(Some)
        }
    }
}

/// A new file that only its owner may read.
pub(super) fn create(path: &Path) -> Result<File, BackupError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path).map_err(failed_to("create", path))
}

/// Makes the folder that a file is to be in.
pub(super) fn make_parent(path: &Path) -> Result<(), BackupError> {
    match path.parent() {
        Some(parent) if !parent.is_dir() => {
            files::create_folder(parent).map_err(failed_to("create", parent))
        }
        _ => Ok(()),
    }
}

/// Makes the entries of the folders durable in which these files are.
pub(super) fn sync_folders_of(root: &Path, entries: &[Entry]) -> Result<(), BackupError> {
    let folders: BTreeSet<PathBuf> = entries
        .iter()
        .filter_map(|entry| Some(root.join(entry.path.parent()?)))
        .collect();
    for folder in folders {
        files::sync(&folder).map_err(failed_to("sync", &folder))?;
    }
    Ok(())
}

/// Whether a path leads nowhere but below the folder that it is joined to.
pub(super) fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

fn read_through(
    mut source: File,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<Copied, BackupError> {
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
    Ok(Copied {
        bytes,
        sha256: digest.finalize().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_into_the_folder_is_below_it() {
        for path in ["records", "keys/a.key", "world/pki/root.pem"] {
            assert!(is_below(Path::new(path)), "{path}");
        }
        for path in ["", "/etc/passwd", "../a", "keys/../../a", "./a"] {
            assert!(!is_below(Path::new(path)), "{path}");
        }
    }
}
