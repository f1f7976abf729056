//! Operators' commands on relying parties and their keys, and their output.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::auth::{CardRequest, Provider, assert_refused, send};
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::metrics::assert_nobody_is_named;
use crate::support::operator::{done, refused};

const ENDED: &str = "parafa_authentication_duration_seconds_count";

async fn status(provider: &Provider, secret: &str) -> StatusCode {
    let mut key = provider.key.clone();
    secret.clone_into(&mut key.key_secret);
    let body = json!({"audience": key.audience, "method": "physical"});
    let request = provider.request(Method::POST, "/v1/auth/requests");
    let request = request.basic_auth(&key.key_id, Some(&key.key_secret));
    send(request.json(&body)).await.0
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().expect("a text")
}

#[tokio::test]
async fn a_new_secret_works_at_once_and_the_one_before_for_a_day() {
    let demo = Demo::start();
    let provider = Provider::made(&demo, "https://other.example", &["--method", "physical"]);
    let (data, id) = (demo.data(), provider.key.key_id.as_str());
    let first = provider.key.key_secret.as_str();

    let second = done(&data, &["provider", "rotate-secret", id]);

    assert_eq!(second["keyId"], id);
    let second = text(&second, "keySecret");
    assert_eq!(status(&provider, second).await, StatusCode::CREATED);
    assert_eq!(status(&provider, first).await, StatusCode::CREATED);
    demo.move_clock("+25h");
    assert_eq!(status(&provider, second).await, StatusCode::CREATED);
    assert_eq!(status(&provider, first).await, StatusCode::UNAUTHORIZED);

    let at_once = ["provider", "rotate-secret", id, "--overlap-hours", "0"];
    let third = done(&data, &at_once);
    assert_eq!(third["previousWorksUntil"], Value::Null);
    let third = text(&third, "keySecret");
    assert_eq!(status(&provider, second).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&provider, third).await, StatusCode::CREATED);

    done(&data, &["provider", "revoke", id]);
    let told = refused(&data, &["provider", "rotate-secret", id]);
    assert!(told.contains("revoked"), "{told}");
}

#[tokio::test]
async fn what_a_provider_may_do_is_changed_and_what_is_not_named_stays() {
    let demo = Demo::start();
    let mut provider = Provider::made(&demo, "https://other.example", &["--method", "physical"]);
    let data = demo.data();
    let id = provider.key.key_id.clone();
    let set = |words: &[&str]| done(&data, &[&["provider", "set", &id][..], words].concat());

    let changed = set(&["--audience", "https://new.example"]);

    assert_eq!(changed["audiences"], json!(["https://new.example"]));
    assert_eq!(changed["methods"], json!(["physical"]));
    let before = provider.create("physical", json!({})).await;
    assert_refused(&before, 403, "forbidden_origin");
    provider.key.audience = "https://new.example".to_owned();
    let changed = set(&["--method", "nfc", "--encoding", "DER"]);
    assert_eq!(changed["audiences"], json!(["https://new.example"]));
    assert_eq!(changed["encodings"], json!(["DER"]));
    let other = provider.create("physical", json!({})).await;
    assert_refused(&other, 403, "forbidden_format");
    let (status, _) = provider.create("nfc", json!({})).await;
    assert_eq!(status, StatusCode::CREATED);

    for name in ["", "\u{ad}", "Kita\u{202e}", "Kita\nUAB"] {
        let words = ["--audience", "https://a.example", "--method", "nfc"];
        let create = [&["provider", "create", name][..], &words].concat();
        let told = refused(&data, &create);
        assert!(told.contains("a provider's name must"), "{told}");
    }
    for pattern in ["https://*.example", "https://*"] {
        let told = refused(&data, &["provider", "set", &id, "--audience", pattern]);
        assert!(told.contains("not an origin"), "{told}");
    }
}

