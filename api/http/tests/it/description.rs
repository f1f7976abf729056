//! Description of the API.

use serde_json::Value;

use crate::answers::{ask, get};
use crate::openapi::assert_sound;
use crate::tiny::service;

#[tokio::test]
async fn its_description_is_sound() {
    let document = ask(&service(), get("/auth/openapi.json")).await.1;
    assert_sound(&document);
}

#[tokio::test]
async fn its_refusals_are_described_in_their_own_format() {
    let document = ask(&service(), get("/auth/openapi.json")).await.1;
    let responses = &document["paths"]["/v1/auth/requests"]["post"]["responses"];
    let content = responses["401"]["content"].as_object().unwrap();
    let media_types: Vec<_> = content.keys().collect();
    assert_eq!(media_types, ["application/json"]);
    let schema = &document["components"]["schemas"]["RefusalError"]["required"];
    assert_eq!(
        schema,
        &serde_json::json!(["code", "message", "requestId", "retryable"])
    );
}

#[tokio::test]
async fn what_is_created_has_an_address_and_links() {
    let document = ask(&service(), get("/auth/openapi.json")).await.1;
    let created = &document["paths"]["/v1/auth/requests"]["post"]["responses"]["201"];
    assert!(created["headers"]["Location"].is_object());
    let links: Vec<_> = created["links"].as_object().unwrap().keys().collect();
    assert_eq!(links, ["readAuthentication", "completeAuthentication"]);
}

#[tokio::test]
async fn requests_are_strict_and_answers_open() {
    let document = ask(&service(), get("/auth/openapi.json")).await.1;
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["CompletionRequest"]["additionalProperties"], false);
    assert_eq!(
        schemas["Authentication"].get("additionalProperties"),
        None::<&Value>
    );
}
