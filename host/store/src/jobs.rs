//! Work to be done at a time, by whichever process gets to it.
//!
//! A job is enqueued in the transaction that causes it and removed in the one that finishes it.
//! In between, a worker claims it for the time of a lease. A worker that dies delays its jobs
//! by the rest of the lease; a worker that is late finds the lease lost and its transaction
//! refused.

mod look;
mod requeue;
mod wanted;

use std::mem;

use ::bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::shifted;
use crate::content::Content;
use crate::engine::{ClaimDue, Commit, DueEntry};
use crate::error::StoreError;
use crate::key::Key;
use crate::store::Store;
use crate::table::{AnyIndex, Index, Table, TableName, layout};
use crate::transaction::Transaction;

pub use look::{LanePosition, WaitingJob, waiting};
pub use wanted::{Enqueued, HastenOutcome, NewJob, cancel, enqueue, hasten, schedule, unique_key};

/// A queue of its own, so that one kind of work does not wait for another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Lane(TableName);

impl Lane {
    /// The lane with this name; see [`TableName`] for what a name may be.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(TableName::new(name))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.as_str()
    }

    fn entry(self, due: Timestamp, id: Uuid) -> Vec<u8> {
        let mut entry = layout::queue(self.0);
        due.encode(&mut entry);
        id.encode(&mut entry);
        entry
    }
}

/// A job that is this worker's until its lease ends.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    /// The job.
    pub id: Uuid,
    /// What is to be done.
    pub kind: String,
    /// What the worker needs to know.
    pub payload: serde_json::Value,
    /// How often the job has been claimed since it was enqueued or last got on, this time
    /// included, crashes too.
    pub attempts: u32,
    /// How often it came to nothing in that time, this time not included. What waited for a store
    /// that was away, and what crashed, has not.
    pub failures: u32,
    /// When the job was enqueued.
    pub enqueued_at: Timestamp,
    /// When the lease ends.
    pub until: Timestamp,
    /// The span of a recorded trace in which the job was enqueued, as W3C Trace Context writes it.
    pub trace: Option<String>,
    lane: Lane,
    entry: Bytes,
    is_kept: bool,
    has_got_on: bool,
}

impl ClaimedJob {
    /// Whether the job stays with this worker when it [gets on](go_on); a claim gives it away.
    pub fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
    }

    /// Whether the job has got on and is this worker's to go on with. Tells so once.
    pub fn take_progress(&mut self) -> bool {
        mem::take(&mut self.has_got_on)
    }

    /// The payload as a value.
    ///
    /// # Errors
    /// When it is not of type `T`.
    pub fn payload<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        T::deserialize(&self.payload).map_err(|source| StoreError::Decode {
            table: JobRow::NAME.as_str(),
            source,
        })
    }
}

/// Removes a job that is done.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn complete(tx: &mut Transaction<'_>, job: &ClaimedJob) -> Result<(), StoreError> {
    let row = held(tx, job).await?;
    tx.write(job.entry.to_vec(), None)?;
    tx.delete::<JobRow>(&row.id).await?;
    Ok(())
}

/// Lets a job that has got on be done again at `due`; its attempts count anew.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn retry(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    due: Timestamp,
) -> Result<(), StoreError> {
    put_back(tx, job, due, 0, 0).await
}

/// Lets a job that has got on be done again at once; its attempts count anew. A worker that
/// [keeps](ClaimedJob::keep) it has it for another `lease` by the claim that is given, so that
/// nobody need claim it; else it is for whoever comes first, as after [`retry`].
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn go_on(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    lease: SignedDuration,
) -> Result<Option<ClaimedJob>, StoreError> {
    const FIRST_CLAIM: u32 = 1;

    let now = tx.now();
    if !job.is_kept {
        retry(tx, job, now).await?;
        return Ok(None);
    }
    let mut row = held(tx, job).await?;
    row.set_due(now, now);
    row.failures = 0;
    let until = shifted(now, lease);
    let entry = job.lane.entry(until, row.id);
    tx.write(job.entry.to_vec(), None)?;
    tx.write(entry.clone(), Some(count(FIRST_CLAIM)))?;
    tx.put(&row).await?;
    Ok(Some(ClaimedJob {
        attempts: FIRST_CLAIM,
        failures: 0,
        until,
        entry: entry.into(),
        has_got_on: true,
        ..job.clone()
    }))
}

/// Gives a job back that came to nothing, to be done at `due`; its attempts count on, and it has
/// failed once more.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn give_back(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    due: Timestamp,
) -> Result<(), StoreError> {
    put_back(tx, job, due, job.attempts, job.failures.saturating_add(1)).await
}

/// Gives a job back that waits for what is away, to be done at `due`; its attempts count on,
/// because nobody knows how far it got, and it has not failed.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn wait(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    due: Timestamp,
) -> Result<(), StoreError> {
    put_back(tx, job, due, job.attempts, job.failures).await
}

