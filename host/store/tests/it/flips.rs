//! Flipped bits in a store's files.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parafa_store::sled::SledOptions;
use parafa_store::{
    AcceptedLoss, Commit, CommitOutcome, Direction, Engine, EngineError, Folder, FolderError,
    RecordsLook, Scan, SledEngine,
};
use tempfile::TempDir;

use crate::folder::options;
use crate::support::random::Random;
use crate::support::{Account, clock, put_all};

pub(crate) const ROWS: u32 = 400;
/// Length of a row, in bytes, such that the log has several segments.
const ROW_BYTES: usize = 16 * 1024;
/// Flips over all files, and flips in each file.
const FLIPS: usize = 24;
const FLIPS_A_FILE: usize = 4;

impl Random {
    pub(crate) fn flip(&mut self, path: &Path) {
        let length = fs::metadata(path).expect("a file").len();
        let at = self.below(length);
        self.flip_at(at, path);
    }

    /// Flips one bit in every run of this many bytes.
    fn flip_each(&mut self, bytes: usize, path: &Path) {
        let length = fs::metadata(path).expect("a file").len();
        for at in (0..length).step_by(bytes) {
            self.flip_at(at, path);
        }
    }

    pub(crate) fn flip_at(&mut self, at: u64, path: &Path) {
        let mut byte = [0];
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.expect("opened");
        file.read_exact_at(&mut byte, at).expect("read");
        byte[0] ^= 1 << self.below(8);
        file.write_all_at(&byte, at).expect("written");
    }
}

pub(crate) type Rows = BTreeMap<Bytes, Bytes>;

/// Effect of a flip.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Found(String),
    /// Everything is there, in a new store beside the damaged one.
    Mended,
    Harmless,
    Silent,
}

pub(crate) fn opened(root: &Path, accepted_loss: AcceptedLoss) -> Result<SledEngine, EngineError> {
    let options = SledOptions {
        accepted_loss,
        ..SledOptions::new(root.join("store"))
    };
    SledEngine::open(&options, Arc::new(clock()))
}

pub(crate) async fn put(engine: &SledEngine, rows: impl IntoIterator<Item = (Bytes, Bytes)>) {
    let commit = Commit {
        puts: rows.into_iter().collect(),
        ..Commit::default()
    };
    let outcome = engine.commit(commit).await.expect("a commit");
    assert_eq!(outcome, CommitOutcome::Committed);
}

async fn delete(engine: &SledEngine, key: Bytes) {
    let commit = Commit {
        deletes: vec![key],
        ..Commit::default()
    };
    engine.commit(commit).await.expect("a commit");
}

pub(crate) async fn rows(engine: &SledEngine) -> Result<Rows, EngineError> {
    let mut rows = Rows::new();
    let mut start = Vec::new();
    loop {
        let scan = Scan {
            start,
            end: vec![0xff; 9],
            direction: Direction::Ascending,
            limit: 1024,
        };
        let entries = engine.scan(scan).await?;
        let Some(last) = entries.last() else {
            return Ok(rows);
        };
        start = [&last.key[..], &[0]].concat();
        let entries = entries.into_iter();
        rows.extend(entries.map(|entry| (entry.key, entry.stored.value)));
    }
}

pub(crate) fn page_key(id: u32) -> Bytes {
    Bytes::from([b"tpage\0", &id.to_be_bytes()[..]].concat())
}

/// Fills a store with rows of several tables, written, rewritten and removed one after the other.
pub(crate) async fn filled(root: &Path) -> Rows {
    let engine = opened(root, AcceptedLoss::None).expect("made");
    let mut numbers = Random::of(1);
    for id in 0..ROWS {
        let noise: Vec<u8> = (0..ROW_BYTES / 8)
            .flat_map(|_| numbers.next().to_be_bytes())
            .collect();
        let note = Bytes::from(format!("tnote\0{id}"));
        let entry = Bytes::from(format!("inote\0book\0{id}"));
        let queued = Bytes::from(format!("qwork\0{id}"));
        let commit = [
            (page_key(id), Bytes::from(noise)),
            (note.clone(), Bytes::from(format!("note {id}"))),
            (entry, Bytes::new()),
            (queued.clone(), Bytes::from_static(b"due")),
        ];
        put(&engine, commit).await;
        if id % 2 == 0 {
            put(&engine, [(note, Bytes::from(format!("note {id} again")))]).await;
            delete(&engine, queued).await;
        }
    }
    rows(&engine).await.expect("read")
}

