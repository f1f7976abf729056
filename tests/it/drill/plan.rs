use std::env;
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;

/// Where `cargo xtask drill` says what is asked for, as JSON.
const ASKED: &str = "PARAFA_DRILL";

/// What a run is to do.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) minutes: Option<u64>,
    pub(super) kills: Option<usize>,
    /// Whether records are in a database instead of files.
    pub(super) is_on_database: bool,
    pub(super) hosts: usize,
    /// Of all random choices.
    pub(super) seed: u64,
    /// Another build, as which hosts are started first, and later at random.
    pub(super) other_binary: Option<PathBuf>,
    /// Errands a second of a soak.
    pub(super) rate: Option<f64>,
    /// Where the ledger, samples and data are kept.
    pub(super) folder: PathBuf,
}

impl Plan {
    /// What the environment asks for.
    pub(super) fn asked() -> Self {
        let asked = env::var(ASKED).unwrap_or_else(|_| panic!("{ASKED}: run `cargo xtask drill`"));
        serde_json::from_str(&asked).unwrap_or_else(|error| panic!("{ASKED}: {error}"))
    }

    /// Whether a run that began then and has killed so often is over.
    pub(super) fn is_over(&self, begun: Instant, kills: usize) -> bool {
        let is_late = |minutes: u64| begun.elapsed().as_secs() >= 60 * minutes;
        self.minutes.is_some_and(is_late) || self.kills.is_some_and(|most| kills >= most)
    }
}
