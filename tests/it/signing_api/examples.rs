//! Examples of the API description: requests are sent unchanged, and answers
//! must match the examples.

use serde_json::{Value, json};

use super::account::{Account, text};
use crate::support::demo::Demo;

/// Creation call, sent first because other calls need its result.
const CREATION: &str = "/v1/signings";
/// Call without a body whose answer has an example of its own.
const CANCEL: &str = "/v1/signings/{signingId}/cancel";
/// Members whose values must be those of the example; others differ.
const SHOWN: [&str; 14] = [
    "status",
    "title",
    "externalId",
    "delivery",
    "signingOrder",
    "email",
    "name",
    "language",
    "role",
    "methodsAllowed",
    "declineReason",
    "body",
    "author",
    "authorLabel",
];

#[tokio::test]
async fn every_example_of_a_request_is_answered_as_the_example_of_its_answer() {
    let demo = Demo::start();
    let api = Account::sandbox(&demo);
    let description = api.get("openapi.json").await.expect(200);
    let example_of = |body: &Value| body["content"]["application/json"].get("example").cloned();
    let creation = &description["paths"][CREATION]["post"]["requestBody"];
    let creation = example_of(creation).expect("an example");
    let mut sent = 0;

    for (path, item) in description["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let example = example_of(&operation["requestBody"]);
            let Some(example) = example.or((path == CANCEL && method == "post").then(|| json!({})))
            else {
                continue;
            };
            let signing = api.create(creation.clone()).await;
            let address = path
                .replace("{signingId}", text(&signing, "signingId"))
                .replace("{signerId}", text(&signing["signers"][0], "signerId"));
            let answer = match method.as_str() {
                "post" => api.post(&address[1..], example).await,
                "patch" => api.patch(&address[1..], example).await,
                _ => panic!("{method} {path} has a body"),
            };
            assert!(
                (200..300).contains(&answer.status),
                "{method} {path}: {answer:?}"
            );
            let shown = example_of(&operation["responses"][answer.status.to_string()]);
            let shown = shown.unwrap_or_else(|| panic!("{method} {path}: no example"));
            let status = answer.status;
            assert_like(&shown, &answer.expect(status), &format!("{method} {path}"));
            sent += 1;
        }
    }

    assert_eq!(sent, 11);
}

/// Asserts that an answer has the members of the example, null in the same
/// places, and the same values where required.
#[track_caller]
fn assert_like(shown: &Value, answered: &Value, place: &str) {
    match (shown, answered) {
        (Value::Object(shown), Value::Object(answered)) => {
            let names = |members: &serde_json::Map<String, Value>| {
                let mut names: Vec<_> = members.keys().cloned().collect();
                names.sort();
                names
            };
            assert_eq!(names(shown), names(answered), "{place}");
            for (name, shown) in shown {
                let place = format!("{place}/{name}");
                let answered = &answered[name];
                if SHOWN.contains(&name.as_str()) {
                    assert_eq!(shown, answered, "{place}");
                }
                assert_like(shown, answered, &place);
            }
        }
        (Value::Array(shown), Value::Array(answered)) => {
            assert_eq!(shown.len(), answered.len(), "{place}");
            for (index, (shown, answered)) in shown.iter().zip(answered).enumerate() {
                assert_like(shown, answered, &format!("{place}/{index}"));
            }
        }
        _ => assert_eq!(shown.is_null(), answered.is_null(), "{place}: {answered}"),
    }
}
