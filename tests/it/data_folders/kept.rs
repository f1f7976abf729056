//! Archives of data: what a build kept, packed and unpacked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::tool;
use parafa_test_services::{Postgres, TemporaryDatabase};

use super::WRITTEN;
use super::written::Written;
use crate::support::demo::LeftBehind;
use crate::support::root;

/// Script of the records, of data whose records are in a database.
const RECORDS: &str = "records.sql";
/// Length of the longest byte file in an archive. No document of these data is
/// longer, and every plugin of the program is. A database keeps longer ones in
/// several pieces.
const LONGEST_BYTES: u64 = 256 * 1024;

/// Returns all archives, at least one.
pub(super) fn archives() -> Vec<PathBuf> {
    let folder = root().join("tests/data-folders");
    let entries = fs::read_dir(&folder).expect("the folder is in the checkout");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut archives: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    archives.sort();
    assert!(!archives.is_empty(), "{} is empty", folder.display());
    archives
}

/// Archives data in a folder, without the program's plugins. A later build does
/// without them: its own finish what they have begun.
pub(super) fn keep(left: &LeftBehind, written: &Written, folder: &Path) {
    let engine = match &left.database {
        Some(database) => {
            leave_out_plugins_of(database);
            fs::write(left.folder.path().join(RECORDS), database.script()).expect("a file");
            "postgres"
        }
        None => {
            leave_out_plugins_in(&left.folder.path().join("data/bytes"));
            "sled"
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("{version}-schema-{}-{engine}.tar.gz", written.schema);
    let archive = folder.join(name);
    assert!(!archive.exists(), "{} is kept already", archive.display());
    pack(left.folder.path(), &archive);
    let length = fs::metadata(&archive).expect("the archive").len();
    println!("kept {} bytes in {}", length, archive.display());
}

fn leave_out_plugins_in(bytes: &Path) {
    for entry in fs::read_dir(bytes).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.metadata().expect("a length").len() > LONGEST_BYTES {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}

fn leave_out_plugins_of(database: &TemporaryDatabase) {
    database.psql(
        "DELETE FROM parafa_blobs AS blob USING parafa_blobs AS later
         WHERE later.piece = 1 AND (later.kind, later.id) = (blob.kind, blob.id)",
    );
}

fn pack(folder: &Path, archive: &Path) {
    let records = folder.join(RECORDS).exists().then_some(RECORDS);
    let packed = Command::new("tar")
        .args(["--create", "--sparse", "--owner=0", "--group=0"])
        // Copies of plugins, which a server makes anew.
        .args(["--exclude=*.sock", "--exclude=*.wasm"])
        .args(["--use-compress-program=gzip -9", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(folder)
        .args(["data", WRITTEN])
        .args(records)
        .status();
    assert!(packed.expect("tar runs").success(), "{}", archive.display());
}

/// Returns the data in an archive; `None` if their engine is missing.
pub(super) fn unpack(archive: &Path) -> Option<(LeftBehind, Written)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unpacked = Command::new("tar")
        .args(["--extract", "--gzip", "--no-same-owner", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(folder.path())
        .status();
    let is_unpacked = unpacked.expect("tar runs").success();
    assert!(is_unpacked, "{}", archive.display());
    let json = fs::read(folder.path().join(WRITTEN)).expect("what was written");
    let written = serde_json::from_slice(&json).expect("JSON");
    let records = folder.path().join(RECORDS);
    let database = match records.exists() {
        true => {
            tool::or_skip("PostgreSQL", Postgres::is_installed().then_some(()))?;
            let database = Postgres::temporary_database();
            database.run(&records);
            Some(database)
        }
        false => None,
    };
    Some((LeftBehind { folder, database }, written))
}
