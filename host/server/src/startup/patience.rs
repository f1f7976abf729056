//! Waiting for unavailable services at start-up.

use std::error::Error;
use std::time::Duration;

use tokio::time::Instant;

/// Maximum wait of a starting server.
const AT_START: Duration = Duration::from_secs(60);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Time left for unavailable services to come back, shared by all that a start
/// needs.
pub(crate) struct Patience {
    until: Instant,
    is_told: bool,
}

impl Patience {
    /// Returns the patience of a server.
    pub(crate) fn at_start() -> Self {
        Self::of(AT_START)
    }

    /// Returns the patience of a command, which reports unavailable services at
    /// once.
    pub(crate) fn none() -> Self {
        Self::of(Duration::ZERO)
    }

    fn of(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            is_told: false,
        }
    }

    /// Pauses before the next attempt; returns false if no time is left for
    /// one.
    pub(super) async fn lasts(&mut self, error: &(dyn Error + 'static)) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        if left < PAUSE {
            return false;
        }
        if !std::mem::replace(&mut self.is_told, true) {
            let seconds = left.as_secs();
            tracing::warn!(
                error,
                seconds,
                "shared storage is unavailable; waiting for it"
            );
        }
        tokio::time::sleep(PAUSE).await;
        true
    }
}
