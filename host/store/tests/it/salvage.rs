//! Damaged stores, and how a server continues.

use std::fs::{self, OpenOptions};
use std::path::Path;

use bytes::Bytes;
use parafa_store::{AcceptedLoss, Engine, EngineError, Folder, FolderError, MasterKey, StoreError};
use uuid::Uuid;

use crate::flips::{
    Outcome, ROWS, Rows, copied, files, filled, opened, page_key, put, rows, set_aside,
};
use crate::folder::options;
use crate::support::random::Random;
use crate::support::{Account, put_all};

/// Starts a damaged store: normally, with the loss accepted, and once more.
async fn goes_on(root: &Path, expected: &Rows) -> Result<Outcome, EngineError> {
    let (outcome, engine) = match opened(root, AcceptedLoss::None) {
        Ok(engine) => (Outcome::Harmless, engine),
        Err(error @ EngineError::Short { .. }) => {
            let found = Outcome::Found(error.to_string());
            (found, opened(root, AcceptedLoss::Any)?)
        }
        Err(error) => return Err(error),
    };
    let left = rows(&engine).await?;
    if outcome == Outcome::Harmless {
        assert!(left == *expected, "{} of {}", left.len(), expected.len());
    }
    put(&engine, [(page_key(ROWS + 1), Bytes::new())]).await;
    drop(engine);
    let engine = opened(root, AcceptedLoss::None)?;
    assert_eq!(rows(&engine).await?.len(), left.len() + 1);
    engine.verify().await?;
    Ok(outcome)
}

/// Fills a store and reopens it, which leaves a snapshot of sled's page table.
async fn filled_and_opened_again(root: &Path) -> Rows {
    let rows = filled(root).await;
    let engine = opened(root, AcceptedLoss::None).expect("opened");
    put(&engine, [(page_key(0), Bytes::from_static(b"again"))]).await;
    drop(engine);
    drop(opened(root, AcceptedLoss::None).expect("opened"));
    let snapshots = files(root);
    let mut snapshots = snapshots.iter().map(|name| name.to_string_lossy());
    assert!(snapshots.any(|name| name.starts_with("store/snap.")));
    let mut rows = rows;
    rows.insert(page_key(0), Bytes::from_static(b"again"));
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_store_is_opened_as_it_was_or_once_its_loss_is_accepted() {
    let mut numbers = Random::of(31);
    let (mut accepted, mut whole, mut kept) = (0, 0, 0);
    for has_snapshot in [false, true] {
        let root = tempfile::tempdir().expect("a folder");
        let expected = if has_snapshot {
            filled_and_opened_again(root.path()).await
        } else {
            filled(root.path()).await
        };
        let names = files(root.path());
        let log = names.iter().find(|name| name.ends_with("db"));
        let log = log.expect("the log");
        let length = fs::metadata(root.path().join(log)).expect("it").len();
        let flips = names.iter().flat_map(|name| [(name, None); 2]);
        let flips = flips.chain([(log, None); 8]);
        let cuts = [99, 70, 50, 10, 1].map(|percent| (log, Some(length * percent / 100)));
        for (name, cut) in flips.chain(cuts).chain([(log, Some(7))]) {
            let copy = copied(root.path());
            let path = copy.path().join(name);
            match cut {
                None => numbers.flip(&path),
                Some(length) => {
                    let file = OpenOptions::new().write(true).open(&path).expect("it");
                    file.set_len(length).expect("cut");
                }
            }
            let came = goes_on(copy.path(), &expected).await;
            match came {
                Ok(Outcome::Harmless | Outcome::Mended) => whole += 1,
                Ok(_) => accepted += 1,
                Err(error) => panic!("{name:?} {cut:?}, snapshot {has_snapshot}: {error}"),
            }
            kept += usize::from(set_aside(copy.path()).is_some());
        }
    }
    assert!(accepted > 8, "{accepted} {whole}");
    assert!(whole > 2, "{accepted} {whole}");
    // The stores that sled cannot read remain.
    assert!(kept > 2, "{kept}");
}

#[tokio::test]
async fn a_folder_of_which_all_records_are_lost_goes_on_once_that_is_accepted() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
    let key = folder.keys.create(Uuid::from_u128(7)).await;
    drop((key.expect("a key"), folder));
    let log = root.path().join("data/store/db");
    let log = OpenOptions::new().write(true).open(log).expect("the log");
    log.set_len(64).expect("cut");

    let refused = Folder::open(&options(root.path()))
        .await
        .expect_err("refused");
    assert!(refused.is_refusal(), "{refused}");
    assert!(
        refused.to_string().contains("rows of `account` "),
        "{refused}"
    );
    let mut accepting = options(root.path());
    accepting.accepted_loss = AcceptedLoss::Any;
    let folder = Folder::open(&accepting).await.expect("accepted");
    put_all(&folder.store, &[Account { id: 2, balance: 5 }]).await;
    drop(folder);

    let folder = Folder::open(&options(root.path())).await.expect("opened");
    let (lost, new) = (
        folder.store.get::<Account>(&1),
        folder.store.get::<Account>(&2),
    );
    assert!(lost.await.expect("read").is_none());
    assert!(new.await.expect("read").is_some());
}

#[tokio::test]
async fn what_is_left_under_another_master_key_is_not_taken() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    let key = folder.keys.create(Uuid::from_u128(7)).await;
    drop((key.expect("a key"), folder));
    let mut accepting = options(root.path());
    accepting.accepted_loss = AcceptedLoss::Any;
    fs::remove_file(&accepting.master_key).expect("removed");
    MasterKey::create(&accepting.master_key).expect("another");
    let log = root.path().join("data/store/db");
    let log = OpenOptions::new().write(true).open(log).expect("the log");
    log.set_len(64).expect("cut");

    let refused = Folder::open(&accepting).await.expect_err("refused");

    assert!(matches!(
        refused,
        FolderError::Store(StoreError::WrongMasterKey)
    ));
}
