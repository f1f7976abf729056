//! Limits of keys shared by several hosts.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{MANY_BUCKETS, WINDOW};
use crate::principal::Access;

/// Divisor of the limit for the largest portion that a host takes at once. Portions that several
/// hosts have taken and not used are the error of the limit.
const LARGEST_PORTION: u32 = 50;
/// A host that needs more within this time takes twice as much.
const SOON: Duration = Duration::from_secs(1);
/// Time without another request to the shared bucket after it was empty: less than the second that
/// callers must wait at least.
const LEAST_WAIT: Duration = Duration::from_millis(500);
/// Time limit of the shared count; after it, each host counts on its own.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time without another request to the shared bucket after that.
const REST: Duration = Duration::from_secs(2);

/// Token buckets that all hosts take from. Implemented by the storage shared by the hosts.
#[async_trait]
pub trait SharedBuckets: Send + Sync {
    /// Takes up to `wanted` requests out of a key's bucket, which holds `limit` and fills within a
    /// minute. `None` if the buckets cannot be reached.
    async fn take(
        &self,
        key: Uuid,
        access: Access,
        limit: NonZeroU32,
        wanted: NonZeroU32,
    ) -> Option<TakenRequests>;
}

/// Requests taken out of a shared bucket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TakenRequests {
    /// Number of requests; fewer than wanted if there are no more.
    pub requests: u32,
    /// The time after which the bucket is full.
    pub full_in: Duration,
}

/// Requests that this host has taken and not used yet.
#[derive(Clone)]
pub(super) struct Stocks {
    buckets: Arc<dyn SharedBuckets>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    stocks: HashMap<(Uuid, Access), Arc<tokio::sync::Mutex<Stock>>>,
    rests_until: Option<Instant>,
}

/// Requests of one key that this host may still admit.
#[derive(Clone, Copy)]
struct Stock {
    left: u32,
    taken_at: Instant,
    /// Time at which the shared bucket is full, as last reported.
    full_at: Instant,
    /// Time until which the shared bucket is empty.
    empty_until: Instant,
    portion: NonZeroU32,
}

/// Decision on a request by the shared count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct SharedDecision {
    /// Allowance that this host has left.
    pub(super) left: u32,
    /// The time after which the shared bucket is full.
    pub(super) full_in: Duration,
    /// Time until a refused request may be repeated.
    pub(super) retry_after: Option<Duration>,
}

impl Stocks {
    pub(super) fn new(buckets: Arc<dyn SharedBuckets>) -> Self {
        Self {
            buckets,
            state: Arc::default(),
        }
    }

    /// Takes one request of a key; `None` if the shared buckets cannot be reached.
    pub(super) async fn take(
        &self,
        key: Uuid,
        access: Access,
        limit: NonZeroU32,
        now: Instant,
    ) -> Option<SharedDecision> {
        let stock = self.stock(key, access, now)?;
        // One request at a time takes a portion; the others use it.
        let mut stock = stock.lock().await;
        if stock.taken_at + WINDOW <= now {
            // The bucket has regained as many meanwhile.
            stock.left = 0;
        }
        if stock.left == 0 && stock.empty_until <= now {
            let wanted = stock.wanted(limit, now);
            let taken = self.buckets.take(key, access, limit, wanted);
            let Some(taken) = timeout(PATIENCE, taken).await.ok().flatten() else {
                self.state().rests_until = Some(Instant::now() + REST);
                return None;
            };
            stock.fill(limit, wanted, taken, now);
        }
        Some(stock.take(now))
    }

    fn stock(
        &self,
        key: Uuid,
        access: Access,
        now: Instant,
    ) -> Option<Arc<tokio::sync::Mutex<Stock>>> {
        let mut state = self.state();
        if state.rests_until.is_some_and(|until| now < until) {
            return None;
        }
        if state.stocks.len() >= MANY_BUCKETS {
            // A locked stock is in use.
            state.stocks.retain(|_, stock| {
                let stock = stock.try_lock();
                stock.map_or(true, |stock| now < stock.taken_at + WINDOW)
            });
        }
        let stock = state.stocks.entry((key, access));
        Some(Arc::clone(stock.or_insert_with(|| {
            Arc::new(tokio::sync::Mutex::new(Stock::none(now)))
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stock {
    fn none(now: Instant) -> Self {
        Self {
            left: 0,
            taken_at: now,
            full_at: now,
            empty_until: now,
            portion: NonZeroU32::MIN,
        }
    }

    /// Size of the next portion: larger the faster the last one was used.
    fn wanted(&self, limit: NonZeroU32, now: Instant) -> NonZeroU32 {
        let most = (limit.get() / LARGEST_PORTION).max(1);
        let portion = match now.saturating_duration_since(self.taken_at) < SOON {
            true => self.portion.get().saturating_mul(2),
            false => self.portion.get() / 2,
        };
        NonZeroU32::new(portion.min(most)).unwrap_or(NonZeroU32::MIN)
    }

    fn fill(&mut self, limit: NonZeroU32, wanted: NonZeroU32, taken: TakenRequests, now: Instant) {
        let token = WINDOW / limit.get();
        self.left = taken.requests;
        self.taken_at = now;
        self.full_at = now + taken.full_in;
        self.portion = wanted;
        if taken.requests == 0 {
            let wait = (taken.full_in + token).saturating_sub(WINDOW);
            self.empty_until = now + wait.max(LEAST_WAIT);
        }
    }

    fn take(&mut self, now: Instant) -> SharedDecision {
        let retry_after = match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                None
            }
            None => Some(self.empty_until.saturating_duration_since(now)),
        };
        SharedDecision {
            left: self.left,
            full_in: self.full_at.saturating_duration_since(now),
            retry_after,
        }
    }
}

impl fmt::Debug for Stocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stocks").finish_non_exhaustive()
    }
}
