//! Profiles of the server's process, sampled by `perf` while a row is measured.

use std::path::PathBuf;
use std::process::{Child, Command};

use crate::server::Server;

/// Variable with the folder of profiles, one per row; without it, there are
/// none.
const FOLDER: &str = "PARAFA_PROFILES";
/// Samples per second; not in step with events every hundredth of a second.
const FREQUENCY: &str = "997";

/// A profile being recorded.
pub(crate) struct Recording(Child);

impl Recording {
    /// Begins to record this server, if requested.
    pub(crate) fn begin(server: &Server, row: &str) -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        let perf = Command::new("perf")
            .args(["record", "--quiet", "--call-graph", "fp"])
            .args(["--freq", FREQUENCY, "--pid", &server.id().to_string()])
            .arg("--output")
            .arg(folder.join(format!("{row}.data")))
            .spawn();
        Some(Self(perf.expect("perf runs")))
    }

    /// Waits until the profile is written.
    pub(crate) fn end(mut self) {
        let pid = self.0.id().to_string();
        let told = Command::new("kill").args(["-INT", &pid]).status();
        assert!(told.expect("kill runs").success(), "perf has ended before");
        // perf reports the interruption as a failure, although it is intended.
        self.0.wait().expect("perf ends");
    }
}
