//! Storage shared by hosts: a database and perhaps an object store.

use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use self::bucket::{BucketBlobs, MARKER};
pub use self::look::look_at_objects;
use self::objects::Kind as Place;
pub use self::objects::{Objects, ObjectsError};
pub use crate::blobs::READ_AHEAD_BYTES;
use crate::blobs::{BlobError, BlobStore, Blobs, failed_to};
use crate::bytes::ByteFiles;
use crate::clock::Clock;
use crate::files;
use crate::folder::{Folder, FolderError};
use crate::keys::{DataKeys, MasterKey};
use crate::mark::Mark;
use crate::mode::StoreMode;
use crate::owned_folder::OwnedFolder;
use crate::postgres::{
    Database, Deployment, Kind, PostgresBlobs, PostgresEngine, SharedQuarantine,
};
use crate::store::Store;

mod bucket;
mod look;
mod objects;

/// Options for opening shared storage.
#[derive(Clone)]
pub struct SharedOptions {
    /// The open database.
    pub database: Database,
    /// Number of concurrent commits.
    pub committers: NonZeroU16,
    /// The database's clock, or one derived from it.
    pub clock: Arc<dyn Clock>,
    /// The master key, the same for all hosts.
    pub master: Arc<MasterKey>,
    /// The mode of the store.
    pub mode: StoreMode,
    /// Storage of the documents; `None` for the database. The data keys are in the database.
    pub objects: Option<Objects>,
}

/// Opens the storage; an empty database becomes a store of this mode and key.
///
/// # Errors
/// A database of the other mode or under another key, of a later schema, or unavailable; an object
/// store that is unavailable or belongs to another deployment.
pub async fn open(options: SharedOptions) -> Result<Folder, FolderError> {
    let (master, mode) = (options.master.clone(), options.mode);
    let Parts {
        engine,
        files,
        keys,
    } = parts(options).await?;
    let store = Store::open(Arc::new(engine), &master, mode).await?;
    Folder::of(store, files, keys).await
}

/// Shared storage, independent of the records' content.
pub(crate) struct Parts {
    pub(crate) engine: PostgresEngine,
    pub(crate) files: ByteFiles,
    pub(crate) keys: DataKeys,
}

/// Opens the engine of the records, and the storage of their content.
pub(crate) async fn parts(options: SharedOptions) -> Result<Parts, FolderError> {
    let database = options.database;
    let engine = PostgresEngine::new(database.clone(), options.committers, options.clock);
    let documents = documents(&database, options.objects).await?;
    let shared = |blobs, kind| Blobs::new(blobs, Arc::new(SharedQuarantine::new(&database, kind)));
    let keys = Arc::new(PostgresBlobs::new(&database, Kind::DataKey));
    Ok(Parts {
        engine,
        files: ByteFiles::of(shared(documents, Kind::ByteFile)),
        keys: DataKeys::of(shared(keys, Kind::DataKey), options.master),
    })
}

/// Opens the storage of the documents. Once settled, it cannot be another one.
async fn documents(
    database: &Database,
    objects: Option<Objects>,
) -> Result<Arc<dyn BlobStore>, FolderError> {
    let deployment = Deployment::of(database).await?;
    let wanted = wanted(objects.as_ref());
    refuse_elsewhere(&deployment, wanted)?;
    let is_new = deployment.documents.is_none();
    let (blobs, place, mark): (Arc<dyn BlobStore>, _, _) = match objects {
        None => (
            Arc::new(PostgresBlobs::new(database, Kind::ByteFile)),
            String::new(),
            Some(deployment.id.to_string()),
        ),
        Some(Objects(Place::Folder(folder))) => {
            let place = folder.display().to_string();
            let marked = folder.clone();
            let mark = files::blocking(move || mark_of(&marked, is_new.then_some(deployment.id)));
            let mark = mark.await.map_err(ObjectsError::from)?;
            let blobs = OwnedFolder::open_marked_by(&folder.join("bytes"), &folder.join(MARKER));
            let blobs = blobs.map_err(|fault| ObjectsError::from(BlobError::from(fault)))?;
            (Arc::new(blobs), place, mark)
        }
        Some(Objects(Place::Bucket(bucket))) => {
            let place = bucket.url.clone();
            let blobs = BucketBlobs::of(bucket);
            let mark = match is_new {
                true => Some(blobs.mark(deployment.id).await?),
                false => blobs.marked_as().await?,
            };
            (Arc::new(blobs), place, mark)
        }
    };
    check_mark(mark, &deployment, place)?;
    if is_new {
        refuse_elsewhere(&Deployment::settle(database, wanted).await?, wanted)?;
    }
    Ok(blobs)
}

/// Returns the name of the wanted storage.
fn wanted(objects: Option<&Objects>) -> &'static str {
    match objects {
        None => "the database",
        Some(Objects(Place::Folder(_))) => "a folder",
        Some(Objects(Place::Bucket(_))) => "a bucket",
    }
}

/// Refuses storage with a mark other than the deployment's.
fn check_mark(
    mark: Option<String>,
    deployment: &Deployment,
    place: String,
) -> Result<(), ObjectsError> {
    let marker = MARKER;
    match mark {
        None => Err(ObjectsError::Unmarked { place, marker }),
        Some(mark) if mark != deployment.id.to_string() => {
            Err(ObjectsError::OtherDeployment { place })
        }
        Some(_) => Ok(()),
    }
}

fn refuse_elsewhere(deployment: &Deployment, wanted: &'static str) -> Result<(), ObjectsError> {
    match &deployment.documents {
        Some(settled) if settled != wanted => Err(ObjectsError::Elsewhere {
            settled: settled.clone(),
            wanted,
        }),
        _ => Ok(()),
    }
}

/// Returns the mark of a folder; creates it if the folder is to be a new deployment's. Blocks.
fn mark_of(folder: &Path, new: Option<Uuid>) -> Result<Option<String>, BlobError> {
    let path = folder.join(MARKER);
    if let Some(deployment) = new {
        files::create_folder(folder).map_err(failed_to("create", folder))?;
        Mark::at(&path).set_text(&deployment.to_string())?;
    }
    let mark = files::if_there(std::fs::read_to_string(&path)).map_err(failed_to("read", &path))?;
    Ok(mark.map(|mark| mark.trim().to_owned()))
}

impl From<BlobError> for ObjectsError {
    fn from(error: BlobError) -> Self {
        Self::Unavailable {
            reason: error.to_string(),
        }
    }
}
