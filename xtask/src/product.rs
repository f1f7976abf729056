use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{plugins, process};

/// Builds `target/release/parafa` and the plugins.
pub(crate) fn build_release(root: &Path) -> anyhow::Result<PathBuf> {
    plugins::build(root)?;
    process::run(process::cargo(root).args([
        "build",
        "--release",
        "--package",
        "parafa-server",
        "--bin",
        "parafa",
    ]))?;
    Ok(root.join("target/release/parafa"))
}

/// Builds `target/debug/parafa` together with all tests, so that both share
/// every dependency.
pub(crate) fn build_for_tests(root: &Path) -> anyhow::Result<PathBuf> {
    process::run(process::cargo(root).args(["build", "--workspace", "--bins", "--tests"]))?;
    Ok(root.join("target/debug/parafa"))
}

/// Builds, then becomes `parafa serve --demo`; returns only when it cannot.
pub(crate) fn demo(root: &Path, arguments: &[String]) -> anyhow::Error {
    match build_release(root) {
        Ok(parafa) => Command::new(parafa)
            .args(["serve", "--demo"])
            .args(arguments)
            .exec()
            .into(),
        Err(error) => error,
    }
}
