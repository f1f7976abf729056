//! An archive: tasks of several hosts file, read and discard documents, despite faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use parafa_store::bytes::{ByteFileError, StoredFile};
use parafa_store::{DataKey, Folder, Page, StoreError, Table};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::LARGE;
use crate::support::random::Random;
use crate::support::rows_by_id;

/// Length of the longest document, except for large ones, in bytes.
const LONGEST: usize = 300_000;
/// Documents that each task keeps.
const KEPT: usize = 8;

/// A document on file.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Document {
    id: Uuid,
    file: StoredFile,
}

rows_by_id!(Document, Uuid, "document");

/// Tasks that work with documents until they are stopped.
pub(super) struct Archive {
    tasks: JoinSet<()>,
    books: Arc<Books>,
    witness: Folder,
}

/// Outcomes as reported to the tasks.
struct Books {
    key: DataKey,
    is_closed: AtomicBool,
    /// Filed documents that are kept.
    filed: Mutex<BTreeMap<Uuid, StoredFile>>,
    /// Documents without a row, with a file that could not be removed yet.
    remaining: Mutex<BTreeSet<Uuid>>,
    counts: Counts,
    wrong: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Counts {
    filed: AtomicUsize,
    read: AtomicUsize,
    thrown_away: AtomicUsize,
    /// Calls that failed because the documents were not available.
    unavailable: AtomicUsize,
    /// Calls that found a document truncated in transit.
    found_damaged: AtomicUsize,
}

/// Numbers of operations.
pub(super) struct Totals {
    counts: Counts,
    rows: Vec<Uuid>,
}

impl Totals {
    /// Returns the filed documents.
    pub(super) fn rows(&self) -> &[Uuid] {
        &self.rows
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        write!(
            f,
            "{} filed, {} read, {} thrown away, {} on file; {} calls failed, {} found damage",
            of(&self.counts.filed),
            of(&self.counts.read),
            of(&self.counts.thrown_away),
            self.rows.len(),
            of(&self.counts.unavailable),
            of(&self.counts.found_damaged),
        )
    }
}

impl Archive {
    /// Starts this many tasks on each host, which work with documents sealed under this key.
    pub(super) fn open(hosts: &[Folder], tasks_each: u64, key: DataKey, witness: Folder) -> Self {
        let books = Arc::new(Books {
            key,
            is_closed: AtomicBool::new(false),
            filed: Mutex::default(),
            remaining: Mutex::default(),
            counts: Counts::default(),
            wrong: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        for (host, number) in hosts.iter().zip(0..) {
            for task in 0..tasks_each {
                let clerk = Clerk {
                    host: host.clone(),
                    books: books.clone(),
                    random: Random::of(number * tasks_each + task),
                    own: Vec::new(),
                };
                tasks.spawn(clerk.work());
            }
        }
        Self {
            tasks,
            books,
            witness,
        }
    }

    /// Returns the numbers of documents filed and read so far.
    pub(super) fn done(&self) -> (usize, usize) {
        let counts = &self.books.counts;
        (
            counts.filed.load(Ordering::Relaxed),
            counts.read.load(Ordering::Relaxed),
        )
    }

    /// Stops the tasks, and compares the reported outcomes with the storage.
    pub(super) async fn close(self) -> Totals {
        self.books.is_closed.store(true, Ordering::Relaxed);
        self.tasks.join_all().await;
        let books = Arc::into_inner(self.books).expect("nobody works any more");
        let wrong = books.wrong.into_inner().unwrap();
        assert!(wrong.is_empty(), "{wrong:#?}");

        let rows = all_documents(&self.witness).await;
        let filed: BTreeSet<_> = books.filed.into_inner().unwrap().into_keys().collect();
        let found: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
        assert_eq!(found, filed, "what is acknowledged is on file, and no more");
        for row in &rows {
            let read = self.witness.files.read(&books.key, row.id).await;
            let read = read.unwrap_or_else(|error| panic!("{row:?}: {error}"));
            assert!(read == content(row.id, read.len()), "{row:?}");
        }
        for id in books.remaining.into_inner().unwrap() {
            let removed = self.witness.files.unlink(id).await;
            removed.expect("what is nobody's is removed in the end");
        }
        Totals {
            counts: books.counts,
            rows: found.into_iter().collect(),
        }
    }
}

/// A task that works with documents at one host.
struct Clerk {
    host: Folder,
    books: Arc<Books>,
    random: Random,
    /// Documents that it has filed itself.
    own: Vec<StoredFile>,
}

impl Clerk {
    async fn work(mut self) {
        while !self.books.is_closed.load(Ordering::Relaxed) {
            match self.random.below(10) {
                0..4 => self.file().await,
                _ => self.read().await,
            }
            if self.own.len() > KEPT {
                self.throw_away().await;
            }
            // Yields even if no request had to wait.
            tokio::task::yield_now().await;
        }
    }

    async fn file(&mut self) {
        let length = match self.random.below(25) {
            0 => LARGE,
            _ => self.random.length(LONGEST),
        };
        let id = self.host.store.new_id().await.expect("an id");
        let sealed = &self.books.key;
        match self.host.files.write(sealed, id, content(id, length)).await {
            Ok(file) => {
                let document = &Document { id, file };
                let filed = self.host.store.transact(|tx| Box::pin(tx.insert(document)));
                filed.await.expect("the database is well");
                self.own.push(file);
                lock(&self.books.filed).insert(id, file);
                count(&self.books.counts.filed);
            }
            // The unacknowledged object was truncated when read back.
            Err(ByteFileError::Exists { .. }) => count(&self.books.counts.found_damaged),
            // The sweep finds what the write may have left.
            Err(error) => self.failed(&error, "write"),
        }
    }

    async fn read(&mut self) {
        let Some(file) = self.any_filed() else {
            return;
        };
        let read = match self.random.below(2) {
            0 => self.host.files.read(&self.books.key, file.id).await,
            _ => self.read_in_pieces(file).await,
        };
        match read {
            Ok(read) => {
                let length = usize::try_from(file.bytes).expect("small");
                if read != content(file.id, length) {
                    self.wrong(format!("{}: read as something else", file.id));
                }
                count(&self.books.counts.read);
            }
            Err(ByteFileError::Sealed { .. } | ByteFileError::Differs { .. }) => {
                count(&self.books.counts.found_damaged);
            }
            Err(ByteFileError::Missing { .. }) if !self.is_filed(file.id) => {}
            Err(error) => self.failed(&error, "read"),
        }
    }

    async fn read_in_pieces(&self, file: StoredFile) -> Result<Bytes, ByteFileError> {
        let mut pieces = self.host.files.pieces(&self.books.key, file).await?;
        let mut read = Vec::new();
        while let Some(piece) = pieces.next().await? {
            read.extend_from_slice(&piece);
        }
        Ok(read.into())
    }

    async fn throw_away(&mut self) {
        let StoredFile { id, .. } = self.own.swap_remove(self.random.length(self.own.len()));
        lock(&self.books.filed).remove(&id);
        let gone = self
            .host
            .store
            .transact(|tx| Box::pin(tx.delete::<Document>(&id)));
        assert!(gone.await.expect("the database is well"), "it had a row");
        match self.host.files.unlink(id).await {
            Ok(_) => count(&self.books.counts.thrown_away),
            Err(error) => {
                lock(&self.books.remaining).insert(id);
                self.failed(&error, "unlink");
            }
        }
    }

    fn any_filed(&mut self) -> Option<StoredFile> {
        let filed = lock(&self.books.filed);
        let place = self.random.length(filed.len().max(1));
        filed.values().nth(place).copied()
    }

    fn is_filed(&self, id: Uuid) -> bool {
        lock(&self.books.filed).contains_key(&id)
    }

    fn failed(&self, error: &ByteFileError, action: &str) {
        match error {
            ByteFileError::Unavailable { .. } => count(&self.books.counts.unavailable),
            error => self.wrong(format!("{action}: {error}")),
        }
    }

    fn wrong(&self, told: String) {
        lock(&self.books.wrong).push(told);
    }
}

fn count(count: &AtomicUsize) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// Returns the content of a document of this id and length.
fn content(id: Uuid, length: usize) -> Bytes {
    let bytes = id.as_bytes().iter().cycle();
    let content: Vec<u8> = bytes.copied().take(length).collect();
    content.into()
}

async fn all_documents(host: &Folder) -> Vec<Document> {
    let mut found = Vec::new();
    let mut page = Page::oldest(500);
    loop {
        let this = &page;
        let read = host.store.read(|tx| {
            Box::pin(async move {
                let guard = parafa_store::Guard::none();
                let paged = tx.page::<Document>(this, guard).await?;
                Ok::<_, StoreError>(paged)
            })
        });
        let paged = read.await.expect("a read");
        page.after = paged.rows.last().map(Table::key);
        found.extend(paged.rows);
        if !paged.more {
            return found;
        }
    }
}
