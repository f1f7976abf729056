//! The `Idempotency-Key` header.

use std::sync::Arc;

use axum::body::Body;
use http::Request;
use parafa_api_signing::ProblemKind;
use serde_json::{Value, json};

use crate::fake::{ENDLESS, UNPAID};
use crate::support::{
    Answer, BATCH, DELIVERY, FILE, KNOWN, Service, base64, minimal, request, with,
};

fn keyed(path: &str, caller: &str, key: &str, body: &Value) -> Request<Body> {
    request("POST", path, caller)
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .body(body.to_string().into())
        .unwrap()
}

async fn post(service: &Service, path: &str, key: &str, body: &Value) -> Answer {
    service.send(keyed(path, "owner", key, body)).await
}

/// Path, body, and URL of the created record.
fn creations() -> Vec<(String, Value, Option<String>)> {
    let document = json!({"name": "a.pdf", "content": base64(b"%PDF-1.7")});
    let batch = json!({
        "title": "Sutartys",
        "documents": [document],
        "signers": [{"email": "jonas@example.lt"}],
    });
    let signing = format!("/v1/signings/{KNOWN}");
    let address = |path: String| Some(format!("https://sign.example{path}"));
    vec![
        (
            "/v1/signings".to_owned(),
            minimal(),
            address(signing.clone()),
        ),
        (
            format!("{signing}/signers"),
            json!({"email": "ona@example.lt"}),
            None,
        ),
        (
            "/v1/batches".to_owned(),
            batch,
            address(format!("/v1/batches/{BATCH}")),
        ),
        (
            "/v1/files".to_owned(),
            document,
            address(format!("/v1/files/{FILE}")),
        ),
        (
            format!("{signing}/comments"),
            json!({"body": "Laukiame."}),
            None,
        ),
        (
            "/v1/deliveries".to_owned(),
            json!({"webhookUrl": "https://caller.example/hooks"}),
            address(format!("/v1/deliveries/{DELIVERY}")),
        ),
        (format!("/v1/deliveries/{DELIVERY}/resend"), json!({}), None),
    ]
}

#[tokio::test]
async fn a_repetition_gets_the_same_answer_and_creates_nothing() {
    let service = Service::new();
    for (path, body, address) in creations() {
        let first = post(&service, &path, "k-1", &body).await;
        let again = post(&service, &path, "k-1", &body).await;
        assert!(matches!(first.status.as_u16(), 201 | 202), "{path}");
        assert_eq!(first.status, again.status, "{path}");
        assert_eq!(first.body, again.body, "{path}");
        assert_eq!(first.header("idempotent-replayed"), "", "{path}");
        assert_eq!(again.header("idempotent-replayed"), "true", "{path}");
        for answer in [first, again] {
            assert_eq!(
                answer.header("location"),
                address.clone().unwrap_or_default()
            );
            assert_eq!(answer.header("content-type"), "application/json");
        }
    }
    let fake = &service.fake;
    assert_eq!(fake.created.lock().unwrap().len(), 1);
    assert_eq!(fake.signers.lock().unwrap().len(), 1);
    assert_eq!(fake.batches.lock().unwrap().len(), 1);
    assert_eq!(fake.files.lock().unwrap().len(), 1);
    assert_eq!(fake.comments.lock().unwrap().len(), 1);
    assert_eq!(fake.tests.lock().unwrap().len(), 1);
    assert_eq!(*fake.plain_calls.lock().unwrap(), ["resend_delivery"]);
}

#[tokio::test]
async fn another_body_under_the_same_key_is_refused() {
    let service = Service::new();
    for (path, body, _) in creations() {
        post(&service, &path, "k-1", &body).await;
        let text = format!(" {body}");
        let other = request("POST", &path, "owner")
            .header("content-type", "application/json")
            .header("idempotency-key", "k-1")
            .body(text.into())
            .unwrap();
        assert_eq!(
            service.send(other).await.problem(),
            ProblemKind::IdempotencyKeyReused,
            "{path}"
        );
    }
}

