//! Outgoing messages: webhooks and mail.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::account::{Account, sign_first, signing_of, text, two, with};
use crate::support::demo::Demo;
use crate::support::operator::done;
use crate::support::outside::{Delivery, Hook, letters, members};

fn secret(demo: &Demo) -> String {
    text(&demo_json(demo)["signing"], "webhookSecret").to_owned()
}

fn demo_json(demo: &Demo) -> Value {
    let json = std::fs::read(demo.data().join("demo.json")).expect("demo.json");
    serde_json::from_slice(&json).expect("JSON")
}

#[tokio::test]
async fn an_event_arrives_signed_with_its_members_and_no_others() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "events");
    let api = Account::sandbox(&demo);
    let more = json!({"webhookUrl": hook.address, "externalId": "sutartis-7"});
    let signing = api.create(with(signing_of(two()), more)).await;
    let path = format!("v1/signings/{}/simulate", text(&signing, "signingId"));
    let declining = json!({"action": "decline", "reason": "Klaida"});

    api.post(&path, declining).await.expect(200);

    let deliveries = hook.deliveries(2).await;
    let event_of = |name: &str| {
        let found = deliveries
            .iter()
            .find(|one| one.header("x-service-event") == name);
        found.unwrap_or_else(|| panic!("{name} did not arrive"))
    };
    let declined = event_of("signing.signer_declined");
    let names = [
        "event",
        "signingId",
        "status",
        "externalId",
        "occurredAt",
        "signer",
    ];
    assert_eq!(declined.members(), names);
    let event = declined.event();
    assert_eq!(event["event"], "signing.signer_declined");
    assert_eq!(event["signingId"], signing["signingId"]);
    assert_eq!(event["status"], "declined");
    assert_eq!(event["externalId"], "sutartis-7");
    assert!(text(&event, "occurredAt").ends_with('Z'));
    let names = ["signerId", "email", "status", "declineReason"];
    assert_eq!(members(&event["signer"]), names);
    assert_eq!(
        event["signer"]["signerId"],
        signing["signers"][0]["signerId"]
    );
    assert_eq!(event["signer"]["email"], signing["signers"][0]["email"]);
    assert_eq!(event["signer"]["status"], "declined");
    assert_eq!(event["signer"]["declineReason"], "Klaida");
    let ended = event_of("signing.declined");
    let names = ["event", "signingId", "status", "externalId", "occurredAt"];
    assert_eq!(ended.members(), names);
    for delivery in &deliveries {
        delivery.assert_signed_with(&secret(&demo));
    }
}

#[tokio::test]
async fn the_last_signature_tells_of_the_signer_and_then_of_the_signing() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "signed");
    let api = Account::live(&demo);
    let one = json!([{"email": "ona@example.lt"}]);
    let more = json!({"webhookUrl": hook.address});
    let signing = api.create(with(signing_of(one), more)).await;

    sign_first(&demo, &signing).await;

    let deliveries = hook.deliveries(2).await;
    let events: Vec<Value> = deliveries.iter().map(Delivery::event).collect();
    assert_eq!(events[0]["event"], "signing.signer_signed");
    assert_eq!(events[0]["signer"]["status"], "signed");
    assert!(events[0].get("completionMode").is_none());
    assert_eq!(events[1]["event"], "signing.completed");
    assert_eq!(events[1]["completionMode"], "qes_ceremony");
    assert_eq!(events[1]["externalId"], Value::Null);
    let path = format!("v1/signings/{}", text(&signing, "signingId"));
    let read = api.get(&path).await.expect(200);
    assert_eq!(events[0]["document"], read["document"]);
    assert_eq!(events[1]["document"], read["document"]);
    for delivery in &deliveries {
        delivery.assert_signed_with(&secret(&demo));
    }
}

#[tokio::test]
async fn the_last_word_on_an_erased_signing_says_nothing_of_what_it_was_about() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "erased");
    let api = Account::live(&demo);
    let more = json!({"webhookUrl": hook.address, "externalId": "sutartis-9"});
    let signing = api.create(with(signing_of(two()), more)).await;

    let path = format!("v1/signings/{}", text(&signing, "signingId"));
    api.delete(&path).await.expect(200);

    let deliveries = hook.deliveries(1).await;
    let event = deliveries[0].event();
    assert_eq!(event["event"], "signing.cancelled");
    assert_eq!(event["signingId"], signing["signingId"]);
    let raw = deliveries[0].raw();
    assert!(
        !raw.contains("sutartis") && !raw.contains("example.lt"),
        "{raw}"
    );
}

