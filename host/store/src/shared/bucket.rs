//! Blobs in an object store with the protocol of Amazon S3.
//!
//! ```text
//! PREFIX/parafa-deployment    the deployment that owns the documents
//! PREFIX/bytes/ID             the blobs
//! PREFIX/uploads/ID           the id of a multipart upload in progress
//! ```

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use ::bytes::Bytes;
use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload,
};
use parafa_traces::TARGET;
use tracing::field::Empty;
use tracing::{Instrument, info_span};
use uuid::Uuid;

use super::objects::{self, ObjectsError};
use crate::blobs::{BlobContent, BlobError, BlobStore, Listed, Part, READ_AHEAD_BYTES};
use crate::files;

/// Name of the object that identifies the owning deployment.
pub(super) const MARKER: &str = "parafa-deployment";
/// Time that an answer may take, and the extra time for each mebibyte sent or read.
const PATIENCE: Duration = Duration::from_secs(8);
const PATIENCE_FOR_A_MEBIBYTE: Duration = Duration::from_secs(1);
/// Length above which blobs are sent in parts.
const SENT_AT_ONCE: usize = 16 * 1024 * 1024;
/// Length of every part except the last, in bytes.
const PART_BYTES: usize = 8 * 1024 * 1024;
/// Parts sent at the same time.
const PARTS_AT_ONCE: usize = 4;

/// Blobs in a bucket, below a prefix.
pub(super) struct BucketBlobs {
    store: AmazonS3,
    url: String,
    prefix: Path,
    is_away: AtomicBool,
}

impl BucketBlobs {
    pub(super) fn of(bucket: objects::Bucket) -> Self {
        Self {
            store: bucket.store,
            url: bucket.url,
            prefix: bucket.prefix,
            is_away: AtomicBool::new(false),
        }
    }

    /// Marks the bucket as a deployment's, unless it has a mark; returns its mark.
    pub(super) async fn mark(&self, deployment: Uuid) -> Result<String, ObjectsError> {
        // Read first: a store that ignores conditions would overwrite it.
        let mut mark = self.marked_as().await?;
        if mark.is_none() {
            self.put_mark(deployment).await?;
            mark = self.marked_as().await?;
        }
        let mark = mark.ok_or_else(|| ObjectsError::Unmarked {
            place: self.url.clone(),
            marker: MARKER,
        })?;
        if mark == deployment.to_string() && self.put_mark(deployment).await? {
            return Err(self.without_conditions());
        }
        Ok(mark)
    }

    /// Creates the mark unless there is one; returns whether it did.
    async fn put_mark(&self, deployment: Uuid) -> Result<bool, ObjectsError> {
        let payload = deployment.to_string().into_bytes().into();
        match self.put_new(&self.marker(), payload, 0).await {
            Ok(version) => {
                if version.is_some() {
                    tracing::warn!(
                        bucket = self.url,
                        "the bucket keeps old versions of its objects, also of erased ones, in sealed form: turn versioning off, or let old versions expire"
                    );
                }
                Ok(true)
            }
            Err(Failure::Store(Error::AlreadyExists { .. })) => Ok(false),
            Err(Failure::Store(error)) if error.to_string().contains("501 Not Implemented") => {
                Err(self.without_conditions())
            }
            Err(failure) => Err(self.unavailable(failure).into()),
        }
    }

    fn without_conditions(&self) -> ObjectsError {
        ObjectsError::WithoutConditions {
            place: self.url.clone(),
        }
    }

    /// Returns the mark of the bucket, if it has one.
    pub(super) async fn marked_as(&self) -> Result<Option<String>, ObjectsError> {
        let mark = self.get(&self.marker()).await?;
        Ok(mark.map(|mark| String::from_utf8_lossy(&mark).trim().to_owned()))
    }

    /// Checks that the bucket exists and is readable, which a missing object does not show.
    pub(super) async fn look_for(&self) -> Result<(), BlobError> {
        self.list_below("uploads").await.map(drop)
    }

    fn marker(&self) -> Path {
        self.prefix.clone().join(MARKER)
    }

