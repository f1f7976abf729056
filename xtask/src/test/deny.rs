use std::path::Path;
use std::process::Command;

use super::Tally;
use crate::process;

/// Folders with a lock file.
const LOCKED: [&str; 4] = [".", "plugins", "plugins/sdk/bundle", "tests/fuzz/libfuzzer"];

/// Checks the packages of all lock files by `deny.toml`, if cargo-deny is installed: Debian does not
/// package it. Advisories are left out if their database cannot be fetched.
pub(super) fn check(root: &Path, tally: &mut Tally) {
    if !succeeds(cargo_deny(root).arg("--version")) {
        tally.skip("cargo-deny is not installed");
        return;
    }
    let has_database = succeeds(cargo_deny(root).args(["fetch", "db"]));
    if !has_database {
        tally.skip("the database of advisories cannot be fetched");
    }
    for folder in LOCKED {
        let mut check = cargo_deny(&root.join(folder));
        check.args(["--locked", "check", "--config"]);
        check.arg(root.join("deny.toml"));
        if has_database {
            check.args(["--disable-fetch", "advisories"]);
        }
        check.args(["licenses", "bans", "sources"]);
        process::announce(&check);
        tally.note(process::run_quietly(&mut check));
    }
}

fn cargo_deny(directory: &Path) -> Command {
    let mut command = process::cargo(directory);
    command.arg("deny");
    command
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
