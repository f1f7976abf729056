//! What a data folder keeps, as services work with it.

use std::io;
use std::sync::Arc;

use parafa_store::jobs::{self, ClaimedJob};
use parafa_store::keys::DataKey;
use parafa_store::{
    BoxFuture, ByteFiles, DataKeys, Folder, MasterKey, Store, StoreError, Table, Transaction,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::PlatformError;

/// The rows of a deployment and what they name. Clones share it.
#[derive(Clone)]
pub struct Records {
    /// The rows.
    pub store: Store,
    /// Large content.
    pub files: ByteFiles,
    /// The keys under which content and members of rows are sealed.
    pub keys: DataKeys,
    /// The key that these are wrapped under.
    pub master: Arc<MasterKey>,
}

/// Data keys and byte files that no row names any more and that are not known to
/// be gone.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct PendingDeletion {
    /// Data keys.
    pub data_keys: Vec<Uuid>,
    /// Byte files.
    pub byte_files: Vec<Uuid>,
}

impl From<Folder> for Records {
    fn from(folder: Folder) -> Self {
        let Folder {
            store,
            files,
            keys,
            master,
            ..
        } = folder;
        Self {
            store,
            files,
            keys,
            master,
        }
    }
}

impl Records {
    /// Runs a transaction over the rows, as [`Store::transact`] does.
    pub fn transact<'env, T, E, F>(&self, body: F) -> impl Future<Output = Result<T, E>>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send + Sync,
    {
        self.store.transact(body)
    }

    /// Reads rows, as [`Store::read`] does.
    pub fn read<'env, T, E, F>(&self, body: F) -> impl Future<Output = Result<T, E>>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> FnOnce(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send,
    {
        self.store.read(body)
    }

    /// Removes a job that is done, where nothing else is stored with that.
    ///
    /// # Errors
    /// As [`jobs::complete`].
    pub async fn complete(&self, job: &ClaimedJob) -> Result<(), StoreError> {
        self.transact(|tx| Box::pin(jobs::complete(tx, job))).await
    }

    /// Erases keys, then byte files, all that can be.
    ///
    /// # Errors
    /// The first failure.
    pub async fn delete(&self, pending: &PendingDeletion) -> Result<(), PlatformError> {
        let mut outcome = Ok(());
        for key in &pending.data_keys {
            let erased = self.keys.erase(*key).await;
            outcome = outcome.and(erased.map(|_| ()).map_err(PlatformError::from));
        }
        for file in &pending.byte_files {
            let unlinked = self.files.unlink(*file).await;
            outcome = outcome.and(unlinked.map(|_| ()).map_err(PlatformError::from));
        }
        outcome
    }

    /// Has a row forget what was to be removed with it, once all of that is gone.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn end_deletion<R: Table<Key = Uuid>>(
        &self,
        id: Uuid,
        forget: fn(&mut R),
    ) -> Result<(), PlatformError> {
        self.transact(|tx| {
            Box::pin(async move {
                if let Some(mut row) = tx.get::<R>(&id).await? {
                    forget(&mut row);
                    tx.put(&row).await?;
                }
                Ok::<_, PlatformError>(())
            })
        })
        .await
    }

    /// Bytes that are free for rows, files and keys on the fullest of the file systems
    /// that they are on; none where nobody can tell.
    ///
    /// # Errors
    /// When a file system does not tell.
    pub async fn free_space(&self) -> io::Result<Option<u64>> {
        let free = [
            self.store.free_space().await?,
            self.files.free_space().await?,
            self.keys.free_space().await?,
        ];
        Ok(free.into_iter().flatten().min())
    }

    /// Opens a data key.
    ///
    /// # Errors
    /// When it cannot be read; [`PlatformError::is_missing`] once it is erased.
    pub async fn data_key(&self, id: Uuid) -> Result<DataKey, PlatformError> {
        Ok(self.keys.open(id).await?)
    }

    /// Opens data keys, in their order, read together. Each may fail as of
    /// [`data_key`](Self::data_key).
    pub async fn data_keys(&self, ids: &[Uuid]) -> Vec<Result<DataKey, PlatformError>> {
        let opened = self.keys.open_all(ids).await.into_iter();
        opened.map(|key| key.map_err(PlatformError::from)).collect()
    }

    /// Removes bytes that have become nobody's. What cannot be removed now is
    /// swept later.
    pub async fn discard_bytes(&self, bytes: Uuid) {
        if let Err(error) = self.files.unlink(bytes).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "unreferenced bytes could not be removed");
        }
    }

    /// Erases a key that nothing was stored under.
    pub async fn discard_key(&self, id: Uuid) {
        if let Err(error) = self.keys.erase(id).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an unused data key could not be removed");
        }
    }
}
