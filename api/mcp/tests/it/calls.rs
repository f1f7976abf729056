//! Calls of tools.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::asking::{Ask, LEGACY, calls, legacy, modern};
use crate::library::{LENT_SECONDS, MEMBER, VISITOR, WAITING, library, library_at};

/// Longer than any call takes.
const LONG: Duration = Duration::from_secs(20);
/// Calls of tools without a name.
const MALFORMED_CALLS: [&str; 5] = [
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":null}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#,
];

#[tokio::test]
async fn a_call_without_a_key_that_works_is_challenged() {
    for (key, challenge) in [
        (None, "Bearer realm=\"mcp\""),
        (
            Some("Bearer gone"),
            "Bearer realm=\"mcp\", error=\"invalid_token\"",
        ),
        (
            Some("Basic eDp5"),
            "Bearer realm=\"mcp\", error=\"invalid_token\"",
        ),
    ] {
        for call in calls("look_up", "Altorių šešėly") {
            let call = match key {
                Some(key) => call.by(key),
                None => call,
            };
            let answer = call.to(&library()).await;
            assert_eq!(answer.status, 401);
            assert_eq!(answer.headers["www-authenticate"], challenge);
            assert_eq!(answer.problem(), "unauthorized");
            assert_eq!(answer.json()["error"]["data"]["status"], 401);
            assert!(answer.json()["id"] == 7 || answer.json()["id"] == "a");
        }
    }
}

#[tokio::test]
async fn whoever_has_no_key_is_not_told_what_is_wrong_with_a_call() {
    for body in MALFORMED_CALLS {
        let keyless = Ask::of(body).with("mcp-protocol-version", LEGACY);
        let answer = keyless.to(&library()).await;
        assert_eq!(answer.status, 401, "{body} {answer:?}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer realm=\"mcp\"");

        let known = Ask::of(body).with("mcp-protocol-version", LEGACY);
        let answer = known.by(VISITOR).to(&library()).await;
        assert_eq!((answer.status, answer.code()), (200, -32602), "{body}");
        assert_eq!(answer.json()["id"], 7);
    }
    let keyless = modern("tools/call", json!({}));
    assert_eq!(keyless.to(&library()).await.status, 401);
    let known = modern("tools/call", json!({})).with("mcp-name", "look_up");
    let answer = known.by(VISITOR).to(&library()).await;
    assert_eq!((answer.status, answer.code()), (200, -32602));
}

#[tokio::test]
async fn a_call_is_carried_out_for_whose_key_it_is() {
    for (call, key) in calls("look_up", "Altorių šešėly")
        .into_iter()
        .zip([MEMBER, VISITOR])
    {
        let answer = call.by(key).to(&library()).await;
        assert_eq!(answer.status, 200);
        let result = &answer.json()["result"];
        let by = key.trim_start_matches("Bearer ");
        let expected = json!({"title": "Altorių šešėly", "tool": "look_up", "by": by});
        assert_eq!(result["structuredContent"], expected);
        assert_eq!(result["isError"], false);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["content"][0]["type"], "text");
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn results_say_that_they_are_complete_to_those_who_know_other_ones() {
    let [legacy, modern] = calls("look_up", "Dievų miškas");
    let legacy = legacy.by(MEMBER).to(&library()).await.json();
    assert_eq!(legacy["result"].get("resultType"), None);
    let modern = modern.by(MEMBER).to(&library()).await.json();
    assert_eq!(modern["result"]["resultType"], "complete");
}

#[tokio::test]
async fn whoever_may_only_read_calls_no_tool_that_does_more() {
    for call in calls("order", "Dievų miškas") {
        let answer = call.by(VISITOR).to(&library()).await;
        assert_eq!(
            (answer.status, answer.problem().as_str()),
            (403, "forbidden")
        );
        assert_eq!(
            answer.headers["www-authenticate"],
            "Bearer realm=\"mcp\", error=\"insufficient_scope\""
        );
    }
    for call in calls("order", "Dievų miškas") {
        let answer = call.by(MEMBER).to(&library()).await;
        assert_eq!(
            answer.json()["result"]["structuredContent"]["tool"],
            "order"
        );
    }
}

#[tokio::test]
async fn what_the_product_refuses_is_a_result_with_the_problem_document() {
    for call in calls("look_up", "lost") {
        let answer = call.by(MEMBER).to(&library()).await;
        assert_eq!(answer.status, 200);
        let result = &answer.json()["result"];
        assert_eq!(result["isError"], true);
        let problem = &result["structuredContent"];
        assert_eq!(
            problem["type"],
            "https://library.example/problems/not-found"
        );
        assert_eq!(problem["status"], 404);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), problem);
        assert_eq!(result["_meta"].get("retryAfter"), None);
    }
}

