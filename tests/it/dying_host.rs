//! Two hosts of one deployment, of which one is always dying: whatever was acknowledged is there
//! and ends, once.

use std::collections::{HashMap, HashSet};
use std::env;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::task::JoinSet;

use self::errands::{End, Errand, Town, errands};
use self::hosts::LifeAndDeath;
use self::rings::Rings;
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::outside::Hook;

mod authentications;
mod errands;
mod hosts;
mod orders;
mod people;
mod questions;
mod rings;
mod signings;

/// Signings in the test run, half as many other errands beside them; `PARAFA_DYING_HOST_SIGNINGS`
/// asks for more.
const SIGNINGS: usize = 12;
/// How many people are busy at the same time.
const BUSY: usize = 8;
/// After so many errands an hour goes by: nobody's phone rings too often.
const HOUR: usize = 90;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_acknowledged_ends_once_although_one_of_two_hosts_is_always_dying() {
    let asked = env::var("PARAFA_DYING_HOST_SIGNINGS").ok();
    let signings = asked.map_or(SIGNINGS, |asked| asked.parse().expect("a number"));
    let world = Arc::new(Demo::start_shared());
    let hook = Hook::new(&world, "dying-host");
    let rings = Rings::begin(&world);
    let mortal = LifeAndDeath::begin([world.join(), world.join()]);
    let town = Arc::new(Town::new(&world, &mortal.hosts(), &hook.address));
    let begun = Instant::now();

    let mut ended = Vec::new();
    let mut errands = errands(signings).peekable();
    while errands.peek().is_some() {
        ended.extend(run_all(&world, &town, errands.by_ref().take(HOUR)).await);
        if errands.peek().is_some() {
            world.move_clock("+61m");
        }
    }
    let seconds = begun.elapsed().as_secs();
    let deaths = mortal.end();

    println!("{} errands, {deaths} deaths, {seconds} s", ended.len());
    assert!(deaths > 0, "nobody died");
    let ledger = crate::diligence::exported(&world, "usage", &[]);
    assert_each_signing_and_order_happened_once(&hook, &ended, &ledger).await;
    assert_reidentified_at_the_lower_price(&ended, &ledger);
    assert_answers_charged_once(&ended, &ledger);
    assert_nobody_asked_twice(&ended, rings.end().await);
    assert_accounts_balance(&world, &ended, &ledger).await;
}

/// Has some people at a time run their errands.
async fn run_all(
    world: &Arc<Demo>,
    town: &Arc<Town>,
    errands: impl Iterator<Item = Errand>,
) -> Vec<End> {
    let mut running = JoinSet::new();
    let mut ended = Vec::new();
    for errand in errands {
        if running.len() == BUSY {
            let end = running.join_next().await.expect("somebody");
            ended.push(end.expect("an end"));
        }
        let (world, town) = (world.clone(), town.clone());
        running.spawn(async move { errand.run(&town, &world).await });
    }
    ended.extend(running.join_all().await);
    ended
}

/// Each is told at least once, always with the same id, and charged once; and no other.
async fn assert_each_signing_and_order_happened_once(hook: &Hook, ended: &[End], ledger: &[Value]) {
    let (mut events, mut charges) = (HashSet::new(), HashMap::new());
    for end in ended {
        let (id, told) = match end {
            End::Signing { signing } => {
                (signing, &["signing.signer_signed", "signing.completed"][..])
            }
            End::Order { order, .. } => (order, &["kyc.delivered"][..]),
            End::Authentication { .. } | End::Question { .. } => continue,
        };
        assert!(charges.insert(id.clone(), 1).is_none(), "{id} twice");
        events.extend(told.iter().map(|event| (id.clone(), (*event).to_owned())));
    }
    assert_eq!(told(hook, events.len()).await, events);
    let mut charged: HashMap<String, usize> = HashMap::new();
    for row in ledger.iter().filter(|row| is_of_signature(row)) {
        *charged.entry(text(&row["ref"])).or_default() += 1;
    }
    assert_eq!(charged, charges);
}

