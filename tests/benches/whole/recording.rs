//! Where the server's process spends its time, sampled by `perf` while a row is measured.

use std::path::PathBuf;
use std::process::{Child, Command};

use crate::server::Server;

/// Names the folder that records are written to, one a row; without it there are none.
const FOLDER: &str = "PARAFA_PROFILES";
/// Samples a second; not in step with what happens every hundredth of one.
const FREQUENCY: &str = "997";

/// A record that is being written.
pub(crate) struct Recording(Child);

impl Recording {
    /// Begins one of this server, where that is asked for.
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

    /// Waits until it is written.
    pub(crate) fn end(mut self) {
        let pid = self.0.id().to_string();
        let told = Command::new("kill").args(["-INT", &pid]).status();
        assert!(told.expect("kill runs").success(), "perf has ended before");
        // It says that it was interrupted, as it was to be.
        self.0.wait().expect("perf ends");
    }
}
