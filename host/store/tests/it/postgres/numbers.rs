//! Commit numbers, and the marks of committing connections.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::sync::Arc;

use ::bytes::Bytes;
use parafa_store::postgres::{Database, PostgresEngine};
use parafa_store::{Commit, Engine, Version};
use parafa_test_services::{Postgres, PostgresDatabase};

use crate::support::{clock, options_of};

/// Returns a host that commits on one connection.
async fn host(database: &PostgresDatabase) -> PostgresEngine {
    let database = Database::open(&options_of(&database.url)).await;
    let committers = NonZeroU16::new(1).expect("one");
    PostgresEngine::new(database.expect("a database"), committers, Arc::new(clock()))
}

/// Commits this many times under this key; returns the versions.
async fn versions(host: &PostgresEngine, key: &'static str, times: usize) -> BTreeSet<Version> {
    let mut versions = BTreeSet::new();
    for _ in 0..times {
        let commit = Commit {
            puts: vec![(Bytes::from(key), Bytes::new())],
            ..Commit::default()
        };
        host.commit(commit).await.expect("a commit");
        let found = host.get(key.as_bytes()).await.expect("a read");
        versions.insert(found.expect("it is there").version);
    }
    assert_eq!(versions.len(), times);
    versions
}

/// A standby without the last commits takes over, including the one that took a block of
/// numbers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_number_is_used_twice_after_a_failover_that_forgot_which_were_taken() {
    let server = Postgres::shared();
    let database = server.database();
    let [one, other] = [host(&database).await, host(&database).await];
    versions(&one, "a", 3).await;
    for statement in [
        "DELETE FROM parafa_entries; UPDATE parafa_numbers SET last = 0",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    ] {
        server.psql(&database.name, statement);
    }

    let of_other = versions(&other, "b", 20).await;
    let of_one = versions(&one, "c", 20).await;

    assert!(of_one.is_disjoint(&of_other), "{of_one:?}, {of_other:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mark_of_a_connection_that_commits_is_kept_however_long_it_lives() {
    let server = Postgres::shared();
    let database = server.database();
    let [one, other] = [host(&database).await, host(&database).await];
    versions(&one, "a", 1).await;
    let age = "UPDATE parafa_committers SET since = now() - interval '8 days'";
    server.psql(&database.name, age);

    versions(&one, "a", 1).await;
    versions(&other, "b", 1).await;

    let marks = "SELECT count(*) FROM parafa_committers";
    assert_eq!(server.psql(&database.name, marks).trim(), "2");
}