    fn blob(&self, id: Uuid) -> Path {
        self.prefix.clone().join("bytes").join(id.to_string())
    }

    fn upload(&self, id: Uuid) -> Path {
        self.prefix.clone().join("uploads").join(id.to_string())
    }

    /// Returns a whole object, if it exists.
    async fn get(&self, path: &Path) -> Result<Option<Bytes>, BlobError> {
        let found = answered("get", 0, self.store.get(path)).await;
        let Some(found) = self.if_there(found)? else {
            return Ok(None);
        };
        let bytes = found.meta.size;
        let read = answered("read", bytes, found.bytes()).await;
        self.if_there(read)
    }

    async fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, BlobError> {
        self.if_there(answered("head", 0, self.store.head(path)).await)
    }

    /// Creates a new object; returns its version, in a bucket with versions.
    async fn put_new(
        &self,
        path: &Path,
        payload: PutPayload,
        bytes: usize,
    ) -> Result<Option<String>, Failure> {
        let put = |mode: PutMode| self.store.put_opts(path, payload.clone(), mode.into());
        let done = answered("put", bytes as u64, async {
            match put(PutMode::Create).await {
                // The object may have been created: if it was, the second attempt finds it.
                Err(error) if is_of_connection(&error) => put(PutMode::Create).await,
                // Configured so for a store without conditional writes.
                Err(Error::NotImplemented { .. }) => match self.store.head(path).await {
                    Ok(_) => Err(Error::AlreadyExists {
                        path: path.to_string(),
                        source: "it is there".into(),
                    }),
                    Err(Error::NotFound { .. }) => put(PutMode::Overwrite).await,
                    Err(error) => Err(error),
                },
                done => done,
            }
        });
        Ok(done.await?.version)
    }

    /// Sends a blob too long for one request. Until the upload is complete, a note has its id, by
    /// which a sweep finds the rest of an upload interrupted by a crash.
    async fn put_in_parts(&self, id: Uuid, sealed: &Bytes) -> Result<(), Failure> {
        let (path, note) = (self.blob(id), self.upload(id));
        let upload = answered("begin", 0, self.store.create_multipart(&path)).await?;
        let noted = upload.clone().into_bytes().into();
        answered("put", 0, self.store.put(&note, noted)).await?;
        let begins = (0..sealed.len()).step_by(PART_BYTES).enumerate();
        let parts = begins.map(|(number, begin)| {
            let part = sealed.slice(begin..sealed.len().min(begin + PART_BYTES));
            let bytes = part.len() as u64;
            answered(
                "part",
                // The parts share the connection's bandwidth.
                bytes * PARTS_AT_ONCE as u64,
                self.store.put_part(&path, &upload, number, part.into()),
            )
        });
        let parts = futures::stream::iter(parts).buffered(PARTS_AT_ONCE);
        let parts: Vec<_> = parts.try_collect().await?;
        let completed = self.store.complete_multipart(&path, &upload, parts);
        let completed = answered("complete", 0, completed).await;
        if let Err(failure) = completed {
            // The upload may be complete and the answer lost; a second completion is refused.
            let found = self.get(&path).await.unwrap_or_default();
            if found.as_ref() != Some(sealed) {
                return Err(failure);
            }
        }
        // If this fails, a sweep removes the note.
        answered("delete", 0, self.store.delete(&note)).await.ok();
        Ok(())
    }

    async fn list_below(&self, name: &str) -> Result<Vec<(Uuid, Duration)>, BlobError> {
        let folder = self.prefix.clone().join(name);
        let mut objects = self.store.list(Some(&folder));
        // One span for all: a page has up to a thousand objects.
        let listing = traced("list", async {
            let mut listed = Vec::new();
            while let Some(object) = in_time(0, async { objects.next().await.transpose() }).await? {
                let id = object
                    .location
                    .filename()
                    .and_then(|name| name.parse().ok());
                let written = SystemTime::from(object.last_modified);
                let rest = written.elapsed().unwrap_or(Duration::ZERO);
                listed.extend(id.map(|id: Uuid| (id, rest)));
            }
            Ok(listed)
        });
        listing.await.map_err(|failure| self.unavailable(failure))
    }

