//! Incomplete, truncated or damaged data folders.

use std::fs;
use std::path::Path;

use bytes::Bytes;
use parafa_store::sled::SledOptions;
use parafa_store::{EngineError, Folder, FolderError, MasterKey, SledEngine};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use uuid::Uuid;

use crate::folder::{names_in, options};
use crate::support::{Account, clock, put_all, rows_by_id};

/// Length of a segment of sled's log, in bytes.
const SEGMENT_BYTES: usize = 8 * 1024 * 1024;

/// A row that fills a log.
#[derive(Deserialize, Serialize)]
struct Page {
    id: u32,
    text: String,
}

rows_by_id!(Page, u32, "page");

/// Creates a data folder with a record, a data key and a document.
async fn full() -> (TempDir, Uuid, Uuid) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
    let [key_id, file] = [(); 2].map(|()| Uuid::now_v7());
    let key = folder.keys.create(key_id).await.expect("a key");
    let written = folder.files.write(&key, file, Bytes::from_static(b"kept"));
    written.await.expect("a document");
    (root, key_id, file)
}

async fn assert_whole(root: &Path, key: Uuid, file: Uuid) {
    let folder = Folder::open(&options(root)).await.expect("opened");
    let account = folder.store.get::<Account>(&1).await.expect("read");
    assert_eq!(account, Some(Account { id: 1, balance: 5 }));
    let key = folder.keys.open(key).await.expect("the key");
    let read = folder.files.read(&key, file).await.expect("the document");
    assert_eq!(&read[..], b"kept");
}

/// Returns a refusal of one sentence, after which the folder is unchanged.
async fn refusal(root: &Path) -> FolderError {
    let before = names_in(root);
    let told = Folder::refuse_torn(&root.join("data")).expect_err("it is told");
    let refused = Folder::open(&options(root)).await.expect_err("refused");
    assert_eq!(names_in(root), before);
    assert!(refused.is_refusal(), "{refused:?}");
    assert_eq!(refused.to_string(), told.to_string());
    refused
}

#[tokio::test]
async fn keys_and_documents_without_their_records_are_not_taken_for_a_new_store_s() {
    for place_to_mount in [false, true] {
        let (root, key, file) = full().await;
        let [store, elsewhere] = ["data/store", "elsewhere"].map(|name| root.path().join(name));
        fs::rename(&store, &elsewhere).expect("moved away");
        if place_to_mount {
            fs::create_dir(&store).expect("a folder to mount it on");
        }

        let refused = refusal(root.path()).await;

        assert!(matches!(refused, FolderError::RecordsAway { .. }));
        assert!(refused.to_string().contains("data/store"), "{refused}");
        if place_to_mount {
            fs::remove_dir(&store).expect("nothing was written there");
        }
        fs::rename(&elsewhere, &store).expect("moved back");
        assert_whole(root.path(), key, file).await;
    }
}

#[tokio::test]
async fn a_mark_alone_says_that_there_were_records() {
    let (root, key, file) = full().await;
    for away in [format!("keys/{key}.key"), format!("bytes/{file}")] {
        fs::remove_file(root.path().join("data").join(away)).expect("removed");
    }
    fs::remove_dir_all(root.path().join("data/store")).expect("removed");

    let refused = refusal(root.path()).await;

    assert!(matches!(refused, FolderError::RecordsAway { .. }));
}

#[tokio::test]
async fn documents_alone_are_not_taken_for_a_new_store_s_either() {
    let (root, ..) = full().await;
    for away in ["data/store", "data/keys", "master.key"] {
        fs::rename(root.path().join(away), root.path().join("elsewhere")).expect("moved away");
        let (from, to) = (root.path().join("elsewhere"), root.path().join(away));
        if away == "data/store" {
            fs::rename(from, root.path().join("away")).expect("moved on");
            continue;
        }
        assert!(matches!(
            refusal(root.path()).await,
            FolderError::RecordsAway { .. }
        ));
        fs::rename(from, to).expect("moved back");
    }
}

#[tokio::test]
async fn a_log_without_any_record_is_no_store_of_keys_that_are_there() {
    let (root, ..) = full().await;
    let store = root.path().join("data/store");
    fs::remove_dir_all(&store).expect("removed");
    // An earlier program left no mark.
    let mark = root.path().join("elsewhere");
    fs::rename(root.path().join("data/store.mark"), &mark).expect("moved away");
    make_an_empty_log(&store);
    let before = names_in(&root.path().join("data/keys"));

    let refused = Folder::open(&options(root.path())).await;

    assert!(matches!(refused, Err(FolderError::RecordsAway { .. })));
    assert_eq!(names_in(&root.path().join("data/keys")), before);
    fs::rename(mark, root.path().join("data/store.mark")).expect("moved back");
    let refused = Folder::open(&options(root.path())).await;
    let is_short = matches!(refused, Err(FolderError::Engine(EngineError::Short { .. })));
    assert!(is_short);
}

