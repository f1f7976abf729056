use std::time::Duration;

use serde::Deserialize;
use tokio::sync::watch;

/// Longest wait for something to arrive.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Notifies waiting readers of arrivals. Clones share it.
#[derive(Clone)]
pub(crate) struct Arrivals(watch::Sender<()>);

/// Number of arrivals that a reader waits for, and its time limit in milliseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Awaited {
    #[serde(default)]
    pub(crate) at_least: usize,
    #[serde(default)]
    wait_ms: u64,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self(watch::Sender::new(()))
    }
}

impl Arrivals {
    pub(crate) fn note(&self) {
        self.0.send_replace(());
    }

    /// Waits until `arrived` returns the awaited number, or the time limit is reached.
    pub(crate) async fn wait(&self, awaited: Awaited, arrived: impl Fn() -> usize) {
        let mut news = self.0.subscribe();
        let arriving =
            async { while arrived() < awaited.at_least && news.changed().await.is_ok() {} };
        let wait = Duration::from_millis(awaited.wait_ms).min(MAX_WAIT);
        let _ = tokio::time::timeout(wait, arriving).await;
    }
}
