//! How many requests a key may make.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;
use uuid::Uuid;

use crate::principal::Access;
use crate::problem::{Problem, ProblemType};

/// The time in which an empty bucket fills.
const WINDOW: Duration = Duration::from_secs(60);
/// The policy for credentials that do not work.
const STRANGERS: &str = "strangers";
/// From how many buckets on those that are full again are dropped.
const MANY_BUCKETS: usize = 4096;

/// The fields of the IETF's "RateLimit header fields for HTTP", structured
/// lists (RFC 9651) whose items are named policies.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Requests a minute, for each key; as many may come at once after a pause.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RateLimits {
    /// Of those that only read.
    pub reads_per_minute: NonZeroU32,
    /// Of all others.
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

/// What a bucket is for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Bucket {
    Key(Uuid, Access),
    /// Requests without a key that works, by where they come from.
    Stranger(IpAddr),
    /// Requests that need no key, likewise.
    Visitor(IpAddr, Access),
}

/// A token bucket for each key and kind of access, and for each address that
/// sends keys that do not work.
///
/// A bucket is the moment at which it will be full: each request moves that by
/// the time that one token takes to come back, and is refused when it would be
/// further away than the whole window. Clones count together: whatever surfaces
/// have clones of one limiter, a key or an address has one allowance for all.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    limits: RateLimits,
    full_at: Arc<Mutex<HashMap<Bucket, Instant>>>,
}

impl RateLimiter {
    /// Nobody has used anything yet.
    #[must_use]
    pub fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            full_at: Arc::default(),
        }
    }

    /// Takes one request out of the bucket of `key`.
    pub(crate) fn admit(&self, key: Uuid, access: Access, now: Instant) -> RateDecision {
        self.take_as(Bucket::Key(key, access), access, now)
    }

    /// Takes one request out of what an address has for operations that need no
    /// key.
    pub(crate) fn admit_visitor(&self, peer: IpAddr, access: Access, now: Instant) -> RateDecision {
        self.take_as(Bucket::Visitor(peer, access), access, now)
    }

    fn take_as(&self, bucket: Bucket, access: Access, now: Instant) -> RateDecision {
        let (policy, quota) = match access {
            Access::Read => ("reads", self.limits.reads_per_minute),
            Access::Write => ("writes", self.limits.writes_per_minute),
        };
        self.take(bucket, policy, quota, now)
    }

    /// Counts a request from `peer` whose key does not work: as many may come
    /// as one key may write.
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

/// Says of a request that it was counted already, for a surface that makes calls
/// of an API within the process on behalf of those it has counted itself: as an
/// extension of the request, which none that came over a socket has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AlreadyCounted(pub RateDecision);

/// Whether a request may go on, and how much is left for others.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RateDecision {
    policy: &'static str,
    quota: u32,
    remaining: u32,
    full_in: Duration,
    retry_after: Option<Duration>,
}

impl RateDecision {
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
                    "More than {quota} {what} a minute came; the next one may come in {seconds} s."
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

/// Rounded up, so that whoever waits as long finds a token.
fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Uuid = Uuid::from_u128(1);

    fn limiter(writes: u32) -> RateLimiter {
        RateLimiter::new(RateLimits {
            writes_per_minute: NonZeroU32::new(writes).unwrap(),
            ..RateLimits::default()
        })
    }

    #[test]
    fn a_whole_quota_may_come_at_once_and_no_more() {
        let (limiter, now) = (limiter(3), Instant::now());
        let left: Vec<_> = (0..3)
            .map(|_| limiter.admit(KEY, Access::Write, now))
            .map(|decision| (decision.remaining, decision.check().is_ok()))
            .collect();
        assert_eq!(left, [(2, true), (1, true), (0, true)]);
        let refused = limiter.admit(KEY, Access::Write, now);
        assert_eq!(refused.retry_after, Some(Duration::from_secs(20)));
        assert!(refused.check().is_err());
    }

    #[test]
    fn waiting_as_long_as_told_is_enough() {
        let (limiter, now) = (limiter(7), Instant::now());
        for _ in 0..7 {
            limiter.admit(KEY, Access::Write, now).check().unwrap();
        }
        let wait = limiter.admit(KEY, Access::Write, now).retry_after.unwrap();
        let then = now + Duration::from_secs(whole_seconds(wait).into());
        assert!(limiter.admit(KEY, Access::Write, then).check().is_ok());
    }

    #[test]
    fn keys_and_kinds_of_access_have_buckets_of_their_own() {
        let (limiter, now) = (limiter(1), Instant::now());
        limiter.admit(KEY, Access::Write, now).check().unwrap();
        assert!(limiter.admit(KEY, Access::Write, now).check().is_err());
        assert!(limiter.admit(KEY, Access::Read, now).check().is_ok());
        let other = Uuid::from_u128(2);
        assert!(limiter.admit(other, Access::Write, now).check().is_ok());
    }

    #[test]
    fn buckets_that_are_full_again_are_dropped() {
        let (limiter, now) = (limiter(1), Instant::now());
        for key in 0..MANY_BUCKETS as u128 {
            limiter.admit(Uuid::from_u128(key), Access::Write, now);
        }
        limiter.admit(KEY, Access::Write, now + WINDOW);
        assert_eq!(limiter.full_at.lock().unwrap().len(), 1);
    }

    #[test]
    fn the_fields_have_the_form_of_structured_lists() {
        let (limiter, now) = (limiter(2), Instant::now());
        let mut headers = HeaderMap::new();
        limiter
            .admit(KEY, Access::Write, now)
            .describe(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"writes\";q=2;w=60");
        assert_eq!(headers["ratelimit"], "\"writes\";r=1;t=30");
    }
}
