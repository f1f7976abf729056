//! Backups that are made while others write, and what is restored from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use parafa_store::backup::{Backup, BackupError, BackupSource, Extra, back_up};
use parafa_store::engine::{FaultPlan, MemoryDisk};
use parafa_store::{
    ByteFiles, DataKeys, Folder, FolderError, MemoryEngine, Page, Store, StoreError, StoreMode,
};
use proptest::prelude::*;
use tempfile::TempDir;
use uuid::Uuid;

use crate::folder::options;
use crate::support::{Account, World, clock, master, on_every_engine, open, put_all};

/// Which balance each account has.
type State = BTreeMap<u32, u64>;

/// A store with its folders, ready to be backed up.
fn source(world: &World) -> BackupSource {
    let [bytes, keys] = ["bytes", "keys"].map(|name| world.folder.path().join(name));
    BackupSource {
        store: world.store.clone(),
        files: ByteFiles::open_folder(&bytes).expect("byte files"),
        keys: DataKeys::open_folder(&keys, Arc::new(master())).expect("data keys"),
        extras: Vec::new(),
    }
}

/// What is in the records of a backup, restored in memory.
async fn restored(backup: &Path) -> Store {
    let engine: Arc<dyn parafa_store::Engine> = Arc::new(MemoryEngine::new(Arc::new(clock())));
    let backup = Backup::open(backup).await.expect("a whole backup");
    let records = backup.restore_records(&*engine).await;
    records.expect("records");
    open(engine).await.expect("a store")
}

async fn state_of(store: &Store) -> State {
    let mut state = State::new();
    let mut page = Page::oldest(100);
    loop {
        let this = &page;
        let read = store
            .read(|tx| {
                Box::pin(async move { tx.page::<Account>(this, parafa_store::Guard::none()).await })
            })
            .await;
        let read: parafa_store::Paged<Account> =
            read.map_err(|error: StoreError| error).expect("read");
        page.after = read.rows.last().map(|account| account.id);
        state.extend(
            read.rows
                .iter()
                .map(|account| (account.id, account.balance)),
        );
        if !read.more {
            return state;
        }
    }
}

/// One transaction: these accounts get these balances, or none.
type Change = BTreeMap<u32, Option<u64>>;

async fn change(store: &Store, change: &Change) {
    let changed = store.transact(|tx| {
        Box::pin(async move {
            for (id, balance) in change {
                match balance {
                    Some(balance) => {
                        let (id, balance) = (*id, *balance);
                        tx.put(&Account { id, balance }).await?;
                    }
                    None => {
                        tx.delete::<Account>(id).await?;
                    }
                }
            }
            Ok::<_, StoreError>(())
        })
    });
    changed.await.expect("committed");
}

fn apply(state: &mut State, change: &Change) {
    for (id, balance) in change {
        match balance {
            Some(balance) => state.insert(*id, *balance),
            None => state.remove(id),
        };
    }
}

