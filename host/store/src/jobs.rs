//! Jobs: work due at a time, done by the first process to claim it.
//!
//! A job is enqueued in the transaction that causes it and removed in the one that finishes it. In
//! between, a worker claims it for the time of a lease. A worker that dies delays its jobs by the
//! rest of the lease; a worker that is late finds the lease lost and its transaction refused.

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

/// A separate queue, so that one kind of work does not wait for another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Lane(TableName);

impl Lane {
    /// Creates the lane with this name; see [`TableName`] for valid names.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(TableName::new(name))
    }

    /// Returns its name.
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

/// A job claimed by this worker until its lease ends.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    /// The job.
    pub id: Uuid,
    /// Kind of work.
    pub kind: String,
    /// Input of the worker.
    pub payload: serde_json::Value,
    /// Claims since the job was enqueued or last made progress, including this one and crashes.
    pub attempts: u32,
    /// Failures in that time, before this claim. Waits for an unavailable store and crashes are
    /// not counted.
    pub failures: u32,
    /// Time of enqueueing.
    pub enqueued_at: Timestamp,
    /// End of the lease.
    pub until: Timestamp,
    /// Span of a recorded trace in which the job was enqueued, in the format of W3C Trace Context.
    pub trace: Option<String>,
    lane: Lane,
    entry: Bytes,
    is_kept: bool,
    has_got_on: bool,
}

impl ClaimedJob {
    /// Sets whether this worker keeps the job when it [makes progress](go_on); a claim resets it.
    pub fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
    }

    /// Returns whether the job made progress and is still this worker's, and resets that.
    pub fn take_progress(&mut self) -> bool {
        mem::take(&mut self.has_got_on)
    }

    /// Decodes the payload.
    ///
    /// # Errors
    /// A payload that is not of type `T`.
    pub fn payload<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        T::deserialize(&self.payload).map_err(|source| StoreError::Decode {
            table: JobRow::NAME.as_str(),
            source,
        })
    }
}

/// Removes a finished job.
///
/// # Errors
/// [`StoreError::JobLost`] when the lease has passed on or the job was cancelled.
pub async fn complete(tx: &mut Transaction<'_>, job: &ClaimedJob) -> Result<(), StoreError> {
    let row = held(tx, job).await?;
    tx.write(job.entry.to_vec(), None)?;
    tx.delete::<JobRow>(&row.id).await?;
    Ok(())
}

/// Reschedules a job that made progress for `due`; its attempts restart from zero.
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

/// Reschedules a job that made progress for now; its attempts restart from zero. A worker that
/// [keeps](ClaimedJob::keep) it gets a new claim for another `lease`. Otherwise the job is free
/// for any worker, as after [`retry`].
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

/// Returns a failed job to its lane, due at `due`; its attempts continue, and its failures grow by
/// one.
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

/// Returns a job that waits for an unavailable service, due at `due`. Its attempts continue,
/// because its progress is unknown; it does not count as failed.
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

/// Returns a job that this worker cannot do, as if unclaimed, for another worker at `due`.
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

/// Extends the lease of a job to `until`.
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
    /// Claims up to `limit` due jobs of a lane for the time of `lease`.
    ///
    /// # Errors
    /// An engine failure.
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

/// Returns the jobs of claimed entries; removes entries without a job.
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
    /// Time when `due` was set; unknown for jobs of earlier versions of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_at: Option<Timestamp>,
    enqueued_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<String>,
    /// Consecutive failures.
    #[serde(default, skip_serializing_if = "is_none")]
    failures: u32,
    /// The recorded span that caused it, if the job was due at once.
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

    /// Returns the due time if the job's wait restarts at `now`; `None` if its due time was set
    /// before.
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

/// Returns the job's row, if its lease is still this claim's: the entry is where the claim moved
/// it.
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
