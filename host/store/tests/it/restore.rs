//! Restores of backups, and refusals.

use std::path::PathBuf;
use std::sync::Arc;

use parafa_store::backup::{
    Backup, BackupError, BackupSource, RestoreOptions, RestoreReport, back_up, is_held, release,
};
use parafa_store::{Folder, FolderError, FolderOptions, MasterKey, MemoryEngine, Sha256Digest};
use tempfile::TempDir;

use crate::backup::{Document, INVENTORY};
use crate::folder::options;
use crate::support::{Account, clock, put_all};

/// A data folder with rows, a document, its key and a file beside the store, and a backup of it.
pub(crate) struct Scene {
    root: TempDir,
    pub(crate) document: Document,
}

impl Scene {
    pub(crate) async fn set() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let options = options(root.path());
        let folder = Folder::open(&options).await.expect("made");
        put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
        let document = Document::make(&folder.store, &folder.files, &folder.keys).await;
        let notes = options.path.join("notes");
        std::fs::create_dir(&notes).expect("a folder");
        std::fs::write(notes.join("a.txt"), "a").expect("written");
        let source = BackupSource {
            store: folder.store.clone(),
            files: folder.files.clone(),
            keys: folder.keys.clone(),
            data: options.path,
            inventory: INVENTORY,
        };
        let scene = Self { root, document };
        back_up(&source, &scene.backup()).await.expect("a backup");
        scene
    }

    pub(crate) fn backup(&self) -> PathBuf {
        self.root.path().join("backup")
    }

    pub(crate) fn new_data(&self) -> PathBuf {
        self.root.path().join("new")
    }

    pub(crate) fn master_key(&self) -> PathBuf {
        self.root.path().join("master.key")
    }

    /// Returns the options of a restore to a folder with the master key.
    fn options(&self) -> RestoreOptions {
        RestoreOptions {
            data: self.new_data(),
            master_key: Some(self.master_key()),
            other_master_keys: Vec::new(),
            hold: false,
        }
    }

    async fn restore(&self) -> Result<RestoreReport, BackupError> {
        self.restore_by(self.options()).await
    }

    async fn restore_without_key(&self) -> Result<RestoreReport, BackupError> {
        let options = RestoreOptions {
            master_key: None,
            ..self.options()
        };
        self.restore_by(options).await
    }

    async fn restore_by(&self, options: RestoreOptions) -> Result<RestoreReport, BackupError> {
        let backup = Backup::open(&self.backup(), INVENTORY).await?;
        backup.restore(options, Arc::new(clock())).await
    }

    async fn open_restored(&self) -> Result<Folder, FolderError> {
        let mut options = options(self.root.path());
        options.path = self.new_data();
        Folder::open(&options).await
    }

    /// Changes the manifest as an attacker without the master key would: the digest of its lines
    /// is updated.
    fn forge(&self, change: impl Fn(&str) -> String) {
        let path = self.backup().join("manifest.jsonl");
        let text = std::fs::read_to_string(&path).expect("the manifest");
        let (lines, seal) = text.trim_end().rsplit_once('\n').expect("several lines");
        let (_, hmac) = seal.split_once("\"hmac\"").expect("a proof");
        let lines = change(&format!("{lines}\n"));
        let sha256 = Sha256Digest::of(lines.as_bytes());
        let forged = format!("{lines}{{\"sha256\":\"{sha256}\",\"hmac\"{hmac}\n");
        std::fs::write(&path, forged).expect("written");
    }

    /// Adds a file to the backup.
    fn add(&self, name: &str, content: &[u8]) {
        let path = self.backup().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("written");
        let (bytes, sha256) = (content.len(), Sha256Digest::of(content));
        let line = format!("{{\"path\":\"{name}\",\"bytes\":{bytes},\"sha256\":\"{sha256}\"}}\n");
        self.forge(|lines| {
            let (header, rest) = lines.split_once('\n').expect("several lines");
            format!("{header}\n{line}{rest}")
        });
    }
}

