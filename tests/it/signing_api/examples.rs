//! The examples of the description, sent as they stand.

use serde_json::Value;

use super::account::{Account, text};
use crate::support::demo::Demo;

/// What is created first, for others to work on.
const CREATION: &str = "/v1/signings";

#[tokio::test]
async fn every_example_of_a_request_is_accepted() {
    let demo = Demo::start();
    let api = Account::sandbox(&demo);
    let description = api.get("openapi.json").await.expect(200);
    let example = |operation: &Value| {
        let content = &operation["requestBody"]["content"]["application/json"];
        content.get("example").cloned()
    };
    let creation = example(&description["paths"][CREATION]["post"]).expect("an example");
    let mut sent = 0;

    for (path, item) in description["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let Some(example) = example(operation) else {
                continue;
            };
            let signing = api.create(creation.clone()).await;
            let path = path
                .replace("{signingId}", text(&signing, "signingId"))
                .replace("{signerId}", text(&signing["signers"][0], "signerId"));
            let answer = match method.as_str() {
                "post" => api.post(&path[1..], example).await,
                "patch" => api.patch(&path[1..], example).await,
                _ => panic!("{method} {path} has a body"),
            };
            assert!(
                (200..300).contains(&answer.status),
                "{method} {path}: {answer:?}"
            );
            sent += 1;
        }
    }

    assert_eq!(sent, 9);
}
