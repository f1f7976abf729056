//! Quarantine of a folder: apparently orphaned files wait there before they are removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::files;
use crate::folder_sync::FolderSync;

/// Name of the subfolder. It is not an id's, so it is not taken for a file.
const NAME: &str = "quarantine";

/// A subfolder, so that moved files stay on their file system. It exists while it has files.
#[derive(Clone, Debug)]
pub(crate) struct QuarantineFolder {
    path: Arc<Path>,
    entries: Arc<FolderSync>,
}

/// A file in quarantine.
pub(crate) struct Waiting {
    pub(crate) name: String,
    /// Start of the quarantine, by the store's clock; `None` if the file's times cannot be read.
    pub(crate) since: Option<Timestamp>,
}

impl QuarantineFolder {
    pub(crate) fn of(folder: &Path) -> Self {
        let path = folder.join(NAME);
        Self {
            entries: Arc::new(FolderSync::of(&path)),
            path: path.into(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Lists its files.
    pub(crate) fn list(&self) -> io::Result<Vec<Waiting>> {
        let Some(entries) = files::if_there(fs::read_dir(&self.path))? else {
            return Ok(Vec::new());
        };
        let mut waiting = Vec::new();
        for entry in entries {
            let entry = entry?;
            let put = entry.metadata().and_then(|metadata| metadata.modified());
            let since = put.ok().and_then(|put| Timestamp::try_from(put).ok());
            if let Ok(name) = entry.file_name().into_string() {
                waiting.push(Waiting { name, since });
            }
        }
        Ok(waiting)
    }

    /// Creates it, unless it exists.
    pub(crate) fn make(&self) -> io::Result<()> {
        files::create_folder(&self.path)
    }

    /// Moves a file here; returns whether it existed. Durable after a [`sync`](Self::sync) here
    /// and of the folder that it comes from.
    pub(crate) fn take(&self, file: &Path, now: Timestamp) -> io::Result<bool> {
        let Some(opened) = files::if_there(File::open(file))? else {
            return Ok(false);
        };
        // A file's modification time is moved with it and survives a restart.
        opened.set_modified(SystemTime::from(now))?;
        let moved = files::if_there(fs::rename(file, self.place_of(file)))?;
        Ok(moved.is_some())
    }

    /// Moves a file back to its original path; returns whether it was here.
    pub(crate) fn give_back(&self, file: &Path) -> io::Result<bool> {
        let moved = files::if_there(fs::rename(self.place_of(file), file))?;
        Ok(moved.is_some())
    }

    /// Removes the file with this original path permanently; returns whether it was here.
    pub(crate) fn remove(&self, file: &Path) -> io::Result<bool> {
        let was_here = files::unlink(&self.place_of(file))?;
        // Synced even if the file was gone: a removal interrupted by a crash is completed by the
        // next attempt.
        self.sync()?;
        Ok(was_here)
    }

    /// Makes moves and removals durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        files::if_there(self.entries.sync()).map(|_| ())
    }

    pub(crate) fn remove_if_empty(&self) -> io::Result<()> {
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            removed => files::if_there(removed).map(|_| ()),
        }
    }

    fn place_of(&self, file: &Path) -> PathBuf {
        self.path.join(file.file_name().unwrap_or_default())
    }
}
