//! The tests that run a second time, with their records in a database.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::lints;

/// The variable that selects the engine of tests, and its value for a database.
pub(crate) const ENGINE: (&str, &str) = ("PARAFA_TEST_ENGINE", "postgres");
/// Suffix of the name of a test that ran on it.
pub(super) const ON: &str = " on PostgreSQL";

/// Tests of one binary.
struct Part {
    /// The package's folder in the checkout.
    package: &'static str,
    target: &'static str,
    /// Parts of their names.
    names: &'static [&'static str],
}

/// Tests of hosts with shared records. Tests of one host's files, pages or documents are
/// independent of the engine.
const PARTS: [Part; 2] = [
    Part {
        package: "host/server",
        target: "parafa_server",
        names: &[
            "tests::ceremony::deadlines::",
            "tests::ceremony::prompt_limits::",
            "tests::ceremony::turns::",
            "tests::delivery::webhooks::",
            // The others make hundreds of databases more, which takes minutes.
            "tests::hosts::crash_points::a_crash_in_any_commit_of_",
            "tests::hosts::races::",
            "tests::hosts::shared_records::",
        ],
    },
    Part {
        package: "tests",
        target: "it",
        names: &[
            "authentication::cards::",
            "authentication::device_links::",
            "authentication::operators::",
            "authentication::phones::",
            "authentication::sessions::",
            "cards::",
            "data_folders::what_a_killed_server_leaves",
            "device_link::",
            "diligence::billing::",
            "diligence::calls::",
            "diligence::orders::",
            "diligence::repetitions::",
            "mobile_id::",
            "signing_api::batches::",
            "signing_api::clock::",
            "signing_api::deliveries::",
            "signing_api::erasure::",
            "signing_api::files::",
            "signing_api::idempotency::",
            "signing_api::sequence::",
            "signing_api::states::",
            "signing_flow::",
            "turns::",
        ],
    },
];

/// Returns true if the run of all tests uses a database anyway.
pub(super) fn is_asked_for() -> bool {
    env::var_os(ENGINE.0).is_some()
}

/// Returns the commands of these tests, with parts of their names. They are compiled by the command
/// of all tests: for one package alone, cargo would recompile its dependencies.
pub(super) fn tests(root: &Path) -> anyhow::Result<Vec<(Command, &'static [&'static str])>> {
    let built = lints::cargo(root)
        .args(["test", "--workspace", "--tests", "--no-run"])
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .output()
        .context("cargo test --no-run")?;
    let told = String::from_utf8_lossy(&built.stderr);
    ensure!(built.status.success(), "cargo test --no-run: {told}");
    let messages = String::from_utf8(built.stdout).context("what cargo tells")?;
    let binaries: Vec<Binary> = messages.lines().filter_map(Binary::parse).collect();
    PARTS
        .iter()
        .map(|part| Ok((part.tests(root, &binaries)?, part.names)))
        .collect()
}

impl Part {
    fn tests(&self, root: &Path, binaries: &[Binary]) -> anyhow::Result<Command> {
        let package = root.join(self.package);
        let is_own = |binary: &&Binary| {
            binary.manifest == package.join("Cargo.toml") && binary.target == self.target
        };
        let binary = binaries.iter().find(is_own);
        let binary = binary.with_context(|| format!("{} has no {}", self.package, self.target))?;
        let mut command = Command::new(&binary.program);
        command
            .current_dir(&package)
            .env("CARGO_MANIFEST_DIR", &package)
            .env(ENGINE.0, ENGINE.1);
        Ok(command)
    }
}

/// A program that has tests.
#[derive(Debug, Eq, PartialEq)]
struct Binary {
    manifest: PathBuf,
    target: String,
    program: PathBuf,
}

impl Binary {
    /// Parses the binary in a message of cargo.
    fn parse(message: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Artifact {
            manifest_path: PathBuf,
            target: Target,
            profile: Profile,
            executable: Option<PathBuf>,
        }
        #[derive(Deserialize)]
        struct Target {
            name: String,
        }
        #[derive(Deserialize)]
        struct Profile {
            test: bool,
        }

        let artifact: Artifact = serde_json::from_str(message).ok()?;
        let program = artifact.executable.filter(|_| artifact.profile.test)?;
        Some(Self {
            manifest: artifact.manifest_path,
            target: artifact.target.name,
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_tests_is_told_from_other_messages() {
        let message = |test: bool, program: &str| {
            format!(
                r#"{{"reason": "compiler-artifact", "manifest_path": "/p/host/Cargo.toml",
                    "target": {{"name": "host", "kind": ["lib"]}}, "profile": {{"test": {test}}},
                    "executable": {program}, "fresh": true}}"#
            )
        };

        assert_eq!(
            Binary::parse(&message(true, r#""/p/target/debug/deps/host-1""#)),
            Some(Binary {
                manifest: "/p/host/Cargo.toml".into(),
                target: "host".to_owned(),
                program: "/p/target/debug/deps/host-1".into(),
            })
        );
        assert_eq!(
            Binary::parse(&message(false, r#""/p/target/debug/host""#)),
            None
        );
        assert_eq!(Binary::parse(&message(true, "null")), None);
        assert_eq!(
            Binary::parse(r#"{"reason": "build-finished", "success": true}"#),
            None
        );
    }
}
