//! Backups made while others write.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use parafa_store::backup::{Backup, BackupError, BackupSource, Inventory, MissingItem, back_up};
use parafa_store::faulty::{CrashPoint, FaultPlan};
use parafa_store::memory::MemoryDisk;
use parafa_store::{
    ByteFiles, Content, DataKeys, MemoryEngine, Named, Page, Store, StoreError, StoreMode, Table,
    TableDeclaration, TableName, Tables,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::support::{
    Account, Note, World, clock, master, on_every_engine, open, put_all, rows_by_id,
};

/// Concurrent writers.
const WRITERS: usize = 8;

/// Balances by account.
type State = BTreeMap<u32, u64>;

/// A document with its own data key.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Document {
    pub(crate) id: Uuid,
    pub(crate) file: Uuid,
    pub(crate) data_key: Uuid,
}

impl Table for Document {
    type Key = Uuid;
    const NAME: TableName = TableName::new("document");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }

    fn named(&self) -> Named {
        Named {
            files: [self.file].into(),
            keys: [self.data_key].into(),
        }
    }
}

/// A row of a table that is not declared to the backup.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Stranger {
    id: Uuid,
}

rows_by_id!(Stranger, Uuid, "stranger");

/// A document that does not decode as [`Document`].
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct OddDocument {
    id: Uuid,
}

impl Table for OddDocument {
    type Key = Uuid;
    const NAME: TableName = Document::NAME;
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> Uuid {
        self.id
    }
}

impl Document {
    /// Writes key and file, and then the row that names them.
    pub(crate) async fn make(store: &Store, files: &ByteFiles, keys: &DataKeys) -> Self {
        let [id, file, data_key] = std::array::from_fn(|_| Uuid::now_v7());
        let key = keys.create(data_key).await.expect("a key");
        let content = Bytes::from_static(b"content");
        let written = files.write(&key, file, content).await;
        written.expect("written");
        let document = Self { id, file, data_key };
        put_all(store, &[document]).await;
        document
    }

    async fn erase(self, source: &BackupSource) {
        let deleted = source.store.transact(|tx| {
            Box::pin(async move {
                tx.delete::<Self>(&self.id).await?;
                Ok::<_, StoreError>(())
            })
        });
        deleted.await.expect("deleted");
        source.keys.erase(self.data_key).await.expect("erased");
        source.files.unlink(self.file).await.expect("removed");
    }
}

/// Files beside the stores of these tests.
pub(crate) const INVENTORY: Inventory = Inventory {
    beside: |_| vec!["notes".into(), "nowhere".into()],
    formerly_beside: &[],
    tables: TABLES,
};

/// All tables of these tests.
const TABLES: Tables = Tables::new(&[&[
    TableDeclaration::of::<Account>(),
    TableDeclaration::of::<Document>(),
    TableDeclaration::of::<Note>(),
]]);

/// Returns a backup source: a store with its folders.
fn source(world: &World) -> BackupSource {
    let [bytes, keys] = ["bytes", "keys"].map(|name| world.folder.path().join(name));
    BackupSource {
        store: world.store.clone(),
        files: ByteFiles::open_folder(&bytes).expect("byte files"),
        keys: DataKeys::create_folder(&keys, Arc::new(master())).expect("data keys"),
        data: world.folder.path().join("data"),
        inventory: INVENTORY,
    }
}

/// Restores the records of a backup in memory.
async fn restored(backup: &Path) -> Store {
    let engine: Arc<dyn parafa_store::Engine> = Arc::new(MemoryEngine::new(Arc::new(clock())));
    let backup = Backup::open(backup, INVENTORY)
        .await
        .expect("a whole backup");
    let records = backup.restore_records(&*engine).await;
    records.expect("records");
    open(engine).await.expect("a store")
}

async fn all_rows<T: Table>(store: &Store) -> Vec<T> {
    let mut rows = Vec::new();
    let mut page = Page::oldest(100);
    loop {
        let this = &page;
        let read = store.read(|tx| {
            Box::pin(async move { tx.page::<T>(this, parafa_store::Guard::none()).await })
        });
        let read: Result<parafa_store::Paged<T>, StoreError> = read.await;
        let read = read.expect("read");
        page.after = read.rows.last().map(Table::key);
        rows.extend(read.rows);
        if !read.more {
            return rows;
        }
    }
}

async fn state_of(store: &Store) -> State {
    let accounts = all_rows::<Account>(store).await.into_iter();
    accounts
        .map(|account| (account.id, account.balance))
        .collect()
}

/// A transaction's new balances by account; `None` deletes the account.
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

