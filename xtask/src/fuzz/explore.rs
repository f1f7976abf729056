//! Long runs with persistent corpora.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, bail, ensure};

use super::report::Report;
use super::{Target, built, create_folder};
use crate::process::joined;

/// Number of targets that run concurrently.
const AT_ONCE: usize = 2;

/// Fuzzes targets for this long each, two at a time, and prints a line for each. The corpus is kept
/// in `target/fuzz/corpus` for the next time.
///
/// # Errors
/// A finding; failures to build or run.
pub(crate) fn explore(root: &Path, names: &[String], minutes: u64) -> anyhow::Result<()> {
    let targets = built(root, names)?;
    create_folder(&root.join("target/fuzz/log"))?;
    let queue = Mutex::new(targets.iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run_all = || {
        let mut failed = 0_usize;
        while let Some(target) = next() {
            match run(target, minutes) {
                Ok(line) => println!("{line}"),
                Err(error) => {
                    println!("{error:#}");
                    failed += 1;
                }
            }
        }
        failed
    };
    let failed: usize = thread::scope(|scope| {
        let runs: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(run_all)).collect();
        runs.into_iter().map(joined).sum()
    });
    ensure!(failed == 0, "{failed} of {} targets failed", targets.len());
    Ok(())
}

/// Runs a target, and returns the result in one line.
fn run(target: &Target, minutes: u64) -> anyhow::Result<String> {
    let name = &target.name;
    let log = target.below("log").with_extension("txt");
    let file = File::create(&log).with_context(|| log.display().to_string())?;
    let mut command = target.fuzzer(&target.learnt(), minutes.saturating_mul(60))?;
    let status = command
        .arg("-print_final_stats=1")
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| name.clone())?;
    let output = fs::read(&log).with_context(|| log.display().to_string())?;
    let report = Report::read(&String::from_utf8_lossy(&output));
    if let Some(finding) = report.finding {
        let finding = finding.display();
        bail!(
            "{name}: found {finding}; again: (cd tests/fuzz/libfuzzer && cargo run --release --bin {name} -- {finding})"
        );
    }
    ensure!(status.success(), "{name}: {status}, see {}", log.display());
    Ok(format!(
        "{name}: {minutes} minutes, {} executions, {} edges, {} features, no finding",
        report.executions, report.edges, report.features
    ))
}
