//! Opening a data folder, and refusals.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parafa_store::backup::{BackupSource, back_up};
use parafa_store::sled::SledOptions;
use parafa_store::{
    AcceptedLoss, EngineError, Folder, FolderError, FolderLook, FolderOptions, KeyError, MasterKey,
    Store, StoreError, StoreMode,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::backup::{Document, INVENTORY};
use crate::support::{Account, World, clock, on_every_engine, put_all};

pub(crate) fn options(root: &Path) -> FolderOptions {
    FolderOptions {
        path: root.join("data"),
        master_key: root.join("master.key"),
        other_master_keys: Vec::new(),
        mode: StoreMode::Demo,
        cache_bytes: SledOptions::DEFAULT_CACHE_BYTES,
        commits_per_sync: SledOptions::DEFAULT_COMMITS_PER_SYNC,
        accepted_loss: AcceptedLoss::None,
        clock: Arc::new(clock()),
    }
}

async fn made() -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(&options(root.path())).await.expect("made");
    put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
    root
}

#[tokio::test]
async fn a_folder_is_made_and_opened_again() {
    let root = made().await;
    let folder = Folder::open(&options(root.path())).await.expect("opened");

    let account = folder.store.get::<Account>(&1).await.expect("read");
    assert_eq!(account, Some(Account { id: 1, balance: 5 }));
}

#[tokio::test]
async fn a_half_written_snapshot_does_not_keep_a_folder_shut() {
    let root = made().await;
    let snapshot = root
        .path()
        .join("data/store/snap.00000000000B7244.generating");
    std::fs::write(&snapshot, b"half").expect("written");
    let folder = Folder::open(&options(root.path())).await.expect("opened");

    let account = folder.store.get::<Account>(&1).await.expect("read");
    assert_eq!(account, Some(Account { id: 1, balance: 5 }));
    assert!(!snapshot.exists());
}

#[tokio::test]
async fn a_folder_that_is_open_is_not_opened_again() {
    let root = tempfile::tempdir().expect("a folder");
    let first = Folder::open(&options(root.path())).await.expect("made");
    let second = Folder::open(&options(root.path())).await;
    assert!(matches!(
        second,
        Err(FolderError::Engine(EngineError::InUse { .. }))
    ));

    drop(first);
    Folder::open(&options(root.path()))
        .await
        .expect("free again");
}

#[tokio::test]
async fn a_wrong_master_key_is_refused_and_changes_nothing() {
    let root = made().await;
    let wrong = FolderOptions {
        master_key: root.path().join("wrong.key"),
        ..options(root.path())
    };
    MasterKey::create(&wrong.master_key).expect("another key");
    assert!(matches!(
        Folder::open(&wrong).await,
        Err(FolderError::Store(StoreError::WrongMasterKey))
    ));

    Folder::open(&options(root.path()))
        .await
        .expect("the right key still opens");
}

#[tokio::test]
async fn a_missing_master_key_is_not_replaced() {
    let root = made().await;
    let key = root.path().join("master.key");
    std::fs::remove_file(&key).expect("removed");

    assert!(matches!(
        Folder::open(&options(root.path())).await,
        Err(FolderError::Keys(KeyError::MasterMissing { .. }))
    ));
    assert!(!key.exists());
}

#[tokio::test]
async fn a_master_key_inside_the_store_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let inside = FolderOptions {
        master_key: root.path().join("data/keys/master.key"),
        ..options(root.path())
    };

    assert!(matches!(
        Folder::open(&inside).await,
        Err(FolderError::MasterKeyInside { .. })
    ));
}

#[tokio::test]
async fn a_demo_folder_is_not_opened_for_production() {
    let root = made().await;
    let production = FolderOptions {
        mode: StoreMode::Production,
        ..options(root.path())
    };

    assert!(matches!(
        Folder::open(&production).await,
        Err(FolderError::Store(StoreError::WrongMode {
            found: StoreMode::Demo,
            wanted: StoreMode::Production,
        }))
    ));
}

#[tokio::test]
async fn a_folder_of_keys_that_is_mounted_late_is_not_taken_for_one_without_keys() {
    let root = made().await;
    let keys = root.path().join("data/keys");
    let elsewhere = root.path().join("elsewhere");
    std::fs::rename(&keys, &elsewhere).expect("not mounted");
    std::fs::create_dir(&keys).expect("a place to mount it on");
    let folder = Folder::open(&options(root.path())).await.expect("opened");
    let away = folder.keys.check().await;
    assert!(matches!(away, Err(KeyError::FolderAway { .. })), "{away:?}");

    std::fs::remove_dir(&keys).expect("nothing was written there");
    std::fs::rename(&elsewhere, &keys).expect("mounted");

    folder.keys.check().await.expect("they are there");
}

#[tokio::test]
async fn a_new_store_may_have_a_folder_of_its_own_mounted_for_its_keys() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(root.path().join("data/keys")).expect("mounted");

    let folder = Folder::open(&options(root.path())).await.expect("made");

    folder.keys.check().await.expect("they are there");
}

#[tokio::test]
async fn a_folder_of_keys_without_a_mark_is_known_by_its_keys() {
    let root = made().await;
    let mark = root.path().join("data/keys/data-keys");
    std::fs::remove_file(&mark).expect("removed");
    let id = Uuid::now_v7();
    std::fs::write(mark.with_file_name(format!("{id}.key")), "a key").expect("written");

    let folder = Folder::open(&options(root.path())).await.expect("opened");

    folder.keys.check().await.expect("they are there");
    assert!(mark.exists());
}

