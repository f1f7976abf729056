//! Files of a backup: paths, lengths and digests.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::{BackupError, failed_to};
use crate::hex_bytes::Sha256Digest;

/// Name of the file with the records.
pub(super) const RECORDS: &str = "records";
/// Names of the folders with the byte files and the data keys.
pub(super) const BYTES: &str = "bytes";
pub(super) const KEYS: &str = "keys";
/// Suffix of a data key's file.
const KEY_ENDING: &str = ".key";

/// A file of the backup.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Entry {
    pub(super) path: EntryPath,
    #[serde(flatten)]
    pub(super) content: Content,
}

/// Path of a file within the backup.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(into = "String", try_from = "String")]
pub(super) enum EntryPath {
    Records,
    Bytes(Uuid),
    Key(Uuid),
    /// A file beside the store.
    Beside(String),
}

/// Length and digest of a file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Content {
    pub(super) bytes: u64,
    pub(super) sha256: Sha256Digest,
}

impl EntryPath {
    /// Returns the path of a file beside the store; `None` if its name is not UTF-8 or leads
    /// elsewhere.
    pub(super) fn beside(name: &Path) -> Option<Self> {
        let name = name.to_str()?;
        let path = Self::try_from(name.to_owned()).ok()?;
        matches!(path, Self::Beside(_)).then_some(path)
    }

    pub(super) fn in_folder(&self, folder: &Path) -> PathBuf {
        folder.join(String::from(self.clone()))
    }
}

impl From<EntryPath> for String {
    fn from(path: EntryPath) -> Self {
        match path {
            EntryPath::Records => RECORDS.to_owned(),
            EntryPath::Bytes(id) => format!("{BYTES}/{id}"),
            EntryPath::Key(id) => format!("{KEYS}/{id}{KEY_ENDING}"),
            EntryPath::Beside(name) => name,
        }
    }
}

/// A path that is not a backup file's.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a path of a backup")]
pub(super) struct NoEntryPath(String);

impl TryFrom<String> for EntryPath {
    type Error = NoEntryPath;

    fn try_from(text: String) -> Result<Self, NoEntryPath> {
        let id = |name: &str| {
            let id = Uuid::parse_str(name).ok();
            id.filter(|id| id.to_string() == name)
        };
        let path = match text.split_once('/') {
            None if text == RECORDS => Some(Self::Records),
            Some((BYTES, name)) => id(name).map(Self::Bytes),
            Some((KEYS, name)) => name.strip_suffix(KEY_ENDING).and_then(id).map(Self::Key),
            _ if is_below(Path::new(&text)) => Some(Self::Beside(text.clone())),
            _ => None,
        };
        path.ok_or(NoEntryPath(text))
    }
}

/// Creates a new file that only its owner may read.
pub(super) fn create(path: &Path) -> Result<File, BackupError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path).map_err(failed_to("create", path))
}

/// Returns whether a relative path stays below its base folder and is in canonical form.
fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    let is_normal = |part| matches!(part, Component::Normal(_));
    parts.peek().is_some()
        && parts.all(is_normal)
        && path.components().collect::<PathBuf>().as_os_str() == path.as_os_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_a_backup_is_taken() {
        let id = "018e7a30-6f00-7000-8000-000000000001";
        for (path, is_taken) in [
            ("records", true),
            (&format!("bytes/{id}"), true),
            (&format!("keys/{id}.key"), true),
            ("world/pki/root.pem", true),
            ("", false),
            ("/etc/passwd", false),
            ("../records", false),
            ("keys/../../a", false),
            ("world/./a", false),
            ("world//a", false),
            ("world/a/", false),
            ("bytes/a", false),
            (&format!("bytes/{}", id.to_uppercase()), false),
            (&format!("keys/{id}"), false),
        ] {
            let taken = EntryPath::try_from(path.to_owned());
            assert_eq!(taken.is_ok(), is_taken, "{path}");
            if let Ok(taken) = taken {
                assert_eq!(String::from(taken), path);
            }
        }
    }
}