fn is_of_signature(row: &Value) -> bool {
    row["product"] == "signing" || row["item"] == PACKAGE
}

/// The item of an identification package in the ledger.
const PACKAGE: &str = "identification_package";

/// What was told of what, once there is so much of it.
async fn told(hook: &Hook, events: usize) -> HashSet<(String, String)> {
    let mut ids: HashMap<(String, String), String> = HashMap::new();
    let mut at_least = events;
    loop {
        let deliveries = hook.deliveries(at_least).await;
        for delivery in &deliveries {
            let event = delivery.event();
            let subject = event.get("signingId").unwrap_or(&event["orderId"]);
            let of = (text(subject), text(&event["event"]));
            let id = delivery.header("webhook-id").to_owned();
            let known = ids.entry(of.clone()).or_insert_with(|| id.clone());
            assert_eq!(*known, id, "{of:?} has more than one id");
        }
        if ids.len() >= events {
            return ids.into_keys().collect();
        }
        // Some came twice, and others are still on their way.
        at_least = deliveries.len() + 1;
    }
}

/// Whoever was identified before costs less: each subject but for the first time.
fn assert_reidentified_at_the_lower_price(ended: &[End], ledger: &[Value]) {
    let mut prices: HashMap<&str, Vec<&str>> = HashMap::new();
    for end in ended {
        if let End::Order { order, subject } = end {
            let row = ledger.iter().find(|row| row["ref"] == order.as_str());
            let amount = row.and_then(|row| row["amount"].as_str());
            prices.entry(subject).or_default().extend(amount);
        }
    }
    for (subject, prices) in prices {
        let of = |price| prices.iter().filter(|paid| **paid == price).count();
        let expected = (1, prices.len() - 1);
        assert_eq!((of("24.99"), of("14.99")), expected, "{subject}");
    }
}

/// An answered question is charged once, and one that was refused never. Where the answer did not
/// come it may have been charged, once.
fn assert_answers_charged_once(ended: &[End], ledger: &[Value]) {
    let mut charged: HashMap<&str, usize> = HashMap::new();
    for row in ledger.iter().filter(|row| !is_of_signature(row)) {
        let request = row["ref"].as_str().expect("a text");
        *charged.entry(request).or_default() += 1;
    }
    for end in ended {
        if let End::Question {
            request,
            unanswered,
        } = end
        {
            assert_eq!(charged.remove(request.as_str()), Some(1), "{request}");
            for request in unanswered {
                let times = charged.remove(request.as_str()).unwrap_or_default();
                assert!(times <= 1, "{request}: charged {times} times");
            }
        }
    }
    assert!(charged.is_empty(), "charged without an answer: {charged:?}");
}

/// What is owed is the ledger's sum, and nothing counts as open of what has ended.
async fn assert_accounts_balance(world: &Demo, ended: &[End], ledger: &[Value]) {
    let cents = |amount: &Value| text(amount).replace('.', "").parse::<u64>();
    let owed = ledger
        .iter()
        .map(|row| cents(&row["amount"]).expect("cents"));
    let tenant = &world.world.diligence.tenant;
    let billing = &done(&world.data(), &["tenant", "show", tenant])["billing"];
    assert_eq!(cents(&billing["unpaid"]), Ok(owed.sum()), "{billing}");
    let signings = ended
        .iter()
        .filter(|end| matches!(end, End::Signing { .. }));
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

/// Logins are asked for once each on the phone, and most come about.
fn assert_nobody_asked_twice(ended: &[End], rings: usize) {
    let logins = ended.iter().filter_map(|end| match end {
        End::Authentication {
            is_by_phone: true,
            is_completed,
        } => Some(*is_completed),
        _ => None,
    });
    let logins: Vec<_> = logins.collect();
    let completed = logins.iter().filter(|is_completed| **is_completed).count();
    println!(
        "{completed} of {} logins by phone, {rings} rings",
        logins.len()
    );
    assert!((completed..=logins.len()).contains(&rings), "{rings} rings");
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
