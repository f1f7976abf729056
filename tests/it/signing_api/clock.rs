//! Scheduled events.

use std::collections::HashSet;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::account::{Account, no_signer_has, of_signers, sign_first, signing_of, text, two, with};
use crate::support::demo::Demo;
use crate::support::outside::{Hook, letters};

/// Time before an event at which it is not due yet, long enough for the test to
/// act.
const MOMENT: SignedDuration = SignedDuration::from_mins(1);

#[tokio::test]
async fn whoever_can_sign_is_reminded_once_at_nine_on_the_day_of_the_soft_deadline() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let parties = json!([
        {"email": "ona@example.lt"}, {"email": "jonas@example.lt"},
        {"email": "stebetojas@example.lt", "role": "viewer"},
    ]);
    let soon = json!({"softDeadlineInDays": 2});
    let open = api.create(with(signing_of(parties.clone()), soon)).await;
    let queued =
        json!({"softDeadlineInDays": 2, "signingOrder": "sequential", "delivery": "email"});
    api.create(with(signing_of(parties), queued)).await;
    assert_eq!(letters(&demo, 1).await.len(), 1, "the head of the queue");

    let nine = nine_on_the_day_of(&open);
    pass_until(&demo, nine - MOMENT);
    pass_until(&demo, nine + MOMENT);
    let reminded = letters(&demo, 4).await.split_off(1);
    pass(&demo, SignedDuration::from_hours(24));
    invite(&api, "velesnis@example.lt").await;

    let after_a_day = letters(&demo, 5).await;
    let newest = after_a_day.last().expect("a letter");
    assert_eq!(after_a_day.len(), 5, "{after_a_day:#?}");
    assert_eq!(newest["to"], "velesnis@example.lt");
    let mut to: Vec<&str> = reminded.iter().map(|letter| text(letter, "to")).collect();
    to.sort_unstable();
    assert_eq!(to, ["jonas@example.lt", "ona@example.lt", "ona@example.lt"]);
    for letter in &reminded {
        assert!(received(letter) >= nine, "{letter:#?}");
    }
    let read = api.get(&path_of(&open)).await.expect(200);
    assert_eq!(read, open, "nothing else happens then");
}

#[tokio::test]
async fn a_deadline_ends_what_is_open_and_leaves_what_was_signed() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "deadline");
    let api = Account::live(&demo);
    let day = json!({"expiresInDays": 1, "webhookUrl": hook.address});
    let signing = api.create(with(signing_of(two()), day.clone())).await;
    let moved = api.create(with(signing_of(two()), day)).await;
    sign_first(&demo, &signing).await;
    hook.deliveries(1).await;
    let days = json!({"expiresInDays": 2});
    api.patch(&path_of(&moved), days).await.expect(200);

    pass(&demo, SignedDuration::from_hours(25));

    let events = hook.deliveries(2).await;
    let event = events.last().expect("an event").event();
    let path = path_of(&signing);
    let expired = api.get(&path).await.expect(200);
    assert_eq!(event["event"], "signing.expired");
    assert_eq!(event["status"], "expired");
    assert_eq!(event["document"], expired["document"]);
    assert_eq!(expired["status"], "expired");
    assert_eq!(expired["completedAt"], Value::Null);
    assert_eq!(of_signers(&expired, "status"), ["signed", "expired"]);
    assert!(no_signer_has(&expired, "ceremonyUrl"));
    assert_eq!(api.get(&format!("{path}/document")).await.status, 200);
    let link = text(&signing["signers"][1], "ceremonyUrl");
    assert_eq!(reqwest::get(link).await.expect("an answer").status(), 404);
    api.post(&format!("{path}/cancel"), json!({}))
        .await
        .expect_problem(409, "signing-ended", &[]);
    let moved = api.get(&path_of(&moved)).await.expect(200);
    assert_eq!(moved["status"], "pending");
    let listed = api.get("v1/signings?status=expired").await.expect(200);
    assert_eq!(listed["data"], json!([expired]));
}

