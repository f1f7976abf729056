//! Calls for data, and the documentation of the API.

use http::header::ALLOW;
use http::{Method, StatusCode};
use http_body_util::BodyExt;

use crate::openapi::assert_sound;
use crate::orders::Product;
use crate::reference_pages::assert_readable;

const CALLS: [&str; 8] = [
    "/v1/entities/999000009",
    "/v1/entities/999000009/participants",
    "/v1/entities/999000009/ubo?purpose=OTHER",
    "/v1/entities/999000009/real-estate",
    "/v1/real-estate/4400-9990-0001",
    "/v1/entities/999000009/seizures",
    "/v1/entities/999000009/cases",
    "/v1/entities/999000009/dd-report?purpose=OTHER",
];

#[tokio::test]
async fn whoever_asks_for_the_head_of_data_alone_has_no_register_asked() {
    let answers = Product::default();
    for call in CALLS {
        let refused = answers.send(Method::HEAD, call).await;
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED, "{call}");
        assert_eq!(refused.headers()[ALLOW], "GET", "{call}");
    }
    assert_eq!(answers.count(), 0);

    for call in CALLS {
        let answered = answers.send(Method::GET, call).await;
        assert_eq!(answered.status(), StatusCode::OK, "{call}");
    }
    assert_eq!(answers.count(), CALLS.len());
}

#[tokio::test]
async fn an_interpretation_is_asked_for_by_one_digit() {
    let answers = Product::default();
    for (value, expected) in [
        ("0", StatusCode::OK),
        ("1", StatusCode::OK),
        ("00", StatusCode::BAD_REQUEST),
        ("01", StatusCode::BAD_REQUEST),
        ("2", StatusCode::BAD_REQUEST),
        ("", StatusCode::BAD_REQUEST),
    ] {
        let call = format!("{}?interpret={value}", CALLS[0]);
        let answered = answers.send(Method::GET, &call).await;
        assert_eq!(answered.status(), expected, "{call}");
    }
}

#[tokio::test]
async fn what_cannot_be_done_with_data_is_told_without_head() {
    let answers = Product::default();
    let refused = answers.send(Method::PUT, CALLS[0]).await;
    assert_eq!(refused.headers()[ALLOW], "GET");

    let order = "/v1/kyc-packages/0192f7a0-6b1c-7c3e-9a4d-2f5b8e1c7d90";
    let head = answers.send(Method::HEAD, order).await;
    assert_eq!(head.status(), StatusCode::NOT_FOUND, "it is read, as ever");
}

#[tokio::test]
async fn tools_and_generators_of_clients_can_work_with_the_description() {
    let answer = Product::default()
        .send(Method::GET, "/dd/openapi.json")
        .await;
    let text = answer.into_body().collect().await.unwrap().to_bytes();
    let document = serde_json::from_slice(&text).expect("JSON");
    assert_sound(&document);
}

#[tokio::test]
async fn every_call_and_schema_can_be_read_on_a_phone() {
    assert_readable(&Product::default().service(), "/dd").await;
}

/// Every change of the description is visible in the file's diff. `INSTA_UPDATE=always cargo test
/// -p parafa-api-diligence` updates it.
#[tokio::test]
async fn the_description_is_the_one_that_callers_know() {
    let answer = Product::default()
        .send(Method::GET, "/dd/openapi.yaml")
        .await;
    let text = answer.into_body().collect().await.unwrap().to_bytes();
    insta::assert_snapshot!(
        "openapi",
        std::str::from_utf8(&text).expect("YAML is a text")
    );
}
