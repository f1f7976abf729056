//! Access of services to a deployment's records.

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

/// The rows of a deployment, with their files and keys. Clones share them.
#[derive(Clone)]
pub struct Records {
    /// The rows.
    pub store: Store,
    /// Large content.
    pub files: ByteFiles,
    /// Data keys, which seal content and members of rows.
    pub keys: DataKeys,
    /// The key that wraps these.
    pub master: Arc<MasterKey>,
}

/// Data keys and byte files that no row names any more, to be deleted.
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
    /// Runs a transaction over the rows; see [`Store::transact`].
    pub fn transact<'env, T, E, F>(&self, body: F) -> impl Future<Output = Result<T, E>>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> Fn(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send + Sync,
    {
        self.store.transact(body)
    }

    /// Reads rows; see [`Store::read`].
    pub fn read<'env, T, E, F>(&self, body: F) -> impl Future<Output = Result<T, E>>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: for<'t> FnOnce(&'t mut Transaction<'env>) -> BoxFuture<'t, Result<T, E>> + Send,
    {
        self.store.read(body)
    }

    /// Removes a finished job, where nothing else is stored in the same commit.
    ///
    /// # Errors
    /// As [`jobs::complete`].
    pub async fn complete(&self, job: &ClaimedJob) -> Result<(), StoreError> {
        self.transact(|tx| Box::pin(jobs::complete(tx, job))).await
    }

    /// Erases keys, then byte files; continues after failures.
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

    /// Clears a row's pending deletion, once all of it is done.
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

    /// Returns the free bytes for rows, files and keys on the fullest of their file
    /// systems; `None` where this is unknown.
    ///
    /// # Errors
    /// When a file system does not report it.
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

    /// Opens data keys, in order, with one read. Each may fail as in
    /// [`data_key`](Self::data_key).
    pub async fn data_keys(&self, ids: &[Uuid]) -> Vec<Result<DataKey, PlatformError>> {
        let opened = self.keys.open_all(ids).await.into_iter();
        opened.map(|key| key.map_err(PlatformError::from)).collect()
    }

    /// Removes orphaned bytes. If that fails, a later sweep removes them.
    pub async fn discard_bytes(&self, bytes: Uuid) {
        if let Err(error) = self.files.unlink(bytes).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "unreferenced bytes could not be removed");
        }
    }

    /// Erases a key under which nothing was stored.
    pub async fn discard_key(&self, id: Uuid) {
        if let Err(error) = self.keys.erase(id).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "an unused data key could not be removed");
        }
    }
}