/// Makes the changes one after the other, with a backup meanwhile. The restored state must be
/// that after one of them, not earlier than the changes acknowledged when the backup began.
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
    /// More rows than one scan and one restored commit hold.
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

    /// Documents are created and erased meanwhile. Each is written before the row that names it,
    /// and removed after it.
    async fn every_row_of_a_backup_has_its_file_and_its_key(world) {
        let source = source(world);
        let is_over = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| tokio::spawn(come_and_go(source.clone(), is_over.clone())))
            .collect();
        for round in 0..5 {
            let target = world.folder.path().join(format!("backup-{round}"));

            let report = back_up(&source, &target).await.expect("a backup");

            assert_eq!(report.missing, []);
            let [files, keys] = ["bytes", "keys"].map(|name| ids_in(&target.join(name)));
            for document in all_rows::<Document>(&restored(&target).await).await {
                assert!(files.contains(&document.file), "{document:?} has no file");
                assert!(keys.contains(&document.data_key), "{document:?} has no key");
            }
        }
        is_over.store(true, Ordering::SeqCst);
        for writer in writers {
            writer.await.expect("no panic");
        }
    }

    /// An erasure acknowledged before a backup is complete applies to the backup.
    async fn what_is_erased_before_a_backup_is_complete_is_not_in_it(world) {
        let source = source(world);
        let mut documents = Vec::new();
        for _ in 0..200 {
            let BackupSource { store, files, keys, .. } = &source;
            documents.push(Document::make(store, files, keys).await);
        }
        let target = world.folder.path().join("backup");
        let manifest = target.join("manifest.jsonl");
        let erasing = tokio::spawn({
            let source = source.clone();
            async move {
                let mut erased = Vec::new();
                for document in documents {
                    document.erase(&source).await;
                    if !manifest.exists() {
                        erased.push(document);
                    }
                }
                erased
            }
        });

        back_up(&source, &target).await.expect("a backup");

        let [files, keys] = ["bytes", "keys"].map(|name| ids_in(&target.join(name)));
        for document in erasing.await.expect("no panic") {
            assert!(!files.contains(&document.file) && !keys.contains(&document.data_key));
        }
        // The manifest lists none of them either.
        Backup::open(&target, INVENTORY).await.expect("a whole backup");
    }

    async fn what_a_row_needs_and_nobody_has_is_listed(world) {
        let source = source(world);
        let BackupSource { store, files, keys, .. } = &source;
        Document::make(store, files, keys).await;
        let [without_key, without_file] = [
            Document::make(store, files, keys).await,
            Document::make(store, files, keys).await,
        ];
        keys.erase(without_key.data_key).await.expect("erased");
        files.unlink(without_file.file).await.expect("removed");
        let target = world.folder.path().join("backup");

        let report = back_up(&source, &target).await.expect("a backup");

        let missing: Vec<_> = report.missing.iter().map(|missing| &missing.what).collect();
        let expected = [
            &MissingItem::Document(without_file.file),
            &MissingItem::DataKey(without_key.data_key),
        ];
        assert_eq!(missing, expected);
        let engine = MemoryEngine::new(Arc::new(clock()));
        let backup = Backup::open(&target, INVENTORY).await.expect("a whole backup");
        let restored = backup.restore_records(&engine).await.expect("records");
        assert_eq!(restored, report.missing);
    }

    async fn a_table_that_is_not_declared_is_not_backed_up(world) {
        let source = source(world);
        let stranger = Stranger { id: Uuid::now_v7() };
        put_all(&source.store, std::slice::from_ref(&stranger)).await;
        let target = world.folder.path().join("backup");

        let refused = back_up(&source, &target).await.expect_err("not known");

        assert!(refused.is_refusal(), "{refused}");
        assert!(refused.to_string().contains("table stranger"), "{refused}");
        assert!(!target.exists());
        let named = source.inventory.tables.named_content(&source.store).await;
        assert!(matches!(named, Err(StoreError::UnknownTable { table }) if table == "stranger"));
    }

    async fn a_row_that_cannot_be_read_is_backed_up_and_restored_and_listed(world) {
        let source = source(world);
        let id = Uuid::now_v7();
        let odd = &OddDocument { id };
        put_all(&source.store, std::slice::from_ref(odd)).await;
        let target = world.folder.path().join("backup");

        let report = back_up(&source, &target).await.expect("a backup");

        let [missing] = &report.missing[..] else {
            panic!("{:?}", report.missing);
        };
        assert_eq!(missing.what, MissingItem::Row(id.to_string()));
        let engine = Arc::new(MemoryEngine::new(Arc::new(clock())));
        let backup = Backup::open(&target, INVENTORY).await.expect("a whole backup");
        let listed = backup.restore_records(&*engine).await.expect("records");
        assert_eq!(listed, report.missing);
        let store = open(engine).await.expect("a store");
        assert_eq!(all_rows::<OddDocument>(&store).await.len(), 1);
    }

    async fn what_waits_in_quarantine_is_not_in_a_backup(world) {
        let source = source(world);
        let kept = Document::make(&source.store, &source.files, &source.keys).await;
        let nobodys = Document::make(&source.store, &source.files, &source.keys).await;
        let now = source.store.now().await.expect("a time");
        let files = source.files.sweep(None, now).quarantine(&[nobodys.file]).await;
        let keys = source.keys.sweep(None, now).quarantine(&[nobodys.data_key]).await;
        assert_eq!((files.expect("moved"), keys.expect("moved")), (1, 1));
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("backup");

        let report = back_up(&source, &target).await.expect("a backup");

        assert_eq!(report.files, 3, "the records, a document and a key");
        for (name, only) in [("bytes", kept.file.to_string()), ("keys", format!("{}.key", kept.data_key))] {
            let entries = std::fs::read_dir(target.join(name)).expect("a folder");
            let names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
            assert_eq!(names, [std::ffi::OsString::from(only)]);
        }
        Backup::open(&target, INVENTORY).await.expect("a whole backup");
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

/// Creates documents and erases the older ones, until stopped.
async fn come_and_go(source: BackupSource, is_over: Arc<AtomicBool>) {
    let mut made = VecDeque::new();
    while !is_over.load(Ordering::SeqCst) {
        let BackupSource {
            store, files, keys, ..
        } = &source;
        made.push_back(Document::make(store, files, keys).await);
        if made.len() > 8
            && let Some(oldest) = made.pop_front()
        {
            oldest.erase(&source).await;
        }
    }
}

/// Returns the ids in the names of a folder's files.
fn ids_in(folder: &Path) -> HashSet<Uuid> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| {
            let name = name.to_str().expect("UTF-8");
            name.trim_end_matches(".key").parse().expect("an id")
        })
        .collect()
}

