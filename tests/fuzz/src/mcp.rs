//! Messages of the Model Context Protocol, and the arguments of the tools.

use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};
use parafa_api_http::{BaseUrl, HttpConfig, RateLimiter, RateLimits};
use parafa_api_mcp::model::Implementation;
use parafa_api_mcp::{
    AnswerOwner, AnswersAway, DiligenceTools, KeptAnswers, McpConfig, PATH, router,
};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tower::ServiceExt;
use uuid::Uuid;

use crate::api::{Registers, long_answer};
use crate::json::{chosen, is_of};
use crate::target::Target;

/// The endpoint for agents, with the tools over the due-diligence API.
///
/// The first byte chooses a sound message, the revision, the key, and whether the rest
/// is the message itself or edits. Whatever comes, one message answers it, with its own
/// id and without an error of the server. Faults of arguments point to one of them, or
/// to a missing one, and arguments without a fault have none for the API either.
pub const MCP: Target = Target {
    name: "mcp",
    run,
    seeds,
};

/// Bits of the first byte.
const RAW: u8 = 0x80;
const MODERN: u8 = 0x40;
const WITHOUT_KEY: u8 = 0x20;

const OLD_REVISION: &str = "2025-11-25";
const NEW_REVISION: &str = "2026-07-28";
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// Methods with sound parameters; all that name a tool are calls.
const MESSAGES: [(&str, &str); 14] = [
    (
        "tools/call",
        r#"{"name":"lookup_company","arguments":{"entityCode":"999000009","interpret":true}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_participants","arguments":{"entityCode":"999000009","bods":true}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_beneficial_owners","arguments":{"entityCode":"999000009","purpose":"AML_KYC"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_real_estate","arguments":{"entityCode":"999000009","limit":5}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_seizures","arguments":{"entityCode":"999000009","limit":7,"cursor":"00000000-0000-0000-0000-000000000000-42"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_court_cases","arguments":{"entityCode":"999000009"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_due_diligence_report","arguments":{"entityCode":"999000009","purpose":"OTHER","interpret":true,"bods":true}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"create_kyc_package","arguments":{"entityCode":"999000009","subjectRole":"manager","purpose":"AML_KYC"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get_kyc_package","arguments":{"orderId":"0192f7a0-6b1c-7c3e-9a4d-2f5b8e1c7d90"}}"#,
    ),
    ("tools/list", "{}"),
    (
        "initialize",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1"}}"#,
    ),
    ("server/discover", "{}"),
    ("ping", "{}"),
    ("no/such", "{}"),
];

/// Keeps one answer, which everybody finds.
struct OneAnswer;

#[async_trait]
impl KeptAnswers for OneAnswer {
    async fn keep(&self, _: &AnswerOwner, _: Bytes) -> Result<Uuid, AnswersAway> {
        Ok(Uuid::nil())
    }

    async fn find(&self, _: Uuid, _: &AnswerOwner) -> Result<Option<Bytes>, AnswersAway> {
        Ok(Some(Bytes::from(long_answer().to_string())))
    }
}

/// The endpoint, without a limit of rates.
static SERVICE: LazyLock<Router> = LazyLock::new(|| {
    let base_url = "https://dd.example".parse().expect("a sound address");
    let http = HttpConfig {
        rates: RateLimiter::new(RateLimits {
            reads_per_minute: NonZeroU32::MAX,
            writes_per_minute: NonZeroU32::MAX,
        }),
        ..HttpConfig::new(BaseUrl::new(&base_url))
    };
    let api = Arc::new(Registers);
    let rest = parafa_api_diligence::router(Arc::clone(&api), http.clone());
    let rest = rest.layer(from_fn(assert_sound_reads));
    let server = Implementation::new("parafa", "0.1.0");
    let tools = on_this_thread(DiligenceTools::new(api, rest, server));
    let tools = tools.expect("the API describes what tools need");
    let config = McpConfig {
        http,
        origins: Vec::new(),
    };
    router(tools.keeping_answers_in(Arc::new(OneAnswer)), config)
});

