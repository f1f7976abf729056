//! Restores a backup to storage shared by hosts.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ::bytes::Bytes;
use futures::future::try_join_all;
use uuid::Uuid;

use super::BackupError;
use super::copy::{content_of, copy_file, make_parent, read_whole, sync_folders_of};
use super::entry::{Entry, EntryPath};
use super::error::failed_to;
use super::filling::Filling;
use super::restore::{Backup, RestoreReport, changed};
use crate::blobs::{BlobError, Blobs};
use crate::files;
use crate::shared::{self, SharedOptions};

/// Files restored at the same time: each waits for a disk or an object store.
const AT_ONCE: usize = 8;

impl Backup {
    /// Fills an empty database and its document storage from the backup. The files beside the store
    /// go to `data`, a host's own folder. Until the call returns, no server opens the records.
    ///
    /// # Errors
    /// [`BackupError::DatabaseInUse`], [`BackupError::RestoreUnderWay`],
    /// [`BackupError::NotByMaster`]; a file that changes while it is read; an unavailable database
    /// or object store, or one of another deployment; I/O errors.
    pub async fn restore_shared(
        self,
        options: SharedOptions,
        data: &Path,
        hold: bool,
    ) -> Result<RestoreReport, BackupError> {
        if !self.manifest.is_by(&options.master) {
            return Err(BackupError::NotByMaster(self.folder));
        }
        let parts = shared::parts(options).await?;
        let mut filling = Filling::shared(&parts.engine, hold).await?;
        let backup = Arc::new(self);
        for entries in backup.manifest.entries.chunks(AT_ONCE) {
            filling.keep().await?;
            let restored = entries.iter().map(|entry| async {
                match entry.path {
                    EntryPath::Bytes(id) => backup.put(parts.files.blobs(), id, entry).await,
                    EntryPath::Key(id) => backup.put(parts.keys.blobs(), id, entry).await,
                    EntryPath::Records => Ok(()),
                    EntryPath::Beside(_) => backup.copy_beside(entry, data).await,
                }
            });
            try_join_all(restored).await?;
        }
        backup.sync_beside(data).await?;
        let missing = backup.fill(filling).await?;
        Ok(backup.report(true, hold, missing))
    }

    /// Copies a file that was beside the store. A partial copy of an earlier attempt is
    /// overwritten.
    async fn copy_beside(self: &Arc<Self>, entry: &Entry, data: &Path) -> Result<(), BackupError> {
        let [from, to] = [&self.folder, data].map(|folder| entry.path.in_folder(folder));
        let content = entry.content;
        files::blocking(move || {
            match content_of(&to)? {
                Some(there) if there == content => return Ok(()),
                Some(_) => fs::remove_file(&to).map_err(failed_to("remove", &to))?,
                None => make_parent(&to)?,
            }
            match copy_file(&from, &to)? == content {
                true => Ok(()),
                false => Err(changed(from)),
            }
        })
        .await
    }

    /// Makes the folder entries of the files beside the store durable.
    async fn sync_beside(self: &Arc<Self>, data: &Path) -> Result<(), BackupError> {
        let (backup, data) = (self.clone(), data.to_owned());
        files::blocking(move || {
            let entries = backup.manifest.entries.iter();
            let beside = entries.filter(|entry| matches!(entry.path, EntryPath::Beside(_)));
            sync_folders_of(&data, beside)
        })
        .await
    }

    /// Writes a file of the backup unchanged. A file written by an earlier attempt is kept.
    async fn put(
        self: &Arc<Self>,
        blobs: &Blobs,
        id: Uuid,
        entry: &Entry,
    ) -> Result<(), BackupError> {
        let path = entry.path.in_folder(&self.folder);
        let read = path.clone();
        let content = files::blocking(move || read_whole(&read)).await?;
        if content.1 != entry.content {
            return Err(changed(path));
        }
        let content: Bytes = content.0.into();
        match blobs.store().write(id, Box::new(content.clone())).await {
            Err(BlobError::Exists { .. }) if blobs.store().read(id).await? == Some(content) => {
                Ok(())
            }
            written => Ok(written?),
        }
    }
}
