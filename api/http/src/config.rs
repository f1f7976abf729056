//! Configuration of the HTTP side by the operator.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use url::Url;

use crate::edge::{BodyPace, RateLimiter, RateLimits};
use crate::problem::ProblemType;
use crate::webhooks::Event;

/// 1 048 576 bytes.
pub const MIB: usize = 1024 * 1024;

/// The least that bodies in flight have together, in bytes.
const LEAST_IN_FLIGHT: usize = 256 * MIB;

/// Number of bodies held at once by an API of short bodies.
const SHORT_BODIES_AT_ONCE: usize = 256;

/// Limits and addresses of the HTTP side.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Public base URL of the service; problem types and locations begin with it.
    pub base_url: BaseUrl,
    /// Longest request body, in bytes; a longer one is 413.
    pub max_body_bytes: usize,
    /// Maximum size of the body of a batch, in bytes.
    pub max_batch_body_bytes: usize,
    /// Maximum size of all request bodies held at once, in bytes; beyond it 503.
    pub max_bytes_in_flight: usize,
    /// Minimum pace of a body; a slower one is refused with 408.
    pub pace: BodyPace,
    /// Rate limits of each key, and of each address without one; clones of one limiter count
    /// together.
    pub rates: RateLimiter,
    /// Other APIs of the listener, whose problem pages may be in this one's folder.
    pub neighbours: Vec<Neighbour>,
}

impl HttpConfig {
    /// 24 MiB a body, 128 MiB a batch, 256 MiB in flight, the usual pace and
    /// rates.
    #[must_use]
    pub fn new(base_url: BaseUrl) -> Self {
        Self {
            base_url,
            max_body_bytes: 24 * MIB,
            max_batch_body_bytes: 128 * MIB,
            max_bytes_in_flight: LEAST_IN_FLIGHT,
            pace: BodyPace::default(),
            rates: RateLimiter::new(RateLimits::default()),
            neighbours: Vec::new(),
        }
    }

    /// Limits bodies to `longest` bytes, and holds at most 256 of them at once. Callers of an API
    /// of short bodies must not take up the memory that documents need.
    #[must_use]
    pub fn with_short_bodies(mut self, longest: usize) -> Self {
        self.max_body_bytes = self.max_body_bytes.min(longest);
        self.max_bytes_in_flight = longest.saturating_mul(SHORT_BODIES_AT_ONCE);
        self
    }

    /// Limits bodies to `body` bytes, and batches to `batch`. At least two of the longer ones, and
    /// 256 MiB, may be in flight at once: a permitted body must also be possible beside others.
    #[must_use]
    pub fn with_longest_bodies(mut self, body: NonZeroUsize, batch: NonZeroUsize) -> Self {
        self.max_body_bytes = body.get();
        self.max_batch_body_bytes = batch.get();
        let longest = body.max(batch).get();
        self.max_bytes_in_flight = longest.saturating_mul(2).max(LEAST_IN_FLIGHT);
        self
    }
}

/// An API on the listener, as its neighbours and the common pages see it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Neighbour {
    /// Title of the API.
    pub title: String,
    /// The folder of its description and pages, such as `/dd`.
    pub folder: String,
    /// Summary in one line.
    pub summary: &'static str,
    /// Subject of its guide.
    pub guide: &'static str,
    /// Every problem that it answers with.
    pub problems: Vec<ProblemType>,
    /// The folder of the API that has the pages of its problems.
    pub problem_folder: &'static str,
    /// Events that it posts to webhooks.
    pub events: Vec<Event>,
}

/// The public address of the service, without a slash at its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BaseUrl(Arc<str>);

impl BaseUrl {
    /// Query and fragment of `url` are left out.
    #[must_use]
    pub fn new(url: &Url) -> Self {
        let mut bare = url.clone();
        bare.set_query(None);
        bare.set_fragment(None);
        Self(bare.as_str().trim_end_matches('/').into())
    }

    /// URL of `path`, which begins with a slash.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_the_longest_bodies_are_held_at_the_same_time_whatever_their_length() {
        for (body, batch) in [(1, 1), (24, 128), (24, 400), (512, 128), (usize::MAX, 1)] {
            let [body, batch] = [body, batch].map(|mebibytes: usize| {
                NonZeroUsize::new(mebibytes.saturating_mul(MIB)).expect("it is not zero")
            });
            let base = BaseUrl::new(&Url::parse("https://sign.example").unwrap());

            let config = HttpConfig::new(base).with_longest_bodies(body, batch);

            assert_eq!(config.max_body_bytes, body.get());
            assert_eq!(config.max_batch_body_bytes, batch.get());
            for longest in [body, batch] {
                assert!(config.max_bytes_in_flight >= longest.get().saturating_mul(2));
            }
            assert!(config.max_bytes_in_flight >= 256 * MIB);
        }
    }

    #[test]
    fn an_api_of_short_bodies_holds_little() {
        let base = BaseUrl::new(&Url::parse("https://sign.example").unwrap());

        let config = HttpConfig::new(base).with_short_bodies(64 * 1024);

        assert_eq!(config.max_body_bytes, 64 * 1024);
        assert_eq!(config.max_bytes_in_flight, 16 * MIB);
        let shorter = config.with_short_bodies(128 * 1024);
        assert_eq!(
            shorter.max_body_bytes,
            64 * 1024,
            "the operator's limit holds"
        );
    }

    #[test]
    fn an_address_is_joined_with_one_slash() {
        for given in [
            "https://sign.example",
            "https://sign.example/",
            "https://sign.example/?a=b#c",
        ] {
            let base = BaseUrl::new(&Url::parse(given).unwrap());
            assert_eq!(
                base.join("/v1/signings"),
                "https://sign.example/v1/signings"
            );
        }
    }

    #[test]
    fn a_path_of_the_base_address_is_kept() {
        let base = BaseUrl::new(&Url::parse("https://example.com/sign/").unwrap());
        assert_eq!(
            base.join("/problems/not-found"),
            "https://example.com/sign/problems/not-found"
        );
    }
}
