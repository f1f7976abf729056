use std::env;
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;

/// The variable by which `cargo xtask drill` passes the plan, as JSON.
const ASKED: &str = "PARAFA_DRILL";

/// The plan of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) minutes: Option<u64>,
    pub(super) kills: Option<usize>,
    /// True if records are in a database instead of files.
    pub(super) is_on_database: bool,
    pub(super) hosts: usize,
    /// The seed of all random choices.
    pub(super) seed: u64,
    /// Another build, of the hosts' first starts and of random later ones.
    pub(super) other_binary: Option<PathBuf>,
    /// Errands a second of a soak.
    pub(super) rate: Option<f64>,
    /// The folder of the ledger, samples and data.
    pub(super) folder: PathBuf,
}

impl Plan {
    /// Reads the plan from the environment.
    pub(super) fn asked() -> Self {
        let asked = env::var(ASKED).unwrap_or_else(|_| panic!("{ASKED}: run `cargo xtask drill`"));
        serde_json::from_str(&asked).unwrap_or_else(|error| panic!("{ASKED}: {error}"))
    }

    /// Returns true if a run with this start and this many kills is over.
    pub(super) fn is_over(&self, begun: Instant, kills: usize) -> bool {
        let is_late = |minutes: u64| begun.elapsed().as_secs() >= 60 * minutes;
        self.minutes.is_some_and(is_late) || self.kills.is_some_and(|most| kills >= most)
    }
}
