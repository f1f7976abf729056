//! A folder of files that are named by UUIDv7, each of which belongs to one row.
//!
//! A file is written before the row that names it is committed, and removed after the commit
//! that ends the row.

use std::collections::HashSet;
use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock};
use uuid::Uuid;

use crate::files;
use crate::folder_sync::FolderSync;
use crate::sweep;

/// Most files about which a sweep asks at once.
const BATCH: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct OwnedFolder {
    path: Arc<Path>,
    /// What follows the id in the name of a file.
    ending: &'static str,
    entries: Arc<FolderSync>,
    /// Shared by those who remove files, held alone by a backup at its end.
    removals: Arc<RwLock<()>>,
}

/// A file operation that failed.
#[derive(Debug)]
pub(crate) struct FolderFault {
    pub(crate) action: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl OwnedFolder {
    /// Opens the folder, or makes it. Blocks on it.
    pub(crate) fn open(path: &Path, ending: &'static str) -> Result<Self, FolderFault> {
        files::create_folder(path).map_err(failed_to("create", path))?;
        Ok(Self {
            path: path.into(),
            ending,
            entries: Arc::new(FolderSync::of(path)),
            removals: Arc::default(),
        })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that is not there yet, durably. Blocks on it.
    pub(crate) fn write(&self, id: Uuid, content: &[u8]) -> Result<(), FolderFault> {
        let path = self.file(id);
        let temporary = self.path.join(format!("{id}.{}", sweep::TEMPORARY));
        files::write_and_rename(&temporary, &path, content)
            .and_then(|()| self.entries.sync())
            .map_err(failed_to("write", &path))
    }

    /// The content of a file, if it is there. Blocks on it.
    pub(crate) fn read(&self, id: Uuid) -> Result<Option<Vec<u8>>, FolderFault> {
        let path = self.file(id);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(failed_to("read", &path)),
        }
    }

    /// Removes a file for good; tells whether it was there.
    pub(crate) async fn remove(&self, id: Uuid) -> Result<bool, FolderFault> {
        self.remove_file(self.file(id)).await
    }

    /// Removes the files that are old (see [`sweep::old_files`]) and that `owned` does not pick
    /// from their ids; tells how many.
    pub(crate) async fn sweep<F, Fut, E>(
        &self,
        since: Option<Timestamp>,
        now: Timestamp,
        owned: F,
        failed: impl Fn(FolderFault) -> E,
    ) -> Result<usize, E>
    where
        F: Fn(Vec<Uuid>) -> Fut,
        Fut: Future<Output = Result<HashSet<Uuid>, E>>,
    {
        let listed = self.path.clone();
        let old = files::blocking(move || sweep::old_files(&listed, since, now)).await;
        let old = old
            .map_err(failed_to("list", &self.path))
            .map_err(&failed)?;
        let mut removed = 0;
        for batch in old.chunks(BATCH) {
            let owned = owned(batch.iter().map(|file| file.id).collect()).await?;
            for file in batch {
                if file.is_temporary || !owned.contains(&file.id) {
                    let gone = self.remove_file(file.path.clone()).await;
                    gone.map_err(&failed)?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    /// Waits until nobody removes a file, and lets nobody until the guard is dropped.
    pub(crate) async fn hold_removals(&self) -> OwnedRwLockWriteGuard<()> {
        self.removals.clone().write_owned().await
    }

    /// The ids of all files that are whole. Blocks on the folder.
    pub(crate) fn ids(&self) -> Result<Vec<Uuid>, FolderFault> {
        let failed = |source| failed_to("list", &self.path)(source);
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let id = name
                .to_str()
                .and_then(|name| name.strip_suffix(self.ending));
            ids.extend(id.and_then(|id| Uuid::parse_str(id).ok()));
        }
        Ok(ids)
    }

    /// Where the file with this id is, or would be.
    pub(crate) fn file(&self, id: Uuid) -> PathBuf {
        self.path.join(self.name_of(id))
    }

    /// Its name in the folder.
    pub(crate) fn name_of(&self, id: Uuid) -> String {
        format!("{id}{}", self.ending)
    }

    async fn remove_file(&self, path: PathBuf) -> Result<bool, FolderFault> {
        let _removing = self.removals.read().await;
        let entries = self.entries.clone();
        files::blocking(move || {
            let was_there = files::unlink(&path).map_err(failed_to("remove", &path))?;
            // Also where it was gone: a removal cut short by a crash is completed by the next try.
            entries.sync().map_err(failed_to("remove", &path))?;
            Ok(was_there)
        })
        .await
    }
}

fn failed_to<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> FolderFault + 'p {
    move |source| FolderFault {
        action,
        path: path.to_owned(),
        source,
    }
}