#[tokio::test]
async fn a_receiver_in_trouble_gets_the_same_event_again_signed_afresh() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "trouble");
    let api = Account::live(&demo);
    let more = json!({"webhookUrl": hook.address});
    let signing = api.create(with(signing_of(two()), more)).await;
    hook.answer_with(503).await;

    let path = format!("v1/signings/{}/cancel", text(&signing, "signingId"));
    api.post(&path, json!({})).await.expect(200);
    hook.deliveries(1).await;
    hook.answer_with(429).await;
    done(&demo.data(), &["demo", "clock", "+10s"]);
    hook.deliveries(2).await;
    hook.answer_with(204).await;
    done(&demo.data(), &["demo", "clock", "+10m"]);

    let deliveries = hook.deliveries(3).await;
    let keys =
        |name: &str| -> Vec<&str> { deliveries.iter().map(|one| one.header(name)).collect() };
    let ids = keys("x-service-idempotency-key");
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let times = keys("webhook-timestamp");
    assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
    assert_eq!(deliveries[0].raw(), deliveries[2].raw());
}

#[tokio::test]
async fn a_refusal_ends_a_delivery_until_the_operator_replays_it() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "refusing");
    let api = Account::live(&demo);
    let more = json!({"webhookUrl": hook.address});
    let signing = api.create(with(signing_of(two()), more)).await;
    hook.answer_with(404).await;
    let path = format!("v1/signings/{}/cancel", text(&signing, "signingId"));
    api.post(&path, json!({})).await.expect(200);
    hook.deliveries(1).await;

    let tenant = demo_json(&demo)["signing"]["tenant"].clone();
    let tenant = tenant.as_str().expect("a tenant");
    let list = || done(&demo.data(), &["delivery", "list", tenant]);
    done(&demo.data(), &["demo", "clock", "+2d"]);
    let listed = list();
    assert_eq!(listed[0]["status"], "failed");
    assert_eq!(listed[0]["attempts"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["attempts"][0]["outcome"], "404");
    assert!(listed[0]["attempts"][0]["at"].is_string(), "{listed}");
    hook.answer_with(200).await;
    done(
        &demo.data(),
        &["delivery", "replay", text(&listed[0], "id")],
    );

    let deliveries = hook.deliveries(2).await;
    assert_eq!(deliveries.len(), 2);
    let ids: Vec<&str> = deliveries
        .iter()
        .map(|one| one.header("webhook-id"))
        .collect();
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_caller_looks_at_deliveries_and_has_one_sent_again() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "looked-at");
    let api = Account::live(&demo);
    let more = json!({"webhookUrl": hook.address});
    let signing = api.create(with(signing_of(two()), more)).await;
    hook.answer_with(404).await;
    let path = format!("v1/signings/{}/cancel", text(&signing, "signingId"));
    api.post(&path, json!({})).await.expect(200);
    hook.deliveries(1).await;
    done(&demo.data(), &["demo", "clock", "+1d"]);

    let failed = "v1/deliveries?status=failed&event=signing.cancelled";
    let listed = api.get(failed).await.expect(200);
    let delivery = &listed["data"][0];
    assert_eq!(delivery["subjectId"], signing["signingId"]);
    assert_eq!(delivery["attempts"][0]["outcome"], "404");
    let of_sandbox = Account::sandbox(&demo);
    let none = of_sandbox.get("v1/deliveries").await.expect(200);
    assert_eq!(none["data"], json!([]), "the sandbox has its own");
    hook.answer_with(200).await;
    let address = format!("v1/deliveries/{}", text(delivery, "deliveryId"));
    let other = of_sandbox
        .post(&format!("{address}/resend"), json!({}))
        .await;
    assert_eq!(other.status, 404);
    let resend = format!("{address}/resend");
    for _ in 0..2 {
        let resent = api.post_once(&resend, json!({}), "again-1").await;
        assert_eq!(resent.expect(202)["status"], "pending");
    }

    let deliveries = hook.deliveries(2).await;
    assert_eq!(deliveries.len(), 2, "one key, one more time");
    assert_eq!(
        deliveries[1].header("webhook-id"),
        text(delivery, "deliveryId")
    );
    done(&demo.data(), &["demo", "clock", "+1d"]);
    assert_eq!(api.get(&address).await.expect(200)["status"], "delivered");
    assert_eq!(api.get(failed).await.expect(200)["data"], json!([]));
}

