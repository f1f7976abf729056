//! Commits whose answer is lost.

use std::time::Duration;

use ::bytes::Bytes;
use parafa_store::bytes::ByteFileError;
use parafa_store::{Commit, CommitOutcome, Engine, StoreError, Version};
use parafa_test_services::{Moment, Postgres, Proxy};
use uuid::Uuid;

use super::{Distant, Host, is_away};
use crate::places::{Documents, open_shared};
use crate::support::Note;

fn insert(key: &'static str, value: &'static str) -> Commit {
    Commit {
        expectations: vec![(Bytes::from(key), None)],
        puts: vec![(Bytes::from(key), Bytes::from(value))],
        ..Commit::default()
    }
}

async fn version_of(host: &Host, key: &str) -> Option<Version> {
    let found = host.engine.get(key.as_bytes()).await.expect("a read");
    found.map(|found| found.version)
}

async fn add_note(host: &Host, id: u128) -> Result<(), StoreError> {
    let note = &Note::new(id, 1);
    let transacted = host.store.transact(|tx| Box::pin(tx.insert(note)));
    transacted.await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_happened_is_known_although_its_answer_was_cut_off() {
    let Distant { host, proxy } = Distant::new().await;
    proxy.cut_at(Moment::BeforeCommitIsAnswered);

    let outcome = host.engine.commit(insert("a", "1")).await;

    assert_eq!(outcome.expect("it is known"), CommitOutcome::Committed);
    assert_eq!(proxy.moments_to_come(), 0, "it was cut");
    let version = version_of(&host, "a").await;
    let again = host
        .engine
        .commit(insert("a", "2"))
        .await
        .expect("an answer");
    assert!(matches!(again, CommitOutcome::Conflict { .. }));
    assert_eq!(version_of(&host, "a").await, version, "it was written once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_did_not_happen_is_made_again() {
    let Distant { host, proxy } = Distant::new().await;
    proxy.cut_at(Moment::BeforeCommit);

    let outcome = host.engine.commit(insert("a", "1")).await;

    assert_eq!(outcome.expect("it is known"), CommitOutcome::Committed);
    assert_eq!(proxy.moments_to_come(), 0, "it was cut");
    assert!(version_of(&host, "a").await.is_some());
}

/// If the first attempt were taken for one that did not happen, the body would find its own
/// row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_inserts_rows_never_meets_their_own() {
    let Distant { host, proxy } = Distant::new().await;
    for id in 0..20 {
        let moments = [Moment::BeforeCommit, Moment::BeforeCommitIsAnswered];
        proxy.cut_at(moments[usize::try_from(id % 2).expect("small")]);

        add_note(&host, id).await.expect("it is added");
    }
    assert_eq!(proxy.moments_to_come(), 0);
    let twice = add_note(&host, 7).await;
    assert!(matches!(twice, Err(StoreError::Exists { .. })), "{twice:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_is_known_although_the_look_for_it_was_cut_off_too() {
    let Distant { host, proxy } = Distant::new().await;
    proxy.cut_at(Moment::BeforeCommitIsAnswered);
    // Every statement that finds the outcome changes a row, and has such a tag.
    for tag in ["UPDATE 1", "DELETE 1"] {
        proxy.cut_at(Moment::BeforeAnswer(tag));
    }

    let outcome = host.engine.commit(insert("a", "1")).await;
    let known = outcome.expect("it is known");

    assert_eq!(known, CommitOutcome::Committed);
    assert!(version_of(&host, "a").await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_five_pieces_is_known_to_be_there_although_its_answer_was_cut_off() {
    let server = Postgres::shared();
    let proxy = Proxy::before(server.port());
    let mut database = server.database();
    database.url = proxy.url(&database.name);
    let opened = open_shared(&database, &Documents::Database).await;
    let host = opened.expect("a new deployment");
    let key = host.keys.create(Uuid::now_v7()).await.expect("a key");
    let id = Uuid::now_v7();
    let content = Bytes::from(vec![3; 1024 * 1024]);
    // First between its pieces, which all disappear, and then after all of them.
    proxy.cut_at(Moment::BeforeAnswer("INSERT 0 1"));
    proxy.cut_at(Moment::BeforeCommitIsAnswered);

    let written = host.files.write(&key, id, content.clone()).await;

    written.expect("it is known");
    assert_eq!(proxy.moments_to_come(), 0, "it was cut");
    assert!(host.files.read(&key, id).await.expect("read") == content);
    let again = host.files.write(&key, id, content.clone()).await;
    assert!(matches!(again, Err(ByteFileError::Exists { .. })));
    let another = host.files.write(&key, Uuid::now_v7(), content).await;
    another.expect("what is refused is in nobody's way");
}

/// Loses the connection at a moment. The database cannot detect the lost peer, and keeps
/// the locks for a while.
async fn swallowed(moment: Moment) {
    let database = Postgres::shared().database();
    let Distant { host, proxy } = Distant::at(&database.name).await;
    let witness = Host::at(&database.url).await;
    proxy.swallow_at(moment);

    let adding = add_note(&host, 1);
    let added = tokio::time::timeout(Duration::from_secs(45), adding).await;
    let added = added.expect("it does not hang");

    assert_eq!(proxy.moments_to_come(), 0, "it was swallowed");
    let found = witness.store.get::<Note>(&Uuid::from_u128(1)).await;
    let is_there = found.expect("a read").is_some();
    match added {
        Ok(()) => assert!(is_there, "what is acknowledged is there"),
        outcome => assert!(is_away(&outcome), "{outcome:?}"),
    }
    add_note(&host, 2).await.expect("all goes on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_never_arrives_leaves_a_truth() {
    swallowed(Moment::BeforeCommit).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_never_answered_is_known() {
    swallowed(Moment::BeforeCommitIsAnswered).await;
}
