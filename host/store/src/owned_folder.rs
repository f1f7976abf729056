//! Blobs in a folder of a single server, one file each.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ::bytes::Bytes;
use async_trait::async_trait;
use jiff::Timestamp;
use tokio::sync::RwLock;
use uuid::Uuid;

use crate::blobs::{
    BlobContent, BlobError, BlobStore, FolderFault, Hold, Listed, Part, Quarantine, failed_to,
};
use crate::files;
use crate::folder_sync::FolderSync;
use crate::mark::Mark;
use crate::quarantine::QuarantineFolder;

/// Files moved per period without removals.
const MOVED_AT_ONCE: usize = 256;
/// Most bytes read in place, like a value of the records: a data key, a short document, or a sealed
/// piece of a long one. They are nearly always cached, and waking another thread takes longer.
const READ_IN_PLACE: u64 = 65 * 1024;
/// Range of a whole file.
pub(crate) const WHOLE: Range<u64> = 0..u64::MAX;

/// Bytes written at once.
const WRITTEN_AT_ONCE: usize = 256 * 1024;

/// A folder of files, open in one process only, unless another keeps the quarantine.
#[derive(Clone, Debug)]
pub(crate) struct OwnedFolder {
    path: Arc<Path>,
    /// Suffix of a file's name, after the id.
    ending: &'static str,
    /// Mark that tells the folder from an empty mount point, if it has one.
    mark: Option<Mark>,
    /// The folder may be on a network, so that opening a file takes long.
    is_far: bool,
    entries: Arc<FolderSync>,
    quarantine: QuarantineFolder,
    /// Shared by removals. Held exclusively by moves to the quarantine or back, so that no file to
    /// be removed is missed, and by a backup at its end.
    removals: Arc<RwLock<()>>,
}

/// An open part of a file, not read yet.
struct OpenPart {
    file: File,
    path: PathBuf,
    start: u64,
    length: u64,
    /// Length of the whole file.
    whole: u64,
}

impl OpenPart {
    /// Reads the part. Blocks.
    fn read(self) -> Result<Part, BlobError> {
        let length = usize::try_from(self.length).expect("a part fits into memory");
        let bytes = files::read_at(&self.file, self.start, length);
        Ok(Part {
            bytes: bytes.map_err(failed_to("read", &self.path))?.into(),
            whole: self.whole,
        })
    }
}

impl OwnedFolder {
    /// Opens the folder, or creates it. Blocks.
    pub(crate) fn open(path: &Path, ending: &'static str) -> Result<Self, FolderFault> {
        files::create_folder(path).map_err(failed_to("create", path))?;
        Ok(Self {
            path: path.into(),
            ending,
            mark: None,
            is_far: false,
            entries: Arc::new(FolderSync::of(path)),
            quarantine: QuarantineFolder::of(path),
            removals: Arc::default(),
        })
    }

    /// Opens a folder that counts as missing without its mark.
    pub(crate) fn open_marked(path: &Path, ending: &'static str) -> Result<Self, FolderFault> {
        Ok(Self {
            mark: Some(Mark::of(path)),
            ..Self::open(path, ending)?
        })
    }

    /// Opens a folder of byte files shared by hosts, which counts as missing without the file
    /// `mark`.
    pub(crate) fn open_marked_by(path: &Path, mark: &Path) -> Result<Self, FolderFault> {
        Ok(Self {
            mark: Some(Mark::at(mark)),
            is_far: true,
            ..Self::open(path, "")?
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the ids of all finished files. Blocks.
    pub(crate) fn whole(&self) -> Result<Vec<Uuid>, FolderFault> {
        let failed = |source| failed_to("list", &self.path)(source);
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            ids.extend(name.to_str().and_then(|name| self.id_of(name)));
        }
        Ok(ids)
    }

    /// Returns the path of the file with this id, existing or not.
    pub(crate) fn file(&self, id: Uuid) -> PathBuf {
        self.path.join(self.name_of(id))
    }

    /// Returns the name of that file.
    pub(crate) fn name_of(&self, id: Uuid) -> String {
        format!("{id}{}", self.ending)
    }

    /// Returns the id of the file with this name.
    pub(crate) fn id_of(&self, name: &str) -> Option<Uuid> {
        Uuid::parse_str(name.strip_suffix(self.ending)?).ok()
    }

    /// Replaces the content of a file if it equals `from`. Blocks.
    fn replace_file(&self, id: Uuid, from: &[u8], to: &[u8]) -> Result<bool, BlobError> {
        let there = self.read_part(id, WHOLE)?;
        if there.is_none_or(|there| there.bytes[..] != *from) {
            return Ok(false);
        }
        let path = self.file(id);
        files::replace(&self.temporary(id), &path, [to])
            .and_then(|()| self.entries.sync())
            .map_err(failed_to("replace", &path))?;
        Ok(true)
    }

    fn unlink(&self, path: &Path) -> Result<bool, FolderFault> {
        let was_there = files::unlink(path).map_err(failed_to("remove", path))?;
        // The folder is synced even if the file was gone: a removal interrupted by a crash is
        // completed by the next attempt.
        self.entries.sync().map_err(failed_to("remove", path))?;
        Ok(was_there)
    }

    /// Creates the folder's mark, if it has one. Blocks.
    pub(crate) fn set_mark(&self) -> Result<(), FolderFault> {
        self.mark.as_ref().map_or(Ok(()), Mark::set)
    }

    /// Checks that the folder is present. Blocks.
    pub(crate) fn look_for(&self) -> Result<(), BlobError> {
        self.mark.as_ref().map_or(Ok(()), Mark::look_for)
    }

    /// Opens a file, if it exists. Blocks.
    fn open_file(&self, path: &Path) -> Result<Option<File>, BlobError> {
        match File::open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.look_for()?;
                Ok(None)
            }
            Err(error) => Err(failed_to("read", path)(error).into()),
        }
    }