#[tokio::test]
async fn a_key_that_others_may_have_is_gone_at_once_and_a_new_one_signs() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let published = async || {
        let path = "/v1/auth/.well-known/jwks.json";
        let (_, keys) = send(provider.request(Method::GET, path)).await;
        let keys = keys["keys"].as_array().expect("a list").clone();
        let names = keys.iter().map(|key| text(key, "kid").to_owned());
        names.collect::<Vec<_>>()
    };
    let signs = async || {
        let request = provider.card_request().await;
        let (_, answer) = provider.authenticate(&request, "card-p384").await;
        super::assertions::key_of(text(&answer, "assertion"))
    };
    let first = signs().await;

    let revoked = done(&demo.data(), &["provider", "revoke-key"]);

    assert_eq!(revoked["revoked"], first.as_str());
    assert_eq!(published().await, [text(&revoked, "kid")]);
    assert_eq!(signs().await, text(&revoked, "kid"));
    // A key that does not sign is revoked by name, while the current one keeps
    // signing.
    let rotated = done(&demo.data(), &["provider", "rotate-key"]);
    let again = done(
        &demo.data(),
        &["provider", "revoke-key", text(&rotated, "kid")],
    );
    assert_eq!(again["kid"], revoked["kid"]);
    assert!(
        !published()
            .await
            .contains(&text(&rotated, "kid").to_owned())
    );
    assert_eq!(signs().await, text(&revoked, "kid"));
    let told = refused(&demo.data(), &["provider", "revoke-key", &first]);
    assert!(told.contains("jwks.json"), "{told}");
}

#[tokio::test]
async fn each_authentication_that_ends_is_counted_and_logged_and_names_nobody() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let mut ended = Vec::new();
    let card = async || CardRequest::of(&provider.create("physical", json!({})).await.1);
    let completed = card().await;
    let (_, submitted) = provider.submit(&completed, "card-p384").await;
    let completion = provider.completion("card-p384", &submitted).await;
    for _ in 0..2 {
        provider.complete(&completed, &completion).await;
    }
    ended.push((completed.id, "physical", "completed", "none"));

    let failed = card().await;
    let (_, submitted) = provider.submit(&failed, "card-p384").await;
    let mut other = provider.signed("card-p384", b"something else").await;
    other["operationToken"] = submitted["operationToken"].clone();
    provider.complete(&failed, &other).await;
    ended.push((failed.id, "physical", "failed", "bad_signature"));

    let cancelled = card().await;
    let path = format!("/v1/auth/requests/{}", cancelled.id);
    send(provider.by_key(Method::DELETE, &path)).await;
    ended.push((cancelled.id, "physical", "cancelled", "none"));

    let members = json!({"personalCode": "30403039917"});
    let (_, refused) = provider.create("smart_id", members).await;
    let refused = text(&refused, "requestId").to_owned();
    provider.ended(&refused).await;
    ended.push((refused, "smart_id", "failed", "user_refused"));

    let expired = card().await;
    provider.submit(&expired, "card-revoked").await;
    demo.move_clock("+5m");
    ended.push((expired.id.clone(), "physical", "expired", "none"));

    let mut metrics = demo.metrics().await;
    for _ in 0..1000 {
        if metrics.sum(ENDED, &[("outcome", "expired")]) > 0.0 {
            break;
        }
        metrics = demo.metrics().await;
    }
    let log = demo.log();
    for (id, method, outcome, reason) in &ended {
        let labels = [
            ("method", *method),
            ("outcome", outcome),
            ("reason", reason),
        ];
        assert!(
            (metrics.sum(ENDED, &labels) - 1.0).abs() < 0.1,
            "{labels:?}"
        );
        let lines = log.lines().filter(|line| line.contains(id.as_str()));
        let lines: Vec<_> = lines
            .filter(|line| line.contains("authentication ended"))
            .collect();
        let [line] = lines[..] else {
            panic!("{id} {outcome}: {lines:?}");
        };
        for part in [method, outcome, reason, &"milliseconds"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    let mut of_card = log.lines().filter(|line| line.contains(&expired.id));
    assert!(of_card.any(|line| line.contains("refused") && line.contains("revoked at")));
    metrics.assert_nobody_is_named(&demo, &[]);
    let page = demo.operator_page().await;
    assert!(page.contains(">Ready<"), "{page}");
    assert_nobody_is_named(&page, &demo, &[]);
}

#[tokio::test]
async fn where_a_service_failed_the_log_tells_which_where_and_how() {
    let demo = Demo::start();
    let provider = Provider::of(&demo);
    let control = WorldControl::of(&demo);
    control
        .spoil("smartId", json!({"fault": "status", "status": 502}))
        .await;
    let members = json!({"personalCode": "50001029996"});

    let (_, created) = provider.create("smart_id", members).await;
    let id = text(&created, "requestId");
    provider.ended(id).await;

    let log = demo.log();
    let mut lines = log.lines().filter(|line| line.contains(id));
    let told = lines.find(|line| line.contains("does not authenticate"));
    let told = told.expect("a line");
    for part in [
        "smart_id",
        "127.0.0.1",
        "502",
        "the fault is the provider's",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
