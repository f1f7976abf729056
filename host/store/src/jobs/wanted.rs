//! Jobs as seen by their clients: enqueued, cancelled and brought forward.

use jiff::Timestamp;
use uuid::Uuid;

use super::{BY_UNIQUE, JobRow, Lane, put_entry};
use crate::error::StoreError;
use crate::transaction::Transaction;

/// A job to enqueue.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// The lane.
    pub lane: Lane,
    /// Kind of work.
    pub kind: String,
    /// Due time.
    pub due: Timestamp,
    /// If given, no second job with this key is enqueued while this one exists. No personal
    /// data.
    pub unique: Option<String>,
    /// Input of the worker. Personal data only if sealed.
    pub payload: serde_json::Value,
}

/// Outcome of enqueueing a job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Enqueued {
    /// The job was added.
    New(Uuid),
    /// A job with the same unique key already existed and is unchanged.
    Existing(Uuid),
}

/// Outcome of bringing a job forward.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HastenOutcome {
    /// The job is unclaimed and due by then.
    Due,
    /// The job is claimed, or its claim has lapsed; it is unchanged.
    Claimed,
    /// The job does not exist.
    Missing,
}

/// Returns the unique key of the only job of a kind about a subject.
#[must_use]
pub fn unique_key(kind: &str, about: Uuid) -> String {
    format!("{kind}/{about}")
}

/// Enqueues the only job of a kind about a subject, unless it exists.
///
/// # Errors
/// As [`enqueue`].
pub async fn schedule(
    tx: &mut Transaction<'_>,
    (lane, kind): (Lane, &str),
    about: Uuid,
    due: Timestamp,
    payload: serde_json::Value,
) -> Result<(), StoreError> {
    let job = NewJob {
        lane,
        kind: kind.to_owned(),
        due,
        unique: Some(unique_key(kind, about)),
        payload,
    };
    enqueue(tx, job).await?;
    Ok(())
}

/// Enqueues a job along with its cause.
///
/// # Errors
/// A payload that is too large, or an engine failure.
pub async fn enqueue(tx: &mut Transaction<'_>, job: NewJob) -> Result<Enqueued, StoreError> {
    if let Some(unique) = &job.unique
        && let Some(existing) = tx.find(&BY_UNIQUE, unique).await?
    {
        return Ok(Enqueued::Existing(existing.id));
    }
    let now = tx.now();
    let row = JobRow {
        id: tx.new_id()?,
        lane: job.lane.0.as_str().to_owned(),
        kind: job.kind,
        due: job.due,
        set_at: Some(now),
        enqueued_at: now,
        unique: job.unique,
        failures: 0,
        trace: cause(job.due, now),
        payload: job.payload,
    };
    tx.insert(&row).await?;
    put_entry(tx, job.lane, &row, 0)?;
    Ok(Enqueued::New(row.id))
}

/// Cancels the job with this unique key; returns whether it existed. A worker that has claimed
/// it finds it lost.
///
/// # Errors
/// An engine failure.
pub async fn cancel(
    tx: &mut Transaction<'_>,
    lane: Lane,
    unique: &str,
) -> Result<bool, StoreError> {
    let Some(row) = tx.find(&BY_UNIQUE, &unique.to_owned()).await? else {
        return Ok(false);
    };
    tx.delete::<JobRow>(&row.id).await?;
    // A claim has moved the entry, which is removed when the lease has ended.
    tx.write(lane.entry(row.due, row.id), None)?;
    Ok(true)
}

/// Brings the job with this unique key forward to `due`, if that is earlier. A claimed job is
/// unchanged: the transaction that returns it sets its due time.
///
/// # Errors
/// An engine failure.
pub async fn hasten(
    tx: &mut Transaction<'_>,
    lane: Lane,
    unique: &str,
    due: Timestamp,
) -> Result<HastenOutcome, StoreError> {
    let Some(mut row) = tx.find(&BY_UNIQUE, &unique.to_owned()).await? else {
        return Ok(HastenOutcome::Missing);
    };
    let entry = lane.entry(row.due, row.id);
    // A claim has moved the entry.
    let Some(claims) = tx.read(entry.clone()).await? else {
        return Ok(HastenOutcome::Claimed);
    };
    if row.due > due {
        tx.write(entry, None)?;
        let now = tx.now();
        row.set_due(due, now);
        if let Some(trace) = cause(due, now) {
            row.trace = Some(trace);
        }
        tx.write(lane.entry(due, row.id), Some(claims))?;
        tx.put(&row).await?;
    }
    Ok(HastenOutcome::Due)
}

/// Returns the recorded span that causes a job due at once. A job due later is not part of the
/// operation that enqueued it.
fn cause(due: Timestamp, now: Timestamp) -> Option<String> {
    let span = (due <= now).then(parafa_traces::current).flatten();
    span.map(|span| span.to_string())
}