/// Asserts that the API finds no fault in what the tools have read of their arguments.
async fn assert_sound_reads(request: Request, next: Next) -> Response {
    let reads = request.method() == Method::GET;
    let answer = next.run(request).await;
    assert!(!reads || answer.status() != StatusCode::BAD_REQUEST);
    answer
}

fn on_this_thread<F: Future>(future: F) -> F::Output {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a thread is enough").block_on(future)
}

fn run(input: &[u8]) {
    let Some((&first, rest)) = input.split_first() else {
        return;
    };
    let sound = sound(first);
    let body = chosen(&sound, first & RAW != 0, rest);
    let message = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let has_key = first & WITHOUT_KEY == 0;
    let (status, answer) = answer(request(body, &message, has_key));
    assert!(!status.is_server_error(), "{status}");
    if answer.is_empty() {
        assert_eq!(status, StatusCode::ACCEPTED);
        return;
    }
    let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer.get("result").is_some() != answer.get("error").is_some());
    let id = answer.get("id").filter(|id| !id.is_null());
    // Numbers with a fraction may be rounded.
    if id.is_some() && !message["id"].is_f64() {
        assert_eq!(id, message.get("id"));
    }
    let is_call = message["method"] == "tools/call";
    assert!(message != sound || !has_key || !is_call || answer.get("result").is_some());
    if is_call {
        assert_is_outcome(&answer["result"]["structuredContent"], &message["params"]);
    }
}

fn assert_is_outcome(outcome: &Value, params: &Value) {
    let status = outcome["status"].as_u64().unwrap_or_default();
    assert!(status < 500, "{outcome}");
    let nothing = json!({});
    let arguments = params.get("arguments").filter(|given| !given.is_null());
    let arguments = arguments.unwrap_or(&nothing);
    for fault in outcome["errors"].as_array().into_iter().flatten() {
        let pointer = fault["pointer"].as_str().expect("a fault has a place");
        assert!(is_of(pointer, arguments), "{fault}");
    }
    if let Some(page) = outcome.get("page") {
        assert!(page["offset"].as_u64() < page["total"].as_u64(), "{page}");
    }
}

fn answer(request: Request) -> (StatusCode, Bytes) {
    let service = SERVICE.clone();
    on_this_thread(async {
        let Ok(answer) = service.oneshot(request).await;
        let (head, body) = answer.into_parts();
        let body = to_bytes(body, usize::MAX).await;
        (head.status, body.expect("a whole body"))
    })
}

/// A request whose headers say what the message says, as far as headers can.
fn request(body: Vec<u8>, message: &Value, has_key: bool) -> Request {
    let params = &message["params"];
    let revision = params["_meta"][REVISION].as_str();
    let mut request = http::Request::post(PATH)
        .header("host", "dd.example")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from(body))
        .expect("headers are sound");
    for (name, value) in [
        ("authorization", has_key.then_some("Bearer key")),
        ("mcp-protocol-version", revision.or(Some(OLD_REVISION))),
        ("mcp-method", revision.and(message["method"].as_str())),
        ("mcp-name", revision.and(params["name"].as_str())),
    ] {
        if let Some(Ok(value)) = value.map(HeaderValue::from_str) {
            request.headers_mut().insert(name, value);
        }
    }
    request
}

fn sound(first: u8) -> Value {
    let number = usize::from(first & !(RAW | MODERN | WITHOUT_KEY)) % MESSAGES.len();
    let (method, params) = MESSAGES[number];
    let mut params: Value = serde_json::from_str(params).expect("sound parameters are JSON");
    if first & MODERN != 0 {
        params["_meta"] = json!({
            REVISION: NEW_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn seeds() -> Vec<Vec<u8>> {
    let numbers = (0..).zip(MESSAGES).map(|(number, _)| number);
    let mut seeds: Vec<_> = numbers
        .flat_map(|number: u8| {
            let raw = sound(number).to_string();
            let raw = [&[number | RAW], raw.as_bytes()].concat();
            [vec![number], vec![number | MODERN], raw]
        })
        .collect();
    seeds.push(vec![WITHOUT_KEY]);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    seeds.push([&[RAW], notification.as_bytes()].concat());
    seeds
}
