//! Failover from a primary that dies to a standby.

use std::env;
use std::time::{Duration, Instant};

use parafa_test_services::Postgres;

use super::Host;
use super::bank::Bank;

/// Number of repetitions, each with its own servers.
const TIMES: &str = "PARAFA_FAILOVERS";
/// Longest recovery on the standby.
const RECOVERY: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_loses_nothing_that_was_acknowledged() {
    let times = env::var(TIMES).map_or(1, |times| times.parse().expect("a number"));
    for _ in 0..times {
        fail_over().await;
    }
}

async fn fail_over() {
    let servers = tokio::task::spawn_blocking(Postgres::replicated);
    let servers = servers.await.expect("two servers");
    let database = servers.primary.database().name;
    let url = servers.url(&database);
    let [one, other] = [Host::at(&url).await, Host::at(&url).await];
    let bank = Bank::open(&[&one.store, &other.store], 4).await;
    bank.goes_on(300, RECOVERY).await;

    servers.primary.stop_immediately();
    let died = Instant::now();
    servers.standby.promote();
    bank.goes_on(300, RECOVERY).await;
    let went_on = died.elapsed();

    let witness = Host::at(&servers.standby.url(&database)).await;
    let totals = bank.close(&witness.store).await;
    println!("a failover: 300 more transfers after {went_on:?}, {totals}");
}