#[tokio::test]
async fn a_host_that_was_down_for_days_catches_up_and_does_nothing_twice() {
    let world = Demo::start();
    let mut host = world.join();
    let hook = Hook::new(&world, "catching-up");
    let api = Account::live(&host);
    let soft = json!({"softDeadlineInDays": 1, "expiresInDays": 30});
    let wanted = api.create(with(signing_of(two()), soft)).await;
    let hard = json!({"expiresInDays": 1, "webhookUrl": hook.address});
    let short = api.create(with(signing_of(two()), hard)).await;

    host.kill();
    pass(&world, SignedDuration::from_hours(72));
    host.start_again();

    assert_eq!(letters(&world, 2).await.len(), 2);
    let expired = hook.deliveries(1).await;
    assert_eq!(expired[0].event()["event"], "signing.expired");
    let short = api.get(&path_of(&short)).await.expect(200);
    assert_eq!(short["status"], "expired");
    host.kill();
    pass(&world, SignedDuration::from_hours(24));
    host.start_again();
    invite(&api, "velesnis@example.lt").await;
    let cancelled = api.create(with(signing_of(two()), json!({"webhookUrl": hook.address})));
    let path = format!("{}/cancel", path_of(&cancelled.await));
    api.post(&path, json!({})).await.expect(200);
    let letters = async |at_least| -> Vec<String> {
        let letters = letters(&world, at_least).await;
        letters
            .iter()
            .map(|letter| text(letter, "messageId").to_owned())
            .collect()
    };
    assert_eq!(distinct(3, letters).await, 3);
    let events = async |at_least| -> Vec<String> {
        let events = hook.deliveries(at_least).await;
        events
            .iter()
            .map(|event| event.header("webhook-id").to_owned())
            .collect()
    };
    assert_eq!(distinct(2, events).await, 2);
    let wanted = api.get(&path_of(&wanted)).await.expect(200);
    assert_eq!(wanted["status"], "pending");
}

/// Waits for this many ids; counts the distinct ones. A server killed before it
/// has recorded a delivery repeats it under the same id.
async fn distinct(wanted: usize, ids: impl AsyncFn(usize) -> Vec<String>) -> usize {
    let mut at_least = wanted;
    loop {
        let ids = ids(at_least).await;
        let distinct: HashSet<&String> = ids.iter().collect();
        if distinct.len() >= wanted {
            return distinct.len();
        }
        at_least = ids.len() + 1;
    }
}

/// Invites one more person; the letter comes after all that were due before.
async fn invite(api: &Account, email: &str) {
    let by_mail = json!({"delivery": "email"});
    let signers = json!([{ "email": email }]);
    api.create(with(signing_of(signers), by_mail)).await;
}

fn path_of(signing: &Value) -> String {
    format!("v1/signings/{}", text(signing, "signingId"))
}

/// Returns 09:00 in Vilnius on the day of a signing's soft deadline.
fn nine_on_the_day_of(signing: &Value) -> Timestamp {
    let deadline: Timestamp = text(signing, "softDeadlineAt").parse().expect("a time");
    let vilnius = TimeZone::get("Europe/Vilnius").expect("a time zone");
    let day = deadline.to_zoned(vilnius.clone()).date();
    let nine = day.at(9, 0, 0, 0).to_zoned(vilnius);
    nine.expect("there is a nine every day").timestamp()
}

fn received(letter: &Value) -> Timestamp {
    text(letter, "receivedAt").parse().expect("a time")
}

fn pass(demo: &Demo, time: SignedDuration) {
    demo.move_clock(&format!("+{}s", time.as_secs()));
}

/// Advances the world's clock to a time.
fn pass_until(demo: &Demo, time: Timestamp) {
    let ahead = SignedDuration::from_secs(demo.move_clock("+1s"));
    pass(demo, time.duration_since(Timestamp::now() + ahead));
}
