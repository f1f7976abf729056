use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::orders::{ORDER, service};

async fn post(path: &str, key: &str, body: &Value) -> Response<Body> {
    let request = Request::post(path)
        .header(AUTHORIZATION, format!("Bearer {key}"))
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    service().oneshot(request).await.unwrap()
}

async fn json(response: Response<Body>) -> Value {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

/// The pointers of all faults of a refused order.
async fn faults(body: &Value) -> Vec<String> {
    let response = post("/v1/kyc-packages", "live", body).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    let problem = json(response).await;
    let errors = problem["errors"].as_array().unwrap().iter();
    let mut pointers: Vec<_> = errors
        .map(|error| error["pointer"].as_str().unwrap().to_owned())
        .collect();
    pointers.sort();
    pointers
}

fn order() -> Value {
    json!({
        "entityCode": "999000009",
        "subjectRole": "manager",
        "purpose": "AML_KYC",
    })
}

#[tokio::test]
async fn an_order_is_accepted_and_not_yet_done() {
    let response = post("/v1/kyc-packages", "live", &order()).await;

    assert_eq!(response.status(), StatusCode::ACCEPTED);
    let location = response.headers()[LOCATION].to_str().unwrap().to_owned();
    assert_eq!(
        location,
        format!("https://dd.example/v1/kyc-packages/{ORDER}")
    );
    let order = json(response).await;
    assert_eq!(order["orderId"], ORDER.to_string());
    assert_eq!(order["status"], "awaiting_subject");
    assert_eq!(order["ceremonyUrl"], "https://dd.example/c/token");
    assert_eq!(order["delivery"], "link");
    for unknown in [
        "statusReason",
        "deliveredAt",
        "reverification",
        "price",
        "artifact",
    ] {
        assert!(order[unknown].is_null() && order.get(unknown).is_some());
    }
}

#[tokio::test]
async fn all_that_is_wrong_is_told_at_once() {
    let body = json!({
        "entityCode": "999000008",
        "subjectRole": "king",
        "delivery": "pigeon",
        "callbackUrl": "https://10.0.0.1/hook",
        "colour": "red",
    });

    let pointers = faults(&body).await;

    assert_eq!(
        pointers,
        [
            "/callbackUrl",
            "/colour",
            "/delivery",
            "/entityCode",
            "/purpose",
            "/subjectRole",
        ]
    );
}

#[tokio::test]
async fn an_address_is_given_exactly_when_the_link_is_mailed() {
    let mut missing = order();
    missing["delivery"] = json!("email");
    assert_eq!(faults(&missing).await, ["/subjectEmail"]);

    let mut needless = order();
    needless["subjectEmail"] = json!("ona@example.com");
    assert_eq!(faults(&needless).await, ["/subjectEmail"]);

    let mut mailed = missing;
    mailed["subjectEmail"] = json!("ona@example.com");
    let response = post("/v1/kyc-packages", "live", &mailed).await;
    assert_eq!(json(response).await["delivery"], "email");
}

#[tokio::test]
async fn outcomes_are_simulated_with_test_keys_alone() {
    let path = format!("/v1/kyc-packages/{ORDER}/simulate");
    let action = json!({"action": "complete"});

    let live = post(&path, "live", &action).await;
    assert_eq!(live.status(), StatusCode::FORBIDDEN);
    let problem = json(live).await;
    assert!(problem["type"].as_str().unwrap().ends_with("sandbox-only"));

    let test = post(&path, "test", &action).await;
    assert_eq!(test.status(), StatusCode::CONFLICT);
}

#[tokio::test]
async fn an_order_is_erased_by_its_address() {
    let path = format!("/v1/kyc-packages/{ORDER}");
    let request = Request::delete(path)
        .header(AUTHORIZATION, "Bearer live")
        .body(Body::empty());
    let response = service().oneshot(request.unwrap()).await.unwrap();

    assert_eq!(response.status(), StatusCode::OK);
    let erased = json!({"orderId": ORDER, "deleted": true, "changed": true});
    assert_eq!(json(response).await, erased);
}

#[tokio::test]
async fn the_description_is_the_one_that_was_agreed_on() {
    let request = Request::get("/dd/openapi.json").body(Body::empty());
    let response = service().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let description = json(response).await;

    let created = &description["paths"]["/v1/kyc-packages"]["post"]["responses"];
    assert!(created.get("202").is_some() && created.get("201").is_none());
    insta::assert_json_snapshot!(
        "kyc",
        json!({
            "paths": description["paths"],
            "webhooks": description["webhooks"],
            "schemas": description["components"]["schemas"],
        })
    );
}
