//! Byte files and data keys.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_store::bytes::{ByteFileError, SWEEP_AGE, SWEEP_REST, Sweep, SweepError};
use parafa_store::{ByteFiles, DataKey, DataKeys, KeyError, Sha256Digest};
use tempfile::TempDir;
use uuid::{NoContext, Uuid};

use crate::support::master;

const DAY: SignedDuration = SignedDuration::from_hours(24);

struct Folders {
    root: TempDir,
    files: ByteFiles,
    keys: DataKeys,
}

impl Folders {
    fn new() -> Self {
        Self::at(tempfile::tempdir().expect("a folder"))
    }

    fn at(root: TempDir) -> Self {
        let files = ByteFiles::open_folder(&root.path().join("bytes")).expect("byte files");
        let keys = DataKeys::create_folder(&root.path().join("keys"), Arc::new(master()));
        Self {
            keys: keys.expect("data keys"),
            files,
            root,
        }
    }

    async fn key(&self) -> DataKey {
        self.keys.create(Uuid::now_v7()).await.expect("a key")
    }
}

fn now() -> Timestamp {
    "2026-03-01T08:00:00Z".parse().expect("a time")
}

/// A UUIDv7 made so many hours before [`now`].
fn id_of_age(hours: i64) -> Uuid {
    let made = now() - SignedDuration::from_hours(hours);
    let seconds = u64::try_from(made.as_second()).expect("after 1970");
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, 0))
}

/// Lets the files of a folder lie as if nobody had written them for so long.
fn rest(folder: &Path, long: Duration) {
    let written = SystemTime::now() - long;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = std::fs::File::options().write(true).open(path);
        let set = file.and_then(|file| file.set_modified(written));
        set.expect("another time");
    }
}

/// What a sweep takes for nobody's while these are named.
async fn ownerless(sweep: &Sweep, named: &[Uuid]) -> Vec<Uuid> {
    let found = sweep.ownerless(|id| named.contains(&id)).await;
    found.expect("looked through")
}

/// Puts away what is not named.
async fn quarantine(sweep: &Sweep, named: &[Uuid]) {
    let found = ownerless(sweep, named).await;
    let moved: Result<usize, SweepError> = sweep.quarantine(&found).await;
    assert_eq!(moved.expect("moved"), found.len());
}

fn sweeps(folders: &Folders) -> [Sweep; 2] {
    [
        folders.files.sweep(None, now()),
        folders.keys.sweep(None, now()),
    ]
}

fn contains(folder: &Path, needle: &[u8]) -> bool {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file"))
        .any(|content| content.windows(needle.len()).any(|part| part == needle))
}

#[tokio::test]
async fn a_byte_file_survives_reopening() {
    let folders = Folders::new();
    let (key_id, id) = (Uuid::now_v7(), Uuid::now_v7());
    let key = folders.keys.create(key_id).await.expect("a key");
    let content = Bytes::from(vec![0x25; 3 * 1024 * 1024]);
    let stored = folders.files.write(&key, id, content.clone()).await;
    let stored = stored.expect("written");
    assert_eq!((stored.id, stored.bytes), (id, 3 * 1024 * 1024));
    assert_eq!(stored.sha256, Sha256Digest::of(&content));

    let folders = Folders::at(folders.root);
    let key = folders.keys.open(key_id).await.expect("the key");
    assert_eq!(folders.files.read(&key, id).await.expect("read"), content);
}

#[tokio::test]
async fn no_content_lies_open_on_the_disk() {
    let folders = Folders::new();
    let key = folders.key().await;
    let content = Bytes::from_static(b"%PDF-1.7 a private contract");
    let written = folders.files.write(&key, Uuid::now_v7(), content).await;
    written.expect("written");

    assert!(!contains(
        &folders.root.path().join("bytes"),
        b"private contract"
    ));
}

#[tokio::test]
async fn a_file_opens_only_under_its_own_name_and_key() {
    let folders = Folders::new();
    let key = folders.key().await;
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let content = Bytes::from_static(b"content");
    let written = folders.files.write(&key, first, content).await;
    written.expect("written");
    let bytes = folders.root.path().join("bytes");
    std::fs::copy(
        bytes.join(first.to_string()),
        bytes.join(second.to_string()),
    )
    .expect("copied");

    let another = folders.key().await;
    assert!(matches!(
        folders.files.read(&key, second).await,
        Err(ByteFileError::Sealed { .. })
    ));
    assert!(matches!(
        folders.files.read(&another, first).await,
        Err(ByteFileError::Sealed { .. })
    ));
}

#[tokio::test]
async fn a_written_file_is_not_written_again() {
    let folders = Folders::new();
    let key = folders.key().await;
    let id = Uuid::now_v7();
    let first = Bytes::from_static(b"first");
    folders
        .files
        .write(&key, id, first.clone())
        .await
        .expect("written");

    let second = Bytes::from_static(b"second");
    assert!(folders.files.write(&key, id, second).await.is_err());
    assert_eq!(folders.files.read(&key, id).await.expect("read"), first);
}

