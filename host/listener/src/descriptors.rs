//! File descriptors: their number and shares.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Divisor of the share reserved for the store, the jobs and the files they open; the share is at
/// most [`LARGEST_RESERVE`].
const RESERVED: usize = 4;
/// Enough for the two lanes of jobs that wait for people, with one provider connection each, and as
/// much as one lane for everything else.
const LARGEST_RESERVE: usize = 3 * 1024;
/// Divisor of the operator listener's share of the remainder, within the bounds below.
const OPERATORS: usize = 16;
const OPERATORS_LEAST: usize = 8;
const OPERATORS_MOST: usize = 256;
/// Maximum number of connections of the public listener, however many descriptors there are: each
/// takes memory too.
const MOST: usize = 32 * 1024;

/// Maximum number of connections of each listener.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Connections {
    /// The listener of the APIs and pages.
    pub public: usize,
    /// The listener of health and metrics.
    pub operator: usize,
}

impl Connections {
    /// Raises the limit on the descriptors of this process as far as it may, and
    /// shares them out.
    pub fn claim() -> Self {
        let found = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: found.maximum,
            ..found
        };
        let limit = match setrlimit(Resource::Nofile, raised) {
            Ok(()) => raised.current,
            Err(error) => {
                tracing::warn!(%error, "the limit on descriptors cannot be raised");
                found.current
            }
        };
        // None is no limit at all.
        let limit = limit.unwrap_or(u64::MAX);
        let connections = Self::of(usize::try_from(limit).unwrap_or(usize::MAX));
        tracing::info!(
            descriptors = limit,
            connections = connections.public,
            "connections"
        );
        connections
    }

    /// Divides `limit` descriptors into shares.
    fn of(limit: usize) -> Self {
        let left = limit - (limit / RESERVED).min(LARGEST_RESERVE);
        let operator = (left / OPERATORS).clamp(OPERATORS_LEAST, OPERATORS_MOST);
        Self {
            public: left.saturating_sub(operator).clamp(1, MOST),
            operator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_starts_with_few_descriptors_has_as_many_as_it_may() {
        let hard = getrlimit(Resource::Nofile).maximum;
        let few = Rlimit {
            current: Some(hard.unwrap_or(u64::MAX).min(512)),
            maximum: hard,
        };
        setrlimit(Resource::Nofile, few).unwrap();

        let connections = Connections::claim();

        assert_eq!(getrlimit(Resource::Nofile).current, hard);
        let hard = usize::try_from(hard.unwrap_or(u64::MAX)).unwrap();
        assert_eq!(connections, Connections::of(hard));
    }

    #[test]
    fn connections_leave_a_reserve_and_grow_with_the_limit() {
        for (limit, public, operator) in [
            (1024, 720, 48),
            (4096, 2880, 192),
            (20_000, 16_672, 256),
            (524_288, 32_768, 256),
            (usize::MAX, 32_768, 256),
            (8, 1, 8),
        ] {
            let shares = Connections::of(limit);

            assert_eq!(shares, Connections { public, operator }, "{limit}");
        }
    }
}
