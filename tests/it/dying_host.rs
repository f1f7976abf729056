//! Two hosts of one deployment, and one is always dying: every acknowledged operation persists and
//! ends, once.

mod mortals;
mod rings;

use std::env;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::task::JoinSet;

use self::mortals::LifeAndDeath;
use self::rings::Rings;
use crate::acknowledged::{Entry, Ledger, Step, Subject, Told, judge, wrong_charges};
use crate::errands::{Errand, Town, errands};
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::outside::Hook;

/// Signings in the test run, with half as many other errands; `PARAFA_DYING_HOST_SIGNINGS` sets a
/// higher number.
const SIGNINGS: usize = 12;
/// Number of concurrent people.
const BUSY: usize = 8;
/// Errands after which the clock moves by an hour, so that no phone rings too often.
const HOUR: usize = 90;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_acknowledged_ends_once_although_one_of_two_hosts_is_always_dying() {
    let asked = env::var("PARAFA_DYING_HOST_SIGNINGS").ok();
    let signings = asked.map_or(SIGNINGS, |asked| asked.parse().expect("a number"));
    let world = Arc::new(Demo::start_shared());
    let hook = Hook::new(&world, "dying-host");
    let rings = Rings::begin(&world);
    let mortal = LifeAndDeath::begin([world.join(), world.join()]);
    let ledger = Arc::<Ledger>::default();
    let town = Arc::new(Town::new(&world, mortal.hosts(), &ledger));
    let begun = Instant::now();

    let mut errands = errands(signings).peekable();
    while errands.peek().is_some() {
        run_all(&town, &hook, errands.by_ref().take(HOUR)).await;
        assert_kept(&town, &ledger).await;
        if errands.peek().is_some() {
            world.move_clock("+61m");
        }
    }
    let seconds = begun.elapsed().as_secs();
    let deaths = mortal.end();

    let entries = ledger.entries();
    println!("{} errands, {deaths} deaths, {seconds} s", entries.len());
    assert!(deaths > 0, "nobody died");
    assert!(entries.iter().all(|entry| entry.step() != Step::Created));
    let charges = crate::diligence::exported(&world, "usage", &[]);
    assert_each_event_is_told_once(&hook, &entries).await;
    assert_eq!(wrong_charges(&entries, &charges), []);
    assert_nobody_asked_twice(&entries, rings.end().await);
    assert_accounts_balance(&world, &entries, &charges).await;
}

/// Runs the errands, some concurrently.
async fn run_all(town: &Arc<Town>, hook: &Hook, errands: impl Iterator<Item = Errand>) {
    let mut running = JoinSet::new();
    for errand in errands {
        if running.len() == BUSY {
            let end = running.join_next().await.expect("somebody");
            end.expect("it ends well");
        }
        let (town, hook) = (town.clone(), hook.address.clone());
        running.spawn(async move { errand.run(&town, &hook).await });
    }
    running.join_all().await;
}

/// Asserts that every acknowledged object is unchanged.
async fn assert_kept(town: &Town, ledger: &Ledger) {
    let logs_in = |entry: &Entry| matches!(entry.subject, Subject::Authentication { .. });
    // Logins are forgotten after an hour.
    for entry in ledger.entries().iter().filter(|entry| !logs_in(entry)) {
        if let Some(sight) = town.sight(entry).await {
            assert_eq!(judge(entry, entry, &sight), None);
        }
    }
}

/// Asserts that each event is delivered at least once, always with the same id, and that there are
/// no others.
async fn assert_each_event_is_told_once(hook: &Hook, entries: &[Entry]) {
    let mut told = Told::default();
    let mut at_least = 1;
    while !told.untold(entries).is_empty() {
        let deliveries = hook.deliveries(at_least).await;
        for delivery in &deliveries {
            told.note(delivery);
        }
        // Some are repetitions, and others are still on their way.
        at_least = deliveries.len() + 1;
    }
    assert_eq!(told.wrong(entries), []);
}

/// Asserts that the amount owed is the ledger's sum, and that ended objects are not counted as
/// open.
async fn assert_accounts_balance(world: &Demo, entries: &[Entry], charges: &[Value]) {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let cents = |amount: &Value| text(amount).replace('.', "").parse::<u64>();
    let owed = charges
        .iter()
        .map(|row| cents(&row["amount"]).expect("cents"));
    let tenant = &world.world.diligence.tenant;
    let billing = &done(&world.data(), &["tenant", "show", tenant])["billing"];
    assert_eq!(cents(&billing["unpaid"]), Ok(owed.sum()), "{billing}");
    let signings = entries
        .iter()
        .filter(|entry| entry.subject == Subject::Signing);
    assert_eq!(
        billing["signaturesThisMonth"],
        signings.count(),
        "{billing}"
    );
    assert_eq!(billing["reserved"], "0.00", "{billing}");
    let open = world
        .metrics()
        .await
        .sum("parafa_open_signings", &[("mode", "live")]);
    assert!(open < 1.0, "{open} are open");
}

/// Asserts that every completed login rang the phone, and that none rang twice.
fn assert_nobody_asked_twice(entries: &[Entry], rings: usize) {
    let by_phone = Subject::Authentication { is_by_phone: true };
    let logins = entries.iter().filter(|entry| entry.subject == by_phone);
    let logins: Vec<_> = logins.collect();
    let completed = logins
        .iter()
        .filter(|entry| entry.has_reached(Step::Completed))
        .count();
    println!(
        "{completed} of {} logins by phone, {rings} rings",
        logins.len()
    );
    assert!((completed..=logins.len()).contains(&rings), "{rings} rings");
}
