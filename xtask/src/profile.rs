//! Profiles of the server while a row of the bench `whole` is measured.

mod areas;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::bench::{self, Bench};
use crate::{process, product};

/// The default row.
pub(crate) const USUAL_ROW: &str = "signature by card, PDF 10 KiB";
/// The variable with the folder for `perf`'s recordings, a file for each row.
const FOLDER: &str = "PARAFA_PROFILES";

/// Samples the server by `perf` during the rows whose name contains `row`, and prints a table for
/// each.
pub(crate) fn profile(root: &Path, row: &str) -> anyhow::Result<()> {
    ensure!(
        process::find("perf").is_some(),
        "perf is not here; run: sudo apt-get install linux-perf"
    );
    let parafa = product::build_for_profiles(root)?;
    let folder = root.join("target/profiles");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut measured = bench::command(root, Bench::Whole, &parafa);
    process::run(measured.arg(row).env(FOLDER, &folder))?;

    let mut records = BTreeSet::new();
    for entry in fs::read_dir(&folder)? {
        records.insert(entry?.path());
    }
    ensure!(
        !records.is_empty(),
        "nothing was recorded: is there a row whose name contains {row:?}, and may perf sample here?"
    );
    for record in records {
        let row = record.file_stem().unwrap_or_default().to_string_lossy();
        println!("\n{}", areas::table(&row, &report(&record)?)?);
        println!("Functions: perf report --no-children -i {record:?}");
    }
    Ok(())
}

/// Reports samples by program or library, and mangled function.
fn report(record: &Path) -> anyhow::Result<String> {
    let mut perf = Command::new("perf");
    perf.args(["report", "--stdio", "--quiet", "--no-children"])
        .args(["--call-graph=none", "--no-demangle"])
        .args(["--fields=sample,dso,symbol", "--field-separator=;"])
        .arg("--input")
        .arg(record);
    let output = perf.output().context("perf")?;
    ensure!(
        output.status.success(),
        "perf cannot read {}: {}",
        record.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}
