//! Answers to callers.

use std::sync::mpsc;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tower::ServiceExt;

use crate::tiny::service;

/// `key:key`.
const CREDENTIALS: &str = "Basic a2V5OmtleQ==";

pub(crate) fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header("authorization", CREDENTIALS);
    request.body(Body::empty()).unwrap()
}

fn post(path: &str, body: &Value) -> Request<Body> {
    Request::post(path)
        .header("authorization", CREDENTIALS)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

fn creation(key: &'static str) -> Request<Body> {
    let mut request = post(
        "/v1/auth/requests",
        &json!({"audience": "https://shop.example"}),
    );
    let key = http::HeaderValue::from_static(key);
    request.headers_mut().insert("idempotency-key", key);
    request
}

/// Status, JSON, and headers of an answer.
pub(crate) async fn ask(service: &Router, request: Request<Body>) -> (u16, Value, HeaderMap) {
    let (parts, body) = service.clone().oneshot(request).await.unwrap().into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    (
        parts.status.as_u16(),
        serde_json::from_slice(&body).unwrap(),
        parts.headers,
    )
}

#[tokio::test]
async fn a_refusal_is_the_envelope_with_the_id_of_its_request() {
    let mut request = get("/v1/auth/requests/0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f");
    let id = "0190b5a8-7c3e-7d7b-8f6e-000000000001";
    let value = http::HeaderValue::from_static(id);
    request.headers_mut().insert("x-request-id", value);

    let (status, refusal, headers) = ask(&service(), request).await;

    assert_eq!(status, 404);
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(
        refusal,
        json!({"error": {
            "code": "not-found",
            "message": "These credentials have no record with requestId 0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f.",
            "requestId": id,
            "retryable": false,
        }})
    );
}

#[test]
fn a_short_body_waits_for_no_other_thread() {
    let mut runtime = Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build();
    let runtime = runtime.unwrap();
    let (end, ended) = mpsc::channel::<()>();
    let busy = runtime.spawn_blocking(move || ended.recv());

    runtime.block_on(async {
        let service = service();
        let creation = post(
            "/v1/auth/requests",
            &json!({"audience": "https://shop.example"}),
        );
        let others_have_their_turns = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            (status, _, _) = ask(&service, creation) => assert_eq!(status, 201),
            () = others_have_their_turns => panic!("it waits for a thread that is busy"),
        }
    });

    drop(end);
    assert!(runtime.block_on(busy).unwrap().is_err());
}

#[tokio::test]
async fn a_path_that_no_api_has_is_told_to_a_key_of_any_of_them() {
    let service = service();
    let of_neighbour = |path: &str| {
        let mut request = get(path);
        // `neighbour:key`.
        let credentials = http::HeaderValue::from_static("Basic bmVpZ2hib3VyOmtleQ==");
        request.headers_mut().insert("authorization", credentials);
        request
    };
    for (path, expected) in [
        ("/v1/auth/nothing", 404),
        (
            "/v1/auth/requests/0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f/no",
            404,
        ),
        (
            "/v1/auth/requests/0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f",
            401,
        ),
    ] {
        let (status, _, _) = ask(&service, of_neighbour(path)).await;
        assert_eq!(status, expected, "{path}");
    }
    let mut nobodys = get("/v1/auth/nothing");
    nobodys.headers_mut().remove("authorization");
    let (status, _, _) = ask(&service, nobodys).await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn faults_and_limits_speak_in_the_envelope_too() {
    let service = service();
    let faulty = post(
        "/v1/auth/requests",
        &json!({"audience": "shop", "method": "sms"}),
    );
    let (status, refusal, _) = ask(&service, faulty).await;
    assert_eq!(
        (status, &refusal["error"]["code"]),
        (400, &json!("validation-failed"))
    );

    let mut foreign = get("/v1/auth/requests");
    foreign.headers_mut().remove("authorization");
    let (status, refusal, headers) = ask(&service, foreign).await;
    assert_eq!(
        (status, &refusal["error"]["code"]),
        (401, &json!("unauthorized"))
    );
    assert_eq!(headers["www-authenticate"], r#"Basic realm="parafa""#);

    let (status, refusal, headers) = ask(&service, get("/v1/auth/requests")).await;
    assert_eq!(
        (status, &refusal["error"]["code"]),
        (405, &json!("method-not-allowed"))
    );
    assert_eq!(headers["allow"], "POST");
}

#[tokio::test]
async fn faults_of_path_headers_query_and_body_are_told_at_once() {
    let mut request = post(
        "/v1/auth/countries/lt/requests?dry=1",
        &json!({"audience": "shop"}),
    );
    let key = http::HeaderValue::from_static("");
    request.headers_mut().insert("idempotency-key", key);

    let (status, refusal, _) = ask(&service(), request).await;

    assert_eq!(status, 400, "{refusal}");
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("4 faults"), "{message}");
}

#[tokio::test]
async fn a_fault_of_the_path_alone_refuses_a_request_whose_body_is_sound() {
    let body = json!({"audience": "https://shop.example"});
    let sound = post("/v1/auth/countries/LT/requests", &body);
    assert_eq!(ask(&service(), sound).await.0, 201);

    let faulty = post("/v1/auth/countries/lt/requests", &body);
    let (status, refusal, _) = ask(&service(), faulty).await;

    assert_eq!(status, 400, "{refusal}");
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("/country"), "{message}");
}

#[tokio::test]
async fn what_was_created_is_read_and_completed() {
    let service = service();
    let created = ask(&service, creation("one")).await.1;
    let path = format!(
        "/v1/auth/requests/{}",
        created["requestId"].as_str().unwrap()
    );
    assert_eq!(ask(&service, get(&path)).await.1["done"], false);

    let completion = format!("{path}/complete");
    let (status, refusal, _) =
        ask(&service, post(&completion, &json!({"signature": "AAAA"}))).await;
    assert_eq!(
        (status, &refusal["error"]["code"]),
        (422, &json!("bad-signature"))
    );
    let signature = json!({"signature": "c2lnbmVk"});
    assert_eq!(ask(&service, post(&completion, &signature)).await.0, 200);

    assert_eq!(ask(&service, get(&path)).await.1["done"], true);
}