#[tokio::test]
async fn a_refusal_says_how_long_to_wait() {
    for call in calls("look_up", "lent") {
        let answer = call.by(MEMBER).to(&library()).await;
        let result = &answer.json()["result"];
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["status"], 429);
        assert_eq!(result["_meta"]["retryAfter"], LENT_SECONDS);
        let advice = result["content"][1]["text"].as_str().unwrap();
        assert!(advice.contains("40 s"), "{advice}");
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server["name"], "library");
    }
}

#[tokio::test]
async fn a_tool_that_is_none_is_a_fault_of_the_call() {
    for key in [MEMBER, VISITOR] {
        for call in calls("burn", "Dievų miškas") {
            let answer = call.by(key).to(&library()).await;
            assert_eq!((answer.status, answer.code()), (200, -32602));
            assert_eq!(answer.problem(), "not-found");
        }
    }
    for call in [
        legacy("tools/call", &json!({"arguments": {}})),
        modern("tools/call", json!({"arguments": {}})).with("mcp-name", "look_up"),
        legacy("tools/call", &json!({"name": "look_up", "arguments": []})),
    ] {
        let answer = call.by(MEMBER).to(&library()).await;
        assert!(answer.json().get("error").is_some(), "{answer:?}");
        assert!((200..500).contains(&answer.status), "{answer:?}");
    }
}

#[tokio::test]
async fn a_tool_that_breaks_down_costs_one_answer() {
    let library = library();
    for call in calls("look_up", "burning") {
        let answer = call.by(MEMBER).to(&library).await;
        let result = &answer.json()["result"];
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["status"], 503);
    }
    let [call, _] = calls("look_up", "Dievų miškas");
    assert_eq!(call.by(MEMBER).to(&library).await.status, 200);
}

#[tokio::test]
async fn each_key_has_rates_of_its_own() {
    let library = library_at(1);
    let call = |key| {
        let [call, _] = calls("look_up", "Dievų miškas");
        call.by(key).from("192.0.2.1:80")
    };
    let answer = call(MEMBER).to(&library).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["ratelimit-policy"], "\"reads\";q=1;w=60");
    let refused = call(MEMBER).to(&library).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (429, "rate-limited")
    );
    let wait = refused.headers["retry-after"].to_str().unwrap();
    let told = refused.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(told.contains(&format!("{wait} s")), "{told}");
    assert_eq!(call(VISITOR).to(&library).await.status, 200);
}

#[tokio::test]
async fn whoever_tries_many_keys_is_told_to_wait() {
    let library = library_at(2);
    let mut told = Vec::new();
    for key in ["Bearer 1", "Bearer 2", "Bearer 3"] {
        let [call, _] = calls("look_up", "Dievų miškas");
        let answer = call.by(key).from("192.0.2.1:80").to(&library).await;
        told.push(answer.status);
    }
    assert_eq!(told, [401, 401, 429]);
}

#[tokio::test]
async fn a_call_ends_when_its_caller_hangs_up() {
    for call in calls("look_up", "reserved") {
        let library = library();
        let call = call.by(MEMBER);
        let begun = async {
            while !WAITING.load(Ordering::SeqCst) {
                yield_now().await;
            }
        };
        tokio::select! {
            answer = call.to(&library) => panic!("{answer:?}"),
            () = begun => {}
        }

        let ended = async {
            while WAITING.load(Ordering::SeqCst) {
                yield_now().await;
            }
        };
        timeout(LONG, ended).await.expect("it is dropped");
    }
}
