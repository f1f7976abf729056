//! For how long a start waits for what is away.

use std::error::Error;
use std::time::Duration;

use tokio::time::Instant;

/// For how long a server that starts waits.
const AT_START: Duration = Duration::from_secs(60);
/// Between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// The time that is left for what is away to come back, in all that a start needs.
pub(crate) struct Patience {
    until: Instant,
    is_told: bool,
}

impl Patience {
    /// That of a server.
    pub(crate) fn at_start() -> Self {
        Self::of(AT_START)
    }

    /// That of a command, which says at once that something is away.
    pub(crate) fn none() -> Self {
        Self::of(Duration::ZERO)
    }

    fn of(time: Duration) -> Self {
        Self {
            until: Instant::now() + time,
            is_told: false,
        }
    }

    /// Waits a little for what is away; tells whether there was time for it.
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
