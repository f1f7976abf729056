//! File descriptors: their number and shares.

use rlimit::{Resource, getrlimit, increase_nofile_limit};

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
        let raised = increase_nofile_limit(u64::MAX);
        let limit = raised.or_else(|error| {
            tracing::warn!(%error, "the limit on descriptors cannot be raised");
            getrlimit(Resource::NOFILE).map(|(soft, _)| soft)
        });
        let limit = limit.unwrap_or_else(|error| {
            /// The usual soft limit on POSIX systems.
            const USUAL: u64 = 1024;

            tracing::warn!(%error, "the limit on descriptors cannot be read");
            USUAL
        });
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
    use rlimit::setrlimit;

    use super::*;

    #[test]
    fn a_process_that_starts_with_few_descriptors_has_as_many_as_it_may() {
        let (_, hard) = getrlimit(Resource::NOFILE).unwrap();
        setrlimit(Resource::NOFILE, hard.min(512), hard).unwrap();

        let connections = Connections::claim();

        assert_eq!(getrlimit(Resource::NOFILE).unwrap(), (hard, hard));
        let hard = usize::try_from(hard).unwrap();
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
