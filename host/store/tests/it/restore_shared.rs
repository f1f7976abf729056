//! Restores to a database shared by hosts.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use parafa_store::backup::{Backup, BackupError, RestoreReport};
use parafa_store::postgres::{Database, PostgresEngine};
use parafa_store::shared::{self, SharedOptions};
use parafa_store::{Folder, FolderError, ManualClock, MasterKey, StoreError, StoreMode};
use parafa_test_services::{Postgres, PostgresDatabase};

use crate::backup::INVENTORY;
use crate::restore::Scene;
use crate::support::{Account, clock, options_of};

/// A backup, and an empty database to restore it to.
struct Target {
    scene: Scene,
    database: PostgresDatabase,
    clock: ManualClock,
}

impl Target {
    async fn new() -> Self {
        Self {
            scene: Scene::set().await,
            database: Postgres::shared_database(),
            clock: clock(),
        }
    }

    async fn options(&self) -> SharedOptions {
        let database = Database::open(&options_of(&self.database.url)).await;
        SharedOptions {
            database: database.expect("a database"),
            committers: PostgresEngine::DEFAULT_COMMITTERS,
            clock: Arc::new(self.clock.clone()),
            master: Arc::new(MasterKey::load(&self.scene.master_key()).expect("a key")),
            mode: StoreMode::Demo,
            objects: None,
        }
    }

    async fn opened_backup(&self) -> Backup {
        let backup = Backup::open(&self.scene.backup(), INVENTORY).await;
        backup.expect("a backup")
    }

    async fn restore(&self, backup: Backup, hold: bool) -> Result<RestoreReport, BackupError> {
        let data = self.scene.new_data();
        backup
            .restore_shared(self.options().await, &data, hold)
            .await
    }

    async fn open(&self) -> Result<Folder, FolderError> {
        shared::open(self.options().await).await
    }

    /// Returns a file of the backup that was beside the store.
    fn beside(&self) -> PathBuf {
        self.scene.backup().join("notes/a.txt")
    }

    /// Interrupts a restore before it has written a record.
    async fn cut_short(&self) {
        let backup = self.opened_backup().await;
        let content = fs::read(self.beside()).expect("a file");
        fs::write(self.beside(), "changed").expect("written");
        let restored = self.restore(backup, false).await;
        assert!(matches!(restored, Err(BackupError::Damaged { .. })));
        fs::write(self.beside(), content).expect("written");
    }

    async fn account(&self) -> Option<Account> {
        let folder = self.open().await.expect("a store");
        folder.store.get(&1).await.expect("a read")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_a_restore_fills_is_opened_by_no_host() {
    let target = Target::new().await;
    target.cut_short().await;

    let opened = target.open().await;

    let refused = opened.expect_err("it is being filled");
    assert!(matches!(refused, FolderError::Store(StoreError::Restoring)));
    assert!(refused.is_refusal());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_was_cut_short_before_the_records_is_made_again() {
    let target = Target::new().await;
    target.cut_short().await;

    let at_once = target.restore(target.opened_backup().await, false).await;
    target.clock.advance(SignedDuration::from_secs(61));
    let later = target.restore(target.opened_backup().await, false).await;

    assert!(matches!(at_once, Err(BackupError::RestoreUnderWay)));
    later.expect("restored");
    assert_eq!(target.account().await, Some(Account { id: 1, balance: 5 }));
    let folder = target.open().await.expect("a store");
    assert!(!folder.store.is_held().await.expect("a read"));
    let document = &target.scene.document;
    let key = folder.keys.open(document.data_key).await;
    let content = folder
        .files
        .read(&key.expect("the key"), document.file)
        .await;
    assert_eq!(content.expect("the file"), "content");
    let beside = fs::read(target.scene.new_data().join("notes/a.txt"));
    assert_eq!(beside.expect("the file"), b"a");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_restores_at_once_one_is_refused() {
    let target = Target::new().await;
    let [one, other] = [target.opened_backup().await, target.opened_backup().await];

    let both = tokio::join!(target.restore(one, false), target.restore(other, false));

    let ((Ok(_), Err(refused)) | (Err(refused), Ok(_))) = both else {
        panic!("{both:?}");
    };
    let is_told = matches!(
        refused,
        BackupError::RestoreUnderWay | BackupError::DatabaseInUse
    );
    assert!(is_told && refused.is_refusal(), "{refused}");
    assert_eq!(target.account().await, Some(Account { id: 1, balance: 5 }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_held_from_the_moment_on_at_which_they_can_be_opened() {
    let target = Target::new().await;

    let restored = target.restore(target.opened_backup().await, true).await;

    assert!(restored.expect("restored").held);
    let commits = "SELECT count(*), count(DISTINCT version) FROM parafa_entries \
                   WHERE key IN (convert_to('t_schema', 'UTF8') || '\\x00', \
                   convert_to('t_held', 'UTF8') || '\\x00')";
    let commits = Postgres::shared().psql(&target.database.name, commits);
    assert_eq!(commits.trim(), "2|1", "both rows are of one commit");
    let folder = target.open().await.expect("a store");
    assert!(folder.store.is_held().await.expect("a read"));
}