/// Gives a job back that this worker cannot do, as if it had not been claimed, to be done by
/// another one at `due`.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn leave(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    due: Timestamp,
) -> Result<(), StoreError> {
    let claims = job.attempts.saturating_sub(1);
    put_back(tx, job, due, claims, job.failures).await
}

/// Prolongs the lease on a job until `until`.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn renew(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    until: Timestamp,
) -> Result<ClaimedJob, StoreError> {
    let row = held(tx, job).await?;
    let entry = job.lane.entry(until, row.id);
    tx.write(job.entry.to_vec(), None)?;
    tx.write(entry.clone(), Some(count(job.attempts)))?;
    Ok(ClaimedJob {
        until,
        entry: entry.into(),
        ..job.clone()
    })
}

impl Store {
    /// Takes up to `limit` due jobs of a lane for the time of `lease`.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn claim_due(
        &self,
        lane: Lane,
        limit: usize,
        lease: SignedDuration,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let engine = self.engine();
        let claim = ClaimDue {
            queue: layout::queue(lane.0),
            now: engine.now().await?,
            lease,
            limit,
        };
        let entries = engine.claim_due(claim).await?;
        claimed(self, lane, entries).await
    }
}

/// The jobs of entries that were claimed; what has no job any more is removed.
async fn claimed(
    store: &Store,
    lane: Lane,
    entries: Vec<DueEntry>,
) -> Result<Vec<ClaimedJob>, StoreError> {
    let mut jobs = Vec::with_capacity(entries.len());
    let mut tx = store.begin().await?;
    let mut orphans = Vec::new();
    for entry in entries {
        let id = Uuid::from_slice(&entry.rest).unwrap_or_default();
        match tx.get::<JobRow>(&id).await {
            Ok(Some(row)) => jobs.push(ClaimedJob {
                id,
                kind: row.kind,
                payload: row.payload,
                attempts: entry.claims,
                failures: row.failures,
                enqueued_at: row.enqueued_at,
                until: entry.until,
                trace: row.trace,
                lane,
                entry: entry.key,
                is_kept: false,
                has_got_on: false,
            }),
            Ok(None) => orphans.push(entry.key),
            Err(StoreError::Decode { source, .. }) => {
                tracing::error!(job = %id, error = %source, "a job cannot be read");
            }
            Err(error) => return Err(error),
        }
    }
    if !orphans.is_empty() {
        let commit = Commit {
            deletes: orphans,
            ..Commit::default()
        };
        store.engine().commit(commit).await?;
    }
    Ok(jobs)
}

#[derive(Deserialize, Serialize)]
struct JobRow {
    id: Uuid,
    lane: String,
    kind: String,
    due: Timestamp,
    /// When that was decided; an earlier program did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_at: Option<Timestamp>,
    enqueued_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<String>,
    /// How often in a row it came to nothing.
    #[serde(default, skip_serializing_if = "is_none")]
    failures: u32,
    /// The recorded span that caused it, where it was to be done at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
    payload: serde_json::Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

impl JobRow {
    fn set_due(&mut self, due: Timestamp, now: Timestamp) {
        self.due = due;
        self.set_at = Some(now);
    }

    /// When the job is due if it waits from `now` on for as long as it was to; none if that was
    /// decided before.
    fn due_anew(&self, now: Timestamp) -> Option<Timestamp> {
        let set_at = self.set_at.unwrap_or(self.enqueued_at);
        let wait = self.due.duration_since(set_at);
        (set_at > now).then(|| shifted(now, wait.max(SignedDuration::ZERO)))
    }
}

const BY_UNIQUE: Index<JobRow, String> =
    Index::unique("unique", |job| job.unique.iter().cloned().collect());

impl Table for JobRow {
    type Key = Uuid;
    const NAME: TableName = TableName::reserved("_job");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&BY_UNIQUE]
    }
}

/// The job's row, if its lease is still this claim's: the entry stands where the claim put it.
async fn held(tx: &mut Transaction<'_>, job: &ClaimedJob) -> Result<JobRow, StoreError> {
    let lost = StoreError::JobLost { id: job.id };
    if tx.read(job.entry.to_vec()).await?.is_none() {
        return Err(lost);
    }
    tx.get::<JobRow>(&job.id).await?.ok_or(lost)
}

async fn put_back(
    tx: &mut Transaction<'_>,
    job: &ClaimedJob,
    due: Timestamp,
    claims: u32,
    failures: u32,
) -> Result<(), StoreError> {
    let mut row = held(tx, job).await?;
    row.set_due(due, tx.now());
    row.failures = failures;
    tx.write(job.entry.to_vec(), None)?;
    put_entry(tx, job.lane, &row, claims)?;
    tx.put(&row).await
}

fn put_entry(
    tx: &mut Transaction<'_>,
    lane: Lane,
    row: &JobRow,
    claims: u32,
) -> Result<(), StoreError> {
    tx.write(lane.entry(row.due, row.id), Some(count(claims)))
}

fn count(claims: u32) -> Bytes {
    Bytes::copy_from_slice(&claims.to_be_bytes())
}