#[tokio::test]
async fn a_test_event_comes_signed_as_the_others_and_tells_of_nothing() {
    let demo = Demo::start();
    let hook = Hook::new(&demo, "tested");
    let api = Account::live(&demo);

    let test = json!({"webhookUrl": hook.address});
    let begun = api.post("v1/deliveries", test).await.expect(202);

    let received = &hook.deliveries(1).await[0];
    assert_eq!(received.header("x-service-event"), "webhook.test");
    let body: Value = serde_json::from_str(received.raw()).expect("JSON");
    assert_eq!(
        body,
        json!({
            "event": "webhook.test",
            "deliveryId": begun["deliveryId"],
            "occurredAt": begun["occurredAt"],
        })
    );
    assert_eq!(begun["subjectId"], Value::Null);
    let elsewhere = json!({"webhookUrl": "http://10.0.0.1/hook"});
    api.post("v1/deliveries", elsewhere).await.expect(400);
}

#[tokio::test]
async fn signers_are_written_when_they_may_sign_and_when_they_may_not_any_more() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let more = json!({"delivery": "email"});
    let signing = api.create(with(signing_of(two()), more)).await;

    let invited = letters(&demo, 2).await;
    let link = text(&signing["signers"][0], "ceremonyUrl");
    let to_first = |letter: &&Value| letter["to"] == signing["signers"][0]["email"];
    let letter = invited.iter().find(to_first).expect("an invitation");
    assert!(
        letter["text"]
            .as_str()
            .is_some_and(|text| text.contains(link))
    );
    assert!(
        letter["html"]
            .as_str()
            .is_some_and(|html| html.contains(link))
    );
    let path = format!("v1/signings/{}/cancel", text(&signing, "signingId"));
    api.post(&path, json!({})).await.expect(200);

    let retracted = letters(&demo, 4).await;
    assert_eq!(retracted.len(), 4);
    assert!(!text(&retracted[3], "text").contains("/c/"));
}

#[tokio::test]
async fn mail_of_the_sandbox_is_marked() {
    let demo = Demo::start();
    let api = Account::sandbox(&demo);

    api.create(with(signing_of(two()), json!({"delivery": "email"})))
        .await;

    for letter in letters(&demo, 2).await {
        let subject = text(&letter, "subject");
        assert!(
            subject.starts_with("[BANDYMAS] ") || subject.starts_with("[TEST] "),
            "{subject}"
        );
    }
}

#[tokio::test]
async fn a_letter_shows_what_was_typed_and_goes_to_a_domain_in_ascii() {
    const TYPED: &str = "=?utf-8?q?Pirma?= ir =?utf-8?q?antra?=";

    let demo = Demo::start();
    let api = Account::live(&demo);
    let signers = json!([{"email": "ona@žemė.example"}]);
    let more = json!({"delivery": "email", "title": TYPED});

    let signing = api.create(with(signing_of(signers), more)).await;

    let letter = &letters(&demo, 1).await[0];
    assert!(text(letter, "subject").contains(TYPED), "{letter}");
    assert_eq!(letter["to"], "ona@xn--em-9ma32b.example");
    assert_eq!(signing["signers"][0]["email"], "ona@žemė.example");
}

#[tokio::test]
async fn a_mailbox_that_the_mail_server_refuses_is_told_to_the_operator() {
    let demo = Demo::start();
    let api = Account::live(&demo);
    let signers = json!([{"email": "nobody@example.lt"}, {"email": "ona@example.lt"}]);
    let more = json!({"delivery": "email"});
    let signing = api.create(with(signing_of(signers), more)).await;
    letters(&demo, 1).await;

    let tenant = demo_json(&demo)["signing"]["tenant"].clone();
    let list = ["delivery", "list", tenant.as_str().expect("a tenant")];
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut listed = done(&demo.data(), &list);
    while listed[0].is_null() && Instant::now() < deadline {
        listed = done(&demo.data(), &list);
    }

    let failed = &listed[0];
    assert_eq!(failed["letter"], "invitation", "{listed}");
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["attempts"][0]["outcome"], "550");
    assert_eq!(failed["signingId"], signing["signingId"]);
    assert_eq!(failed["signerId"], signing["signers"][0]["signerId"]);
    assert_eq!(listed[1], Value::Null, "the other letter arrived");
    let replay = ["delivery", "replay", text(failed, "id")];
    assert_eq!(done(&demo.data(), &replay)["status"], "pending");
}
