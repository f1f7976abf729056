//! Data folders of earlier builds, which every later build opens and completes.
//!
//! The names of tables, rows and their members are the format of the disk. A
//! folder is written here, with work of every kind in progress when the server
//! is killed. `cargo xtask keep-data-folder NAME` archives a build's folder in
//! `tests/data-folders`, where it stays unchanged.

mod finished;
mod written;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use self::written::Written;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::root;

/// Variable with the path of the archive for a folder.
const KEEP: &str = "PARAFA_KEEP_DATA_FOLDER";
/// File with the facts about a folder, besides its `data`.
const WRITTEN: &str = "written.json";

#[tokio::test]
async fn what_a_killed_server_leaves_is_opened_and_finished() {
    if !keeps_files() {
        return;
    }
    let mut demo = Demo::start();
    let written = Written::by(&demo).await;
    demo.kill();
    let left = demo.leave();
    let json = serde_json::to_vec_pretty(&written).expect("JSON");
    fs::write(left.path().join(WRITTEN), json).expect("a file");
    if let Some(archive) = std::env::var_os(KEEP) {
        pack(left.path(), Path::new(&archive));
    }

    finished::finish(left).await;
}

#[tokio::test]
async fn what_earlier_builds_have_left_is_opened_and_finished() {
    if !keeps_files() {
        return;
    }
    for archive in archives() {
        println!("{}", archive.display());
        finished::finish(unpack(&archive)).await;
    }
}

/// Returns all archives, at least one.
fn archives() -> Vec<PathBuf> {
    let folder = root().join("tests/data-folders");
    let entries = fs::read_dir(&folder).expect("the folder is in the checkout");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let archives: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    assert!(!archives.is_empty(), "{} is empty", folder.display());
    archives
}

fn pack(folder: &Path, archive: &Path) {
    let packed = Command::new("tar")
        .args([
            "--create",
            "--gzip",
            "--sparse",
            "--exclude=*.sock",
            "--file",
        ])
        .arg(archive)
        .arg("--directory")
        .arg(folder)
        .args(["data", WRITTEN])
        .status();
    assert!(packed.expect("tar runs").success(), "{}", archive.display());
}

fn unpack(archive: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unpacked = Command::new("tar")
        .args(["--extract", "--gzip", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(folder.path())
        .status();
    assert!(
        unpacked.expect("tar runs").success(),
        "{}",
        archive.display()
    );
    go_on_from_when_it_was_left(folder.path());
    folder
}

/// Sets the world's clock back to the time when the folder was written: its
/// content has deadlines, which this test is not about.
fn go_on_from_when_it_was_left(folder: &Path) {
    let written = fs::metadata(folder.join(WRITTEN)).and_then(|file| file.modified());
    let age = written.expect("a time").elapsed().expect("a time gone by");
    let clock = json!({"offsetSeconds": -i64::try_from(age.as_secs()).expect("a few years")});
    fs::write(folder.join("data/world/clock.json"), clock.to_string()).expect("a file");
}
