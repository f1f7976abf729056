//! The queues that jobs stand in.

use parafa_store::jobs::Lane;

/// Steps of signing attempts; a person waits for them.
pub(crate) const ATTEMPTS: Lane = Lane::new("attempts");
/// What happens at a certain time.
pub(crate) const TIMERS: Lane = Lane::new("timers");
/// What is told outside: webhooks and mail.
pub(crate) const DELIVERIES: Lane = Lane::new("deliveries");

/// How much of a lane one host does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) lane: Lane,
    /// Jobs that run at the same time.
    pub(crate) jobs: usize,
}

/// Every lane. Each has a budget of its own, so that however many signers are
/// waited for, a deadline is kept.
pub(crate) const BUDGETS: [Budget; 3] = [
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
        jobs: 64,
    },
];