#[tokio::test]
async fn an_unlinked_file_is_gone_and_may_be_unlinked_again() {
    let folders = Folders::new();
    let key = folders.key().await;
    let id = Uuid::now_v7();
    let written = folders.files.write(&key, id, Bytes::new()).await;
    written.expect("written");

    assert!(folders.files.unlink(id).await.expect("removed"));
    assert!(!folders.files.unlink(id).await.expect("nothing to remove"));
    assert!(matches!(
        folders.files.read(&key, id).await,
        Err(ByteFileError::Missing { .. })
    ));
}

#[tokio::test]
async fn a_sweep_puts_away_what_is_old_and_has_no_owner() {
    let folders = Folders::new();
    let key = folders.key().await;
    let [old, young, owned] = [id_of_age(25), id_of_age(23), id_of_age(50)];
    for id in [old, young, owned] {
        let written = folders.files.write(&key, id, Bytes::new()).await;
        written.expect("written");
    }
    let half_written = folders
        .root
        .path()
        .join("bytes")
        .join(format!("{}.new", id_of_age(30)));
    std::fs::write(&half_written, b"half").expect("written");
    rest(&folders.root.path().join("bytes"), SWEEP_REST);

    let sweep = folders.files.sweep(None, now());
    assert_eq!(ownerless(&sweep, &[owned]).await, [old]);
    assert_eq!(sweep.quarantine(&[old]).await.expect("moved"), 1);

    assert!(!half_written.exists());
    assert!(folders.files.read(&key, old).await.is_err());
    assert!(folders.files.read(&key, young).await.is_ok());
    assert!(folders.files.read(&key, owned).await.is_ok());
    assert_eq!(sweep.count_waiting().await.expect("listed"), 1);
    assert!(ownerless(&sweep, &[owned]).await.is_empty());
}

#[tokio::test]
async fn what_a_clock_that_was_ahead_has_named_is_old_by_when_it_was_written() {
    let folders = Folders::new();
    let key = folders.key().await;
    let ahead = id_of_age(-24 * 365);
    folders
        .files
        .write(&key, ahead, Bytes::new())
        .await
        .expect("written");
    let bytes = folders.root.path().join("bytes");
    let sweep = folders.files.sweep(None, now());

    rest(&bytes, SWEEP_REST);
    assert!(ownerless(&sweep, &[]).await.is_empty());
    rest(&bytes, SWEEP_AGE.unsigned_abs());
    assert_eq!(ownerless(&sweep, &[]).await, [ahead]);
}

#[tokio::test]
async fn what_was_put_away_is_removed_a_day_later_and_not_before() {
    let folders = Folders::new();
    let old = id_of_age(25);
    folders.keys.create(old).await.expect("a key");
    rest(&folders.root.path().join("keys"), SWEEP_REST);
    quarantine(&folders.keys.sweep(None, now()), &[]).await;

    let sweep = |after| folders.keys.sweep(None, now() + after);
    let early = sweep(SignedDuration::from_hours(23)).remove_waiting().await;
    assert_eq!(early.expect("looked through"), 0);
    let older_than_store = folders.keys.sweep(Some(now()), now() + DAY);
    let left = older_than_store.remove_waiting().await;
    assert_eq!(left.expect("looked through"), 0);
    let quarantine = folders.root.path().join("keys/quarantine");
    assert!(quarantine.join(format!("{old}.key")).exists());

    let removed = sweep(DAY).remove_waiting().await;

    assert_eq!(removed.expect("removed"), 1);
    assert!(!quarantine.exists());
}

#[tokio::test]
async fn what_was_put_away_and_is_named_after_all_is_brought_back_as_it_was() {
    let folders = Folders::new();
    let [named, nobodys] = [id_of_age(25), id_of_age(26)];
    let key = folders.keys.create(named).await.expect("a key");
    for id in [named, nobodys] {
        let written = folders
            .files
            .write(&key, id, Bytes::from_static(b"x"))
            .await;
        written.expect("written");
    }
    for folder in ["bytes", "keys"] {
        rest(&folders.root.path().join(folder), SWEEP_REST);
    }
    for sweep in sweeps(&folders) {
        quarantine(&sweep, &[]).await;
    }
    assert!(folders.keys.open(named).await.is_err());

    let folders = Folders::at(folders.root);
    let mut brought_back = Vec::new();
    for sweep in sweeps(&folders) {
        let moved = sweep.bring_back(|id| id == named).await;
        brought_back.push(moved.expect("moved"));
    }

    assert_eq!(brought_back, [1, 1]);
    let key = folders.keys.open(named).await.expect("the key");
    let read = folders.files.read(&key, named).await.expect("read");
    assert_eq!(read, Bytes::from_static(b"x"));
    assert!(folders.files.read(&key, nobodys).await.is_err());
}

