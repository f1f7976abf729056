//! A faulty network.

use std::time::Duration;

use parafa_store::Engine;
use parafa_test_services::{Moment, Postgres, Proxy, Traffic};

use super::bank::Bank;
use super::{Distant, Host};
use crate::support::random::Random;
use crate::support::until;

/// Number of faults.
const FAULTS: u32 = 200;
/// Longest recovery after the last fault.
const RECOVERY: Duration = Duration::from_secs(30);

async fn go_wrong(proxy: &Proxy, random: &mut Random) {
    match random.below(100) {
        0..30 => proxy.cut_at(Moment::BeforeCommit),
        30..60 => proxy.cut_at(Moment::BeforeCommitIsAnswered),
        60..70 => proxy.cut_at(Moment::BeforeAnswer("UPDATE 1")),
        70..85 => proxy.cut(),
        85..92 => {
            proxy.set(Traffic::Late(random.millis(30)));
            tokio::time::sleep(random.millis(200)).await;
        }
        92..97 => {
            proxy.set(Traffic::Refused);
            proxy.cut();
            tokio::time::sleep(random.millis(300)).await;
        }
        _ => {
            proxy.set(Traffic::Swallowed);
            tokio::time::sleep(random.millis(100)).await;
        }
    }
    proxy.set(Traffic::Passed);
    tokio::time::sleep(random.millis(80)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_faults_lose_nothing_and_do_nothing_twice() {
    let database = Postgres::shared().database();
    let near = Distant::at(&database.name).await;
    let far = Distant::at(&database.name).await;
    let bank = Bank::open(&[&near.host.store, &far.host.store], 4).await;
    let mut random = Random::seeded();
    for _ in 0..FAULTS {
        let proxy = [&near.proxy, &far.proxy][usize::from(random.below(2) == 1)];
        go_wrong(proxy, &mut random).await;
    }

    bank.goes_on(200, RECOVERY).await;
    // One of them may still wait for an answer that was dropped.
    until(RECOVERY, "both say that all is well", async || {
        [&near, &far]
            .iter()
            .all(|distant| distant.host.engine.health().is_ok())
    })
    .await;
    let witness = Host::at(&database.url).await;
    let totals = bank.close(&witness.store).await;
    println!("{FAULTS} faults: {totals}");
}