#[tokio::test]
async fn a_backup_that_an_engine_failed_in_is_none() {
    let world = World::in_memory().await;
    let target = world.folder.path().join("backup");
    let faults = FaultPlan {
        // The first commit opens the store, the next one seals the records.
        crash: Some((1, CrashPoint::BeforeCommit)),
        ..FaultPlan::default()
    };
    let broken = World::with_faults(world.disk(), faults).await;

    let made = back_up(&source(&broken), &target).await;

    assert!(matches!(made, Err(BackupError::Store(_))), "{made:?}");
    let opened = Backup::open(&target, INVENTORY).await;
    assert!(matches!(opened, Err(BackupError::NotWhole { .. })));
}

#[tokio::test]
async fn nothing_is_backed_up_into_the_folder_that_it_lies_in() {
    let world = World::in_memory().await;
    let source = source(&world);
    let elsewhere = world.folder.path().join("elsewhere");
    std::fs::create_dir_all(source.data.join("world")).expect("a folder");
    std::os::unix::fs::symlink(&source.data, &elsewhere).expect("a link");
    let targets = [
        source.data.join("world/zz/b"),
        source.data.join("nowhere/../b"),
        elsewhere.join("b"),
    ];
    for target in targets {
        let refused = back_up(&source, &target).await;

        assert!(
            matches!(refused, Err(BackupError::Inside { .. })),
            "{refused:?}"
        );
        assert!(!target.exists());
    }
}

#[tokio::test]
async fn a_folder_beside_the_store_may_be_a_link_and_hold_none() {
    let world = World::in_memory().await;
    let source = source(&world);
    let elsewhere = world.folder.path().join("elsewhere");
    std::fs::create_dir_all(&source.data).expect("a folder");
    std::fs::create_dir(&elsewhere).expect("a folder");
    std::fs::write(elsewhere.join("a.txt"), "a").expect("written");
    std::os::unix::fs::symlink(&elsewhere, source.data.join("notes")).expect("a link");
    let target = world.folder.path().join("backup");

    back_up(&source, &target).await.expect("a backup");

    assert!(target.join("notes/a.txt").exists());
    let link = elsewhere.join("b.txt");
    std::os::unix::fs::symlink(elsewhere.join("a.txt"), &link).expect("a link");
    let again = back_up(&source, &world.folder.path().join("again")).await;
    let Err(BackupError::NoFile(named)) = again else {
        panic!("{again:?}");
    };
    assert_eq!(named.file_name(), link.file_name());
}