#[tokio::test]
async fn what_is_erased_does_not_survive_in_quarantine() {
    let folders = Folders::new();
    let id = id_of_age(25);
    let key = folders.keys.create(id).await.expect("a key");
    let written = folders.files.write(&key, id, Bytes::new()).await;
    written.expect("written");
    for folder in ["bytes", "keys"] {
        rest(&folders.root.path().join(folder), SWEEP_REST);
    }
    for sweep in sweeps(&folders) {
        quarantine(&sweep, &[]).await;
    }

    assert!(folders.keys.erase(id).await.expect("erased"));
    assert!(folders.files.unlink(id).await.expect("removed"));

    for sweep in sweeps(&folders) {
        let moved = sweep.bring_back(|_| true).await;
        assert_eq!(moved.expect("nothing to move"), 0);
        assert_eq!(sweep.count_waiting().await.expect("listed"), 0);
    }
    assert!(!folders.keys.erase(id).await.expect("erased before"));
}

#[tokio::test]
async fn a_sweep_after_the_store_s_clock_has_jumped_leaves_what_was_just_written() {
    let folders = Folders::new();
    let key = folders.key().await;
    let old = id_of_age(25);
    let written = folders.files.write(&key, old, Bytes::new()).await;
    written.expect("written");

    let sweep = folders.files.sweep(None, now());

    assert!(ownerless(&sweep, &[]).await.is_empty());
}

#[tokio::test]
async fn a_sweep_leaves_what_is_older_than_the_store() {
    let folders = Folders::new();
    let [older, own] = [id_of_age(50), id_of_age(25)];
    for id in [older, own] {
        let key = folders.keys.create(id).await.expect("a key");
        let written = folders.files.write(&key, id, Bytes::new()).await;
        written.expect("written");
    }
    for folder in ["bytes", "keys"] {
        rest(&folders.root.path().join(folder), SWEEP_REST);
    }
    let since = Some(now() - SignedDuration::from_hours(30));

    let keys = folders.keys.sweep(since, now());
    assert_eq!(ownerless(&keys, &[]).await, [own]);
    let files = folders.files.sweep(since, now());
    assert_eq!(ownerless(&files, &[]).await, [own]);
}

#[tokio::test]
async fn an_erased_key_takes_everything_sealed_under_it_along() {
    let folders = Folders::new();
    let id = Uuid::now_v7();
    let key = folders.keys.create(id).await.expect("a key");
    let sealed = key.seal(b"name", b"Vardenis").expect("sealed");
    let reopened = folders.keys.open(id).await.expect("the key");
    assert_eq!(
        *reopened.open(b"name", &sealed).expect("opened"),
        b"Vardenis"
    );

    assert!(folders.keys.erase(id).await.expect("erased"));
    assert!(!folders.keys.erase(id).await.expect("erased before"));
    assert!(matches!(
        folders.keys.open(id).await,
        Err(KeyError::Missing { id: missing }) if missing == id
    ));
    let again = folders.keys.create(id).await.expect("a new key");
    assert!(again.open(b"name", &sealed).is_err());
}

#[tokio::test]
async fn a_data_key_opens_only_under_its_own_name() {
    let folders = Folders::new();
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    folders.keys.create(first).await.expect("a key");
    let keys = folders.root.path().join("keys");
    std::fs::copy(
        keys.join(format!("{first}.key")),
        keys.join(format!("{second}.key")),
    )
    .expect("copied");

    assert!(matches!(
        folders.keys.open(second).await,
        Err(KeyError::Damaged { id }) if id == second
    ));
    assert!(matches!(
        folders.keys.create(first).await,
        Err(KeyError::Exists { id }) if id == first
    ));
}

#[tokio::test]
async fn keys_that_are_not_mounted_are_told_from_keys_that_are_lost() {
    let folders = Folders::new();
    let (kept, lost) = (Uuid::now_v7(), Uuid::now_v7());
    folders.keys.create(kept).await.expect("a key");
    let keys = folders.root.path().join("keys");
    let elsewhere = folders.root.path().join("elsewhere");
    std::fs::rename(&keys, &elsewhere).expect("unmounted");

    for place_is_there in [false, true] {
        if place_is_there {
            std::fs::create_dir(&keys).expect("a place to mount it on");
        }
        let away = [
            folders.keys.check().await.err(),
            folders.keys.open(kept).await.err(),
            folders.keys.create(Uuid::now_v7()).await.err(),
        ];
        for error in away {
            let is_away = matches!(error, Some(KeyError::FolderAway { .. }));
            assert!(is_away, "{error:?}");
        }
        assert!(folders.keys.erase(kept).await.is_err());
    }
    std::fs::remove_dir(&keys).expect("nothing was written there");
    std::fs::rename(&elsewhere, &keys).expect("mounted");

    folders.keys.check().await.expect("they are there");
    folders.keys.open(kept).await.expect("the key");
    assert!(matches!(
        folders.keys.open(lost).await,
        Err(KeyError::Missing { id }) if id == lost
    ));
    assert!(!folders.keys.erase(lost).await.expect("erased before"));
}
