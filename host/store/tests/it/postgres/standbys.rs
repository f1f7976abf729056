//! An unavailable standby, and interrupted waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::SignedDuration;
use parafa_store::engine::ClaimDue;
use parafa_store::{Commit, CommitOutcome, Engine, EngineError, Key};
use parafa_test_services::{Postgres, Proxy, Replicated};

use super::{Host, is_away};
use crate::places::{Documents, open_shared};
use crate::support::{Note, put_all, until};

/// Committing connections of a host.
const COMMITTERS: usize = 4;
/// Duration of the standby's outage.
const OUTAGE: Duration = Duration::from_secs(25);
/// Time that the start of a host may take that waits for nothing.
const START: Duration = Duration::from_secs(20);
/// Longest recovery.
const RECOVERY: Duration = Duration::from_secs(30);
/// Interval at which waits for the standby are interrupted.
const EVERY: Duration = Duration::from_millis(100);
/// Interrupts all waits, as an operator does by `pg_cancel_backend`. PostgreSQL then acknowledges
/// the commit, with a warning.
const CUT_SHORT: &str =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_standby_does_not_have_is_neither_committed_nor_claimed() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = Arc::new(servers.await.expect("two servers"));
    let database = servers.primary.database().name;
    let host = Host::at(&servers.primary.url(&database)).await;
    let queue = b"qwaiting\0".to_vec();
    let mut due = queue.clone();
    jiff::Timestamp::UNIX_EPOCH.encode(&mut due);
    due.push(1);
    let claims = Bytes::copy_from_slice(&0_u32.to_be_bytes());
    let made = host.engine.commit(putting(&due, claims)).await;
    assert!(matches!(made, Ok(CommitOutcome::Committed)), "{made:?}");

    servers.standby.stop_immediately();
    let cutter = Cutter::begin(&servers);
    let commit = putting(b"tnote\0lost", Bytes::from_static(b"{}"));
    let claim = ClaimDue {
        queue,
        now: jiff::Timestamp::now(),
        lease: SignedDuration::from_secs(60),
        limit: 1,
    };
    let (committed, claimed) =
        tokio::join!(host.engine.commit(commit), host.engine.claim_due(claim));

    assert!(
        matches!(committed, Err(EngineError::Unavailable { .. })),
        "{committed:?}"
    );
    // On a second search it is already claimed, and waits for the end of the lease.
    assert_eq!(claimed.unwrap_or_default(), []);
    cutter.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_standby_is_away_hosts_start_and_read_and_leave_few_connections_behind() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = servers.await.expect("two servers");
    let primary = &servers.primary;
    let database = primary.database();
    let host = Host::at(&database.url).await;
    let opened = open_shared(&database, &Documents::Database).await;
    opened.expect("a new deployment");
    put_all(&host.store, &[Note::new(1, 1)]).await;

    servers.standby.stop_immediately();
    let writers = (2..).take(2 * COMMITTERS).map(|id| {
        let store = host.store.clone();
        tokio::spawn(async move {
            let begun = Instant::now();
            while begun.elapsed() < OUTAGE {
                let note = &Note::new(id, 1);
                let put = store.transact(|tx| Box::pin(tx.put(note))).await;
                assert!(is_away(&put), "{put:?}");
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let starting = open_shared(&database, &Documents::Database);
    let started = tokio::time::timeout(START, starting).await;
    let started = started.expect("it does not wait for the standby");
    let started = started.expect("the deployment").store;
    let read = started.get::<Note>(&uuid::Uuid::from_u128(1)).await;
    assert!(read.expect("a read").is_some());
    futures::future::try_join_all(writers)
        .await
        .expect("no panic");

    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let waiting: usize = primary
        .psql(&database.name, waiting)
        .trim()
        .parse()
        .expect("a number");
    // One commit of each, and each one's present attempt.
    assert!(waiting <= 2 * COMMITTERS, "{waiting} wait for the standby");

    for statement in [
        "ALTER SYSTEM SET synchronous_standby_names = ''",
        "SELECT pg_reload_conf()",
    ] {
        primary.psql("postgres", statement);
    }
    until(RECOVERY, "all goes on", async || {
        let note = &Note::new(1, 2);
        host.store
            .transact(|tx| Box::pin(tx.put(note)))
            .await
            .is_ok()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_the_standby_does_not_have_does_not_count_as_written() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = Arc::new(servers.await.expect("two servers"));
    let proxy = Proxy::before(servers.primary.port());
    let mut database = servers.primary.database();
    database.url = proxy.url(&database.name);
    let opened = open_shared(&database, &Documents::Database).await;
    let keys = opened.expect("a new deployment").keys;

    servers.standby.stop_immediately();
    let creating = tokio::spawn(async move { keys.create(uuid::Uuid::now_v7()).await });
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    until(RECOVERY, "it waits", async || {
        servers.primary.psql("postgres", waiting).trim() == "1"
    })
    .await;
    // The key is written again, and found to exist when its wait is interrupted.
    proxy.cut();
    let cutter = Cutter::begin(&servers);

    let created = creating.await.expect("no panic");

    assert!(created.is_err());
    cutter.end();
}

fn putting(key: &[u8], value: Bytes) -> Commit {
    Commit {
        puts: vec![(Bytes::copy_from_slice(key), value)],
        ..Commit::default()
    }
}

/// A thread that interrupts waits until it ends.
struct Cutter {
    ends: Arc<AtomicBool>,
    thread: thread::JoinHandle<()>,
}

impl Cutter {
    fn begin(servers: &Arc<Replicated>) -> Self {
        let ends = Arc::<AtomicBool>::default();
        let (servers, end) = (servers.clone(), ends.clone());
        let thread = thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                servers.primary.psql("postgres", CUT_SHORT);
                thread::sleep(EVERY);
            }
        });
        Self { ends, thread }
    }

    fn end(self) {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic");
    }
}
