//! Blobs: sealed bytes named by UUIDv7. Each blob belongs to one row.
//!
//! A blob is written before the row that names it is committed, and removed after the commit that
//! ends the row. A blob that appears orphaned waits in quarantine before it is removed.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::bytes::Bytes;
use async_trait::async_trait;
use futures::future::join_all;
use jiff::Timestamp;
use tokio::sync::OwnedRwLockWriteGuard;
use uuid::Uuid;

use crate::files;
use crate::owned_folder::OwnedFolder;

/// Read-ahead of byte files that are read in pieces, in bytes.
pub const READ_AHEAD_BYTES: u64 = 1024 * 1024;

/// Blobs read at the same time by stores without a bulk read.
const READ_AT_ONCE: usize = 16;

/// Storage of blobs.
#[async_trait]
pub(crate) trait BlobStore: fmt::Debug + Send + Sync {
    /// Writes a new blob, durable on return.
    async fn write(&self, id: Uuid, blob: Box<dyn BlobContent>) -> Result<(), BlobError>;

    /// Replaces a short blob by `to`, durable on return, if its content is `from`; returns whether
    /// it was. A blob removed meanwhile stays removed. Only stores of data keys support this.
    async fn replace(&self, id: Uuid, _: Bytes, _: Bytes) -> Result<bool, BlobError> {
        Err(BlobError::Unavailable {
            reason: format!("{id} lies where nothing is replaced").into(),
        })
    }

    /// Returns a whole blob, if it exists.
    async fn read(&self, id: Uuid) -> Result<Option<Bytes>, BlobError>;

    /// Returns these short blobs whole, in order.
    async fn read_all(&self, ids: &[Uuid]) -> Vec<Result<Option<Bytes>, BlobError>> {
        let mut read = Vec::with_capacity(ids.len());
        for ids in ids.chunks(READ_AT_ONCE) {
            read.extend(join_all(ids.iter().map(|id| self.read(*id))).await);
        }
        read
    }

    /// Returns this range of a blob, if it exists.
    async fn read_range(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError>;

    /// Returns the read-ahead for blobs that are read in pieces, in bytes.
    fn read_at_once(&self) -> u64;

    /// Removes a blob permanently, durable on return; returns whether it existed.
    async fn remove(&self, id: Uuid) -> Result<bool, BlobError>;

    /// Lists all blobs, including unfinished ones. Its duration grows with their number.
    async fn list(&self) -> Result<Vec<Listed>, BlobError>;

    /// Returns the ids of all finished blobs. Its duration grows with their number.
    async fn ids(&self) -> Result<Vec<Uuid>, BlobError> {
        let listed = self.list().await?.into_iter();
        let whole = listed.filter(|listed| !listed.is_unfinished);
        Ok(whole.map(|listed| listed.id).collect())
    }

    /// Removes an unfinished blob permanently.
    async fn remove_unfinished(&self, id: Uuid) -> Result<(), BlobError>;

    /// Checks that the storage is available, so that a blob not found is known not to exist.
    async fn check(&self) -> Result<(), BlobError>;

    /// Returns the folder, if the storage is one.
    fn as_folder(&self) -> Option<&OwnedFolder> {
        None
    }
}

/// Sealed content of a blob: the same on every call.
pub(crate) trait BlobContent: Send + Sync {
    /// Returns its length in bytes.
    fn bytes(&self) -> usize;

    /// Returns the content in pieces of this length; the last may be shorter. Making a piece may
    /// take long enough to need a thread of its own.
    fn pieces(&self, bytes: usize) -> Box<dyn Iterator<Item = Bytes> + Send>;

    /// Returns the whole content at once, with the same effort.
    fn whole(&self) -> Bytes {
        self.pieces(self.bytes().max(1)).next().unwrap_or_default()
    }
}

impl BlobContent for Bytes {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn pieces(&self, bytes: usize) -> Box<dyn Iterator<Item = Bytes> + Send> {
        let mut rest = self.clone();
        Box::new(iter::from_fn(move || {
            let piece = rest.split_to(rest.len().min(bytes));
            (!piece.is_empty()).then_some(piece)
        }))
    }
}

/// Removals of blobs, and the quarantine of apparently orphaned ones. A removal also removes a
/// blob from the quarantine.
#[async_trait]
pub(crate) trait Quarantine: fmt::Debug + Send + Sync {
    /// Removes a blob permanently, also from the quarantine; returns whether it existed.
    async fn remove(&self, blobs: &dyn BlobStore, id: Uuid) -> Result<bool, BlobError>;

