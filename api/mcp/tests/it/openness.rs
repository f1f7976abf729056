//! Public requests, and callers that are always refused.

use http::Method;
use serde_json::{Value, json};

use crate::asking::{Ask, LEGACY, MODERN, legacy, modern};
use crate::library::{MEMBER, ORIGIN, library, library_at};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

#[tokio::test]
async fn anybody_may_list_the_tools_always_in_the_same_order() {
    let library = library();
    for ask in [legacy, |method: &str, params: &Value| {
        modern(method, params.clone())
    }] {
        let first = ask("tools/list", &json!({})).to(&library).await;
        assert_eq!(first.status, 200, "{first:?}");
        let tools = first.json()["result"]["tools"].clone();
        let names: Vec<_> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|t| &t["name"])
            .collect();
        assert_eq!(names, ["look_up", "order"]);
        let again = ask("tools/list", &json!({})).by(MEMBER).to(&library).await;
        assert_eq!(first.bytes, again.bytes);
    }
}

#[tokio::test]
async fn a_list_says_how_long_it_may_be_kept_and_by_whom() {
    let list = modern("tools/list", json!({})).to(&library()).await.json();
    assert_eq!(list["result"]["ttlMs"], 3_600_000);
    assert_eq!(list["result"]["cacheScope"], "public");
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["_meta"][SERVER_INFO]["name"], "library");
}

#[tokio::test]
async fn the_server_tells_who_it_is_and_what_it_speaks() {
    let discovered = modern("server/discover", json!({})).to(&library()).await;
    assert_eq!(discovered.status, 200, "{discovered:?}");
    let result = &discovered.json()["result"];
    assert_eq!(
        result["supportedVersions"],
        json!(["2025-06-18", LEGACY, MODERN])
    );
    let capabilities = result["capabilities"].as_object().unwrap();
    assert_eq!(capabilities.keys().collect::<Vec<_>>(), ["tools"]);
    assert_eq!(result["instructions"], "Ask for books by their titles.");
    assert_eq!(result["_meta"][SERVER_INFO]["version"], "1.2.3");
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn a_handshake_is_answered_in_the_clients_revision_and_begins_no_session() {
    for (asked, agreed) in [
        (LEGACY, LEGACY),
        ("2025-06-18", "2025-06-18"),
        ("1.0", LEGACY),
    ] {
        let params = json!({
            "protocolVersion": asked,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let ask = legacy("initialize", &params).without("mcp-protocol-version");
        let answer = ask.to(&library()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let result = &answer.json()["result"];
        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["serverInfo"]["name"], "library");
        assert!(!answer.headers.contains_key("mcp-session-id"));
    }
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let told = Ask::of(body).with("mcp-protocol-version", LEGACY);
    let answer = told.to(&library()).await;
    assert_eq!((answer.status, answer.bytes.as_slice()), (202, &b""[..]));
}

#[tokio::test]
async fn sessions_and_streams_that_somebody_names_are_not_looked_at() {
    let ask = legacy("ping", &json!({}))
        .with("mcp-session-id", "1868a90c")
        .with("last-event-id", "12");
    let answer = ask.to(&library()).await;
    assert_eq!((answer.status, &answer.json()["result"]), (200, &json!({})));
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_whatever_they_ask() {
    for origin in [
        "https://evil.example",
        "null",
        "https://library.example:8443",
    ] {
        for ask in [
            legacy("tools/list", &json!({})),
            modern("tools/list", json!({})),
            Ask::of("["),
        ] {
            let answer = ask.by(MEMBER).with("origin", origin).to(&library()).await;
            assert_eq!(
                (answer.status, answer.problem().as_str()),
                (403, "forbidden")
            );
        }
    }
    let own = modern("tools/list", json!({})).with("origin", ORIGIN);
    assert_eq!(own.to(&library()).await.status, 200);
}

#[tokio::test]
async fn messages_are_posted_and_nothing_else() {
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let mut ask = Ask::of("");
        *ask.0.method_mut() = method;
        let answer = ask.with("mcp-session-id", "1868a90c").to(&library()).await;
        assert_eq!(answer.status, 405);
        assert_eq!(answer.headers["allow"], "POST");
        assert_eq!(answer.problem(), "method-not-allowed");
    }
}

#[tokio::test]
async fn an_address_may_ask_so_often_without_a_key() {
    let library = library_at(2);
    let list = || modern("tools/list", json!({}));
    for _ in 0..2 {
        let answer = list().from("192.0.2.1:80").to(&library).await;
        assert_eq!(answer.status, 200);
        assert!(answer.headers.contains_key("ratelimit"));
    }
    let refused = list().from("192.0.2.1:81").to(&library).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (429, "rate-limited")
    );
    assert_eq!(refused.headers["retry-after"], "30");
    let other = list().from("192.0.2.2:80").to(&library).await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn a_slash_at_the_end_of_the_address_makes_no_difference() {
    let mut ask = legacy("tools/list", &json!({}));
    *ask.0.uri_mut() = "/mcp/".parse().unwrap();
    let answer = ask.to(&library()).await;
    assert_eq!(answer.status, 200);
    assert!(answer.json()["result"]["tools"].is_array());
}
