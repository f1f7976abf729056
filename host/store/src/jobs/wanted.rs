//! Jobs as whoever has them done knows them: enqueued, called off and brought forward.

use jiff::Timestamp;
use uuid::Uuid;

use super::{BY_UNIQUE, JobRow, Lane, put_entry};
use crate::error::StoreError;
use crate::transaction::Transaction;

/// A job to enqueue.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Which queue it stands in.
    pub lane: Lane,
    /// What is to be done.
    pub kind: String,
    /// When.
    pub due: Timestamp,
    /// If given, no second job with this key is enqueued while this one is there. No personal
    /// data.
    pub unique: Option<String>,
    /// What the worker needs to know. Personal data only sealed.
    pub payload: serde_json::Value,
}

/// What became of a job to enqueue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Enqueued {
    /// It is there now.
    New(Uuid),
    /// One with the same unique key was there already, and is unchanged.
    Existing(Uuid),
}

/// What became of a job to hasten.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HastenOutcome {
    /// It waits, and is due by then at the latest.
    Due,
    /// It is somebody's, or was until their lease ended, and is unchanged.
    Claimed,
    /// There is none.
    Missing,
}

/// The unique key of the one job of a kind about something.
#[must_use]
pub fn unique_key(kind: &str, about: Uuid) -> String {
    format!("{kind}/{about}")
}

/// Enqueues the one job of a kind about something, unless it is there.
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

/// Enqueues a job along with what causes it.
///
/// # Errors
/// A payload that is too large, or the engine's failure.
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

/// Removes the job with this unique key; tells whether it was there. A worker that has claimed
/// it finds it lost.
///
/// # Errors
/// The engine's failure.
pub async fn cancel(
    tx: &mut Transaction<'_>,
    lane: Lane,
    unique: &str,
) -> Result<bool, StoreError> {
    let Some(row) = tx.find(&BY_UNIQUE, &unique.to_owned()).await? else {
        return Ok(false);
    };
    tx.delete::<JobRow>(&row.id).await?;
    // A claim has moved the entry elsewhere; there it is removed when the lease has ended.
    tx.write(lane.entry(row.due, row.id), None)?;
    Ok(true)
}

/// Lets the job with this unique key be due at `due` if that is earlier. A job that somebody has
/// claimed stays as it is: the transaction in which they give it back decides when it is due.
///
/// # Errors
/// The engine's failure.
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
    // A claim has moved the entry elsewhere.
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

/// The recorded span that has a job done at once. What happens at a time of its own is no part
/// of what was done when that was set.
fn cause(due: Timestamp, now: Timestamp) -> Option<String> {
    let span = (due <= now).then(parafa_traces::current).flatten();
    span.map(|span| span.to_string())
}
