//! Which lanes of jobs there are, and how many jobs of each a host does at one time.

use parafa_ceremony::attempt::ATTEMPTS;
use parafa_delivery::DELIVERIES_AT_ONCE;
use parafa_platform::jobs::{LaneBudget, TIMERS};
use parafa_platform::outbox::{DELIVERIES, LETTERS};

/// Jobs of a lane in which people are waited for, each with a provider's answer
/// that is held for up to ten seconds. Where more wait, each is asked after later.
const WAITING_AT_ONCE: usize = 1024;

/// Every lane.
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