#[tokio::test]
async fn a_restored_folder_holds_everything() {
    let scene = Scene::set().await;
    let master_key = std::fs::read(scene.master_key()).expect("a key");

    let report = scene.restore().await.expect("restored");

    assert!(report.authentic && !report.held);
    assert_eq!(report.missing, []);
    let folder = scene.open_restored().await.expect("opened");
    let account = folder.store.get::<Account>(&1).await.expect("read");
    assert_eq!(account, Some(Account { id: 1, balance: 5 }));
    folder.keys.check().await.expect("they are there");
    let key = folder
        .keys
        .open(scene.document.data_key)
        .await
        .expect("the key");
    let content = folder.files.read(&key, scene.document.file).await;
    assert_eq!(content.expect("the file"), "content");
    let beside = std::fs::read(scene.new_data().join("notes/a.txt"));
    assert_eq!(beside.expect("the file"), b"a");
    assert!(!scene.backup().join("master.key").exists());
    let records = std::fs::read(scene.backup().join("records")).expect("the records");
    assert_eq!(memchr::memmem::find(&records, &master_key), None);
}

#[tokio::test]
async fn a_folder_that_holds_something_is_not_restored_to() {
    let scene = Scene::set().await;
    let data = scene.new_data();
    std::fs::create_dir(&data).expect("a folder");
    std::fs::write(data.join("something"), "").expect("written");

    assert!(matches!(scene.restore().await, Err(BackupError::NotEmpty(path)) if path == data));
    assert!(data.join("something").exists());
    let inside = RestoreOptions {
        data: scene.backup().join("new"),
        ..scene.options()
    };
    let refused = scene.restore_by(inside).await;
    assert!(matches!(refused, Err(BackupError::Inside { .. })));
}

