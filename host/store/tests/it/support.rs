//! Stores and tables for the tests.

pub(crate) mod random;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use parafa_store::engine::{CommitOutcome, EngineError, Versioned};
use parafa_store::faulty::FaultPlan;
use parafa_store::memory::MemoryDisk;
use parafa_store::postgres::{Database, DatabaseOptions, PostgresEngine};
use parafa_store::sled::SledOptions;
use parafa_store::{
    AnyIndex, BoxFuture, Commit, Content, Direction, Engine, EntriesCopy, Entry, FaultyEngine,
    Index, ManualClock, MasterKey, MemoryEngine, Scan, SledEngine, Store, StoreError, StoreMode,
    Table, TableName,
};
use parafa_test_services::{Postgres, PostgresDatabase};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::time::Instant;
use uuid::Uuid;

/// Makes a test for each engine of a function that takes a [`World`].
macro_rules! on_every_engine {
    ($($(#[$meta:meta])* async fn $name:ident($world:ident) $body:block)*) => {
        $(mod $name {
            use super::*;

            async fn run($world: &crate::support::World) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn in_memory() {
                run(&crate::support::World::in_memory().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sled() {
                run(&crate::support::World::on_sled().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                run(&crate::support::World::on_postgres().await).await;
            }
        })*
    };
}

pub(crate) use on_every_engine;

/// A store with the means to reopen it.
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) clock: ManualClock,
    pub(crate) folder: TempDir,
    engine: Arc<dyn Engine>,
    kept: Kept,
}

/// Means to reopen a store, except for its folder.
#[derive(Clone)]
enum Kept {
    Memory(MemoryDisk),
    Sled,
    Postgres(PostgresDatabase),
}

impl World {
    pub(crate) async fn in_memory() -> Self {
        Self::on(Kept::Memory(MemoryDisk::default())).await
    }

    pub(crate) async fn on_sled() -> Self {
        Self::on(Kept::Sled).await
    }

    pub(crate) async fn on_postgres() -> Self {
        Self::on(Kept::Postgres(Postgres::shared_database())).await
    }

    /// Creates a store in memory, with these faults.
    pub(crate) async fn with_faults(disk: MemoryDisk, faults: FaultPlan) -> Self {
        let clock = clock();
        let memory = MemoryEngine::open(disk.clone(), Arc::new(clock.clone()));
        let engine: Arc<dyn Engine> = Arc::new(FaultyEngine::new(Arc::new(memory), faults));
        Self {
            store: open(engine.clone()).await.expect("a store"),
            engine,
            clock,
            folder: tempfile::tempdir().expect("a folder"),
            kept: Kept::Memory(disk),
        }
    }

    async fn on(kept: Kept) -> Self {
        let clock = clock();
        let folder = tempfile::tempdir().expect("a folder");
        let engine = engine(&kept, folder.path(), &clock).await;
        Self {
            store: open(engine.clone()).await.expect("a new store"),
            engine,
            clock,
            folder,
            kept,
        }
    }

    /// Closes the store and opens its data again.
    pub(crate) async fn reopened(self) -> Self {
        let Self {
            store,
            engine: old,
            clock,
            folder,
            kept,
        } = self;
        drop((store, old));
        let engine = engine(&kept, folder.path(), &clock).await;
        Self {
            store: open(engine.clone()).await.expect("an existing store"),
            engine,
            clock,
            folder,
            kept,
        }
    }

    /// Returns the data of an in-memory engine.
    pub(crate) fn disk(&self) -> MemoryDisk {
        match &self.kept {
            Kept::Memory(disk) => disk.clone(),
            Kept::Sled | Kept::Postgres(_) => panic!("an engine in memory"),
        }
    }

    /// Returns the engine under the store.
    pub(crate) fn engine(&self) -> Arc<dyn Engine> {
        self.engine.clone()
    }

    /// Replaces a piece of the text of a table's only row.
    pub(crate) async fn rewrite(&self, table: &str, from: &str, to: &str) {
        let row = self.only_row(table).await;
        let text = String::from_utf8(row.stored.value.to_vec()).expect("JSON");
        assert!(text.contains(from));
        let commit = Commit {
            puts: vec![(row.key, text.replace(from, to).into())],
            ..Commit::default()
        };
        self.engine.commit(commit).await.expect("a commit");
    }

    /// Removes the schema row.
    pub(crate) async fn remove_schema(&self) {
        let commit = Commit {
            deletes: vec![self.only_row("_schema").await.key],
            ..Commit::default()
        };
        self.engine.commit(commit).await.expect("a commit");
    }

    /// Removes the rows of a table, but not their index entries, as an accepted loss can.
    pub(crate) async fn lose_rows(&self, table: &str) {
        let rows = self.rows(table).await;
        let commit = Commit {
            deletes: rows.into_iter().map(|row| row.key).collect(),
            ..Commit::default()
        };
        self.engine.commit(commit).await.expect("a commit");
    }

    async fn only_row(&self, table: &str) -> Entry {
        let mut rows = self.rows(table).await;
        assert_eq!(rows.len(), 1);
        rows.remove(0)
    }

    async fn rows(&self, table: &str) -> Vec<Entry> {
        let scan = Scan {
            start: format!("t{table}\0").into_bytes(),
            end: format!("t{table}\u{1}").into_bytes(),
            direction: Direction::Ascending,
            limit: 100,
        };
        self.engine.scan(scan).await.expect("a scan")
    }
}

pub(crate) async fn open(engine: Arc<dyn Engine>) -> Result<Store, StoreError> {
    Store::open(engine, &master(), StoreMode::Demo).await
}

pub(crate) fn master() -> MasterKey {
    MasterKey::from_bytes([7; 32])
}

pub(crate) fn clock() -> ManualClock {
    ManualClock::new("2026-03-01T08:00:00Z".parse::<Timestamp>().expect("a time"))
}

async fn engine(kept: &Kept, folder: &Path, clock: &ManualClock) -> Arc<dyn Engine> {
    let clock = Arc::new(clock.clone());
    match kept {
        Kept::Memory(disk) => Arc::new(MemoryEngine::open(disk.clone(), clock)),
        Kept::Sled => {
            let options = SledOptions {
                cache_bytes: 8 * 1024 * 1024,
                ..SledOptions::new(folder.join("store"))
            };
            Arc::new(SledEngine::open(&options, clock).expect("a folder that is free"))
        }
        Kept::Postgres(database) => {
            let database = Database::open(&options_of(&database.url)).await;
            let database = database.expect("a database");
            let committers = PostgresEngine::DEFAULT_COMMITTERS;
            Arc::new(PostgresEngine::new(database, committers, clock))
        }
    }
}

pub(crate) fn options_of(url: &str) -> DatabaseOptions {
    DatabaseOptions {
        url: url.to_owned(),
        connections: DatabaseOptions::DEFAULT_CONNECTIONS,
        tls: rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth(),
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(patience: Duration, what: &str, is_so: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < patience, "{what}: not after {patience:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// An engine with an interruption after the scan of certain entries, before any of their rows
/// is read.
pub(crate) struct Interrupted {
    engine: Arc<dyn Engine>,
    is_awaited: fn(&Scan) -> bool,
    meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Interrupted {
    pub(crate) fn new(
        engine: Arc<dyn Engine>,
        is_awaited: fn(&Scan) -> bool,
        meanwhile: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self {
            engine,
            is_awaited,
            meanwhile: Mutex::new(Some(Box::pin(meanwhile))),
        }
    }
}

#[async_trait]
impl Engine for Interrupted {
    async fn get(&self, key: &[u8]) -> Result<Option<Versioned>, EngineError> {
        self.engine.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Entry>, EngineError> {
        let is_awaited = (self.is_awaited)(&scan);
        let found = self.engine.scan(scan).await?;
        let meanwhile = is_awaited.then(|| self.meanwhile.lock().expect("no panic").take());
        if let Some(meanwhile) = meanwhile.flatten() {
            meanwhile.await;
        }
        Ok(found)
    }

    async fn commit(&self, commit: Commit) -> Result<CommitOutcome, EngineError> {
        self.engine.commit(commit).await
    }

    async fn now(&self) -> Result<Timestamp, EngineError> {
        self.engine.now().await
    }

    async fn begin_copy(&self) -> Result<EntriesCopy, EngineError> {
        self.engine.begin_copy().await
    }

    fn health(&self) -> Result<(), EngineError> {
        self.engine.health()
    }

    fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }
}

/// An account with a balance.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Account {
    pub(crate) id: u32,
    pub(crate) balance: u64,
}

/// Declares a table of a row type, by id, without named content.
macro_rules! rows_by_id {
    ($row:ty, $key:ty, $name:literal) => {
        impl parafa_store::Table for $row {
            type Key = $key;
            const NAME: parafa_store::TableName = parafa_store::TableName::new($name);
            const CONTENT: parafa_store::Content = parafa_store::Content::Nothing;

            fn key(&self) -> $key {
                self.id
            }
        }
    };
}
pub(crate) use rows_by_id;

rows_by_id!(Account, u32, "account");

/// A note in a book.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Note {
    pub(crate) id: Uuid,
    pub(crate) book: u32,
    pub(crate) slug: Option<String>,
    pub(crate) text: String,
}

impl Note {
    pub(crate) fn new(id: u128, book: u32) -> Self {
        Self {
            id: Uuid::from_u128(id),
            book,
            slug: None,
            text: String::new(),
        }
    }
}

pub(crate) const BY_BOOK: Index<Note, u32> = Index::many("book", |note| vec![note.book]);
pub(crate) const BY_SLUG: Index<Note, String> =
    Index::unique("slug", |note| note.slug.iter().cloned().collect());
pub(crate) const BY_BOOK_AND_TEXT: Index<Note, (u32, String)> =
    Index::many("book_text", |note| vec![(note.book, note.text.clone())]);

impl Table for Note {
    type Key = Uuid;
    const NAME: TableName = TableName::new("note");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&BY_BOOK, &BY_SLUG, &BY_BOOK_AND_TEXT]
    }
}

/// Puts rows in one transaction.
pub(crate) async fn put_all<T: Table>(store: &Store, rows: &[T]) {
    store
        .transact(|tx| {
            Box::pin(async move {
                for row in rows {
                    tx.put(row).await?;
                }
                Ok::<_, StoreError>(())
            })
        })
        .await
        .expect("rows are put");
}
