//! Large documents, written to and read from each kind of storage: sealed when
//! written, opened and compared when read.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parafa_store::postgres::PostgresEngine;
use parafa_store::shared::{self, Objects, SharedOptions};
use parafa_store::{ByteFiles, DataKey, StoreMode, SystemClock};
use parafa_test_services::{Postgres, S3};
use uuid::Uuid;

use crate::Scale;
use crate::callers::{Rounds, Times};
use crate::hosts::{database, master};

/// Size of a document, in bytes: the maximum accepted.
const LARGE: usize = 15 * 1024 * 1024;

pub(crate) async fn measure(server: &Postgres, scale: &Scale) {
    let s3 = S3::start();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let sealed = folder.path().join("sealed");
    let places = [
        ("a folder", ByteFiles::open_folder(&sealed).expect("files")),
        ("PostgreSQL", shared_files(server, None).await),
        ("a bucket", shared_files(server, Some(&s3)).await),
    ];
    let key = DataKey::random().expect("a key");
    let content = Bytes::from(noise());
    let mut rounds = Rounds::default();
    for _ in 0..scale.rounds {
        let (written, read) = copies(folder.path(), &content, scale.documents);
        rounds.add("a plain copy, synced", written);
        rounds.add("a plain copy, read", read);
        for (name, files) in &places {
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..scale.documents {
                let [written, read] = &mut times;
                let id = Uuid::now_v7();
                let begun = Instant::now();
                let stored = files.write(&key, id, content.clone()).await;
                written.push(begun.elapsed());
                stored.expect("a document is stored");
                let begun = Instant::now();
                let opened = files.read(&key, id).await.expect("a document is there");
                read.push(begun.elapsed());
                assert!(opened == content, "the same bytes come back");
                files.unlink(id).await.expect("a document is removed");
            }
            let [written, read] = times.map(Times::in_sequence);
            rounds.add(&format!("into {name}"), written);
            rounds.add(&format!("out of {name}"), read);
        }
    }
    let mebibytes = LARGE / (1 << 20);
    println!("{}", rounds.table(&format!("{mebibytes} MiB")));
}

/// Opens byte files of a new deployment, in its database or in a bucket.
async fn shared_files(server: &Postgres, bucket: Option<&S3>) -> ByteFiles {
    let database = database(&server.database().url).await;
    let objects = bucket.map(|s3| Objects::parse(&s3.url(), s3.variables()).expect("a bucket"));
    let opened = shared::open(SharedOptions {
        database,
        committers: PostgresEngine::DEFAULT_COMMITTERS,
        clock: Arc::new(SystemClock),
        master: Arc::new(master()),
        mode: StoreMode::Demo,
        objects,
    });
    opened.await.expect("a deployment").files
}

/// Writes plain copies of the content to files, and reads them.
fn copies(folder: &Path, content: &Bytes, count: usize) -> (Times, Times) {
    let path = folder.join("copy");
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..count {
        let [written, read] = &mut times;
        let begun = Instant::now();
        let mut file = File::create_new(&path).expect("a file");
        file.write_all(content).expect("it is written");
        file.sync_all().expect("it is synced");
        let place = File::open(folder).expect("its folder");
        place.sync_all().expect("its name is synced");
        written.push(begun.elapsed());
        let begun = Instant::now();
        let found = fs::read(&path).expect("it is there");
        read.push(begun.elapsed());
        assert!(found == *content, "the same bytes come back");
        fs::remove_file(&path).expect("it is removed");
    }
    let [written, read] = times.map(Times::in_sequence);
    (written, read)
}

/// Returns incompressible bytes.
fn noise() -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let words = (0..LARGE / size_of::<u64>()).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    });
    words.flat_map(u64::to_le_bytes).collect()
}
