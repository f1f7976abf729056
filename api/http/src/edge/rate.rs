//! Rate limits of keys.

mod shared;

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;
use uuid::Uuid;

pub use self::shared::{SharedBuckets, TakenRequests};
use self::shared::{SharedDecision, Stocks};
use crate::principal::Access;
use crate::problem::{Problem, ProblemType};

/// The time in which an empty bucket fills.
const WINDOW: Duration = Duration::from_secs(60);
/// The policy for credentials that do not work.
const STRANGERS: &str = "strangers";
/// Number of buckets from which on full ones are dropped.
const MANY_BUCKETS: usize = 4096;

/// Fields of the IETF draft "RateLimit header fields for HTTP", structured lists (RFC 9651) whose
/// items are named policies.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Requests a minute, for each key; the same number may come at once after a pause.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RateLimits {
    /// Limit of requests that only read.
    pub reads_per_minute: NonZeroU32,
    /// Limit of all others.
    pub writes_per_minute: NonZeroU32,
}

impl Default for RateLimits {
    /// 600 reads and 120 writes.
    fn default() -> Self {
        const READS: NonZeroU32 = NonZeroU32::new(600).expect("it is not zero");
        const WRITES: NonZeroU32 = NonZeroU32::new(120).expect("it is not zero");

        Self {
            reads_per_minute: READS,
            writes_per_minute: WRITES,
        }
    }
}

/// Subject of a bucket.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Bucket {
    Key(Uuid, Access),
    /// Requests with an invalid key, by address.
    Stranger(IpAddr),
    /// Requests that need no key, likewise.
    Visitor(IpAddr, Access),
}

/// A token bucket for each key and kind of access, and for each address that sends invalid keys.
///
/// A bucket is stored as the time at which it will be full. Each request moves that by the refill
/// time of one token; it is refused if the time would be further away than the whole window.
///
/// Clones count together: whatever surfaces have clones of one limiter, a key or an address has one
/// allowance for all. Limiters of several hosts count keys together if they have [`SharedBuckets`];
/// addresses are counted by each host on its own.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    limits: RateLimits,
    full_at: Arc<Mutex<HashMap<Bucket, Instant>>>,
    stocks: Option<Stocks>,
}

impl RateLimiter {
    /// A limiter with full buckets.
    #[must_use]
    pub fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            full_at: Arc::default(),
            stocks: None,
        }
    }

    /// A limiter whose keys have one allowance on all hosts. While the buckets cannot be reached,
    /// each host counts on its own.
    #[must_use]
    pub fn shared(self, buckets: Arc<dyn SharedBuckets>) -> Self {
        Self {
            stocks: Some(Stocks::new(buckets)),
            ..self
        }
    }

    /// Takes one request out of the bucket of `key`.
    pub(crate) async fn admit(&self, key: Uuid, access: Access, now: Instant) -> RateDecision {
        let bucket = Bucket::Key(key, access);
        let Some(stocks) = &self.stocks else {
            return self.take_as(bucket, access, now);
        };
        let (policy, quota) = self.policy(access);
        let Some(decision) = stocks.take(key, access, quota, now).await else {
            return self.take_as(bucket, access, now);
        };
        if decision.retry_after.is_none() {
            // For times in which only this host's count applies.
            self.take_as(bucket, access, now);
        }
        RateDecision::shared(policy, quota, decision)
    }

    /// Takes one request out of an address's allowance for operations without credentials.
    pub(crate) fn admit_visitor(&self, peer: IpAddr, access: Access, now: Instant) -> RateDecision {
        self.take_as(Bucket::Visitor(peer, access), access, now)
    }

    fn take_as(&self, bucket: Bucket, access: Access, now: Instant) -> RateDecision {
        let (policy, quota) = self.policy(access);
        self.take(bucket, policy, quota, now)
    }

    fn policy(&self, access: Access) -> (&'static str, NonZeroU32) {
        match access {
            Access::Read => ("reads", self.limits.reads_per_minute),
            Access::Write => ("writes", self.limits.writes_per_minute),
        }
    }

    /// Counts a request from `peer` with an invalid key; the limit is that of one key's writes.
    pub(crate) fn admit_stranger(&self, peer: IpAddr, now: Instant) -> RateDecision {
        let quota = self.limits.writes_per_minute;
        self.take(Bucket::Stranger(peer), STRANGERS, quota, now)
    }

    fn take(
        &self,
        bucket: Bucket,
        policy: &'static str,
        quota: NonZeroU32,
        now: Instant,
    ) -> RateDecision {
        let token = WINDOW / quota.get();
        let mut buckets = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MANY_BUCKETS {
            buckets.retain(|_, full_at| *full_at > now);
        }
        let full_at = buckets.entry(bucket).or_insert(now);
        let used = full_at.saturating_duration_since(now);
        let used_after = used + token;
        let decision = |used: Duration, retry_after| RateDecision {
            policy,
            quota: quota.get(),
            remaining: tokens_in(WINDOW.saturating_sub(used), token),
            full_in: used,
            retry_after,
        };
        if used_after > WINDOW {
            return decision(used, Some(used_after - WINDOW));
        }
        *full_at = now + used_after;
        decision(used_after, None)
    }
}

