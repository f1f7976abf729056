//! Data of earlier builds, which every later build opens and completes.
//!
//! The names of tables, rows and their members are the format of the disk. Data
//! are written here, with work of every kind in progress when the server is
//! killed. `cargo xtask keep-data-folder` archives those of a build in
//! `tests/data-folders`, where they stay unchanged. An archive is named by the
//! version of the program, the schema of the records and the engine.

mod finished;
mod kept;
mod ledger;
mod products;
mod told;
mod written;

use std::fs;
use std::path::Path;

use parafa_fixtures::tool;
use parafa_test_services::Postgres;
use serde_json::json;

use self::written::Written;
use crate::support::demo::{Demo, LeftBehind};
use crate::support::engine::is_database;
use crate::support::operator::{done, text};

/// Variable with the folder in which an archive is to be kept.
const KEEP: &str = "PARAFA_KEEP_DATA_FOLDER";
/// File with the facts about a folder, besides its `data`.
const WRITTEN: &str = "written.json";

#[tokio::test]
async fn what_a_killed_server_leaves_is_opened_and_finished_also_by_a_copy_on_a_database() {
    // Documents of the plugin that is installed.
    let mut demo = Demo::start_with(&[("PARAFA_PLUGINS__EXTENSIONS", "memo".to_owned())]);
    let written = Written::by(&demo).await;
    let backups = tempfile::tempdir().expect("a temporary folder");
    let backup = backups.path().join("backup");
    done(&demo.data(), &["backup", text(&backup)]);
    demo.kill();
    let json = serde_json::to_vec_pretty(&written).expect("JSON");
    fs::write(demo.data().with_file_name(WRITTEN), json).expect("a file");

    let finds_postgres = || tool::or_skip("PostgreSQL", Postgres::is_installed().then_some(()));
    // On a database they are finished anyway.
    if !is_database() && finds_postgres().is_some() {
        let copy = demo.restored_to_database(&backup, None);
        finished::finish(&copy, &written).await;
    }
    let left = demo.leave();
    if let Some(folder) = std::env::var_os(KEEP) {
        kept::keep(&left, &written, Path::new(&folder));
    }
    open_and_finish(left, &written).await;
}

#[tokio::test]
async fn what_earlier_builds_have_left_is_opened_and_finished() {
    for archive in kept::archives() {
        println!("{}", archive.display());
        if let Some((left, written)) = kept::unpack(&archive) {
            open_and_finish(left, &written).await;
        }
    }
}

/// Opens data as of the time when they were written: their content has
/// deadlines, which these tests are not about.
async fn open_and_finish(left: LeftBehind, written: &Written) {
    let folder = left.folder.path();
    let time = fs::metadata(folder.join(WRITTEN)).and_then(|file| file.modified());
    let age = time.expect("a time").elapsed().expect("a time gone by");
    let clock = json!({"offsetSeconds": -i64::try_from(age.as_secs()).expect("a few years")});
    fs::write(folder.join("data/world/clock.json"), clock.to_string()).expect("a file");
    finished::finish(&Demo::on_left(left), written).await;
}
