//! The recorded process: its work on a data folder, and its acknowledgements.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parafa_store::{AnyIndex, Content, Folder, Index, StoreError, StoredFile, Table, TableName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::folder::options;
use crate::support::{Account, put_all, rows_by_id};

/// Accounts that every commit of a task sets to the number of its round.
pub(super) const ACCOUNTS: u32 = 3;
/// Lines of a task that exist at once; the older ones are deleted.
pub(super) const LINES: u32 = 4;
/// Number of tasks; the first works alone, the others at the same time.
pub(super) const TASKS: u32 = 5;
/// Rounds of the first task, and of each other task in each session.
const ROUNDS_ALONE: u32 = 15;
const ROUNDS_TOGETHER: u32 = 36;
const SESSIONS_TOGETHER: u32 = 2;

/// An acknowledgement.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub(super) enum Mark {
    Opened,
    /// From here on several tasks work at the same time.
    Together,
    Committed {
        task: u32,
        round: u32,
    },
    KeyCreated(Uuid),
    FileWritten {
        key: Uuid,
        file: StoredFile,
    },
    DocumentPut(Document),
    /// The document, its key and its file may be gone from here on.
    Erasing(Document),
    DocumentDeleted(Uuid),
    KeyErased(Uuid),
    FileUnlinked(Uuid),
}

/// A row that grows the log: some are short, some almost as long as a value may be.
#[derive(Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Line {
    pub(super) task: u32,
    pub(super) round: u32,
    text: String,
}

impl Line {
    pub(super) fn new(task: u32, round: u32) -> Self {
        let length = if round.is_multiple_of(2) { 60_000 } else { 300 };
        let text = format!("{task}-{round} ").repeat(length / 4);
        Self {
            text: text[..length].to_owned(),
            task,
            round,
        }
    }
}

pub(super) const BY_NAME: Index<Line, String> =
    Index::unique("name", |line| vec![line_name(line.task, line.round)]);

pub(super) fn line_name(task: u32, round: u32) -> String {
    format!("{task}-{round}")
}

impl Table for Line {
    type Key = (u32, u32);
    const NAME: TableName = TableName::new("line");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Self::Key {
        (self.task, self.round)
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&BY_NAME]
    }
}

/// A row that owns a byte file under a data key.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Document {
    pub(super) id: Uuid,
    pub(super) data_key: Uuid,
    pub(super) file: StoredFile,
}

rows_by_id!(Document, Uuid, "document");

/// Returns the id of one of a task's accounts.
pub(super) fn account_id(task: u32, which: u32) -> u32 {
    task * ACCOUNTS + which
}

/// Returns a task's accounts in a round.
pub(super) fn accounts(task: u32, round: u32) -> impl Iterator<Item = Account> {
    (0..ACCOUNTS).map(move |which| Account {
        id: account_id(task, which),
        balance: u64::from(round),
    })
}

/// Works on the data folder in `disk`: one task alone in a new folder, then several together,
/// then again after reopening.
pub(super) fn run(disk: &Path, marks: &Path) {
    let marks = Marks::open(marks);
    session(disk, &marks, 0..1, 1..=ROUNDS_ALONE);
    marks.write(&Mark::Together);
    let mut first = 1;
    for _ in 0..SESSIONS_TOGETHER {
        let next = first + ROUNDS_TOGETHER;
        session(disk, &marks, 1..TASKS, first..=next - 1);
        first = next;
    }
}

fn session(disk: &Path, marks: &Marks, tasks: Range<u32>, rounds: RangeInclusive<u32>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let folder = Folder::open(&options(disk)).await.expect("a data folder");
        marks.write(&Mark::Opened);
        let working: Vec<_> = tasks
            .map(|task| {
                let (folder, marks, rounds) = (folder.clone(), marks.clone(), rounds.clone());
                tokio::spawn(async move {
                    for round in rounds {
                        commit(&folder, task, round).await;
                        marks.write(&Mark::Committed { task, round });
                        if round.is_multiple_of(5) {
                            document(&folder, &marks, round.is_multiple_of(2)).await;
                        }
                    }
                })
            })
            .collect();
        for task in working {
            task.await.expect("no panic");
        }
    });
}

/// Changes several rows in one commit.
async fn commit(folder: &Folder, task: u32, round: u32) {
    let committed = folder.store.transact(|tx| {
        Box::pin(async move {
            for account in accounts(task, round) {
                tx.put(&account).await?;
            }
            tx.put(&Line::new(task, round)).await?;
            if let Some(old) = round.checked_sub(LINES) {
                tx.delete::<Line>(&(task, old)).await?;
            }
            Ok::<_, StoreError>(())
        })
    });
    committed.await.expect("committed");
}

/// Stores a document, and may erase it.
async fn document(folder: &Folder, marks: &Marks, is_erased: bool) {
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(folder.store.new_id().await.expect("an id"));
    }
    let key = folder.keys.create(ids[1]).await.expect("a key");
    marks.write(&Mark::KeyCreated(ids[1]));
    let content = Bytes::from(ids[2].to_string().repeat(300));
    let written = folder.files.write(&key, ids[2], content).await;
    let document = Document {
        id: ids[0],
        data_key: ids[1],
        file: written.expect("written"),
    };
    marks.write(&Mark::FileWritten {
        key: document.data_key,
        file: document.file,
    });
    put_all(&folder.store, std::slice::from_ref(&document)).await;
    marks.write(&Mark::DocumentPut(document.clone()));
    if is_erased {
        erase(folder, marks, document).await;
    }
}

async fn erase(folder: &Folder, marks: &Marks, document: Document) {
    marks.write(&Mark::Erasing(document.clone()));
    let id = document.id;
    let deleted = folder
        .store
        .transact(|tx| Box::pin(async move { tx.delete::<Document>(&id).await }));
    assert!(deleted.await.expect("deleted"));
    marks.write(&Mark::DocumentDeleted(id));
    assert!(folder.keys.erase(document.data_key).await.expect("erased"));
    marks.write(&Mark::KeyErased(document.data_key));
    let unlinked = folder.files.unlink(document.file.id).await;
    assert!(unlinked.expect("unlinked"));
    marks.write(&Mark::FileUnlinked(document.file.id));
}

/// The file of marks, one line each.
#[derive(Clone)]
struct Marks(Arc<File>);

impl Marks {
    fn open(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path);
        Self(Arc::new(file.expect("a file of marks")))
    }

    fn write(&self, mark: &Mark) {
        let mut line = serde_json::to_vec(mark).expect("JSON");
        line.push(b'\n');
        let written = (&*self.0).write(&line).expect("a mark is written");
        assert_eq!(written, line.len());
    }
}

/// Returns the disk and the file of marks of the recorded process.
pub(super) fn places(root: &Path) -> (PathBuf, PathBuf) {
    (root.join("disk"), root.join("marks"))
}
