//! The fuzz targets of `tests/fuzz`, under libFuzzer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{cargo, run};
use crate::tools;

/// Seconds for one target in `cargo xtask test`.
const SHORT_SECONDS: u64 = 4;
/// Seconds for one input, by the clock: much, since the machine may have other
/// work. The slowest that is known takes some hundredths.
const TIMEOUT_SECONDS: u64 = 60;
/// MiB of the whole process. What the code under test may allocate is bounded
/// far below that, by the targets themselves.
const MEMORY_MIB: u64 = 2048;

/// Fuzzes one target, or all one after the other, each for this long. What is
/// learnt is kept in `target/fuzz/corpus` for the next time.
///
/// # Errors
/// A finding, which libFuzzer has described and stored, or what is missing.
pub(crate) fn explore(root: &Path, target: Option<&str>, seconds: u64) -> anyhow::Result<()> {
    let targets = targets(root)?;
    if let Some(target) = target {
        ensure!(
            targets.iter().any(|known| known == target),
            "there is no target {target}; there are {}",
            targets.join(", ")
        );
    }
    build(root)?;
    for name in targets {
        if target.is_none_or(|target| target == name) {
            let folder = root.join("target/fuzz/corpus").join(&name);
            let mut command = fuzzer(root, &name, &folder, seconds)?;
            command.arg("-print_final_stats=1");
            run(&mut command).with_context(|| finding(root, &name))?;
        }
    }
    Ok(())
}

/// The short runs of the tests: all inputs that are kept in the repository,
/// then some seconds of new ones, always from the same beginning.
///
/// # Errors
/// What cannot be built or run at all.
pub(crate) fn short_runs(root: &Path) -> anyhow::Result<Vec<Command>> {
    build(root)?;
    targets(root)?
        .iter()
        .map(|name| {
            let folder = root.join("target/fuzz/short").join(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
            }
            let mut command = fuzzer(root, name, &folder, SHORT_SECONDS)?;
            command.args(["-seed=1", "-verbosity=0"]);
            Ok(command)
        })
        .collect()
}

fn build(root: &Path) -> anyhow::Result<()> {
    tools::require_for_build()?;
    run(in_workspace(root).args(["build", "--release", "--quiet"])).context("the fuzz targets")
}

/// A run that begins with the target's seeds and the inputs in the repository,
/// and adds what it finds new to `folder`.
fn fuzzer(root: &Path, target: &str, folder: &Path, seconds: u64) -> anyhow::Result<Command> {
    let workspace = workspace(root);
    let kept = workspace.join("corpus").join(target);
    let seeds = root.join("target/fuzz/seeds").join(target);
    let artifacts = artifacts(root, target);
    for folder in [folder, &seeds, &artifacts] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut command = in_workspace(root);
    command
        .args(["run", "--release", "--quiet", "--bin", target, "--"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={TIMEOUT_SECONDS}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .env("PARAFA_FUZZ_SEEDS", &seeds);
    let dictionary = workspace.join(dictionary(target));
    command.arg(format!("-dict={}", dictionary.display()));
    command.args([folder, &seeds]);
    if kept.exists() {
        command.arg(kept);
    }
    Ok(command)
}

fn dictionary(target: &str) -> &'static str {
    if target.starts_with("pdf_") {
        "pdf.dict"
    } else {
        "der.dict"
    }
}

/// The names of `fuzz_targets/*.rs`, sorted.
fn targets(root: &Path) -> anyhow::Result<Vec<String>> {
    let folder = workspace(root).join("fuzz_targets");
    let mut targets = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let file = entry?.path();
        if let Some(name) = file.file_stem().and_then(|name| name.to_str()) {
            targets.push(name.to_owned());
        }
    }
    targets.sort();
    Ok(targets)
}

fn finding(root: &Path, target: &str) -> String {
    format!(
        "the target {target} found something: see the newest file in {}",
        artifacts(root, target).display()
    )
}

fn artifacts(root: &Path, target: &str) -> PathBuf {
    root.join("target/fuzz/artifacts").join(target)
}

fn workspace(root: &Path) -> PathBuf {
    root.join("tests/fuzz")
}

/// Cargo with the flags of the fuzz workspace and no others.
fn in_workspace(root: &Path) -> Command {
    let mut command = cargo(&workspace(root));
    command.env_remove("RUSTFLAGS");
    command
}
