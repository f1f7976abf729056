//! Limit of bytes that a workspace may store per minute.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use parafa_store::QuotaKey;
use tokio::time::Instant;

/// Time in which an empty bucket fills.
const WINDOW: Duration = Duration::from_secs(60);
/// Number of buckets from which full ones are dropped.
const MANY_BUCKETS: usize = 4096;

/// A token bucket of bytes for each workspace and mode, stored as the time when
/// it is full.
#[derive(Default)]
pub(super) struct Pace(Mutex<HashMap<QuotaKey, Instant>>);

impl Pace {
    /// Takes this many bytes from a bucket that holds those of a minute. A
    /// larger request takes a full bucket, which is then empty for
    /// correspondingly longer.
    ///
    /// # Errors
    /// The whole seconds until the bytes are available.
    pub(super) fn take(
        &self,
        of: QuotaKey,
        bytes: u64,
        a_minute: NonZeroU64,
        now: Instant,
    ) -> Result<(), u32> {
        if bytes == 0 {
            return Ok(());
        }
        let cost = time_of(bytes, a_minute);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MANY_BUCKETS {
            buckets.retain(|_, full_at| *full_at > now);
        }
        let full_at = buckets.entry(of).or_insert(now);
        let used = full_at.saturating_duration_since(now);
        let over = (used + cost.min(WINDOW)).saturating_sub(WINDOW);
        if !over.is_zero() {
            return Err(whole_seconds(over));
        }
        *full_at = now + used + cost;
        Ok(())
    }
}

/// Returns the time in which this many bytes are refilled.
fn time_of(bytes: u64, a_minute: NonZeroU64) -> Duration {
    let millis = u128::from(bytes) * WINDOW.as_millis() / u128::from(a_minute.get());
    // A day is longer than any request should wait.
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX)).min(24 * 60 * WINDOW)
}

/// Rounds up, so that the bytes are available after the wait.
fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const OF: QuotaKey = (Uuid::from_u128(1), true);
    const A_MINUTE: NonZeroU64 = NonZeroU64::new(600).unwrap();

    #[test]
    fn the_bytes_of_a_minute_may_come_at_once_and_then_as_they_come_back() {
        let (pace, now) = (Pace::default(), Instant::now());
        pace.take(OF, 400, A_MINUTE, now).unwrap();
        pace.take(OF, 200, A_MINUTE, now).unwrap();

        assert_eq!(pace.take(OF, 100, A_MINUTE, now), Err(10));

        let then = now + Duration::from_secs(10);
        pace.take(OF, 100, A_MINUTE, then).unwrap();
        assert_eq!(pace.take(OF, 1, A_MINUTE, then), Err(1));
    }

    #[test]
    fn a_request_for_more_than_a_minute_holds_waits_for_a_full_bucket_and_is_paid_for() {
        let (pace, now) = (Pace::default(), Instant::now());
        pace.take(OF, 1200, A_MINUTE, now).unwrap();

        assert_eq!(pace.take(OF, 600, A_MINUTE, now), Err(120));
        let then = now + Duration::from_secs(120);
        pace.take(OF, 600, A_MINUTE, then).unwrap();
    }

    #[test]
    fn workspaces_and_modes_have_buckets_of_their_own_and_nothing_costs_nothing() {
        let (pace, now) = (Pace::default(), Instant::now());
        pace.take(OF, 600, A_MINUTE, now).unwrap();
        assert!(pace.take(OF, 600, A_MINUTE, now).is_err());

        pace.take(OF, 0, A_MINUTE, now).unwrap();
        pace.take((OF.0, false), 600, A_MINUTE, now).unwrap();
        pace.take((Uuid::from_u128(2), true), 600, A_MINUTE, now)
            .unwrap();
    }

    #[test]
    fn buckets_that_are_full_again_are_dropped() {
        let (pace, now) = (Pace::default(), Instant::now());
        for id in 0..MANY_BUCKETS as u128 {
            pace.take((Uuid::from_u128(id), true), 1, A_MINUTE, now)
                .unwrap();
        }
        pace.take((OF.0, false), 1, A_MINUTE, now + WINDOW).unwrap();
        assert_eq!(pace.0.lock().unwrap().len(), 1);
    }
}