/// Makes the changes one after the other and a backup meanwhile; the restored state is that after
/// one of them, and not before those that were acknowledged when the backup began.
async fn back_up_meanwhile(world: &World, changes: Vec<Change>, before: usize) {
    let mut states = vec![State::new()];
    for change in &changes {
        let mut state = states.last().expect("a state").clone();
        apply(&mut state, change);
        states.push(state);
    }
    for one in &changes[..before] {
        change(&world.store, one).await;
    }
    let rest = changes[before..].to_vec();
    let made = Arc::new(AtomicUsize::new(before));
    let writing = tokio::spawn({
        let (store, made) = (world.store.clone(), made.clone());
        async move {
            for one in rest {
                change(&store, &one).await;
                made.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("backup");

    let acknowledged = made.load(Ordering::SeqCst);
    back_up(&source(world), &target).await.expect("a backup");

    writing.await.expect("no panic");
    let state = state_of(&restored(&target).await).await;
    let found = states.iter().rposition(|expected| *expected == state);
    let found = found.unwrap_or_else(|| panic!("{state:?} was never there"));
    assert!(
        found >= acknowledged,
        "state {found}, and {acknowledged} were acknowledged"
    );
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = proptest::collection::btree_map(0..12_u32, any::<Option<u64>>(), 1..5);
    proptest::collection::vec(change, 1..60)
}

fn on_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(test);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_backup_of_an_engine_in_memory_shows_one_moment(
        changes in changes(),
        before in any::<prop::sample::Index>(),
        seed: u64,
    ) {
        on_a_runtime(async {
            let faults = FaultPlan { seed, max_yields: 4, ..FaultPlan::default() };
            let world = World::with_faults(MemoryDisk::default(), faults).await;
            let before = before.index(changes.len());
            back_up_meanwhile(&world, changes, before).await;
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_backup_of_sled_shows_one_moment(
        changes in changes(),
        before in any::<prop::sample::Index>(),
    ) {
        on_a_runtime(async {
            let world = World::on_sled().await;
            let before = before.index(changes.len());
            back_up_meanwhile(&world, changes, before).await;
        });
    }
}

on_every_engine! {
    /// More than one scan, and more than one commit of what is restored.
    async fn a_backup_of_many_rows_is_complete(world) {
        let rows: Vec<Account> = (0..5_000).map(|id| Account { id, balance: 7 }).collect();
        for rows in rows.chunks(1_000) {
            put_all(&world.store, rows).await;
        }
        let target = world.folder.path().join("backup");

        let report = back_up(&source(world), &target).await.expect("a backup");

        assert_eq!(report.mode, StoreMode::Demo);
        assert_eq!(state_of(&restored(&target).await).await.len(), rows.len());
    }

    /// Documents come and go, each written before the row that names it and removed after it.
    async fn every_row_of_a_backup_has_its_file(world) {
        let source = source(world);
        let key = source.keys.create(Uuid::now_v7()).await.expect("a key");
        let is_over = Arc::new(AtomicBool::new(false));
        let writing = tokio::spawn({
            let (source, key, is_over) = (source.clone(), key.clone(), is_over.clone());
            async move {
                let mut made = Vec::new();
                while !is_over.load(Ordering::SeqCst) {
                    let number = u32::try_from(made.len()).expect("few");
                    let id = Uuid::now_v7();
                    let content = Bytes::from_static(b"content");
                    source.files.write(&key, id, content).await.expect("written");
                    change(&source.store, &[(number, Some(file_number(id)))].into()).await;
                    made.push(id);
                    if let Some(oldest) = made.len().checked_sub(8) {
                        let number = u32::try_from(oldest).expect("few");
                        change(&source.store, &[(number, None)].into()).await;
                        source.files.unlink(made[oldest]).await.expect("removed");
                    }
                }
            }
        });
        for round in 0..5 {
            let target = world.folder.path().join(format!("backup-{round}"));

            back_up(&source, &target).await.expect("a backup");

            let files: Vec<u64> = std::fs::read_dir(target.join("bytes"))
                .expect("a folder")
                .map(|entry| entry.expect("an entry").file_name())
                .map(|name| name.to_str().and_then(|name| name.parse().ok()).expect("an id"))
                .map(file_number)
                .collect();
            for (number, file) in state_of(&restored(&target).await).await {
                assert!(files.contains(&file), "row {number} has no file");
            }
        }
        is_over.store(true, Ordering::SeqCst);
        writing.await.expect("no panic");
    }

    async fn what_was_erased_before_a_backup_is_not_in_it(world) {
        let source = source(world);
        let erased = Uuid::now_v7();
        source.keys.create(erased).await.expect("a key");
        let kept = Uuid::now_v7();
        source.keys.create(kept).await.expect("a key");
        source.keys.erase(erased).await.expect("erased");
        let target = world.folder.path().join("backup");

        back_up(&source, &target).await.expect("a backup");

        let key = |id| target.join("keys").join(format!("{id}.key")).exists();
        assert!(key(kept));
        assert!(!key(erased));
    }
}

/// Stands for a file in the balance of an account.
fn file_number(id: Uuid) -> u64 {
    id.as_u64_pair().1
}

/// A data folder with a row, a document, its key and a file beside the store, and a backup of it.
struct Scene {
    root: TempDir,
    file: Uuid,
    key: Uuid,
}

impl Scene {
    async fn set() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(&options(root.path())).await.expect("made");
        put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
        let (key, file) = (Uuid::now_v7(), Uuid::now_v7());
        let data_key = folder.keys.create(key).await.expect("a key");
        let content = Bytes::from_static(b"content");
        let written = folder.files.write(&data_key, file, content).await;
        written.expect("written");
        let notes = root.path().join("notes");
        std::fs::create_dir(&notes).expect("a folder");
        std::fs::write(notes.join("a.txt"), "a").expect("written");
        let source = BackupSource {
            store: folder.store.clone(),
            files: folder.files.clone(),
            keys: folder.keys.clone(),
            extras: ["notes", "nowhere"]
                .map(|name| Extra {
                    name: PathBuf::from("beside").join(name),
                    path: root.path().join(name),
                })
                .into(),
        };
        let scene = Self { root, file, key };
        back_up(&source, &scene.backup()).await.expect("a backup");
        scene
    }

    fn backup(&self) -> PathBuf {
        self.root.path().join("backup")
    }

    fn new_data(&self) -> PathBuf {
        self.root.path().join("new")
    }

    async fn restore(&self) -> Result<(), BackupError> {
        let backup = Backup::open(&self.backup()).await?;
        let data = self.new_data();
        let restored = backup.restore(&data, None, Arc::new(clock()));
        restored.await.map(|_| ())
    }

    async fn open_restored(&self) -> Result<Folder, FolderError> {
        let mut options = options(self.root.path());
        options.path = self.new_data();
        Folder::open(&options).await
    }
}

#[tokio::test]
async fn a_restored_folder_holds_everything() {
    let scene = Scene::set().await;
    let master_key = std::fs::read(scene.root.path().join("master.key")).expect("a key");

    scene.restore().await.expect("restored");

    let folder = scene.open_restored().await.expect("opened");
    let account = folder.store.get::<Account>(&1).await.expect("read");
    assert_eq!(account, Some(Account { id: 1, balance: 5 }));
    let key = folder.keys.open(scene.key).await.expect("the key");
    let content = folder.files.read(&key, scene.file).await.expect("the file");
    assert_eq!(content, "content");
    let beside = std::fs::read(scene.new_data().join("beside/notes/a.txt"));
    assert_eq!(beside.expect("the file"), b"a");
    assert!(!scene.backup().join("master.key").exists());
    let records = std::fs::read(scene.backup().join("records")).expect("the records");
    assert_eq!(memchr::memmem::find(&records, &master_key), None);
}

#[tokio::test]
async fn a_folder_that_holds_something_is_neither_backed_up_to_nor_restored_to() {
    let scene = Scene::set().await;
    let data = scene.new_data();
    std::fs::create_dir(&data).expect("a folder");
    std::fs::write(data.join("something"), "").expect("written");

    assert!(matches!(scene.restore().await, Err(BackupError::NotEmpty(path)) if path == data));
    assert!(data.join("something").exists());
    let world = World::in_memory().await;
    let again = back_up(&source(&world), &scene.backup()).await;
    assert!(matches!(again, Err(BackupError::NotEmpty(_))));
    scene.restore().await.expect_err("the folder is as it was");
}

#[tokio::test]
async fn a_damaged_file_is_named_and_nothing_is_restored() {
    let scene = Scene::set().await;
    let files = [
        PathBuf::from("records"),
        format!("bytes/{}", scene.file).into(),
        format!("keys/{}.key", scene.key).into(),
        "beside/notes/a.txt".into(),
        "manifest.jsonl".into(),
    ];
    for file in files {
        let path = scene.backup().join(&file);
        let sound = std::fs::read(&path).expect("a file");
        let mut changed = sound.clone();
        changed[sound.len() / 2] ^= 1;
        for damaged in [&changed[..], &sound[..sound.len() - 1]] {
            std::fs::write(&path, damaged).expect("written");

            let refused = scene.restore().await;

            let named =
                matches!(&refused, Err(BackupError::Damaged { path: named, .. }) if *named == path);
            assert!(named, "{refused:?}");
            assert!(!scene.new_data().exists());
        }
        std::fs::remove_file(&path).expect("removed");
        let error = scene.restore().await.expect_err("a file is missing");
        let name = file.file_name().and_then(|name| name.to_str());
        assert!(error.to_string().contains(name.expect("a name")), "{error}");
        assert!(error.is_refusal());
        std::fs::write(&path, sound).expect("written");
    }
    scene.restore().await.expect("all is as it was");
}

#[tokio::test]
async fn a_restore_that_was_cut_short_leaves_a_folder_that_does_not_open() {
    let scene = Scene::set().await;
    scene.restore().await.expect("restored");
    std::fs::write(scene.new_data().join("restoring"), "").expect("written");

    let opened = scene.open_restored().await;

    assert!(matches!(opened, Err(FolderError::HalfRestored { .. })));
}

#[tokio::test]
async fn a_backup_that_an_engine_failed_in_is_none() {
    let world = World::in_memory().await;
    let target = world.folder.path().join("backup");
    let faults = FaultPlan {
        crash: Some((2, parafa_store::engine::CrashPoint::BeforeCommit)),
        ..FaultPlan::default()
    };
    let broken = World::with_faults(world.disk(), faults).await;

    let made = back_up(&source(&broken), &target).await;

    assert!(matches!(made, Err(BackupError::Store(_))), "{made:?}");
    let opened = Backup::open(&target).await;
    assert!(matches!(opened, Err(BackupError::NotWhole { .. })));
}
