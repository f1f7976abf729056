//! Request rates of keys, shared by all hosts.

use std::num::NonZeroU32;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parafa_store::clock::shifted;
use parafa_store::{
    Guard, MAX_PAGE_ROWS, Page, Store, StoreError, Table, Transaction, plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Time in which an empty bucket fills.
const WINDOW: Duration = Duration::from_secs(60);

/// A token bucket of a key and a kind of requests: the time when it is full.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RateRow {
    /// The API key.
    pub key: Uuid,
    /// The bucket is of requests that change something.
    pub writes: bool,
    /// Time when it is full.
    pub full_at: Timestamp,
}

plain_table!(RateRow: "rates" by (Uuid, bool), |row| (row.key, row.writes));

/// Tokens taken from a bucket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Portion {
    /// Number of requests; fewer than wanted if the bucket has no more.
    pub requests: u32,
    /// Time until the bucket is full.
    pub full_in: Duration,
}

/// Takes up to `wanted` requests out of a key's bucket of `limit` a minute.
///
/// # Errors
/// When the store fails.
pub async fn take(
    store: &Store,
    (key, writes): (Uuid, bool),
    limit: NonZeroU32,
    wanted: NonZeroU32,
) -> Result<Portion, StoreError> {
    let token = WINDOW / limit.get();
    store
        .transact(|tx| {
            Box::pin(async move {
                let now = tx.now();
                let row = tx.get::<RateRow>(&(key, writes)).await?;
                let used = row.map_or(SignedDuration::ZERO, |row| row.full_at.duration_since(now));
                let used = Duration::try_from(used).unwrap_or_default();
                // Clocks of hosts differ by little, and at most one window is taken. A time
                // further ahead means that the clock was set back, and the row no longer gives the
                // bucket's level.
                let used = match used > 2 * WINDOW {
                    true => Duration::ZERO,
                    false => used.min(WINDOW),
                };
                let requests = (WINDOW - used).as_nanos() / token.as_nanos().max(1);
                let requests = u32::try_from(requests).unwrap_or(u32::MAX);
                let requests = requests.min(wanted.get());
                let full_in = used + token * requests;
                if requests > 0 {
                    let full_in = SignedDuration::try_from(full_in).unwrap_or_default();
                    let full_at = shifted(now, full_in);
                    tx.put(&RateRow {
                        key,
                        writes,
                        full_at,
                    })
                    .await?;
                }
                Ok(Portion { requests, full_in })
            })
        })
        .await
}

/// Deletes full buckets.
///
/// # Errors
/// When the store fails.
pub async fn forget(store: &Store) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let from = after;
        let more = store
            .transact(|tx| Box::pin(async move { forget_page(tx, from).await }))
            .await?;
        match more {
            Some(last) => after = Some(last),
            None => return Ok(()),
        }
    }
}

/// Deletes the full buckets of a page; returns its last key if there are more pages.
async fn forget_page(
    tx: &mut Transaction<'_>,
    after: Option<(Uuid, bool)>,
) -> Result<Option<(Uuid, bool)>, StoreError> {
    let mut page = Page::oldest(MAX_PAGE_ROWS);
    page.after = after;
    let found = tx.page::<RateRow>(&page, Guard::none()).await?;
    for row in &found.rows {
        if row.full_at <= tx.now() {
            tx.delete::<RateRow>(&row.key()).await?;
        }
    }
    let last = found.rows.last().map(Table::key);
    Ok(last.filter(|_| found.more))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parafa_store::memory::MemoryDisk;
    use parafa_store::{ManualClock, MasterKey, MemoryEngine, StoreMode};

    use super::*;

    const KEY: (Uuid, bool) = (Uuid::from_u128(1), true);
    const LIMIT: NonZeroU32 = NonZeroU32::new(60).unwrap();

    async fn host(disk: &MemoryDisk, clock: &Arc<ManualClock>) -> Store {
        let engine = MemoryEngine::open(disk.clone(), clock.clone());
        let master = MasterKey::from_bytes([7; 32]);
        let engine = Arc::new(engine.shared());
        Store::open(engine, &master, StoreMode::Demo).await.unwrap()
    }

    async fn taken(host: &Store, of: (Uuid, bool), wanted: u32) -> (u32, u64) {
        let wanted = NonZeroU32::new(wanted).unwrap();
        let portion = take(host, of, LIMIT, wanted).await.unwrap();
        (portion.requests, portion.full_in.as_secs())
    }

    #[tokio::test]
    async fn hosts_take_from_one_bucket_that_fills_within_a_minute() {
        let clock = Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()));
        let disk = MemoryDisk::default();
        let (one, other) = (host(&disk, &clock).await, host(&disk, &clock).await);

        assert_eq!(taken(&one, KEY, 40).await, (40, 40));
        assert_eq!(taken(&other, KEY, 40).await, (20, 60));
        assert_eq!(taken(&one, KEY, 1).await, (0, 60));
        assert_eq!(taken(&one, (KEY.0, false), 1).await, (1, 1));

        clock.advance(SignedDuration::from_secs(5));
        assert_eq!(taken(&one, KEY, 10).await, (5, 60));
    }

    #[tokio::test]
    async fn a_bucket_of_a_time_to_come_refuses_nobody() {
        let clock = Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()));
        let store = host(&MemoryDisk::default(), &clock).await;
        clock.advance(SignedDuration::from_hours(24));
        assert_eq!(taken(&store, KEY, 1).await, (1, 1));

        clock.advance(SignedDuration::from_hours(-24));

        assert_eq!(taken(&store, KEY, 40).await, (40, 40));
        assert_eq!(taken(&store, KEY, 40).await, (20, 60));
    }

    #[tokio::test]
    async fn a_host_that_is_behind_finds_an_empty_bucket_empty() {
        let clock = Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()));
        let store = host(&MemoryDisk::default(), &clock).await;
        assert_eq!(taken(&store, KEY, 60).await, (60, 60));

        for behind in [50, 5_000] {
            clock.advance(SignedDuration::from_millis(-behind));
            assert_eq!(taken(&store, KEY, 60).await, (0, 60));
        }
    }

    #[tokio::test]
    async fn buckets_that_are_full_are_forgotten() {
        let clock = Arc::new(ManualClock::new("2026-03-11T09:00:00Z".parse().unwrap()));
        let store = host(&MemoryDisk::default(), &clock).await;
        for number in 0..1500 {
            taken(&store, (Uuid::from_u128(number), true), 1).await;
        }
        clock.advance(SignedDuration::from_secs(30));
        taken(&store, KEY, 1).await;

        forget(&store).await.unwrap();

        let mut left = Vec::new();
        let shown = store.each_row::<RateRow>(|row| left.push(row.name()));
        shown.await.unwrap();
        assert_eq!(left.len(), 1);
    }
}