#[tokio::test]
async fn a_first_start_that_was_cut_short_is_taken_up_wherever_it_was() {
    type Cut = fn(&Path);
    let cuts: [Cut; 7] = [
        |_| {},
        |data| drop(MasterKey::create(&data.with_file_name("master.key"))),
        |data| {
            fs::create_dir_all(data.join("keys")).expect("a folder");
            fs::write(data.join("keys/data-keys"), "").expect("the mark");
        },
        |data| {
            fs::create_dir(data.join("store")).expect("a folder");
            fs::write(data.join("store/lock"), "").expect("the lock");
        },
        |data| {
            fs::create_dir(data.join("store/blobs")).expect("a folder");
            let half = "segment_size: 8388608\nuse_compression: false\nversion: 0.34\n";
            fs::write(data.join("store/conf"), half).expect("half of the settings");
        },
        |data| fs::write(data.join("store/db"), "").expect("the log"),
        |data| {
            fs::remove_dir_all(data.join("store")).expect("removed");
            make_an_empty_log(&data.join("store"));
        },
    ];
    for cut in 0..cuts.len() {
        let root = tempfile::tempdir().expect("a folder");
        let data = root.path().join("data");
        for step in &cuts[..=cut] {
            step(&data);
        }
        Folder::refuse_torn(&data).expect("nothing is away");

        let folder = Folder::open(&options(root.path())).await;

        let folder = folder.unwrap_or_else(|error| panic!("cut {cut}: {error:?}"));
        put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
        folder.keys.create(Uuid::now_v7()).await.expect("a key");
    }
}

/// Leaves the files of an engine that was opened without storing anything.
fn make_an_empty_log(store: &Path) {
    let engine = SledEngine::open(&SledOptions::new(store), std::sync::Arc::new(clock()));
    drop(engine.expect("an engine"));
}

#[tokio::test]
async fn a_folder_of_documents_that_is_gone_is_not_replaced_by_an_empty_one() {
    let (root, key, file) = full().await;
    let [bytes, elsewhere] = ["data/bytes", "elsewhere"].map(|name| root.path().join(name));
    fs::rename(&bytes, &elsewhere).expect("moved away");

    let refused = refusal(root.path()).await;

    assert!(matches!(refused, FolderError::DocumentsAway { .. }));
    assert!(refused.to_string().contains("data/bytes"), "{refused}");
    fs::rename(&elsewhere, &bytes).expect("moved back");
    assert_whole(root.path(), key, file).await;
}

#[tokio::test]
async fn a_folder_of_documents_that_holds_none_may_be_made_anew() {
    let (root, key, file) = full().await;
    for kept in [format!("keys/{key}.key"), format!("bytes/{file}")] {
        fs::remove_file(root.path().join("data").join(kept)).expect("removed");
    }
    fs::remove_dir(root.path().join("data/bytes")).expect("removed");

    let folder = Folder::open(&options(root.path())).await.expect("opened");

    folder.keys.create(Uuid::now_v7()).await.expect("a key");
}

#[tokio::test]
async fn records_that_are_damaged_are_told_of_and_take_no_key_along() {
    let garbage = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|at| u8::try_from(at * 7 % 251).expect("a byte"))
            .collect()
    };
    type Damage<'d> = &'d dyn Fn(&mut Vec<u8>);
    let damages: [Damage<'_>; 6] = [
        &|log| *log = garbage(log.len()),
        &|log| *log = garbage(100),
        &|log| log.fill(0),
        &|log| log.truncate(log.len() / 3),
        &|log| log[..SEGMENT_BYTES].copy_from_slice(&garbage(SEGMENT_BYTES)),
        &|log| log[..SEGMENT_BYTES].fill(0xff),
    ];
    let (root, key, _) = full().await;
    {
        let folder = Folder::open(&options(root.path())).await.expect("opened");
        for id in 0..400 {
            let text = "x".repeat(60_000);
            put_all(&folder.store, &[Page { id, text }]).await;
        }
    }
    let path = root.path().join("data/store/db");
    let whole = fs::read(&path).expect("the log");
    for damage in damages {
        let mut log = whole.clone();
        damage(&mut log);
        fs::write(&path, &log).expect("damaged");

        let opened = Folder::open(&options(root.path())).await;

        let told = opened.expect_err("it is damaged");
        assert!(told.is_refusal(), "{told:?}");
        let is_damage = matches!(told, FolderError::Engine(EngineError::Short { .. }));
        assert!(is_damage, "{told:?}");
        assert!(root.path().join(format!("data/keys/{key}.key")).exists());
    }
}