    /// Puts these blobs into quarantine, durably; returns how many existed.
    async fn put_away(&self, ids: &[Uuid], now: Timestamp) -> Result<usize, BlobError>;

    /// Takes these blobs out of quarantine, durably; returns how many existed.
    async fn bring_back(&self, ids: &[Uuid]) -> Result<usize, BlobError>;

    /// Returns the quarantined blobs with the time since which they wait, by the store's clock;
    /// `None` if that is unreadable.
    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, BlobError>;

    /// Cleans up an empty quarantine.
    async fn close(&self) -> Result<(), BlobError>;

    /// Waits for running removals and blocks new ones until the hold is dropped.
    async fn hold_removals(&self) -> Result<Hold, BlobError>;
}

/// A part of a blob.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Bytes of the requested range: fewer where the blob ends earlier.
    pub(crate) bytes: Bytes,
    /// Length of the whole blob, in bytes.
    pub(crate) whole: u64,
}

/// A blob in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) id: Uuid,
    /// Time since the last write.
    pub(crate) rest: Duration,
    /// The blob was never finished, so it has no owner.
    pub(crate) is_unfinished: bool,
}

/// A period without removals of blobs.
#[async_trait]
pub(crate) trait Held: Send + Sync {
    /// Checks that no blob was removed since the hold began.
    async fn check(&self) -> Result<(), BlobError>;
}

/// A hold on removals; ends when dropped.
pub(crate) type Hold = Box<dyn Held>;

#[async_trait]
impl Held for OwnedRwLockWriteGuard<()> {
    async fn check(&self) -> Result<(), BlobError> {
        Ok(())
    }
}

/// Failure of an operation on blobs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlobError {
    /// A blob with this id already exists.
    #[error("{id} already exists")]
    Exists { id: Uuid },
    /// The storage is not in its place; nothing is known about any blob.
    #[error("{path} is missing or not mounted")]
    Away { path: String },
    /// The storage is unavailable or failed.
    #[error("{reason}")]
    Unavailable { reason: Arc<str> },
    /// A file operation failed.
    #[error(transparent)]
    Io(#[from] FolderFault),
}

/// A failed file operation.
#[derive(Debug, thiserror::Error)]
#[error("could not {action} {}", path.display())]
pub(crate) struct FolderFault {
    pub(crate) action: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
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

/// Blobs of one kind, with their quarantine.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    store: Arc<dyn BlobStore>,
    quarantine: Arc<dyn Quarantine>,
}

impl Blobs {
    pub(crate) fn new(store: Arc<dyn BlobStore>, quarantine: Arc<dyn Quarantine>) -> Self {
        Self { store, quarantine }
    }

    pub(crate) fn in_folder(folder: OwnedFolder) -> Self {
        let folder = Arc::new(folder);
        Self::new(folder.clone(), folder)
    }

    pub(crate) fn store(&self) -> &dyn BlobStore {
        &*self.store
    }

    pub(crate) fn quarantine(&self) -> &dyn Quarantine {
        &*self.quarantine
    }

    /// Returns the free bytes on the file system of the folder, if the storage is one.
    pub(crate) async fn free_space(&self) -> io::Result<Option<u64>> {
        files::free_space(self.store.as_folder().map(OwnedFolder::path)).await
    }

    /// Removes a blob permanently; returns whether it existed.
    pub(crate) async fn remove(&self, id: Uuid) -> Result<bool, BlobError> {
        self.quarantine.remove(self.store(), id).await
    }

    /// Returns the ids of all finished blobs outside the quarantine.
    pub(crate) async fn ids(&self) -> Result<Vec<Uuid>, BlobError> {
        let waiting = self.waiting_ids().await?;
        let mut ids = self.store.ids().await?;
        ids.retain(|id| !waiting.contains(id));
        Ok(ids)
    }

    /// Lists all blobs outside the quarantine.
    pub(crate) async fn listed(&self) -> Result<Vec<Listed>, BlobError> {
        let waiting = self.waiting_ids().await?;
        let mut listed = self.store.list().await?;
        listed.retain(|listed| listed.is_unfinished || !waiting.contains(&listed.id));
        Ok(listed)
    }

    async fn waiting_ids(&self) -> Result<HashSet<Uuid>, BlobError> {
        let waiting = self.quarantine.waiting().await?.into_iter();
        Ok(waiting.map(|(id, _)| id).collect())
    }
}