    fn if_there<T>(&self, found: Result<T, Failure>) -> Result<Option<T>, BlobError> {
        let found = match found {
            Err(Failure::Store(Error::NotFound { .. })) => None,
            found => Some(found.map_err(|failure| self.unavailable(failure))?),
        };
        self.works();
        Ok(found)
    }

    /// Notes that the store works, and logs a change.
    fn works(&self) {
        if self.is_away.swap(false, Ordering::Relaxed) {
            tracing::info!(bucket = self.url, "the object store answers again");
        }
    }

    /// Notes that the store is unavailable, and logs a change.
    fn unavailable(&self, failure: Failure) -> BlobError {
        let remedy = failure.remedy();
        match failure {
            Failure::Silent => self.away("no answer in time", remedy),
            Failure::Store(error) => self.away(&error.to_string(), remedy),
        }
    }

    fn away(&self, told: &str, remedy: &str) -> BlobError {
        if !self.is_away.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                bucket = self.url,
                error = told,
                remedy,
                "the object store is unavailable"
            );
        }
        BlobError::Unavailable {
            reason: format!("{}: {told}", self.url).into(),
        }
    }
}

#[async_trait]
impl BlobStore for BucketBlobs {
    /// Sends the sealed blob whole, with a checksum first, so the content is not in memory beside
    /// it.
    async fn write(&self, id: Uuid, blob: Box<dyn BlobContent>) -> Result<(), BlobError> {
        let sealed = files::blocking(move || blob.whole()).await;
        let path = self.blob(id);
        let bytes = sealed.len();
        let written = if bytes > SENT_AT_ONCE {
            match self.head(&path).await? {
                Some(_) => return Err(BlobError::Exists { id }),
                None => self.put_in_parts(id, &sealed).await,
            }
        } else {
            let put = self.put_new(&path, sealed.clone().into(), bytes).await;
            put.map(|_| ())
        };
        match written {
            Err(Failure::Store(Error::AlreadyExists { .. })) => match self.read(id).await? {
                // No two sealed blobs are equal: this call wrote it, and the answer was lost.
                Some(found) if found == sealed => Ok(()),
                Some(_) => Err(BlobError::Exists { id }),
                None => {
                    let told = format!("somebody else writes {id}");
                    Err(self.away(&told, "find out who else writes at objects.url"))
                }
            },
            written => {
                written.map_err(|failure| self.unavailable(failure))?;
                self.works();
                Ok(())
            }
        }
    }

    async fn read(&self, id: Uuid) -> Result<Option<Bytes>, BlobError> {
        let read = self.get(&self.blob(id)).await?;
        if read.is_none() {
            self.check().await?;
        }
        Ok(read)
    }

    async fn read_range(&self, id: Uuid, range: Range<u64>) -> Result<Option<Part>, BlobError> {
        let path = self.blob(id);
        let begin = range.start;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let found = answered("get", READ_AHEAD_BYTES, async {
            let found = self.store.get_opts(&path, options).await?;
            let whole = found.meta.size;
            let bytes = found.bytes().await?;
            Ok(Part { bytes, whole })
        })
        .await;
        match found {
            Ok(part) => {
                self.works();
                return Ok(Some(part));
            }
            Err(Failure::Store(Error::NotFound { .. })) => {}
            // A range beyond the object's end is refused.
            Err(failure) => match self.head(&path).await? {
                Some(object) if object.size <= begin => {
                    return Ok(Some(Part {
                        bytes: Bytes::new(),
                        whole: object.size,
                    }));
                }
                _ => return Err(self.unavailable(failure)),
            },
        }
        self.check().await?;
        Ok(None)
    }

    fn read_at_once(&self) -> u64 {
        READ_AHEAD_BYTES
    }

    async fn remove(&self, id: Uuid) -> Result<bool, BlobError> {
        let path = self.blob(id);
        let was_there = self.head(&path).await?.is_some();
        if !was_there {
            self.check().await?;
        }
        // Deleted even if not found: a store may show an object late.
        let removed = answered("delete", 0, self.store.delete(&path)).await;
        self.if_there(removed)?;
        Ok(was_there)
    }

