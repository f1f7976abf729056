//! Messages that follow the protocol, and others.

use serde_json::json;

use crate::asking::{Ask, LEGACY, MODERN, calls, legacy, modern};
use crate::library::{MEMBER, library};

const HEADERS_DIFFER: i64 = -32020;
const UNKNOWN_REVISION: i64 = -32022;
const INVALID_PARAMS: i64 = -32602;
const UNKNOWN_METHOD: i64 = -32601;

#[tokio::test]
async fn a_body_is_one_message_in_json() {
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    ] {
        let answer = Ask::of(body).to(&library()).await;
        assert_eq!((answer.status, answer.code()), (400, code), "{body}");
        assert_eq!(answer.problem(), "validation-failed");
    }
}

#[tokio::test]
async fn bodies_of_other_types_or_lengths_are_refused_before_they_are_read() {
    let other = legacy("ping", &json!({})).with("content-type", "text/plain");
    let answer = other.to(&library()).await;
    assert_eq!(
        (answer.status, answer.problem().as_str()),
        (415, "unsupported-media-type")
    );
    let long = legacy("ping", &json!({"pad": "x".repeat(256 * 1024)}));
    let answer = long.to(&library()).await;
    assert_eq!(
        (answer.status, answer.problem().as_str()),
        (413, "payload-too-large")
    );
}

#[tokio::test]
async fn headers_say_the_same_as_the_body() {
    let call = || {
        let [_, call] = calls("look_up", "Dievų miškas");
        call.by(MEMBER)
    };
    for ask in [
        call().without("mcp-protocol-version"),
        call().with("mcp-protocol-version", LEGACY),
        call().without("mcp-method"),
        call().with("mcp-method", "tools/list"),
        call().without("mcp-name"),
        call().with("mcp-name", "order"),
    ] {
        let headers = format!("{:?}", ask.0.headers());
        let answer = ask.to(&library()).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, HEADERS_DIFFER),
            "{headers}"
        );
        assert_eq!(answer.problem(), "validation-failed");
        assert_eq!(answer.json()["id"], "a");
    }
    let encoded = call().with("mcp-name", "=?base64?bG9va191cA==?=");
    assert_eq!(encoded.to(&library()).await.status, 200);
}

#[tokio::test]
async fn a_request_carries_its_revision_and_the_clients_capabilities() {
    let meta = |meta| {
        let body =
            json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"_meta": meta}});
        Ask::of(&body.to_string())
            .with("mcp-protocol-version", MODERN)
            .with("mcp-method", "tools/list")
    };
    for incomplete in [
        json!({}),
        json!({"io.modelcontextprotocol/protocolVersion": MODERN}),
        json!({"io.modelcontextprotocol/clientCapabilities": {}}),
    ] {
        let answer = meta(incomplete.clone()).to(&library()).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, INVALID_PARAMS),
            "{incomplete}"
        );
        assert_eq!(answer.json()["id"], "a");
    }
}

#[tokio::test]
async fn a_revision_that_is_not_spoken_is_answered_with_those_that_are() {
    let body = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let ask = Ask::of(&body.to_string())
        .with("mcp-protocol-version", "2031-01-01")
        .with("mcp-method", "tools/list");
    let answer = ask.to(&library()).await;
    assert_eq!((answer.status, answer.code()), (400, UNKNOWN_REVISION));
    let data = &answer.json()["error"]["data"];
    assert_eq!(data["supported"], json!(["2025-06-18", LEGACY, MODERN]));
    assert_eq!(data["requested"], "2031-01-01");
    assert_eq!(answer.problem(), "validation-failed");

    let old = legacy("tools/list", &json!({})).with("mcp-protocol-version", "2031-01-01");
    let answer = old.to(&library()).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.problem(), "validation-failed");
}

#[tokio::test]
async fn a_client_that_names_no_revision_is_served_as_an_old_one() {
    let ask = legacy("tools/list", &json!({})).without("mcp-protocol-version");
    let answer = ask.to(&library()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["result"].get("resultType"), None);
}

#[tokio::test]
async fn methods_that_are_not_offered_are_unknown() {
    for method in ["resources/list", "prompts/list", "no/such"] {
        let answer = modern(method, json!({})).to(&library()).await;
        assert_eq!(
            (answer.status, answer.code()),
            (404, UNKNOWN_METHOD),
            "{method}"
        );
        let answer = legacy(method, &json!({})).to(&library()).await;
        assert_eq!(
            (answer.status, answer.code()),
            (200, UNKNOWN_METHOD),
            "{method}"
        );
        assert_eq!(answer.problem(), "not-found");
        assert_eq!(answer.json()["id"], 7);
    }
}

#[tokio::test]
async fn parameters_that_cannot_be_read_are_told_and_their_method_is_known() {
    let client = json!({"name": "agent", "version": "1"});
    for (method, params, member) in [
        ("initialize", json!(null), "protocolVersion"),
        ("initialize", json!([]), "params is not an object"),
        (
            "initialize",
            json!({"protocolVersion": 5, "capabilities": {}, "clientInfo": client}),
            "params.protocolVersion",
        ),
        (
            "initialize",
            json!({"protocolVersion": LEGACY, "capabilities": {}}),
            "clientInfo",
        ),
        ("tools/list", json!({"cursor": 5}), "params.cursor"),
        (
            "tools/call",
            json!({"name": "look_up", "arguments": []}),
            "params.arguments",
        ),
        (
            "tools/call",
            json!({"name": "look_up", "arguments": "x"}),
            "params.arguments",
        ),
        ("tools/call", json!({"arguments": {}}), "name"),
    ] {
        let mut asks = vec![legacy(method, &params)];
        if method != "initialize" {
            asks.push(modern(method, params.clone()));
        }
        for ask in asks {
            let answer = ask.by(MEMBER).to(&library()).await;
            assert_eq!(
                (answer.status, answer.code()),
                (200, INVALID_PARAMS),
                "{method} {params}"
            );
            assert_eq!(answer.problem(), "validation-failed");
            let message = answer.json()["error"]["message"].to_string();
            assert!(message.contains(member), "{message}");
        }
    }
}

#[tokio::test]
async fn no_cursor_leads_to_another_page() {
    for ask in [
        legacy("tools/list", &json!({"cursor": "x"})),
        modern("tools/list", json!({"cursor": "x"})),
    ] {
        let answer = ask.to(&library()).await;
        assert_eq!((answer.status, answer.code()), (200, INVALID_PARAMS));
    }
}
