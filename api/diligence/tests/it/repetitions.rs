//! The `Idempotency-Key` of calls for data.

use axum::body::Body;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt;
use parafa_api_diligence::ASICE;

use crate::fake::container;
use crate::orders::Product;

const CONTAINER: &str = "/v1/entities/999000009?format=asice";

async fn ask(answers: &Product, path: &str, keys: &[&'static str]) -> Response<Body> {
    let mut headers = HeaderMap::new();
    for key in keys {
        headers.append("idempotency-key", HeaderValue::from_static(key));
    }
    answers.send_with(Method::GET, path, headers).await
}

#[tokio::test]
async fn a_repetition_gets_the_answer_that_was_charged_for_as_it_was() {
    let answers = Product::default();

    let again = ask(&answers, CONTAINER, &["answered"]).await;

    assert_eq!(answers.count(), 0, "no register is asked");
    assert_eq!(again.status(), StatusCode::OK);
    assert_eq!(again.headers()["idempotent-replayed"], "true");
    assert_eq!(again.headers()[CONTENT_TYPE], ASICE);
    let name = again.headers()[CONTENT_DISPOSITION].to_str().unwrap();
    assert!(name.contains("999000009.asice"), "{name}");
    let bytes = again.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(bytes, container().content);
}

#[tokio::test]
async fn the_first_call_of_a_key_is_carried_out_and_no_other_one_is() {
    let answers = Product::default();

    let first = ask(&answers, CONTAINER, &["new"]).await;
    let running = ask(&answers, CONTAINER, &["running"]).await;
    let reused = ask(&answers, CONTAINER, &["reused"]).await;
    let malformed = ask(&answers, CONTAINER, &["one", "two"]).await;

    assert_eq!(first.status(), StatusCode::OK);
    assert!(!first.headers().contains_key("idempotent-replayed"));
    assert_eq!(running.status(), StatusCode::CONFLICT);
    assert_eq!(running.headers()[RETRY_AFTER], "5");
    assert_eq!(reused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(malformed.status(), StatusCode::BAD_REQUEST);
    assert_eq!(answers.count(), 1);
}

#[tokio::test]
async fn a_call_is_known_by_its_path_and_its_query() {
    let answers = Product::default();
    for path in [
        CONTAINER,
        "/v1/entities/999000009",
        "/v1/real-estate/440099900001",
        "/v1/real-estate/4400-9990-0001",
    ] {
        ask(&answers, path, &["new"]).await;
    }

    let claimed = answers.claimed.lock().unwrap();
    let paths: Vec<_> = claimed.iter().map(|one| one.path.as_str()).collect();
    let object = "/v1/real-estate/4400-9990-0001";
    let entity = "/v1/entities/999000009";
    assert_eq!(paths, [entity, entity, object, object]);
    assert!(claimed.iter().all(|one| one.method == Method::GET));
    assert_ne!(claimed[0].body_sha256, claimed[1].body_sha256);
    assert_eq!(claimed[2].body_sha256, claimed[3].body_sha256);
}