fn tokens_in(time: Duration, token: Duration) -> u32 {
    let tokens = time.as_nanos() / token.as_nanos().max(1);
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Marks a request as already counted. For a surface that makes calls of an API within the process
/// for callers it has counted itself. An extension of the request, which no request from a socket
/// has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AlreadyCounted(pub RateDecision);

/// Decision on a request, and the allowance left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RateDecision {
    policy: &'static str,
    quota: u32,
    remaining: u32,
    full_in: Duration,
    retry_after: Option<Duration>,
}

impl RateDecision {
    fn shared(policy: &'static str, quota: NonZeroU32, decision: SharedDecision) -> Self {
        let SharedDecision {
            left,
            full_in,
            retry_after,
        } = decision;
        let token = WINDOW / quota.get();
        let in_bucket = tokens_in(WINDOW.saturating_sub(full_in), token);
        Self {
            policy,
            quota: quota.get(),
            remaining: in_bucket.saturating_add(left).min(quota.get()),
            full_in,
            retry_after,
        }
    }

    /// # Errors
    /// `rate-limited`.
    pub fn check(&self) -> Result<(), Problem> {
        match self.retry_after {
            Some(wait) => {
                let (quota, seconds) = (self.quota, whole_seconds(wait));
                let what = match self.policy {
                    STRANGERS => "requests with credentials that do not work",
                    policy => policy,
                };
                let detail = format!(
                    "The limit of {quota} {what} a minute is reached; send the next one in {seconds} s."
                );
                Err(Problem::new(ProblemType::RATE_LIMITED, detail).with_retry_after(seconds))
            }
            None => Ok(()),
        }
    }

    /// Adds `RateLimit-Policy` and `RateLimit`. The time in the latter is that
    /// of `Retry-After` on a refusal, else that until the whole quota is there
    /// again.
    pub fn describe(&self, headers: &mut HeaderMap) {
        let Self { policy, quota, .. } = self;
        let window = WINDOW.as_secs();
        let reset = whole_seconds(self.retry_after.unwrap_or(self.full_in));
        let remaining = self.remaining;
        headers.insert(
            RATE_LIMIT_POLICY,
            value(format!("\"{policy}\";q={quota};w={window}")),
        );
        headers.insert(
            RATE_LIMIT,
            value(format!("\"{policy}\";r={remaining};t={reset}")),
        );
    }
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("names and numbers are ASCII")
}