pub(crate) fn copied(root: &Path) -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for name in files(root) {
        let to = copy.path().join(&name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::copy(root.join(name), to).expect("copied");
    }
    fs::create_dir_all(copy.path().join("store/blobs")).expect("made");
    copy
}

/// Returns the non-empty files below a folder.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = folder.join(entry.file_name());
            let of = entry.metadata().expect("its length");
            if of.is_dir() {
                folders.push(name);
            } else if of.len() > 0 {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Returns the damaged store that was replaced.
pub(crate) fn set_aside(root: &Path) -> Option<PathBuf> {
    let beside = fs::read_dir(root).expect("a folder");
    let mut beside = beside.map(|entry| entry.expect("an entry").path());
    beside.find(|path| path.to_string_lossy().contains("store.damaged-"))
}

async fn outcome(root: &Path, expected: &Rows) -> Outcome {
    let engine = match opened(root, AcceptedLoss::None) {
        Ok(engine) => engine,
        Err(error) => return Outcome::Found(error.to_string()),
    };
    match rows(&engine).await {
        Ok(rows) if rows == *expected && set_aside(root).is_some() => Outcome::Mended,
        Ok(rows) if rows == *expected => Outcome::Harmless,
        Ok(_) => Outcome::Silent,
        Err(error) => {
            assert!(engine.health().is_err());
            Outcome::Found(error.to_string())
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_anywhere_in_a_store_is_found_or_harmless() {
    let root = tempfile::tempdir().expect("a folder");
    let expected = filled(root.path()).await;
    let files = files(root.path());
    assert!(files.iter().any(|name| name.ends_with("store.mark")));
    let mut numbers = Random::of(2026);
    let length = |name: &PathBuf| fs::metadata(root.path().join(name)).expect("a file").len();
    let total: u64 = files.iter().map(length).sum();
    let anywhere = (0..FLIPS).map(|_| {
        let mut at = numbers.below(total);
        let holds = |name: &&PathBuf| {
            let is_here = at < length(name);
            at = at.saturating_sub(length(name));
            is_here
        };
        files.iter().find(holds).expect("a file")
    });
    let mut flipped: Vec<&PathBuf> = anywhere.collect();
    flipped.extend(files.iter().flat_map(|name| [name; FLIPS_A_FILE]));

    let mut outcomes = Vec::new();
    for name in flipped {
        let copy = copied(root.path());
        numbers.flip(&copy.path().join(name));
        outcomes.push((name, outcome(copy.path(), &expected).await));
    }

    let silent = outcomes.iter().filter(|(_, of)| *of == Outcome::Silent);
    assert_eq!(silent.count(), 0, "{outcomes:#?}");
    let found = |(_, of): &&(_, Outcome)| matches!(of, Outcome::Found(_) | Outcome::Mended);
    assert!(outcomes.iter().filter(found).count() > 5, "{outcomes:#?}");
}

/// Truncates a store; returns it with its former rows and the error that reports the loss.
async fn short() -> (TempDir, Rows, String) {
    let root = tempfile::tempdir().expect("a folder");
    let expected = filled(root.path()).await;
    let length = fs::metadata(root.path().join("store/db"))
        .expect("the log")
        .len();
    for percent in [90, 80, 70, 60, 50, 40, 30, 20, 10] {
        let copy = copied(root.path());
        let log = OpenOptions::new()
            .write(true)
            .open(copy.path().join("store/db"));
        let cut = log.expect("the log").set_len(length * percent / 100);
        cut.expect("cut");
        if let Err(error @ EngineError::Short { .. }) = opened(copy.path(), AcceptedLoss::None) {
            return (copy, expected, error.to_string());
        }
    }
    panic!("no cut has left a store short");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_store_says_what_is_missing_and_goes_on_once_that_is_accepted() {
    let (root, before, error) = short().await;
    assert!(error.contains("rows of `page` "), "{error}");
    assert!(error.contains("everything after commit"), "{error}");
    assert!(error.contains("--accept-loss"), "{error}");
    // Opening it has not repaired it.
    assert!(opened(root.path(), AcceptedLoss::None).is_err());

    let engine = opened(root.path(), AcceptedLoss::Any).expect("accepted");
    let left = rows(&engine).await.expect("read");
    assert!(left.len() < before.len());
    engine.verify().await.expect("whole from now on");
    drop(engine);

    let engine = opened(root.path(), AcceptedLoss::None).expect("nothing is missing any more");
    let key = Bytes::from_static(b"tnote\0new");
    put(&engine, [(key.clone(), Bytes::new())]).await;
    let stored = engine.get(&key).await.expect("read").expect("there");
    assert!(stored.version.number() > u64::from(ROWS) * 2);
    drop(engine);
    opened(root.path(), AcceptedLoss::None).expect("opened");
}

#[tokio::test]
async fn nothing_is_accepted_where_nothing_is_missing() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::Any).expect("made");
    put(&engine, [(page_key(1), Bytes::new())]).await;
    drop(engine);

    let engine = opened(root.path(), AcceptedLoss::Any).expect("opened");
    assert_eq!(rows(&engine).await.expect("read").len(), 1);
}

#[tokio::test]
async fn a_mark_that_a_loss_of_power_set_back_is_no_loss() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::None).expect("made");
    put(&engine, [(page_key(1), Bytes::new())]).await;
    let mark = fs::read(root.path().join("store.mark")).expect("the mark");
    put(&engine, [(page_key(2), Bytes::new())]).await;
    drop(engine);
    fs::write(root.path().join("store.mark"), mark).expect("set back");

    let engine = opened(root.path(), AcceptedLoss::None).expect("opened");
    assert_eq!(rows(&engine).await.expect("read").len(), 2);
}

#[tokio::test]
async fn records_of_an_earlier_day_are_not_taken_for_the_last() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::None).expect("made");
    put(&engine, [(page_key(1), Bytes::new())]).await;
    drop(engine);

    let refused = lose_a_page(root.path()).await.to_string();

    assert!(
        refused.contains("1 of 2 rows of `page` is missing"),
        "{refused}"
    );
    assert!(refused.contains("after commit 1 of 2026-"), "{refused}");
}

