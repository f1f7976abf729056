//! The queues that jobs stand in.

use parafa_store::jobs::Lane;

/// Steps of signing attempts; a person waits for them.
pub(crate) const ATTEMPTS: Lane = Lane::new("attempts");
/// What happens at a certain time.
pub(crate) const TIMERS: Lane = Lane::new("timers");
/// What webhooks are told.
pub(crate) const DELIVERIES: Lane = Lane::new("deliveries");
/// What persons are written: all of it goes to one mail server, and waits for
/// that alone.
pub(crate) const LETTERS: Lane = Lane::new("letters");

/// Deliveries that run at the same time: no receiver and no workspace has more
/// than a part of them.
pub(crate) const DELIVERIES_AT_ONCE: usize = 128;

/// How much of a lane one host does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) lane: Lane,
    /// Jobs that run at the same time.
    pub(crate) jobs: usize,
}

impl Budget {
    /// Whether what is done in the lane goes out to others.
    pub(crate) fn is_outbound(&self) -> bool {
        [DELIVERIES, LETTERS].contains(&self.lane)
    }
}

/// Every lane. Each has a budget of its own, so that however many signers are
/// waited for, a deadline is kept.
pub(crate) const BUDGETS: [Budget; 4] = [
    Budget {
        lane: ATTEMPTS,
        jobs: 256,
    },
    Budget {
        lane: TIMERS,
        jobs: 16,
    },
    Budget {
        lane: DELIVERIES,
        jobs: DELIVERIES_AT_ONCE,
    },
    Budget {
        lane: LETTERS,
        jobs: 16,
    },
];