#[tokio::test]
async fn keys_paths_and_callers_are_told_apart() {
    let service = Service::new();
    let body = json!({"body": "Laukiame."});
    let comments = format!("/v1/signings/{KNOWN}/comments");
    for (caller, key) in [("owner", "k-1"), ("owner", "k-2"), ("member", "k-1")] {
        let answer = service.send(keyed(&comments, caller, key, &body)).await;
        assert_eq!(answer.header("idempotent-replayed"), "", "{caller} {key}");
    }
    let other_path = post(&service, "/v1/signings", "k-1", &minimal()).await;
    assert_eq!(other_path.header("idempotent-replayed"), "");
}

#[tokio::test]
async fn an_id_in_another_spelling_is_the_same_path() {
    let service = Service::new();
    let body = json!({"body": "Laukiame."});
    post(
        &service,
        &format!("/v1/signings/{KNOWN}/comments"),
        "k-1",
        &body,
    )
    .await;
    let path = format!("/v1/signings/{}/comments", KNOWN.to_uppercase());
    let again = post(&service, &path, "k-1", &body).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
}

#[tokio::test]
async fn a_refusal_frees_the_key() {
    let service = Service::new();
    let unpaid = with("/title", json!(UNPAID));
    for _ in 0..2 {
        let answer = post(&service, "/v1/signings", "k-1", &unpaid).await;
        assert_eq!(answer.problem(), ProblemKind::PaymentRequired);
    }
    assert_eq!(
        post(&service, "/v1/signings", "k-1", &minimal())
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_caller_who_goes_away_frees_the_key_at_once() {
    let service = Service::new();
    let endless = with("/title", json!(ENDLESS));
    let claims = || service.fake.answers.lock().unwrap().len();
    let gone = async {
        while claims() == 0 {
            tokio::task::yield_now().await;
        }
    };

    tokio::select! {
        _ = post(&service, "/v1/signings", "k-1", &endless) => panic!("it is endless"),
        () = gone => {}
    }

    while claims() > 0 {
        tokio::task::yield_now().await;
    }
    let again = post(&service, "/v1/signings", "k-1", &minimal()).await;
    assert_eq!(again.status, 201);
}

#[tokio::test]
async fn a_request_that_is_not_valid_does_not_use_the_key() {
    let service = Service::new();
    let answer = post(&service, "/v1/signings", "k-1", &json!({})).await;
    assert_eq!(answer.problem(), ProblemKind::ValidationFailed);
    assert!(service.fake.answers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_repetition_of_one_that_still_runs_may_come_later() {
    let service = Service::new();
    let body = minimal();
    post(&service, "/v1/signings", "k-1", &body).await;
    let fake = Arc::clone(&service.fake);
    for (_, answer) in fake.answers.lock().unwrap().values_mut() {
        *answer = None;
    }
    let answer = post(&service, "/v1/signings", "k-1", &body).await;
    assert_eq!(answer.problem(), ProblemKind::IdempotencyInProgress);
    assert_eq!(answer.header("retry-after"), "3");
}

#[tokio::test]
async fn a_key_that_is_none_is_a_fault() {
    let service = Service::new();
    for key in ["", "two words", &"k".repeat(256)] {
        let answer = post(&service, "/v1/signings?x=1", key, &json!({"body": 1})).await;
        let pointers: Vec<_> = answer.faults().into_iter().map(|(at, _)| at).collect();
        assert_eq!(
            pointers,
            ["", "/x", "/body", "/document", "/title", "/signers"],
            "{key:?}"
        );
    }
    let twice = request("POST", "/v1/signings", "owner")
        .header("content-type", "application/json")
        .header("idempotency-key", "k-1")
        .header("idempotency-key", "k-1")
        .body(minimal().to_string().into())
        .unwrap();
    assert_eq!(
        service.send(twice).await.problem(),
        ProblemKind::ValidationFailed
    );
    assert!(service.fake.created.lock().unwrap().is_empty());
}

#[tokio::test]
async fn calls_that_create_nothing_take_no_notice_of_a_key() {
    let service = Service::new();
    let cancel = format!("/v1/signings/{KNOWN}/cancel");
    for body in [json!({}), json!({})] {
        let answer = post(&service, &cancel, "k-1", &body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("idempotent-replayed")),
            (200, "")
        );
    }
    assert_eq!(service.fake.plain_calls.lock().unwrap().len(), 2);
}
