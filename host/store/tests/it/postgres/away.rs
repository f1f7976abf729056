//! A database that becomes unavailable, and returns.

use std::time::{Duration, Instant};

use parafa_store::postgres::DatabaseOptions;
use parafa_store::{Engine, StoreError};
use parafa_test_services::{Postgres, Traffic};
use tokio::task::JoinSet;

use super::{Distant, Host, is_away};
use crate::support::{Note, put_all, until};

/// Longer than any call without a wait for a connection.
const AT_ONCE: Duration = Duration::from_secs(4);
/// Longest wait for the failure of a call.
const LONGEST: Duration = Duration::from_secs(25);
/// Last statement of the connections that have read a row.
const READER: &str = "SELECT version, value FROM parafa_entries%";
/// Longest recovery.
const RECOVERY: Duration = Duration::from_secs(30);

async fn read(host: &Host) -> Result<Option<Note>, StoreError> {
    host.store.get::<Note>(&uuid::Uuid::from_u128(1)).await
}

async fn write(host: &Host, id: u128) -> Result<(), StoreError> {
    let note = &Note::new(id, 1);
    host.store.transact(|tx| Box::pin(tx.put(note))).await
}

/// Calls everything at once; returns the longest wait for the failure.
async fn all_are_told_that_it_is_away(host: &Host) -> Duration {
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for id in 0..32 {
        let host = host.clone();
        tasks.spawn(async move {
            match id % 2 {
                0 => assert!(is_away(&read(&host).await)),
                _ => assert!(is_away(&write(&host, id).await)),
            }
        });
    }
    tasks.join_all().await;
    begun.elapsed()
}

async fn goes_on(host: &Host) {
    until(RECOVERY, "reads and writes go on", async || {
        read(host).await.is_ok() && write(host, 1).await.is_ok()
    })
    .await;
    host.engine.health().expect("it says so");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_refuses_is_away_for_everybody_and_then_back() {
    let Distant { host, proxy } = Distant::new().await;
    put_all(&host.store, &[Note::new(1, 1)]).await;
    proxy.set(Traffic::Refused);
    proxy.cut();

    let longest = all_are_told_that_it_is_away(&host).await;
    assert!(longest < LONGEST, "{longest:?}");
    assert!(host.engine.health().is_err(), "and it says so");

    proxy.set(Traffic::Passed);
    goes_on(&host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_long_for_a_database_that_says_nothing() {
    let Distant { host, proxy } = Distant::new().await;
    put_all(&host.store, &[Note::new(1, 1)]).await;
    proxy.set(Traffic::Swallowed);

    let first = all_are_told_that_it_is_away(&host).await;
    let later = all_are_told_that_it_is_away(&host).await;
    assert!(first < LONGEST && later < LONGEST, "{first:?}, {later:?}");
    assert!(host.engine.health().is_err(), "and it says so");

    proxy.set(Traffic::Passed);
    goes_on(&host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_with_a_full_disk_is_read_and_says_so_until_a_write_succeeds() {
    let server = Postgres::shared();
    let database = server.database();
    let host = Host::at(&database.url).await;
    write(&host, 1).await.expect("a write");
    server.set_full(&database.name, true);

    assert!(is_away(&write(&host, 2).await));
    assert!(read(&host).await.expect("a read").is_some());
    let told = host.engine.health().expect_err("it says so").to_string();
    assert!(told.contains("No space left on device"), "{told}");

    server.set_full(&database.name, false);
    goes_on(&host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_read_only_is_read_and_says_so_until_a_write_succeeds() {
    let server = Postgres::shared();
    let database = server.database();
    let host = Host::at(&database.url).await;
    write(&host, 1).await.expect("a write");
    // Each connection of reads reads last.
    for _ in 0..DatabaseOptions::DEFAULT_CONNECTIONS.get() {
        read(&host).await.expect("a read");
    }
    // New connections are read-only, and the other ones have to be opened anew.
    let alter = format!("ALTER DATABASE {}", database.name);
    let set = format!("{alter} SET default_transaction_read_only = on");
    server.psql("postgres", &set);
    let end = format!(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
         WHERE datname = '{}' AND query NOT LIKE '{READER}'",
        database.name
    );
    server.psql("postgres", &end);

    assert!(is_away(&write(&host, 2).await));
    assert!(read(&host).await.expect("a read").is_some());
    let told = host.engine.health().expect_err("it says so").to_string();
    assert!(told.contains("does not allow writes"), "{told}");

    let reset = format!("{alter} RESET default_transaction_read_only");
    server.psql("postgres", &reset);
    goes_on(&host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_that_does_not_come_about_keeps_few_from_the_others() {
    let server = Postgres::shared();
    let database = server.database().name;
    let Distant { host, proxy } = Distant::at(&database).await;
    let reads = DatabaseOptions::DEFAULT_CONNECTIONS.get();
    for _ in 0..reads {
        read(&host).await.expect("a read");
    }
    // Existing connections continue.
    proxy.set(Traffic::Refused);
    let reader = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
         AND query LIKE '{READER}' LIMIT 1"
    );
    let end = format!("SELECT pg_terminate_backend(({reader}), 5000)");
    assert_eq!(server.psql(&database, &end).trim(), "t");

    let mut tasks = JoinSet::new();
    for _ in 0..4 * reads {
        let host = host.clone();
        tasks.spawn(async move {
            let begun = Instant::now();
            let _ = read(&host).await;
            begun.elapsed()
        });
    }
    let took = tasks.join_all().await;

    let waited = took.iter().filter(|took| **took > AT_ONCE).count();
    assert!(waited <= 1, "{took:?}");
}
