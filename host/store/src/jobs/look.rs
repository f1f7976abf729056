//! Jobs that are looked at before they are claimed: whoever cannot do a job yet leaves it where it
//! is, which costs no commit.

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

/// Most jobs that are counted.
const MOST_COUNTED: usize = 65_536;
/// Length of an id.
const ID_BYTES: usize = 16;

/// Where an unclaimed job stands in its lane: behind all that were due before. Whoever has seen it
/// there knows nothing of the job's future: it may be claimed, called off or put off meanwhile.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LanePosition([u8; TIMESTAMP_BYTES + ID_BYTES]);

impl LanePosition {
    /// Before all jobs.
    pub const FIRST: Self = Self([0; TIMESTAMP_BYTES + ID_BYTES]);

    /// Before all jobs that are due at `time`, and behind those that were due earlier.
    #[must_use]
    pub fn before(time: Timestamp) -> Self {
        Self::of(&time.encoded()).unwrap_or(Self::FIRST)
    }

    /// The place that begins so; none if there is more than a place.
    fn of(start: &[u8]) -> Option<Self> {
        let mut place = Self::FIRST;
        place.0.get_mut(..start.len())?.copy_from_slice(start);
        Some(place)
    }

    /// The id of the job that stands there.
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

/// A job that nobody has claimed.
#[derive(Clone, Debug)]
pub struct WaitingJob {
    /// What is to be done.
    pub kind: String,
    payload: serde_json::Value,
}

impl WaitingJob {
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

/// The job that was seen at `place`; none if it is done or called off meanwhile.
///
/// # Errors
/// When the engine fails, or the job cannot be read.
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
    /// Up to `limit` places of jobs that are due and that nobody has claimed, in the order of the
    /// lane; those behind `after`.
    ///
    /// # Errors
    /// When the engine fails.
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

    /// Takes those of these jobs of a lane that still stand where they were seen, for the time of
    /// `lease`.
    ///
    /// # Errors
    /// When the engine fails.
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

    /// How many jobs of a lane are due and nobody has claimed, counted up to some 65,000: a claimed
    /// one stands at the end of its lease.
    ///
    /// # Errors
    /// When the engine fails.
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
