//! Job lanes, and their number of concurrent jobs per host.

use parafa_ceremony::attempt::ATTEMPTS;
use parafa_delivery::DELIVERIES_AT_ONCE;
use parafa_platform::jobs::{LaneBudget, TIMERS};
use parafa_platform::outbox::{DELIVERIES, LETTERS};

/// Concurrent jobs of a lane that waits for people. Each job holds a provider's
/// long poll for up to ten seconds. Above this number, each is polled later.
const WAITING_AT_ONCE: usize = 1024;

pub(crate) const LANES: [LaneBudget; 6] = [
    LaneBudget {
        lane: ATTEMPTS,
        jobs: WAITING_AT_ONCE,
        is_outbound: false,
    },
    LaneBudget {
        lane: parafa_auth::drive::LANE,
        jobs: WAITING_AT_ONCE,
        is_outbound: false,
    },
    LaneBudget {
        lane: parafa_identification::IDENTIFICATIONS,
        jobs: 16,
        is_outbound: false,
    },
    LaneBudget {
        lane: TIMERS,
        jobs: 16,
        is_outbound: false,
    },
    LaneBudget {
        lane: DELIVERIES,
        jobs: DELIVERIES_AT_ONCE,
        is_outbound: true,
    },
    LaneBudget {
        lane: LETTERS,
        jobs: 16,
        is_outbound: true,
    },
];