/// Loses the row that was put last; returns the refusal.
async fn lose_a_page(root: &Path) -> EngineError {
    let earlier = copied(root);
    let engine = opened(root, AcceptedLoss::None).expect("opened");
    put(&engine, [(page_key(2), Bytes::new())]).await;
    drop(engine);
    fs::remove_dir_all(root.join("store")).expect("removed");
    fs::rename(earlier.path().join("store"), root.join("store")).expect("set back");
    opened(root, AcceptedLoss::None).expect_err("refused")
}

/// Returns the commit up to which the refusal's option accepts the loss.
fn named_by(refusal: &EngineError) -> AcceptedLoss {
    let refusal = refusal.to_string();
    let (_, option) = refusal.split_once("--accept-loss=").expect(&refusal);
    let (number, _) = option.split_once('`').expect(&refusal);
    AcceptedLoss::UpTo(number.parse().expect("a number"))
}

#[tokio::test]
async fn the_loss_that_a_refusal_names_is_accepted_and_no_later_one() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::None).expect("made");
    put(&engine, [(page_key(1), Bytes::new())]).await;
    drop(engine);
    let accepted = named_by(&lose_a_page(root.path()).await);

    drop(opened(root.path(), accepted).expect("accepted"));
    drop(opened(root.path(), accepted).expect("nothing is missing any more"));
    let later = named_by(&lose_a_page(root.path()).await);

    assert_ne!(later, accepted);
    assert!(opened(root.path(), accepted).is_err());
    opened(root.path(), later).expect("accepted");
}

#[tokio::test]
async fn a_store_whose_mark_is_gone_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::None).expect("made");
    put(&engine, [(page_key(1), Bytes::new())]).await;
    drop(engine);
    fs::remove_file(root.path().join("store.mark")).expect("removed");

    let refused = opened(root.path(), AcceptedLoss::None).expect_err("refused");
    assert!(refused.to_string().contains("mark"), "{refused}");
    drop(opened(root.path(), AcceptedLoss::Any).expect("accepted"));
    opened(root.path(), AcceptedLoss::None).expect("it has one again");
}

