//! How fast a client takes what it is sent.
//!
//! A client that takes nothing is given up after some time. One that takes a few
//! bytes now and then would be at work for ever, with one small request after
//! the other.

use std::time::Duration;

use tokio::time::Instant;

/// How many seconds a client may be behind.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many bytes make up for a second of waiting: half of what a document has
/// to be taken at, so that those who take one slowly are not given up here.
const BYTES_A_SECOND: u64 = 4 * 1024;

/// The time for which one connection's bytes could not be written, less the time
/// that those which were written may take.
#[derive(Debug, Default)]
pub(crate) struct WritePace {
    blocked_since: Option<Instant>,
    behind: Duration,
}

impl WritePace {
    /// Nothing can be written now.
    pub(crate) fn block(&mut self) {
        self.blocked_since.get_or_insert_with(Instant::now);
    }

    /// So many bytes were written. Tells whether the client is fast enough.
    pub(crate) fn go_on(&mut self, bytes: usize) -> bool {
        let waited = self.blocked_since.take().map(|since| since.elapsed());
        let allowed = Duration::from_millis(bytes as u64 * 1000 / BYTES_A_SECOND);
        self.behind = (self.behind + waited.unwrap_or_default()).saturating_sub(allowed);
        self.behind <= PATIENCE
    }
}
