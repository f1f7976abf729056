//! Databases as SQL.

use std::path::Path;
use std::process::Command;

use super::{Postgres, TemporaryDatabase};

/// Beginnings of lines about the session, which servers and clients of other versions may refuse.
const OF_ONE_VERSION: [&str; 3] = ["SET ", "\\restrict ", "\\unrestrict "];

impl TemporaryDatabase {
    /// Returns its tables and rows as a script, which later versions of PostgreSQL run too.
    ///
    /// # Panics
    /// When `pg_dump` fails.
    #[must_use]
    pub fn script(&self) -> String {
        let mut dump = self.server.client_program("pg_dump");
        let dumped = output(
            dump.args(["--no-owner", "--no-privileges", "--no-comments"])
                .arg(self.url()),
        );
        let is_portable = |line: &&str| !OF_ONE_VERSION.iter().any(|start| line.starts_with(start));
        let lines: Vec<&str> = dumped.lines().filter(is_portable).collect();
        lines.join("\n") + "\n"
    }

    /// Fills it, while it is empty, by a script.
    ///
    /// # Panics
    /// When a statement is refused.
    pub fn run(&self, script: &Path) {
        let mut psql = self.server.client_program("psql");
        let run = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f"];
        output(psql.args(run).arg(script).arg(self.url()));
    }
}

impl Postgres {
    /// Returns true if its programs are installed.
    #[must_use]
    pub fn is_installed() -> bool {
        super::service::found().is_some()
    }
}

fn output(command: &mut Command) -> String {
    let done = command.output();
    let done = done.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {told}");
    String::from_utf8(done.stdout).expect("UTF-8")
}
