//! Descriptors: how many there are, and who gets them.

use rlimit::{Resource, getrlimit, increase_nofile_limit};

/// Of all descriptors, one in so many is kept for the store, the jobs and what
/// they open; at most [`LARGEST_RESERVE`].
const RESERVED: usize = 4;
/// Room for the two lanes of jobs in which people are waited for, a connection to
/// a provider for each, and as much as one of them for everything else.
const LARGEST_RESERVE: usize = 3 * 1024;
/// Of the others, one in so many is the operator's listener's, within bounds.
const OPERATORS: usize = 16;
const OPERATORS_LEAST: usize = 8;
const OPERATORS_MOST: usize = 256;
/// Most connections of the public listener, however many descriptors there are:
/// what each takes of memory counts too.
const MOST: usize = 32 * 1024;

/// How many connections each listener may have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Connections {
    /// Where the APIs and pages are.
    pub public: usize,
    /// Where health and metrics are.
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
            /// What POSIX systems begin with.
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

    /// The shares of so many descriptors.
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
