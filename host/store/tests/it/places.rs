//! Places of byte files and data keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use parafa_store::postgres::{Database, PostgresEngine};
use parafa_store::shared::{self, Objects, SharedOptions};
use parafa_store::{ByteFiles, DataKey, DataKeys, Folder, FolderError, MasterKey, StoreMode};
use parafa_test_services::{Postgres, PostgresDatabase, S3};
use tempfile::TempDir;
use uuid::Uuid;

use crate::support::{clock, master, options_of};

/// Makes a test for each place of a function that takes a [`Place`].
macro_rules! in_every_place {
    ($($(#[$meta:meta])* async fn $name:ident($place:ident) $body:block)*) => {
        $(mod $name {
            use super::*;

            async fn run($place: &crate::places::Place) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn in_a_folder() {
                run(&crate::places::Place::in_a_folder()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn in_a_database() {
                run(&crate::places::Place::in_a_database().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn in_a_bucket() {
                run(&crate::places::Place::in_a_bucket().await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn in_a_folder_of_several_hosts() {
                run(&crate::places::Place::in_a_shared_folder().await).await;
            }
        })*
    };
}

pub(crate) use in_every_place;

/// Byte files and data keys, with their storage.
pub(crate) struct Place {
    pub(crate) files: ByteFiles,
    pub(crate) keys: DataKeys,
    pub(crate) kept: Kept,
}

/// Kinds of storage.
pub(crate) enum Kept {
    Folder(TempDir),
    /// Storage of several hosts, with the keys in the database.
    Shared {
        database: PostgresDatabase,
        documents: Documents,
    },
}

/// Document storage of several hosts.
pub(crate) enum Documents {
    Database,
    Bucket(S3),
    Folder(TempDir),
}

impl Place {
    pub(crate) fn in_a_folder() -> Self {
        let kept = Kept::Folder(tempfile::tempdir().expect("a folder"));
        let Kept::Folder(root) = &kept else {
            unreachable!()
        };
        let (files, keys) = in_folder(root.path());
        Self { files, keys, kept }
    }

    pub(crate) async fn in_a_database() -> Self {
        Self::shared(Documents::Database).await
    }

    pub(crate) async fn in_a_bucket() -> Self {
        Self::shared(Documents::Bucket(S3::start())).await
    }

    pub(crate) async fn in_a_shared_folder() -> Self {
        Self::shared(Documents::Folder(tempfile::tempdir().expect("a folder"))).await
    }

    async fn shared(documents: Documents) -> Self {
        let database = Postgres::shared_database();
        let opened = open_shared(&database, &documents).await;
        let Folder { files, keys, .. } = opened.expect("a new deployment");
        Self {
            files,
            keys,
            kept: Kept::Shared {
                database,
                documents,
            },
        }
    }

    /// Opens the place again, as after a restart, or on another host.
    pub(crate) async fn opened_again(&self) -> (ByteFiles, DataKeys) {
        match &self.kept {
            Kept::Folder(root) => in_folder(root.path()),
            Kept::Shared { .. } => {
                let Folder { files, keys, .. } = self.host().await;
                (files, keys)
            }
        }
    }

    /// Opens the place as another host.
    pub(crate) async fn host(&self) -> Folder {
        let Kept::Shared {
            database,
            documents,
        } = &self.kept
        else {
            panic!("of one host alone");
        };
        let opened = open_shared(database, documents).await;
        opened.expect("an existing deployment")
    }

    pub(crate) async fn key(&self) -> DataKey {
        self.keys.create(Uuid::now_v7()).await.expect("a key")
    }

    pub(crate) fn bucket(&self) -> &S3 {
        match &self.kept {
            Kept::Shared {
                documents: Documents::Bucket(s3),
                ..
            } => s3,
            _ => panic!("a bucket"),
        }
    }

    /// Backdates the last writes of all stored files by this time.
    pub(crate) async fn rest(&self, long: Duration) {
        for folder in self.folders() {
            rest(&folder, long);
        }
        if let Kept::Shared { .. } = &self.kept {
            let seconds = long.as_secs() + 1;
            self.sql(&format!(
                "UPDATE parafa_blobs SET since = clock_timestamp() - interval '{seconds} seconds'"
            ))
            .await;
        }
    }

    /// Copies a document to another name.
    pub(crate) async fn copy_document(&self, from: Uuid, to: Uuid) {
        match self.path_of(from).zip(self.path_of(to)) {
            Some((from, to)) => {
                fs::copy(from, to).expect("copied");
            }
            None => self.copy_row(1, from, to).await,
        }
    }

    /// Copies a key to another name.
    pub(crate) async fn copy_key(&self, from: Uuid, to: Uuid) {
        let Kept::Folder(root) = &self.kept else {
            return self.copy_row(2, from, to).await;
        };
        let path = |id| root.path().join(format!("keys/{id}.key"));
        fs::copy(path(from), path(to)).expect("copied");
    }

    /// Truncates a document to this length.
    pub(crate) async fn cut(&self, id: Uuid, bytes: u64) {
        match self.path_of(id) {
            Some(path) => {
                let file = fs::File::options().write(true).open(path);
                file.and_then(|file| file.set_len(bytes)).expect("cut");
            }
            None => {
                self.sql(&format!(
                    "UPDATE parafa_blobs SET content = substring(content FROM 1 FOR {bytes}), \
                     bytes = {bytes} WHERE id = '{id}'"
                ))
                .await;
            }
        }
    }

    async fn copy_row(&self, kind: i16, from: Uuid, to: Uuid) {
        self.sql(&format!(
            "INSERT INTO parafa_blobs (kind, id, piece, bytes, content) \
             SELECT kind, '{to}', piece, bytes, content FROM parafa_blobs \
             WHERE kind = {kind} AND id = '{from}'"
        ))
        .await;
    }

    /// Returns the file of a document, if documents are files.
    pub(crate) fn path_of(&self, id: Uuid) -> Option<PathBuf> {
        let folders = self.folders();
        folders.first().map(|folder| folder.join(id.to_string()))
    }

    /// Returns the folders of the place, that of the documents first.
    fn folders(&self) -> Vec<PathBuf> {
        match &self.kept {
            Kept::Folder(root) => vec![root.path().join("bytes"), root.path().join("keys")],
            Kept::Shared { documents, .. } => match documents {
                Documents::Database => Vec::new(),
                Documents::Bucket(s3) => vec![s3.file_of("bytes"), s3.file_of("uploads")],
                Documents::Folder(root) => vec![root.path().join("bytes")],
            },
        }
    }

    pub(crate) async fn sql(&self, statements: &str) {
        let Kept::Shared { database, .. } = &self.kept else {
            panic!("a database");
        };
        let connected = tokio_postgres::connect(&database.url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.expect("a connection");
        let connection = tokio::spawn(connection);
        client.batch_execute(statements).await.expect("executed");
        drop(client);
        connection.await.expect("no panic").expect("it ends well");
    }
}

fn in_folder(root: &Path) -> (ByteFiles, DataKeys) {
    let files = ByteFiles::open_folder(&root.join("bytes"));
    let keys = DataKeys::create_folder(&root.join("keys"), Arc::new(master()));
    (files.expect("byte files"), keys.expect("data keys"))
}

impl Documents {
    pub(crate) fn objects(&self) -> Option<Objects> {
        let objects = match self {
            Self::Database => return None,
            Self::Bucket(s3) => Objects::parse(&s3.url(), s3.variables()),
            Self::Folder(root) => Objects::parse(&format!("file://{}", root.path().display()), []),
        };
        Some(objects.expect("a place"))
    }
}

pub(crate) async fn open_shared(
    database: &PostgresDatabase,
    documents: &Documents,
) -> Result<Folder, FolderError> {
    open_shared_with(database, documents.objects()).await
}

pub(crate) async fn open_shared_with(
    database: &PostgresDatabase,
    objects: Option<Objects>,
) -> Result<Folder, FolderError> {
    open_shared_under(master(), database, objects).await
}

pub(crate) async fn open_shared_under(
    master: MasterKey,
    database: &PostgresDatabase,
    objects: Option<Objects>,
) -> Result<Folder, FolderError> {
    let database = Database::open(&options_of(&database.url)).await?;
    shared::open(SharedOptions {
        database,
        committers: PostgresEngine::DEFAULT_COMMITTERS,
        clock: Arc::new(clock()),
        master: Arc::new(master),
        mode: StoreMode::Demo,
        objects,
    })
    .await
}

/// Backdates the last writes of a folder's files by this time.
fn rest(folder: &Path, long: Duration) {
    let written = SystemTime::now() - long;
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let file = fs::File::options().write(true).open(path);
        let set = file.and_then(|file| file.set_modified(written));
        set.expect("another time");
    }
}

/// Returns the time of the sweeps.
pub(crate) fn now() -> Timestamp {
    "2026-03-01T08:00:00Z".parse().expect("a time")
}
