//! Rate limits of tool calls, shared with those of the APIs.

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::call;
use crate::support::demo::Demo;

fn company() -> Value {
    json!({"name": "lookup_company", "arguments": {"entityCode": "999000009"}})
}

/// Calls the HTTP API at a path; returns the status.
async fn get(demo: &Demo, path: &str, key: &str) -> StatusCode {
    let client = Client::builder().no_proxy().build().expect("a client");
    let address = demo.world.base_url.join(path).expect("an address");
    let answer = client.get(address).bearer_auth(key).send().await;
    answer.expect("an answer").status()
}

#[tokio::test]
async fn a_call_counts_once_and_together_with_those_of_the_api() {
    let limit = ("PARAFA_LIMITS__READS_PER_MINUTE", "4".to_owned());
    let demo = Demo::start_with(&[limit]);
    let key = &demo.world.diligence.test;
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str())];
    for left in ["r=3", "r=2"] {
        let answer = call(&demo, company(), &headers).await;
        let rate = answer.headers()["ratelimit"].to_str().expect("ASCII");
        assert!(rate.contains(left), "{rate}");
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    for _ in 0..2 {
        let status = get(&demo, "v1/entities/999000009", key).await;
        assert_eq!(status, StatusCode::OK);
    }
    let status = get(&demo, "v1/entities/999000009", key).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    let refused = call(&demo, company(), &headers).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait = refused.headers()["retry-after"].to_str().expect("ASCII");
    let wait = format!("{wait} s");
    let refused: Value = refused.json().await.expect("JSON");
    let detail = &refused["error"]["data"]["detail"];
    let detail = detail.as_str().expect("a sentence");
    assert!(detail.contains(&wait), "{detail}");
}

#[tokio::test]
async fn a_stranger_has_one_allowance_for_agents_and_every_api() {
    let limit = ("PARAFA_LIMITS__WRITES_PER_MINUTE", "4".to_owned());
    let demo = Demo::start_with(&[limit]);
    let headers = [("authorization", "Bearer ddk_test_none")];
    let status = call(&demo, company(), &headers).await.status();
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let paths = ["v1/entities/999000009", "v1/signings", "v1/auth/requests/x"];
    for path in paths {
        let status = get(&demo, path, "none").await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
    }

    for path in paths {
        let status = get(&demo, path, "none").await;
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{path}");
    }
    let status = call(&demo, company(), &headers).await.status();
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn an_order_that_is_made_twice_under_one_key_is_one_order() {
    let demo = Demo::start();
    let bearer = format!("Bearer {}", demo.world.diligence.test);
    let headers = [
        ("authorization", bearer.as_str()),
        ("idempotency-key", "order-1"),
        ("x-request-id", "agents-4711"),
    ];
    let order = json!({"entityCode": "999000009", "subjectRole": "manager", "purpose": "OTHER"});
    let params = json!({"name": "create_kyc_package", "arguments": order});
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = call(&demo, params.clone(), &headers).await;
        assert_eq!(answer.headers()["x-request-id"], "agents-4711");
        let answer: Value = answer.json().await.expect("JSON");
        let id = answer["result"]["structuredContent"]["orderId"].clone();
        assert!(id.is_string(), "{answer}");
        ids.push(id);
    }
    assert_eq!(ids[0], ids[1]);

    let other = json!({"entityCode": "999000017", "subjectRole": "manager", "purpose": "OTHER"});
    let params = json!({"name": "create_kyc_package", "arguments": other});
    let answer: Value = call(&demo, params, &headers)
        .await
        .json()
        .await
        .expect("JSON");
    let refused = &answer["result"]["structuredContent"];
    assert_eq!(refused["status"], 422, "{answer}");
    let kind = refused["type"].as_str().expect("a type");
    assert!(kind.ends_with("/idempotency-key-reused"), "{kind}");
}
