//! The queues that jobs stand in.

use parafa_store::jobs::Lane;

/// Steps of signing attempts; a person waits for them.
pub(crate) const ATTEMPTS: Lane = Lane::new("attempts");
/// What happens at a certain time.
pub(crate) const TIMERS: Lane = Lane::new("timers");
