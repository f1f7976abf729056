//! Due jobs inspected before they are claimed: a job that cannot be done yet is left in place,
//! which costs no commit.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{ClaimedJob, JobRow, Lane, claimed};
use crate::clock::shifted;
use crate::engine::{Direction, Entry, MAX_SCAN_ENTRIES, Scan, due as engine_due};
use crate::error::StoreError;
use crate::key::{Key, TIMESTAMP_BYTES};
use crate::store::Store;
use crate::table::{Table, layout};
use crate::transaction::Transaction;

/// Most jobs counted.
const MOST_COUNTED: usize = 65_536;
/// Length of an id.
const ID_BYTES: usize = 16;

/// Position of an unclaimed job in its lane, after all that were due earlier. It says nothing about
/// the job's future: the job may be claimed, cancelled or rescheduled meanwhile.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LanePosition([u8; TIMESTAMP_BYTES + ID_BYTES]);

impl LanePosition {
    /// Position before all jobs.
    pub const FIRST: Self = Self([0; TIMESTAMP_BYTES + ID_BYTES]);

    /// Returns the position before all jobs due at `time`, and after those due earlier.
    #[must_use]
    pub fn before(time: Timestamp) -> Self {
        Self::of(&time.encoded()).unwrap_or(Self::FIRST)
    }

    /// Returns the position with this beginning; `None` if that is too long.
    fn of(start: &[u8]) -> Option<Self> {
        let mut place = Self::FIRST;
        place.0.get_mut(..start.len())?.copy_from_slice(start);
        Some(place)
    }

    /// Returns the id of the job at this position.
    #[must_use]
    pub fn job(&self) -> Uuid {
        let id = self.0.last_chunk().copied();
        Uuid::from_bytes(id.unwrap_or_default())
    }

    fn entry(&self, lane: Lane) -> Vec<u8> {
        let mut entry = layout::queue(lane.0);
        entry.extend_from_slice(&self.0);
        entry
    }
}

/// An unclaimed job.
#[derive(Clone, Debug)]
pub struct WaitingJob {
    /// Kind of work.
    pub kind: String,
    payload: serde_json::Value,
}

impl WaitingJob {
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

/// Returns the job seen at `place`; `None` if it was finished or cancelled meanwhile.
///
/// # Errors
/// An engine failure, or an unreadable job.
pub async fn waiting(
    tx: &mut Transaction<'_>,
    place: LanePosition,
) -> Result<Option<WaitingJob>, StoreError> {
    let row = tx.get::<JobRow>(&place.job()).await?;
    Ok(row.map(|row| WaitingJob {
        kind: row.kind,
        payload: row.payload,
    }))
}

impl Store {
    /// Returns up to `limit` positions of due and unclaimed jobs after `after`, in the order of the
    /// lane.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn due_places(
        &self,
        lane: Lane,
        after: LanePosition,
        limit: usize,
    ) -> Result<Vec<LanePosition>, StoreError> {
        let queue = layout::queue(lane.0);
        let mut start = after.entry(lane);
        start.push(0);
        let entries = due_entries(self, lane, start, limit).await?;
        let places = entries.iter().filter_map(|entry| {
            let place = entry.key.get(queue.len()..)?;
            LanePosition::of(place)
        });
        Ok(places.collect())
    }

    /// Claims those of these jobs that are still at their positions, for the time of `lease`.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn claim(
        &self,
        lane: Lane,
        places: &[LanePosition],
        lease: SignedDuration,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let engine = self.engine();
        let until = shifted(engine.now().await?, lease);
        let queue = layout::queue(lane.0);
        let keys: Vec<_> = places.iter().map(|place| place.entry(lane)).collect();
        let entries = engine_due::claim_these(engine, &queue, &keys, until).await?;
        claimed(self, lane, entries).await
    }

    /// Counts the due and unclaimed jobs of a lane, up to some 65,000. A claimed job's entry is at
    /// the end of its lease.
    ///
    /// # Errors
    /// An engine failure.
    pub async fn due_jobs(&self, lane: Lane) -> Result<usize, StoreError> {
        let mut start = layout::queue(lane.0);
        let mut count = 0;
        loop {
            let entries = due_entries(self, lane, start, MAX_SCAN_ENTRIES).await?;
            count += entries.len();
            match entries.last() {
                Some(last) if entries.len() == MAX_SCAN_ENTRIES && count < MOST_COUNTED => {
                    start = last.key.to_vec();
                    start.push(0);
                }
                _ => return Ok(count),
            }
        }
    }
}

async fn due_entries(
    store: &Store,
    lane: Lane,
    start: Vec<u8>,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let engine = store.engine();
    let mut end = layout::queue(lane.0);
    let just_past = shifted(engine.now().await?, SignedDuration::from_millis(1));
    just_past.encode(&mut end);
    let due = Scan {
        start,
        end,
        direction: Direction::Ascending,
        limit,
    };
    Ok(engine.scan(due).await?)
}
