//! Claims of due entries by two hosts.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ::bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use parafa_store::engine::{ClaimDue, DueEntry};
use parafa_store::{Commit, Engine, Key};
use parafa_test_services::Postgres;
use tokio::task::JoinSet;

use super::Host;
use crate::support::until;

const QUEUE: &[u8] = b"q";
const ENTRIES: u32 = 400;

async fn fill(host: &Host, entries: u32) -> Timestamp {
    let now = host.engine.now().await.expect("the time");
    let key = |number: u32| {
        let mut key = QUEUE.to_vec();
        (now - SignedDuration::from_mins(1)).encode(&mut key);
        key.extend(number.to_be_bytes());
        Bytes::from(key)
    };
    let puts = (0..entries).map(|number| (key(number), Bytes::from_static(&[0; 4])));
    let commit = Commit {
        puts: puts.collect(),
        ..Commit::default()
    };
    host.engine.commit(commit).await.expect("entries");
    now
}

async fn claim(host: &Host, now: Timestamp, limit: usize) -> Vec<DueEntry> {
    let claim = ClaimDue {
        queue: QUEUE.to_vec(),
        now,
        lease: SignedDuration::from_mins(10),
        limit,
    };
    host.engine.claim_due(claim).await.expect("a claim")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_two_hosts_get_the_same_entry_and_every_entry_is_somebodys() {
    let url = Postgres::shared().database().url;
    let hosts = [Host::at(&url).await, Host::at(&url).await];
    let now = fill(&hosts[0], ENTRIES).await;
    let mut tasks = JoinSet::new();
    for task in 0..6 {
        let host = hosts[task % 2].clone();
        tasks.spawn(async move {
            let mut all = Vec::new();
            let mut empty = 0;
            // A claim is empty also while the others hold the remaining
            // entries.
            while empty < 10 {
                let claimed = claim(&host, now, 7).await;
                empty = if claimed.is_empty() { empty + 1 } else { 0 };
                all.extend(claimed);
            }
            all
        });
    }
    let claimed: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();

    let different: BTreeSet<_> = claimed.iter().map(|entry| entry.rest.clone()).collect();
    assert_eq!(different.len(), claimed.len(), "one is claimed twice");
    assert_eq!(claimed.len(), usize::try_from(ENTRIES).expect("few"));
    assert!(claimed.iter().all(|entry| entry.claims == 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_does_not_wait_for_entries_that_another_has_locked() {
    let server = Postgres::shared();
    let database = server.database();
    let host = Host::at(&database.url).await;
    let now = fill(&host, 20).await;
    let name = database.name.clone();
    let locking = tokio::task::spawn_blocking(move || {
        let lock = "SELECT count(*) FROM (SELECT key FROM parafa_entries \
                    WHERE key >= 'q' AND key < 'r' ORDER BY key LIMIT 5 FOR UPDATE) AS locked; \
                    SELECT pg_sleep(6)";
        Postgres::shared().psql(&name, lock)
    });
    let asleep = "SELECT count(*) FROM pg_stat_activity \
                  WHERE wait_event = 'PgSleep' AND datname = current_database()";
    until(Duration::from_secs(10), "the other locks", async || {
        server.psql(&database.name, asleep).trim() == "1"
    })
    .await;

    let begun = Instant::now();
    let claimed = claim(&host, now, 100).await;

    assert_eq!(claimed.len(), 15);
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    assert!(!locking.is_finished(), "it has them still");
    locking.await.expect("it lets them go");
    assert_eq!(claim(&host, now, 100).await.len(), 5);
}
