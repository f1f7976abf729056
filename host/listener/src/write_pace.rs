//! Pace at which a client reads its answers.
//!
//! A client that reads nothing is given up after some time. One that reads a few bytes now and then
//! would be busy forever, with one small request after another.

use std::time::Duration;

use tokio::time::Instant;

/// Number of seconds a client may be behind.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes that make up for one second of waiting. Half the minimum pace of document downloads, so
/// that slow readers of documents are not given up here.
const BYTES_A_SECOND: u64 = 4 * 1024;

/// Time for which bytes of one connection were blocked, less the time allowed for those written.
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

    /// Records written bytes. Returns true if the client is fast enough.
    pub(crate) fn go_on(&mut self, bytes: usize) -> bool {
        let waited = self.blocked_since.take().map(|since| since.elapsed());
        let allowed = Duration::from_millis(bytes as u64 * 1000 / BYTES_A_SECOND);
        self.behind = (self.behind + waited.unwrap_or_default()).saturating_sub(allowed);
        self.behind <= PATIENCE
    }
}