#[tokio::test]
async fn a_folder_of_keys_can_be_taken_for_the_own_of_a_store_without_keys() {
    let root = made().await;
    std::fs::remove_file(root.path().join("data/keys/data-keys")).expect("removed");
    let folder = Folder::open(&options(root.path())).await.expect("opened");
    let away = folder.keys.check().await;
    assert!(matches!(away, Err(KeyError::FolderAway { .. })), "{away:?}");

    folder.keys.take_for_its_own().await.expect("marked");

    folder.keys.check().await.expect("they are there");
}

#[tokio::test]
async fn a_look_at_a_folder_tells_whether_the_key_fits_and_changes_nothing() {
    let root = made().await;
    let (data, key) = (root.path().join("data"), root.path().join("master.key"));
    let (master, other) = (MasterKey::load(&key), MasterKey::from_bytes([8; 32]));
    let master = master.expect("the key");
    std::fs::write(data.join("store/snap.0.generating"), b"half").expect("written");
    let untold = Folder::look_at(&data, &master).expect("looked at");
    assert!(matches!(untold, FolderLook::KeyUntold), "{untold:?}");
    assert!(data.join("store/snap.0.generating").exists());
    let folder = Folder::open(&options(root.path())).await.expect("opened");
    folder.keys.create(Uuid::now_v7()).await.expect("a key");
    std::fs::write(data.join("keys").join(format!("{}.key", Uuid::max())), "").expect("damaged");
    std::fs::remove_file(data.join("keys/data-keys")).expect("removed");
    let before = names_in(&data);

    let own = Folder::look_at(&data, &master).expect("looked at beside the server");
    let others = Folder::look_at(&data, &other);

    assert!(matches!(own, FolderLook::KeyFits), "{own:?}");
    let is_refused = matches!(others, Err(FolderError::Store(StoreError::WrongMasterKey)));
    assert!(is_refused, "{others:?}");
    assert_eq!(names_in(&data), before);
}

#[tokio::test]
async fn a_look_at_a_folder_tells_of_keys_that_are_away_and_does_not_make_their_folder() {
    let root = made().await;
    let (data, key) = (root.path().join("data"), root.path().join("master.key"));
    let master = MasterKey::load(&key).expect("the key");
    std::fs::remove_dir_all(data.join("keys")).expect("not mounted");

    let look = Folder::look_at(&data, &master).expect("looked at");

    assert!(matches!(look, FolderLook::KeysAway(_)), "{look:?}");
    assert!(!data.join("keys").exists());
}

#[tokio::test]
async fn there_is_no_backup_while_the_folder_of_keys_is_away() {
    let root = made().await;
    let folder = Folder::open(&options(root.path())).await.expect("opened");
    Document::make(&folder.store, &folder.files, &folder.keys).await;
    let data = root.path().join("data");
    let source = BackupSource {
        store: folder.store,
        files: folder.files,
        keys: folder.keys,
        data: data.clone(),
        inventory: INVENTORY,
    };
    let [keys, elsewhere, target] =
        ["data/keys", "elsewhere", "backup"].map(|name| root.path().join(name));
    std::fs::rename(&keys, &elsewhere).expect("not mounted");

    let refused = back_up(&source, &target).await.expect_err("no backup");

    assert!(refused.is_refusal(), "{refused}");
    assert!(refused.to_string().contains("not mounted"), "{refused}");
    assert!(!target.exists());
    std::fs::rename(&elsewhere, &keys).expect("mounted");
    let report = back_up(&source, &target).await.expect("a backup");
    assert_eq!(report.missing, []);
}

/// Returns all names in a folder.
pub(crate) fn names_in(folder: &Path) -> BTreeSet<PathBuf> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            names.extend(names_in(&path));
        }
        names.insert(path);
    }
    names
}

on_every_engine! {
    async fn a_store_is_not_opened_under_another_key(world) {
        let engine = world.engine();
        let wrong = Store::open(engine, &MasterKey::from_bytes([8; 32]), StoreMode::Demo).await;

        assert!(matches!(wrong, Err(StoreError::WrongMasterKey)));
    }

    async fn a_later_schema_is_refused(world) {
        world.rewrite("_schema", "\"version\":2", "\"version\":3").await;

        let opened = crate::support::open(world.engine()).await;
        assert!(matches!(opened, Err(StoreError::SchemaTooNew { found: 3, known: 2 })));
    }

    async fn rows_without_a_schema_row_are_refused(world) {
        put_all(&world.store, &[Account { id: 1, balance: 5 }]).await;
        world.remove_schema().await;

        let opened = crate::support::open(world.engine()).await;
        assert!(matches!(opened, Err(StoreError::SchemaMissing)));
    }
}

#[tokio::test]
async fn a_copy_of_the_files_holds_all_that_was_acknowledged() {
    let world = World::on_sled().await;
    for id in 0..50 {
        put_all(
            &world.store,
            &[Account {
                id,
                balance: u64::from(id),
            }],
        )
        .await;
    }
    let copy = tempfile::tempdir().expect("a folder");
    // The mark is never ahead of the records, and is therefore copied first.
    let [store, mark] = ["store", "store.mark"].map(|name| world.folder.path().join(name));
    std::fs::copy(mark, copy.path().join("store.mark")).expect("copied");
    std::fs::create_dir(copy.path().join("store")).expect("a folder");
    copy_folder(&store, &copy.path().join("store"));

    let options = SledOptions::new(copy.path().join("store"));
    let engine = parafa_store::SledEngine::open(&options, Arc::new(clock())).expect("recovered");
    let store = crate::support::open(Arc::new(engine))
        .await
        .expect("a store");
    for id in 0..50 {
        let account = store.get::<Account>(&id).await.expect("read");
        assert_eq!(account.map(|account| account.balance), Some(u64::from(id)));
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&target).expect("a folder");
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