/// Rewrites a store as an earlier program left it, without tallies and marks.
fn as_an_earlier_program_left_it(root: &Path) {
    let config = sled::Config::new()
        .path(root.join("store"))
        .segment_size(8 * 1024 * 1024);
    let db = config.open().expect("opened");
    let key = b"\0sequence";
    let packed = db.get(key).expect("read").expect("there");
    db.insert(key, &packed[..8]).expect("written");
    db.flush().expect("flushed");
    drop(db);
    fs::remove_file(root.join("store.mark")).expect("removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_of_an_earlier_program_gets_its_mark() {
    let root = tempfile::tempdir().expect("a folder");
    let expected = filled(root.path()).await;
    as_an_earlier_program_left_it(root.path());

    let engine = opened(root.path(), AcceptedLoss::None).expect("opened");
    assert_eq!(rows(&engine).await.expect("read"), expected);
    drop(engine);
    assert!(root.path().join("store.mark").exists());

    let mut numbers = Random::of(3);
    let mut found = 0;
    for _ in 0..8 {
        let copy = copied(root.path());
        numbers.flip(&copy.path().join("store/db"));
        match outcome(copy.path(), &expected).await {
            Outcome::Found(_) | Outcome::Mended => found += 1,
            Outcome::Harmless => {}
            Outcome::Silent => panic!("it is taken for whole"),
        }
    }
    assert!(found > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_open_store_is_verified_while_others_commit() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = Arc::new(opened(root.path(), AcceptedLoss::None).expect("made"));
    let many = (0..4000).map(|id| (page_key(id), Bytes::from_static(b"text")));
    put(&engine, many).await;
    let writing = [0_u32, 1, 2].map(|task| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let mut numbers = Random::of(task.into());
            for _ in 0..200 {
                let id = u32::try_from(numbers.below(6000)).expect("small");
                if numbers.below(3) == 0 {
                    delete(&engine, page_key(id)).await;
                } else {
                    put(&engine, [(page_key(id), Bytes::from_static(b"more"))]).await;
                }
            }
        })
    });
    for _ in 0..20 {
        engine.verify().await.expect("nothing is missing");
    }
    for task in writing {
        task.await.expect("written");
    }
    engine.verify().await.expect("nothing is missing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_to_an_open_store_fails_it_or_harms_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let engine = opened(root.path(), AcceptedLoss::None).expect("made");
    // More pages than stay in memory.
    for first in (0..12_000).step_by(500) {
        let pages = (first..first + 500).map(|id| (page_key(id), Bytes::from(vec![1; 1024])));
        put(&engine, pages).await;
    }
    let expected = rows(&engine).await.expect("read");
    drop(engine);
    let mut numbers = Random::of(11);
    let mut failed = 0;
    for _ in 0..4 {
        let copy = copied(root.path());
        let options = SledOptions {
            cache_bytes: 64 * 1024,
            ..SledOptions::new(copy.path().join("store"))
        };
        let engine = SledEngine::open(&options, Arc::new(clock())).expect("opened");
        // Flips in every record, so that pages outside of memory are hit.
        numbers.flip_each(512, &copy.path().join("store/db"));

        match rows(&engine).await {
            Ok(rows) => assert_eq!(rows, expected),
            Err(error) => {
                assert!(engine.health().is_err(), "{error}");
                assert!(engine.verify().await.is_err());
                failed += 1;
            }
        }
    }
    assert!(failed > 0);
}

#[tokio::test]
async fn a_folder_s_records_are_looked_at_without_touching_them() {
    let root = tempfile::tempdir().expect("a folder");
    let data = root.path().join("data");
    let look = || Folder::look_at_records(&data, Arc::new(clock()));
    let folder = Folder::open(&options(root.path())).await.expect("made");
    put_all(&folder.store, &[Account { id: 1, balance: 5 }]).await;
    assert!(matches!(look(), Ok(RecordsLook::InUse { is_marked: true })));
    drop(folder);
    let earlier = fs::read(data.join("store/db")).expect("the log");
    assert!(matches!(look(), Ok(RecordsLook::Whole)));
    let folder = Folder::open(&options(root.path())).await.expect("opened");
    put_all(&folder.store, &[Account { id: 2, balance: 5 }]).await;
    drop(folder);
    fs::write(data.join("store/db"), &earlier).expect("set back");
    for entry in fs::read_dir(data.join("store")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().contains("snap") {
            fs::remove_file(path).expect("removed");
        }
    }

    let short = look().expect_err("short");

    assert!(short.is_refusal(), "{short}");
    let FolderError::Engine(EngineError::Short { folder, .. }) = &short else {
        panic!("{short}");
    };
    assert_eq!(*folder, data.join("store").display().to_string());
    assert_eq!(fs::read(data.join("store/db")).expect("the log"), earlier);
}
