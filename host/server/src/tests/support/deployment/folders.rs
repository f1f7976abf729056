//! Files in a deployment's folders, and ways to lose them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use uuid::Uuid;

use super::Deployment;

impl Deployment<'_> {
    /// Makes byte files unreadable and unwritable for a while.
    pub(crate) fn hide_bytes(&self) -> Hidden {
        self.hide("bytes")
    }

    /// Makes data keys unavailable, and prevents new ones, for a while.
    pub(crate) fn hide_keys(&self) -> Hidden {
        self.hide("keys")
    }

    /// Deletes all data keys.
    pub(crate) fn lose_keys(&self) {
        for key in self.key_files() {
            std::fs::remove_file(key).unwrap();
        }
    }

    /// Deletes a data key.
    pub(crate) fn lose_key(&self, id: Uuid) {
        let key = self.folder.path().join("keys").join(format!("{id}.key"));
        std::fs::remove_file(key).unwrap();
    }

    /// Makes all data keys unreadable.
    pub(crate) fn damage_keys(&self) {
        for key in self.key_files() {
            std::fs::write(key, "damaged").unwrap();
        }
    }

    /// Leaves an empty folder at the mount point of the data keys.
    pub(crate) fn unmount_keys(&self) -> Hidden {
        let hidden = self.take_away("keys");
        std::fs::create_dir(&hidden.folder).unwrap();
        hidden
    }

    fn key_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.entries("keys");
        files.filter(|file| file.extension().is_some_and(|end| end == "key"))
    }

    /// Returns the files in a folder.
    pub(super) fn entries(&self, folder: &str) -> impl Iterator<Item = PathBuf> + use<> {
        let entries = std::fs::read_dir(self.folder.path().join(folder));
        let paths = entries.into_iter().flatten();
        let paths = paths.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_file())
    }

    fn hide(&self, name: &str) -> Hidden {
        let hidden = self.take_away(name);
        // A missing folder has no files that could fail to be removed.
        std::fs::write(&hidden.folder, "").unwrap();
        hidden
    }

    fn take_away(&self, name: &str) -> Hidden {
        let folder = self.folder.path();
        let hidden = Hidden {
            folder: folder.join(name),
            elsewhere: folder.join("hidden"),
        };
        std::fs::rename(&hidden.folder, &hidden.elsewhere).unwrap();
        hidden
    }

    /// Returns the ids of the byte files.
    pub(crate) fn byte_files(&self) -> HashSet<Uuid> {
        let names = self
            .entries("bytes")
            .map(|file| file.file_name().map(OsString::from));
        // A file being written has another name until it is complete.
        names
            .filter_map(|name| name.unwrap().into_string().unwrap().parse().ok())
            .collect()
    }

    /// Returns the number of documents and data keys in quarantine.
    pub(crate) fn quarantined(&self) -> (usize, usize) {
        let [documents, keys] = ["bytes/quarantine", "keys/quarantine"];
        (self.entries(documents).count(), self.entries(keys).count())
    }

    /// Returns the number of data keys.
    pub(crate) fn data_keys(&self) -> usize {
        self.key_files().count()
    }
}

/// A folder moved away.
pub(crate) struct Hidden {
    folder: PathBuf,
    elsewhere: PathBuf,
}

impl Hidden {
    /// Moves it back. Nothing may have been written in its place.
    pub(crate) fn restore(self) {
        if self.folder.is_dir() {
            std::fs::remove_dir(&self.folder).unwrap();
        } else {
            std::fs::remove_file(&self.folder).unwrap();
        }
        std::fs::rename(self.elsewhere, self.folder).unwrap();
    }
}