    async fn list(&self) -> Result<Vec<Listed>, BlobError> {
        let mut listed = Vec::new();
        for (name, is_unfinished) in [("uploads", true), ("bytes", false)] {
            let found = self.list_below(name).await?.into_iter();
            listed.extend(found.map(|(id, rest)| Listed {
                id,
                rest,
                is_unfinished,
            }));
        }
        Ok(listed)
    }

    async fn remove_unfinished(&self, id: Uuid) -> Result<(), BlobError> {
        let note = self.upload(id);
        if let Some(upload) = self.get(&note).await? {
            let upload = String::from_utf8_lossy(&upload).into_owned();
            let path = self.blob(id);
            let aborted = self.store.abort_multipart(&path, &upload);
            match answered("abort", 0, aborted).await {
                // Some stores refuse unknown uploads this way. Without the permission to abort
                // uploads, the bucket's lifecycle rule does it, and the sweep continues.
                Err(Failure::Store(Error::PermissionDenied { source, .. })) => {
                    let error: &dyn std::error::Error = &*source;
                    tracing::warn!(error, %id, "a multipart upload could not be aborted");
                }
                aborted => {
                    self.if_there(aborted)?;
                }
            }
        }
        self.if_there(answered("delete", 0, self.store.delete(&note)).await)?;
        Ok(())
    }

    async fn check(&self) -> Result<(), BlobError> {
        match self.head(&self.marker()).await? {
            Some(_) => Ok(()),
            None => {
                let told = format!("there is no object {MARKER}");
                let remedy = "check that objects.url names the documents' place, and restore a lost object with the documents";
                Err(self.away(&told, remedy))
            }
        }
    }
}

/// Failure of a request to an object store.
enum Failure {
    /// There was no answer in time.
    Silent,
    Store(Error),
}

impl Failure {
    /// A short name of the fault, for monitoring.
    fn name(&self) -> &'static str {
        match self {
            Self::Silent => "timeout",
            Self::Store(Error::NotFound { .. }) => "not-found",
            Self::Store(Error::AlreadyExists { .. }) => "exists",
            Self::Store(_) => "failed",
        }
    }

    /// Remedy for the operator.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Store(Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) => {
                "check that the access key still holds, and may read, write, list and delete in the bucket"
            }
            Self::Store(Error::NotFound { .. }) => "check that the bucket in objects.url is there",
            Self::Silent | Self::Store(_) => {
                "check that the object store runs, and that this machine reaches its endpoint (AWS_ENDPOINT_URL)"
            }
        }
    }
}

/// Returns whether the connection was lost, so that the outcome is unknown.
fn is_of_connection(error: &Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<object_store::client::HttpError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Waits, in a span, for the answer to a request that sends or reads this many bytes.
async fn answered<T>(
    operation: &'static str,
    bytes: u64,
    request: impl Future<Output = object_store::Result<T>>,
) -> Result<T, Failure> {
    traced(operation, in_time(bytes, request)).await
}

/// Waits for the answer to a request that sends or reads this many bytes.
async fn in_time<T>(
    bytes: u64,
    request: impl Future<Output = object_store::Result<T>>,
) -> Result<T, Failure> {
    let mebibytes = u32::try_from(bytes / (1024 * 1024)).unwrap_or(u32::MAX);
    let patience = PATIENCE + PATIENCE_FOR_A_MEBIBYTE.saturating_mul(mebibytes);
    match tokio::time::timeout(patience, request).await {
        Ok(answer) => answer.map_err(Failure::Store),
        Err(_) => Err(Failure::Silent),
    }
}

/// Runs an operation in a span. Names of objects and buckets are left out.
async fn traced<T>(
    operation: &'static str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let span = info_span!(
        target: TARGET,
        "objects",
        otel.kind = "client",
        otel.name = format_args!("objects {operation}"),
        "error.type" = Empty,
    );
    let answer = work.instrument(span.clone()).await;
    if let Err(failure) = &answer {
        span.record("error.type", failure.name());
    }
    answer
}

impl fmt::Debug for BucketBlobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BucketBlobs").field(&self.url).finish()
    }
}