/// Rounded up, so that a token is there after that wait.
fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use async_trait::async_trait;

    use super::*;

    const KEY: Uuid = Uuid::from_u128(1);

    fn limiter(writes: u32) -> RateLimiter {
        RateLimiter::new(RateLimits {
            writes_per_minute: NonZeroU32::new(writes).unwrap(),
            ..RateLimits::default()
        })
    }

    #[tokio::test]
    async fn a_whole_quota_may_come_at_once_and_no_more() {
        let (limiter, now) = (limiter(3), Instant::now());
        let mut left = Vec::new();
        for _ in 0..3 {
            let decision = limiter.admit(KEY, Access::Write, now).await;
            left.push((decision.remaining, decision.check().is_ok()));
        }
        assert_eq!(left, [(2, true), (1, true), (0, true)]);
        let refused = limiter.admit(KEY, Access::Write, now).await;
        assert_eq!(refused.retry_after, Some(Duration::from_secs(20)));
        assert!(refused.check().is_err());
    }

    #[tokio::test]
    async fn waiting_as_long_as_told_is_enough() {
        let (limiter, now) = (limiter(7), Instant::now());
        for _ in 0..7 {
            limiter
                .admit(KEY, Access::Write, now)
                .await
                .check()
                .unwrap();
        }
        let wait = limiter
            .admit(KEY, Access::Write, now)
            .await
            .retry_after
            .unwrap();
        let then = now + Duration::from_secs(whole_seconds(wait).into());
        assert!(
            limiter
                .admit(KEY, Access::Write, then)
                .await
                .check()
                .is_ok()
        );
    }

    #[tokio::test]
    async fn keys_and_kinds_of_access_have_buckets_of_their_own() {
        let (limiter, now) = (limiter(1), Instant::now());
        limiter
            .admit(KEY, Access::Write, now)
            .await
            .check()
            .unwrap();
        assert!(
            limiter
                .admit(KEY, Access::Write, now)
                .await
                .check()
                .is_err()
        );
        assert!(limiter.admit(KEY, Access::Read, now).await.check().is_ok());
        let other = Uuid::from_u128(2);
        assert!(
            limiter
                .admit(other, Access::Write, now)
                .await
                .check()
                .is_ok()
        );
    }

    #[tokio::test]
    async fn buckets_that_are_full_again_are_dropped() {
        let (limiter, now) = (limiter(1), Instant::now());
        for key in 0..MANY_BUCKETS as u128 {
            limiter
                .admit(Uuid::from_u128(key), Access::Write, now)
                .await;
        }
        limiter.admit(KEY, Access::Write, now + WINDOW).await;
        assert_eq!(limiter.full_at.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn the_fields_have_the_form_of_structured_lists() {
        let (limiter, now) = (limiter(2), Instant::now());
        let mut headers = HeaderMap::new();
        limiter
            .admit(KEY, Access::Write, now)
            .await
            .describe(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"writes\";q=2;w=60");
        assert_eq!(headers["ratelimit"], "\"writes\";r=1;t=30");
    }

    /// State shared by the hosts.
    #[derive(Default)]
    struct Common {
        full_at: Mutex<Option<Instant>>,
        asked: AtomicU32,
        is_away: AtomicBool,
    }

    #[async_trait]
    impl SharedBuckets for Common {
        async fn take(
            &self,
            _key: Uuid,
            _access: Access,
            limit: NonZeroU32,
            wanted: NonZeroU32,
        ) -> Option<TakenRequests> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            if self.is_away.load(Ordering::Relaxed) {
                return None;
            }
            let (now, token) = (Instant::now(), WINDOW / limit.get());
            let mut full_at = self.full_at.lock().unwrap();
            let used = full_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
            let requests = tokens_in(WINDOW.saturating_sub(used), token).min(wanted.get());
            let used = used + token * requests;
            *full_at = Some(now + used);
            Some(TakenRequests {
                requests,
                full_in: used,
            })
        }
    }

    fn hosts(common: &Arc<Common>, count: usize, writes: u32) -> Vec<RateLimiter> {
        let host = || limiter(writes).shared(common.clone());
        std::iter::repeat_with(host).take(count).collect()
    }

    /// Sends this many requests evenly over a period, to one host after the other; returns the
    /// number admitted.
    async fn let_in(hosts: &[RateLimiter], requests: u32, within: Duration) -> u32 {
        let mut let_in = 0;
        for (_, host) in (0..requests).zip(hosts.iter().cycle()) {
            let decision = host.admit(KEY, Access::Write, Instant::now()).await;
            let_in += u32::from(decision.check().is_ok());
            tokio::time::advance(within / requests).await;
        }
        let_in
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_of_a_key_holds_for_all_hosts_together() {
        let common = Arc::default();
        let hosts = hosts(&common, 5, 600);

        let at_once = let_in(&hosts, 3000, Duration::from_millis(30)).await;
        assert!((540..=600).contains(&at_once), "{at_once}");
        let in_a_minute = let_in(&hosts, 3000, WINDOW).await;
        assert!((480..=720).contains(&in_a_minute), "{in_a_minute}");

        let asked = common.asked.load(Ordering::Relaxed);
        assert!(asked < 1000, "{asked}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_stays_below_its_limit_is_let_in_by_every_host() {
        let common = Arc::default();
        let hosts = hosts(&common, 5, 600);

        assert_eq!(let_in(&hosts, 2500, 5 * WINDOW).await, 2500);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_refused_by_all_is_told_when_to_come_again() {
        let common = Arc::default();
        let hosts = hosts(&common, 2, 6);
        let_in(&hosts, 6, Duration::from_millis(6)).await;

        let refused = hosts[1].admit(KEY, Access::Write, Instant::now()).await;
        let wait = Duration::from_secs(whole_seconds(refused.retry_after.unwrap()).into());
        assert!(wait <= Duration::from_secs(10), "{wait:?}");
        assert_eq!(refused.remaining, 0);
        tokio::time::advance(wait).await;
        let then = hosts[1].admit(KEY, Access::Write, Instant::now()).await;
        assert!(then.check().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_common_count_is_away_each_host_counts_alone() {
        let common = Arc::default();
        let hosts = hosts(&common, 2, 100);
        common.is_away.store(true, Ordering::Relaxed);

        assert_eq!(let_in(&hosts, 400, Duration::from_secs(1)).await, 200 + 2);
        assert_eq!(common.asked.load(Ordering::Relaxed), 2);
    }
}
