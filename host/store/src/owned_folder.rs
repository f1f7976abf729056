//! A folder of files that are named by UUIDv7, each of which belongs to one row.
//!
//! A file is written before the row that names it is committed, and removed after the commit
//! that ends the row. One that seems to be nobody's waits in quarantine before it is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock};
use uuid::Uuid;

use crate::files;
use crate::folder_sync::FolderSync;
use crate::quarantine::Quarantine;
use crate::sweep;

/// Files that are moved while removals wait.
const MOVED_AT_ONCE: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct OwnedFolder {
    path: Arc<Path>,
    /// What follows the id in the name of a file.
    ending: &'static str,
    entries: Arc<FolderSync>,
    quarantine: Quarantine,
    /// Shared by those who remove files; held alone by whoever moves some to the quarantine or
    /// back, so that nothing is missed that is to be removed, and by a backup at its end.
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
            quarantine: Quarantine::of(path),
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

    /// Removes a file for good, also one that waits in quarantine; tells whether it was there.
    pub(crate) async fn remove(&self, id: Uuid) -> Result<bool, FolderFault> {
        let _removing = self.removals.read().await;
        let folder = self.clone();
        files::blocking(move || {
            let path = folder.file(id);
            let was_there = folder.unlink(&path)?;
            let was_waiting = folder.quarantine.remove(&path);
            Ok(was_there | was_waiting.map_err(failed_to("remove", folder.quarantine.path()))?)
        })
        .await
    }

    /// Removes what was never finished, for good.
    pub(crate) async fn remove_half_written(&self, path: PathBuf) -> Result<(), FolderFault> {
        let _removing = self.removals.read().await;
        let folder = self.clone();
        files::blocking(move || folder.unlink(&path).map(|_| ())).await
    }

    /// Moves these files to the quarantine, durably; tells how many were there.
    pub(crate) async fn quarantine(
        &self,
        ids: &[Uuid],
        now: Timestamp,
    ) -> Result<usize, FolderFault> {
        self.move_each(ids, move |folder, path| folder.quarantine.take(path, now))
            .await
    }

    /// Moves these files from the quarantine back to where they belong, durably; tells how many
    /// were there.
    pub(crate) async fn bring_back(&self, ids: &[Uuid]) -> Result<usize, FolderFault> {
        self.move_each(ids, |folder, path| folder.quarantine.give_back(path))
            .await
    }

    /// Removes the quarantine if nothing is in it.
    pub(crate) async fn close_quarantine(&self) -> Result<(), FolderFault> {
        let _alone = self.hold_removals().await;
        let quarantine = self.quarantine.clone();
        let closed = files::blocking(move || quarantine.remove_if_empty()).await;
        closed.map_err(failed_to("remove", self.quarantine.path()))
    }

    /// What is in quarantine, and since when. Blocks on it.
    pub(crate) fn quarantined(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, FolderFault> {
        let listed = self.quarantine.list();
        let listed = listed.map_err(failed_to("list", self.quarantine.path()))?;
        let waiting = listed.into_iter();
        Ok(waiting
            .filter_map(|waiting| Some((self.id_of(&waiting.name)?, waiting.since)))
            .collect())
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
            ids.extend(name.to_str().and_then(|name| self.id_of(name)));
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

    /// The id of the file with this name.
    pub(crate) fn id_of(&self, name: &str) -> Option<Uuid> {
        Uuid::parse_str(name.strip_suffix(self.ending)?).ok()
    }

    fn unlink(&self, path: &Path) -> Result<bool, FolderFault> {
        let was_there = files::unlink(path).map_err(failed_to("remove", path))?;
        // Also where it was gone: a removal cut short by a crash is completed by the next try.
        self.entries.sync().map_err(failed_to("remove", path))?;
        Ok(was_there)
    }

    /// Moves files between the folder and its quarantine, some at a time, while nobody removes
    /// any: who is to remove one looks in both places.
    async fn move_each(
        &self,
        ids: &[Uuid],
        move_one: impl Fn(&Self, &Path) -> io::Result<bool> + Copy + Send + 'static,
    ) -> Result<usize, FolderFault> {
        let mut moved = 0;
        for ids in ids.chunks(MOVED_AT_ONCE) {
            // As long as it goes on, also if nobody waits for it any more.
            let alone = self.hold_removals().await;
            let (folder, ids) = (self.clone(), ids.to_vec());
            let move_some = move || {
                let moved = folder.move_some(&ids, move_one);
                drop(alone);
                moved
            };
            moved += files::blocking(move_some).await?;
        }
        Ok(moved)
    }

    fn move_some(
        &self,
        ids: &[Uuid],
        move_one: impl Fn(&Self, &Path) -> io::Result<bool>,
    ) -> Result<usize, FolderFault> {
        let quarantine = self.quarantine.path();
        self.quarantine
            .make()
            .map_err(failed_to("create", quarantine))?;
        let mut moved = 0;
        for id in ids {
            let path = self.file(*id);
            moved += usize::from(move_one(self, &path).map_err(failed_to("move", &path))?);
        }
        self.quarantine
            .sync()
            .map_err(failed_to("sync", quarantine))?;
        self.entries.sync().map_err(failed_to("sync", &self.path))?;
        Ok(moved)
    }
}

pub(crate) fn failed_to<'p>(
    action: &'static str,
    path: &'p Path,
) -> impl FnOnce(io::Error) -> FolderFault + 'p {
    move |source| FolderFault {
        action,
        path: path.to_owned(),
        source,
    }
}