    /// Opens a file for reading this range, if it exists. Blocks.
    fn open_part(&self, id: Uuid, range: Range<u64>) -> Result<Option<OpenPart>, BlobError> {
        let path = self.file(id);
        let Some(file) = self.open_file(&path)? else {
            return Ok(None);
        };
        let whole = file.metadata().map_err(failed_to("read", &path))?.len();
        let end = range.end.min(whole);
        Ok(Some(OpenPart {
            file,
            path,
            start: range.start,
            length: end.saturating_sub(range.start),
            whole,
        }))
    }

    /// Reads this range of a file, if it exists. Blocks.
    fn read_part(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError> {
        let opened = self.open_part(id, range)?;
        opened.map(OpenPart::read).transpose()
    }

    /// Like [`read_part`](Self::read_part), on this thread where that is fastest.
    async fn part(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError> {
        self.part_for(id, range, READ_IN_PLACE, |part| part).await
    }

    /// Reads this range of a file, if it exists, and passes it to `work`: on this thread if it has
    /// at most `in_place` bytes, otherwise both on one that may block.
    pub(crate) async fn part_for<T: Send + 'static>(
        &self,
        id: Uuid,
        range: Range<u64>,
        in_place: u64,
        work: impl FnOnce(Part) -> T + Send + 'static,
    ) -> Result<Option<T>, BlobError> {
        if self.is_far {
            let folder = self.clone();
            return files::blocking(move || Ok(folder.read_part(id, range)?.map(work))).await;
        }
        let Some(opened) = self.open_part(id, range)? else {
            return Ok(None);
        };
        let done = match opened.length <= in_place {
            true => opened.read().map(work),
            false => files::blocking(move || opened.read().map(work)).await,
        };
        done.map(Some)
    }

    /// Writes a new file, durable on return. Blocks.
    pub(crate) fn write_file(&self, id: Uuid, blob: &dyn BlobContent) -> Result<(), BlobError> {
        self.look_for()?;
        let (path, pieces) = (self.file(id), blob.pieces(WRITTEN_AT_ONCE));
        let written = files::write_and_rename(&self.temporary(id), &path, pieces)
            .and_then(|()| self.entries.sync());
        written.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => BlobError::Exists { id },
            _ => failed_to("write", &path)(source).into(),
        })
    }

    /// Interprets a name in the folder; `None` if it is not a blob's.
    fn listed(&self, entry: &fs::DirEntry) -> Option<Listed> {
        let name = entry.file_name();
        let name = name.to_str()?;
        let whole = self.id_of(name);
        let unfinished = || {
            let stem = name.strip_suffix(files::TEMPORARY)?.strip_suffix('.')?;
            Uuid::parse_str(stem).ok()
        };
        // A file whose time cannot be read, or that is gone meanwhile, counts as just written.
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let modified = modified.unwrap_or_else(|_| SystemTime::now());
        Some(Listed {
            id: whole.or_else(unfinished)?,
            rest: modified.elapsed().unwrap_or(Duration::ZERO),
            is_unfinished: whole.is_none(),
        })
    }

    fn temporary(&self, id: Uuid) -> PathBuf {
        self.path.join(format!("{id}.{}", files::TEMPORARY))
    }

    /// Moves files between the folder and its quarantine, in batches that exclude removals: a
    /// removal looks in both places.
    async fn move_each(
        &self,
        ids: &[Uuid],
        move_one: impl Fn(&Self, &Path) -> io::Result<bool> + Copy + Send + 'static,
    ) -> Result<usize, BlobError> {
        let mut moved = 0;
        for ids in ids.chunks(MOVED_AT_ONCE) {
            // Held until the move ends, even if its caller is gone.
            let alone = self.removals.clone().write_owned().await;
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

#[async_trait]
impl BlobStore for OwnedFolder {
    async fn write(&self, id: Uuid, blob: Box<dyn BlobContent>) -> Result<(), BlobError> {
        let folder = self.clone();
        files::blocking(move || folder.write_file(id, &*blob)).await
    }

    async fn replace(&self, id: Uuid, from: Bytes, to: Bytes) -> Result<bool, BlobError> {
        let alone = self.removals.clone().write_owned().await;
        let folder = self.clone();
        files::blocking(move || {
            let replaced = folder.replace_file(id, &from, &to);
            drop(alone);
            replaced
        })
        .await
    }

    async fn read(&self, id: Uuid) -> Result<Option<Bytes>, BlobError> {
        let whole = self.part(id, WHOLE).await?;
        Ok(whole.map(|whole| whole.bytes))
    }

    /// Reads all on one thread: waking one for each takes longer than reading a short file.
    async fn read_all(&self, ids: &[Uuid]) -> Vec<Result<Option<Bytes>, BlobError>> {
        let (folder, ids) = (self.clone(), ids.to_vec());
        files::blocking(move || {
            let read = ids.into_iter().map(|id| folder.read_part(id, WHOLE));
            read.map(|read| read.map(|whole| whole.map(|whole| whole.bytes)))
                .collect()
        })
        .await
    }

    async fn read_range(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError> {
        self.part(id, range).await
    }

    /// Returns 0: a removed file must not yield any more content.
    fn read_at_once(&self) -> u64 {
        0
    }

    async fn remove(&self, id: Uuid) -> Result<bool, BlobError> {
        let folder = self.clone();
        files::blocking(move || {
            // The rest of a replacement interrupted by a crash.
            let temporary = folder.temporary(id);
            files::unlink(&temporary).map_err(failed_to("remove", &temporary))?;
            Ok(folder.unlink(&folder.file(id))?)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<Listed>, BlobError> {
        let folder = self.clone();
        files::blocking(move || {
            let failed = |source| failed_to("list", &folder.path)(source);
            let mut listed = Vec::new();
            for entry in fs::read_dir(&folder.path).map_err(failed)? {
                listed.extend(folder.listed(&entry.map_err(failed)?));
            }
            Ok(listed)
        })
        .await
    }

    async fn ids(&self) -> Result<Vec<Uuid>, BlobError> {
        let folder = self.clone();
        files::blocking(move || Ok(folder.whole()?)).await
    }

    async fn remove_unfinished(&self, id: Uuid) -> Result<(), BlobError> {
        let folder = self.clone();
        files::blocking(move || {
            folder.unlink(&folder.temporary(id))?;
            Ok(())
        })
        .await
    }

    async fn check(&self) -> Result<(), BlobError> {
        let folder = self.clone();
        files::blocking(move || folder.look_for()).await
    }

    fn as_folder(&self) -> Option<&OwnedFolder> {
        Some(self)
    }
}

/// Quarantined files are moved to a subfolder.
#[async_trait]
impl Quarantine for OwnedFolder {
    async fn remove(&self, blobs: &dyn BlobStore, id: Uuid) -> Result<bool, BlobError> {
        let _removing = self.removals.read().await;
        let was_there = blobs.remove(id).await?;
        let folder = self.clone();
        let was_waiting = files::blocking(move || {
            let removed = folder.quarantine.remove(&folder.file(id));
            removed.map_err(failed_to("remove", folder.quarantine.path()))
        })
        .await?;
        if was_there || was_waiting {
            return Ok(true);
        }
        self.check().await?;
        Ok(false)
    }

    async fn put_away(&self, ids: &[Uuid], now: Timestamp) -> Result<usize, BlobError> {
        self.move_each(ids, move |folder, path| folder.quarantine.take(path, now))
            .await
    }

    async fn bring_back(&self, ids: &[Uuid]) -> Result<usize, BlobError> {
        self.move_each(ids, |folder, path| folder.quarantine.give_back(path))
            .await
    }

    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, BlobError> {
        let folder = self.clone();
        let listed = files::blocking(move || folder.quarantine.list()).await;
        let listed = listed.map_err(failed_to("list", self.quarantine.path()))?;
        let waiting = listed.into_iter();
        Ok(waiting
            .filter_map(|waiting| Some((self.id_of(&waiting.name)?, waiting.since)))
            .collect())
    }

    async fn close(&self) -> Result<(), BlobError> {
        let _alone = self.removals.write().await;
        let quarantine = self.quarantine.clone();
        let closed = files::blocking(move || quarantine.remove_if_empty()).await;
        Ok(closed.map_err(failed_to("remove", self.quarantine.path()))?)
    }

    async fn hold_removals(&self) -> Result<Hold, BlobError> {
        Ok(Box::new(self.removals.clone().write_owned().await))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_short_file_is_read_at_once_and_a_long_one_all_the_same() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = OwnedFolder::open(root.path(), "").expect("made");
        for length in [0, READ_IN_PLACE, READ_IN_PLACE + 1] {
            let id = Uuid::now_v7();
            let content = vec![7_u8; usize::try_from(length).expect("it is short")];
            let written = folder
                .write(id, Box::new(Bytes::from(content.clone())))
                .await;
            written.expect("written");

            let read = match length <= READ_IN_PLACE {
                true => folder.read(id).now_or_never().expect("at once"),
                false => folder.read(id).await,
            };

            assert_eq!(read.expect("read").expect("it is there"), content);
        }
    }
}
