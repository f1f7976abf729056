//! Where the files of a folder wait that seem to be nobody's, before they are removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::files;
use crate::folder_sync::FolderSync;

/// Its name in the folder. No id is written so, and so nobody takes it for a file.
const NAME: &str = "quarantine";

/// A folder in the folder, so that whatever is moved stays on its file system. It is there as
/// long as something is in it.
#[derive(Clone, Debug)]
pub(crate) struct QuarantineFolder {
    path: Arc<Path>,
    entries: Arc<FolderSync>,
}

/// A file in quarantine.
pub(crate) struct Waiting {
    pub(crate) name: String,
    /// When it was put there, by the store's clock; not known where its times cannot be read.
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

    /// What is in it.
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

    /// Makes it, if it is not there.
    pub(crate) fn make(&self) -> io::Result<()> {
        files::create_folder(&self.path)
    }

    /// Moves a file here; tells whether it was there. Durable after a [`sync`](Self::sync) here
    /// and one of the folder that it comes from.
    pub(crate) fn take(&self, file: &Path, now: Timestamp) -> io::Result<bool> {
        let Some(opened) = files::if_there(File::open(file))? else {
            return Ok(false);
        };
        // What the time of a file says moves along with it, and is there after a restart.
        opened.set_modified(SystemTime::from(now))?;
        let moved = files::if_there(fs::rename(file, self.place_of(file)))?;
        Ok(moved.is_some())
    }

    /// Moves a file back to where it was taken from; tells whether it was here.
    pub(crate) fn give_back(&self, file: &Path) -> io::Result<bool> {
        let moved = files::if_there(fs::rename(self.place_of(file), file))?;
        Ok(moved.is_some())
    }

    /// Removes the file that was taken from there, if it is here, for good; tells whether it was.
    pub(crate) fn remove(&self, file: &Path) -> io::Result<bool> {
        let was_here = files::unlink(&self.place_of(file))?;
        // Also where it was gone: a removal cut short by a crash is completed by the next try.
        self.sync()?;
        Ok(was_here)
    }

    /// Makes durable what was moved and removed.
    pub(crate) fn sync(&self) -> io::Result<()> {
        files::if_there(self.entries.sync()).map(|_| ())
    }

    /// Removes it if nothing is in it.
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