#[tokio::test]
async fn a_damaged_file_is_named_and_nothing_is_restored() {
    let scene = Scene::set().await;
    let Document { file, data_key, .. } = scene.document;
    let files = [
        PathBuf::from("records"),
        format!("bytes/{file}").into(),
        format!("keys/{data_key}.key").into(),
        "notes/a.txt".into(),
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
async fn records_that_change_after_they_were_checked_are_not_taken() {
    let scene = Scene::set().await;
    let backup = Backup::open(&scene.backup(), INVENTORY).await;
    let backup = backup.expect("a whole backup");
    let records = scene.backup().join("records");
    let mut content = std::fs::read(&records).expect("the records");
    let balance = memchr::memmem::find(&content, b"\"balance\":5").expect("the account");
    content[balance + 10] = b'6';
    std::fs::write(&records, content).expect("written");

    let refused = backup.restore(scene.options(), Arc::new(clock())).await;

    assert!(matches!(refused, Err(BackupError::Damaged { path, .. }) if path == records));
    let opened = scene.open_restored().await;
    assert!(matches!(opened, Err(FolderError::HalfRestored { .. })));
}

#[tokio::test]
async fn a_forged_backup_is_refused_by_whoever_has_the_key() {
    let scene = Scene::set().await;
    scene.add("notes/b.txt", b"b");

    let refused = scene.restore().await.expect_err("it is forged");

    assert!(matches!(refused, BackupError::NotAuthentic { .. }));
    assert!(refused.is_refusal());
    assert!(!scene.new_data().exists());
}

#[tokio::test]
async fn a_backup_that_was_restored_without_the_key_is_judged_when_it_is_opened() {
    let scene = Scene::set().await;
    let report = scene.restore_without_key().await.expect("restored");
    assert!(!report.authentic);
    scene.open_restored().await.expect("it is as it was made");
    scene.open_restored().await.expect("it still is");

    std::fs::remove_dir_all(scene.new_data()).expect("removed");
    scene.add("notes/b.txt", b"b");
    scene.restore_without_key().await.expect("nobody can tell");
    for _ in 0..2 {
        let opened = scene.open_restored().await;
        assert!(matches!(opened, Err(FolderError::NotAuthentic { .. })));
    }
}

#[tokio::test]
async fn a_backup_of_another_deployment_is_none_of_this_key() {
    let scene = Scene::set().await;
    let other = scene.root.path().join("other.key");
    MasterKey::create(&other).expect("a key");
    let options = RestoreOptions {
        master_key: Some(other),
        ..scene.options()
    };

    let refused = scene.restore_by(options).await;

    assert!(matches!(refused, Err(BackupError::NotAuthentic { .. })));
}

#[tokio::test]
async fn a_backup_from_before_the_key_was_replaced_is_restored_with_both() {
    let scene = Scene::set().await;
    let old = scene.root.path().join("old.key");
    std::fs::rename(scene.master_key(), &old).expect("moved");
    MasterKey::create(&scene.master_key()).expect("the next key");

    let alone = scene.restore().await;
    assert!(matches!(alone, Err(BackupError::NotAuthentic { .. })));
    let both = RestoreOptions {
        other_master_keys: vec![old.clone()],
        ..scene.options()
    };
    let report = scene.restore_by(both).await.expect("restored");

    assert!(report.authentic);
    let options = FolderOptions {
        path: scene.new_data(),
        other_master_keys: vec![old],
        ..options(scene.root.path())
    };
    let folder = Folder::open(&options).await.expect("opened");
    for id in folder.keys.ids().await.expect("listed") {
        assert!(folder.keys.rewrap(id).await.expect("it is unwrapped"));
    }
}

#[tokio::test]
async fn only_files_that_belong_into_a_backup_are_restored() {
    for name in [
        "master.key",
        "parafa.toml",
        "restoring",
        "held",
        "store/db",
        "plugins/trusted/evil.pub",
        "notes.txt",
    ] {
        let scene = Scene::set().await;
        scene.add(name, b"evil");

        let refused = scene.restore_without_key().await;

        let Err(BackupError::Damaged { path, what }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert_eq!(path, scene.backup().join(name));
        assert_eq!(what, "no part of a backup");
        assert!(!scene.new_data().exists());
    }
}

#[tokio::test]
async fn a_file_that_the_manifest_does_not_name_is_refused_wherever_it_is() {
    for name in [
        "master.key",
        "bytes/018e7a30-6f00-7000-8000-000000000001",
        "keys/018e7a30-6f00-7000-8000-000000000001.key",
        "notes/b.txt",
        "more/of/it.txt",
    ] {
        let scene = Scene::set().await;
        let path = scene.backup().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, "more").expect("written");

        let refused = scene.restore().await;

        let named =
            matches!(&refused, Err(BackupError::Damaged { path: named, .. }) if *named == path);
        assert!(named, "{refused:?}");
        assert!(!scene.new_data().exists());
        std::fs::remove_file(&path).expect("removed");
        scene.restore().await.expect("it is as it was made");
    }
}

#[tokio::test]
async fn a_backup_lists_its_records_and_says_what_store_they_are_of() {
    let scene = Scene::set().await;
    scene.forge(|lines| lines.replace("\"mode\":\"demo\"", "\"mode\":\"production\""));
    let backup = Backup::open(&scene.backup(), INVENTORY).await;
    let engine = MemoryEngine::new(Arc::new(clock()));
    let refused = backup
        .expect("a whole backup")
        .restore_records(&engine)
        .await;
    assert!(matches!(refused, Err(BackupError::Damaged { .. })));

    scene.forge(|lines| {
        let others = |line: &&str| !line.contains("\"path\":\"records\"");
        let lines: Vec<&str> = lines.lines().filter(others).collect();
        lines.join("\n") + "\n"
    });
    let refused = Backup::open(&scene.backup(), INVENTORY).await;
    let records = scene.backup().join("records");
    assert!(matches!(refused, Err(BackupError::Damaged { path, .. }) if path == records));
}

#[tokio::test]
async fn a_restore_that_was_cut_short_leaves_a_folder_that_neither_opens_nor_is_restored_to() {
    let scene = Scene::set().await;
    scene.restore().await.expect("restored");
    std::fs::write(scene.new_data().join("restoring"), "").expect("written");

    let opened = scene.open_restored().await;
    assert!(matches!(opened, Err(FolderError::HalfRestored { .. })));
    let again = scene.restore().await;
    assert!(matches!(again, Err(BackupError::HalfRestored(_))));
}

#[tokio::test]
async fn a_copy_is_held_until_it_is_released() {
    let scene = Scene::set().await;
    let options = RestoreOptions {
        hold: true,
        ..scene.options()
    };
    let data = options.data.clone();

    let report = scene.restore_by(options).await.expect("restored");

    assert!(report.held && is_held(&data));
    scene.open_restored().await.expect("it opens all the same");
    assert!(is_held(&data));
    assert!(release(&data).expect("released"));
    assert!(!is_held(&data) && !release(&data).expect("nothing to release"));
}
