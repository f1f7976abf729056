//! Stolen data folders, databases, buckets and backups: without the master key
//! they give nothing that is secret or about a person.

mod secrets;
mod world;

use std::path::PathBuf;

use parafa_test_services::S3;
use tempfile::TempDir;

use crate::support::demo::{Demo, Stored};
use crate::support::operator::{done, text};

/// Makes a backup in a new folder.
fn backed_up(demo: &Demo) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let backup = folder.path().join("backup");
    done(&demo.data(), &["backup", text(&backup)]);
    (folder, backup)
}

#[tokio::test]
async fn whoever_takes_what_is_stored_or_a_backup_and_not_the_master_key_learns_nothing() {
    let mut demo = Demo::start();
    let secrets = world::of_everything(&demo).await;
    let (_folder, backup) = backed_up(&demo);
    demo.stop();

    secrets.assert_only_clear_text(&demo.stored());
    secrets.assert_only_clear_text(&Stored::below(&backup));
}

#[tokio::test]
async fn whoever_takes_a_bucket_and_its_database_and_not_the_master_key_learns_nothing() {
    let bucket = S3::start();
    let mut demo = Demo::start_with_bucket(&bucket);
    let secrets = world::of_everything(&demo).await;
    let (_folder, backup) = backed_up(&demo);
    demo.stop();

    let objects = Stored::below(&bucket.file_of(""));
    let documents = objects
        .iter()
        .filter(|object| object.place.contains("/bytes/"));
    assert!(documents.count() > 0, "documents are in the bucket");
    secrets.assert_absent(&objects);
    secrets.assert_only_clear_text(&demo.stored());
    secrets.assert_only_clear_text(&Stored::below(&backup));
}
