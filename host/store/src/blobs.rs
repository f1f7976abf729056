//! Sealed bytes that are named by UUIDv7, each of which belongs to one row.
//!
//! A blob is written before the row that names it is committed, and removed after the commit that
//! ends the row. One that seems to be nobody's waits in quarantine before it is removed.

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

/// How much is read at once of a byte file that is read piece by piece, in bytes.
pub const READ_AHEAD_BYTES: u64 = 1024 * 1024;

/// Blobs that are read at the same time where each is read for itself.
const READ_AT_ONCE: usize = 16;

/// What keeps blobs.
#[async_trait]
pub(crate) trait BlobStore: fmt::Debug + Send + Sync {
    /// Keeps a blob that is not there yet, durably when this returns.
    async fn write(&self, id: Uuid, blob: Box<dyn BlobContent>) -> Result<(), BlobError>;

    /// Puts `to` in the place of a short blob, durably when this returns, if that is there and is
    /// `from`; tells whether it was. What is removed meanwhile does not come back. Only what keeps
    /// data keys can.
    async fn replace(&self, id: Uuid, _: Bytes, _: Bytes) -> Result<bool, BlobError> {
        Err(BlobError::Unavailable {
            reason: format!("{id} lies where nothing is replaced").into(),
        })
    }

    /// All of a blob, if it is there.
    async fn read(&self, id: Uuid) -> Result<Option<Bytes>, BlobError>;

    /// All of each of these blobs, which are short, in their order.
    async fn read_all(&self, ids: &[Uuid]) -> Vec<Result<Option<Bytes>, BlobError>> {
        let mut read = Vec::with_capacity(ids.len());
        for ids in ids.chunks(READ_AT_ONCE) {
            read.extend(join_all(ids.iter().map(|id| self.read(*id))).await);
        }
        read
    }

    /// What lies in this range of a blob, if it is there.
    async fn read_range(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError>;

    /// How many bytes are read at once by those who read a blob piece by piece.
    fn read_at_once(&self) -> u64;

    /// Removes a blob for good, durably when this returns; tells whether it was there.
    async fn remove(&self, id: Uuid) -> Result<bool, BlobError>;

    /// All blobs, and what was begun and not finished. Takes as long as there are many.
    async fn list(&self) -> Result<Vec<Listed>, BlobError>;

    /// The ids of all blobs that are whole. Takes as long as there are many.
    async fn ids(&self) -> Result<Vec<Uuid>, BlobError> {
        let listed = self.list().await?.into_iter();
        let whole = listed.filter(|listed| !listed.is_unfinished);
        Ok(whole.map(|listed| listed.id).collect())
    }

    /// Removes what was never finished, for good.
    async fn remove_unfinished(&self, id: Uuid) -> Result<(), BlobError>;

    /// Whether the place is there, so that a blob which is not in it is no more.
    async fn check(&self) -> Result<(), BlobError>;

    /// The folder that it is, if it is one.
    fn as_folder(&self) -> Option<&OwnedFolder> {
        None
    }
}

/// What a blob is to hold, sealed: the same each time that it is asked for.
pub(crate) trait BlobContent: Send + Sync {
    /// How long it is, in bytes.
    fn bytes(&self) -> usize;

    /// All of it from its beginning, in pieces of so many bytes; the last may be shorter. To make
    /// one may take long enough that others should not wait for it.
    fn pieces(&self, bytes: usize) -> Box<dyn Iterator<Item = Bytes> + Send>;

    /// All of it at once, with the same effort.
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

/// Removals of blobs, and the quarantine of those that seem to be nobody's. Whoever removes one
/// removes it also from there.
#[async_trait]
pub(crate) trait Quarantine: fmt::Debug + Send + Sync {
    /// Removes a blob for good, also one that waits; tells whether it was there.
    async fn remove(&self, blobs: &dyn BlobStore, id: Uuid) -> Result<bool, BlobError>;

    /// Puts these blobs into quarantine, durably; tells how many were there.
    async fn put_away(&self, ids: &[Uuid], now: Timestamp) -> Result<usize, BlobError>;

    /// Takes these blobs out of quarantine, durably; tells how many were there.
    async fn bring_back(&self, ids: &[Uuid]) -> Result<usize, BlobError>;

    /// What waits, and since when by the store's clock; not known where its time cannot be read.
    async fn waiting(&self) -> Result<Vec<(Uuid, Option<Timestamp>)>, BlobError>;

    /// Clears up after the last that waited.
    async fn close(&self) -> Result<(), BlobError>;

    /// Waits until nobody removes a blob, and lets nobody until the hold is dropped.
    async fn hold_removals(&self) -> Result<Hold, BlobError>;
}

/// A part of a blob.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What lies in the range that was asked for: less than that where the blob ends before.
    pub(crate) bytes: Bytes,
    /// Length of the whole blob, in bytes.
    pub(crate) whole: u64,
}

/// A blob in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) id: Uuid,
    /// For how long nobody has written it.
    pub(crate) rest: Duration,
    /// Whether it was never finished, and so is nobody's.
    pub(crate) is_unfinished: bool,
}

/// A time during which nobody removes a blob.
#[async_trait]
pub(crate) trait Held: Send + Sync {
    /// Makes sure that nobody has removed a blob since it began.
    async fn check(&self) -> Result<(), BlobError>;
}

/// Ends when it is dropped.
pub(crate) type Hold = Box<dyn Held>;

#[async_trait]
impl Held for OwnedRwLockWriteGuard<()> {
    async fn check(&self) -> Result<(), BlobError> {
        Ok(())
    }
}

/// What was asked of blobs and not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlobError {
    /// There is a blob with this id already.
    #[error("{id} already exists")]
    Exists { id: Uuid },
    /// The place is not where it belongs, and nothing is known of any blob.
    #[error("{path} is missing or not mounted")]
    Away { path: String },
    /// What keeps the blobs is away, or does not do what it is asked.
    #[error("{reason}")]
    Unavailable { reason: Arc<str> },
    /// A file operation failed.
    #[error(transparent)]
    Io(#[from] FolderFault),
}

/// A file operation that failed.
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

    /// Bytes that are free on the file system of the folder that it is, if it is one.
    pub(crate) async fn free_space(&self) -> io::Result<Option<u64>> {
        files::free_space(self.store.as_folder().map(OwnedFolder::path)).await
    }

    /// Removes a blob for good; tells whether it was there.
    pub(crate) async fn remove(&self, id: Uuid) -> Result<bool, BlobError> {
        self.quarantine.remove(self.store(), id).await
    }

    /// The ids of all blobs that are whole and do not wait in quarantine.
    pub(crate) async fn ids(&self) -> Result<Vec<Uuid>, BlobError> {
        let waiting = self.waiting_ids().await?;
        let mut ids = self.store.ids().await?;
        ids.retain(|id| !waiting.contains(id));
        Ok(ids)
    }

    /// All that does not wait in quarantine.
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
