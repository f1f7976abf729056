//! Duration of a move from one machine to several.

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use futures::StreamExt;
use parafa_store::backup::{Backup, BackupSource, back_up};
use parafa_store::postgres::{Database, PostgresEngine};
use parafa_store::shared::SharedOptions;
use parafa_store::{Folder, MasterKey, StoreMode};
use parafa_test_services::{Durability, Postgres};
use uuid::Uuid;

use crate::backup::{Document, INVENTORY};
use crate::folder::options;
use crate::support::{Note, clock, options_of, put_all};

/// Number of signings, unless `PARAFA_MOVED_SIGNINGS` sets another.
const SIGNINGS: usize = 20;
/// Content of a signing: with the index entries some 20 entries of 8 KB together, like a complete
/// signing by one person; one data key, and two documents.
const ROWS: u128 = 6;
const ROW_BYTES: usize = 600;
const DOCUMENT_BYTES: usize = 60_000;
/// Signings created at the same time.
const AT_ONCE: usize = 64;

/// Prints the durations.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signings_move_from_one_machine_to_several() {
    let signings = env::var("PARAFA_MOVED_SIGNINGS");
    let signings = signings.map_or(SIGNINGS, |count| count.parse().expect("a count"));
    let server = tokio::task::spawn_blocking(|| Postgres::start(Durability::Full, &[]));
    let server = server.await.expect("a server");
    let database = server.database();
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    let made = Instant::now();
    make(&folder, signings).await;
    println!("{signings} signings were made in {:?}", made.elapsed());

    let backup = root.path().join("backup");
    let source = BackupSource {
        store: folder.store.clone(),
        files: folder.files.clone(),
        keys: folder.keys.clone(),
        data: options(root.path()).path,
        inventory: INVENTORY,
    };
    let begun = Instant::now();
    back_up(&source, &backup).await.expect("a backup");
    println!("backup: {:?}", begun.elapsed());
    let begun = Instant::now();
    let backup = Backup::open(&backup, INVENTORY).await.expect("sound");
    println!("looking through the backup: {:?}", begun.elapsed());
    let begun = Instant::now();
    let target = shared_options(root.path(), &database.url).await;
    let beside = root.path().join("beside");
    let report = backup.restore_shared(target, &beside, false).await;
    println!("restore: {:?}", begun.elapsed());
    let report = report.expect("restored");
    assert_eq!(report.missing.len(), 0);
}

/// Creates signings as if they had been made here.
async fn make(folder: &Folder, signings: usize) {
    let making = (0..signings as u128).map(|signing| async move {
        let data_key = Uuid::now_v7();
        let key = folder.keys.create(data_key).await.expect("a key");
        // The posted and the signed document.
        for _ in 0..2 {
            let [id, file] = std::array::from_fn(|_| Uuid::now_v7());
            let content = Bytes::from(vec![7; DOCUMENT_BYTES]);
            let written = folder.files.write(&key, file, content).await;
            written.expect("written");
            let document = Document { id, file, data_key };
            put_all(&folder.store, &[document]).await;
        }
        let rows = (0..ROWS).map(|row| Note {
            text: "x".repeat(ROW_BYTES),
            ..Note::new(signing * ROWS + row, 1)
        });
        put_all(&folder.store, &rows.collect::<Vec<_>>()).await;
    });
    let making = futures::stream::iter(making).buffer_unordered(AT_ONCE);
    making.collect::<()>().await;
}

async fn shared_options(root: &Path, url: &str) -> SharedOptions {
    let master = MasterKey::load(&root.join("master.key")).expect("a key");
    SharedOptions {
        database: Database::open(&options_of(url)).await.expect("a database"),
        committers: PostgresEngine::DEFAULT_COMMITTERS,
        clock: Arc::new(clock()),
        master: Arc::new(master),
        mode: StoreMode::Demo,
        objects: None,
    }
}
