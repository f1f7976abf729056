//! Measurements of a server by `pgbench`, PostgreSQL's own benchmark.

use std::fs;
use std::process::Command;
use std::time::Duration;

use parafa_test_services::Postgres;

use crate::callers::Times;

/// Scale factor: accounts, in hundreds of thousands.
const SCALE: &str = "10";
/// Number of threads that drive its clients.
const THREADS: &str = "2";

/// Script of its clients.
#[derive(Clone, Copy)]
pub(crate) enum Script {
    /// Updates a row, reads it, and inserts another.
    SimpleUpdate,
    /// Reads a row.
    Select,
}

/// `pgbench` with a database of its own.
pub(crate) struct Pgbench<'s> {
    server: &'s Postgres,
    url: String,
    clients: usize,
    within: Duration,
}

impl<'s> Pgbench<'s> {
    /// Fills its tables.
    pub(crate) fn on(server: &'s Postgres, clients: usize, within: Duration) -> Self {
        let url = server.database().url;
        let mut fill = server.client_program("pgbench");
        run(fill.args(["--initialize", "--quiet", "--scale", SCALE, &url]));
        Self {
            server,
            url,
            clients,
            within,
        }
    }

    pub(crate) fn run(&self, script: Script) -> Times {
        let folder = tempfile::tempdir().expect("a folder");
        let mut bench = self.server.client_program("pgbench");
        bench
            .current_dir(folder.path())
            .arg(match script {
                Script::SimpleUpdate => "--skip-some-updates",
                Script::Select => "--select-only",
            })
            .args(["--client", &self.clients.to_string()])
            .args(["--jobs", THREADS, "--no-vacuum", "--log"])
            // The store uses prepared statements too.
            .args(["--protocol", "prepared"])
            .args(["--time", &self.within.as_secs().to_string(), &self.url]);
        run(&mut bench);
        let mut times = Vec::new();
        for file in fs::read_dir(folder.path()).expect("its log") {
            let log = fs::read_to_string(file.expect("a file").path()).expect("its log");
            times.extend(log.lines().map(|line| {
                // Columns: client, number, microseconds, and more.
                let micros = line.split(' ').nth(2).and_then(|time| time.parse().ok());
                Duration::from_micros(micros.expect("a time"))
            }));
        }
        Times::new(times, self.within)
    }
}

fn run(command: &mut Command) {
    let done = command.output().expect("pgbench");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {told}");
}
