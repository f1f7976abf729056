//! Messages of the Model Context Protocol.

use std::num::NonZeroU32;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_api_http::{
    Access, BaseUrl, Credentials, HttpConfig, Principal, Problem, RateLimiter, RateLimits,
};
use parafa_api_mcp::model::{CallToolResult, Implementation, JsonObject, Tool, ToolAnnotations};
use parafa_api_mcp::{AgentTools, McpConfig, PATH, ToolCall, router};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tower::ServiceExt;
use uuid::Uuid;

use crate::Target;
use crate::json::edited;

/// The endpoint for agents, in both revisions of the protocol.
///
/// Every message is answered, without an error of the server, by one message with its own id. A
/// tool is called only by the message that names it, with these arguments, and with an authorized
/// key.
pub const MCP: Target = Target {
    name: "mcp",
    run: |input| {
        if let Ok((request, sent)) = Sent::read(&mut Unstructured::new(input)) {
            answers(request, &sent);
        }
    },
    seeds,
};

const ORIGIN: &str = "https://library.example";
const MEMBER: &str = "Bearer member";
const VISITOR: &str = "Bearer visitor";
/// Longer than any answer takes.
const LONG: Duration = Duration::from_secs(30);

/// Values of each header; the first is that of most messages.
const HEADERS: [(&str, &[Option<&str>]); 5] = [
    (
        "authorization",
        &[Some(MEMBER), Some(VISITOR), None, Some("Bearer gone")],
    ),
    (
        "mcp-protocol-version",
        &[
            Some("2025-11-25"),
            Some("2026-07-28"),
            None,
            Some("2025-06-18"),
            Some("1"),
        ],
    ),
    (
        "mcp-method",
        &[
            None,
            Some("tools/call"),
            Some("tools/list"),
            Some("server/discover"),
        ],
    ),
    ("mcp-name", &[None, Some("look_up"), Some("order")]),
    (
        "origin",
        &[None, Some(ORIGIN), Some("https://other.example")],
    ),
];

/// Names and values in messages.
const WORDS: &[&str] = &[
    "jsonrpc",
    "2.0",
    "id",
    "method",
    "params",
    "name",
    "arguments",
    "title",
    "cursor",
    "_meta",
    "result",
    "error",
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "notifications/initialized",
    "notifications/cancelled",
    "look_up",
    "order",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "2026-07-28",
    "2025-11-25",
    "progressToken",
    "requestId",
];

/// The properties of a request that the oracle needs.
struct Sent {
    body: Vec<u8>,
    key: Option<&'static str>,
}

impl Sent {
    fn read(input: &mut Unstructured<'_>) -> Result<(Request<Body>, Self)> {
        let mut request = Request::post(PATH)
            .header("host", "library.example")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let messages = messages();
        let is_raw = input.int_in_range(0..=1_u8)? == 1;
        let message = input.choose(&messages)?;
        let mut key = None;
        for (name, values) in HEADERS {
            if let Some(value) = *input.choose(values)? {
                request = request.header(name, value);
                if name == "authorization" {
                    key = Some(value);
                }
            }
        }
        let body = match is_raw {
            true => input.bytes(input.len())?.to_vec(),
            false => edited(message, WORDS, input)?.into_bytes(),
        };
        let request = request.body(Body::from(body.clone()));
        let request = request.expect("headers are sound");
        Ok((request, Self { body, key }))
    }
}

fn answers(request: Request<Body>, sent: &Sent) {
    let service = SERVICE.clone();
    let (status, answer) = RUNTIME.block_on(async {
        let answer = timeout(LONG, async {
            let answer = service.oneshot(request).await.expect("an answer");
            let (head, body) = answer.into_parts();
            let body = to_bytes(body, usize::MAX).await;
            (head.status, body.expect("a whole body"))
        });
        answer.await.expect("an answer in time")
    });
    assert!(!status.is_server_error(), "{status}");
    let message = serde_json::from_slice::<Value>(&sent.body).unwrap_or_default();
    if answer.is_empty() {
        assert_eq!(status, StatusCode::ACCEPTED);
    } else {
        let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
        assert_answers(&answer, &message);
    }
    let call = LAST_CALL.lock().expect("nobody panics with it").take();
    if let Some(call) = call {
        assert_is_of(&call, &message, sent);
    }
}

/// Asserts that the answer is one message of JSON-RPC.
fn assert_answers(answer: &Value, message: &Value) {
    assert_eq!(answer["jsonrpc"], "2.0");
    let (result, error) = (answer.get("result"), answer.get("error"));
    assert!(result.is_some() != error.is_some());
    if let Some(error) = error {
        assert!(error["code"].is_i64() && error["message"].is_string());
    }
    let id = answer.get("id").filter(|id| !id.is_null());
    assert!(result.is_none() || id.is_some());
    // Fractions may be rounded in transit.
    if let Some(id) = id.filter(|id| !id.is_f64()) {
        assert_eq!(Some(id), message.get("id"));
    }
}

/// Asserts that the call is the one in the message.
fn assert_is_of(call: &Call, message: &Value, sent: &Sent) {
    let params = &message["params"];
    assert_eq!(message["method"], "tools/call");
    assert_eq!(params["name"], call.tool);
    let names = params["arguments"].as_object();
    let names: Vec<_> = names.into_iter().flat_map(|names| names.keys()).collect();
    assert_eq!(call.arguments.keys().collect::<Vec<_>>(), names);
    let title = call.arguments.get("title").and_then(Value::as_str);
    assert_eq!(title, params["arguments"]["title"].as_str());
    assert_eq!(sent.key, Some(call.by.key()));
    assert!(call.by == Reader::Member || call.tool == "look_up");
}

/// A call of a tool.
struct Call {
    by: Reader,
    tool: String,
    arguments: JsonObject,
}

static LAST_CALL: Mutex<Option<Call>> = Mutex::new(None);

/// One thread executes everything, so that the same input has the same effect.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_time().build();
    runtime.expect("a thread is enough")
});

/// The library, without a rate limit.
static SERVICE: LazyLock<Router> = LazyLock::new(|| {
    let base_url = BaseUrl::new(&ORIGIN.parse().expect("a sound address"));
    let config = McpConfig {
        http: HttpConfig {
            rates: RateLimiter::new(RateLimits {
                reads_per_minute: NonZeroU32::MAX,
                writes_per_minute: NonZeroU32::MAX,
            }),
            ..HttpConfig::new(base_url)
        },
        origins: vec![ORIGIN.to_owned()],
    };
    router(Library, config)
});

struct Library;

#[derive(Clone, Copy, Eq, PartialEq)]
enum Reader {
    Member,
    /// May only read.
    Visitor,
}

impl Reader {
    fn key(self) -> &'static str {
        match self {
            Self::Member => MEMBER,
            Self::Visitor => VISITOR,
        }
    }
}

impl Principal for Reader {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(match self {
            Self::Member => 1,
            Self::Visitor => 2,
        })
    }

    fn may(&self, access: Access) -> bool {
        *self == Self::Member || access == Access::Read
    }
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let tool = |name: &'static str, is_read_only| {
        let input = json!({
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
            "additionalProperties": false,
        });
        let input = input.as_object().cloned().expect("an object");
        let annotations = ToolAnnotations::new().read_only(is_read_only);
        Tool::new(name, "A book by its title.", input).with_annotations(annotations)
    };
    vec![tool("look_up", true), tool("order", false)]
});

#[async_trait]
impl AgentTools for Library {
    type Caller = Reader;

    fn server(&self) -> Implementation {
        Implementation::new("library", "1.2.3")
    }

    fn instructions(&self) -> String {
        "Ask for books by their titles.".to_owned()
    }

    fn tools(&self) -> &[Tool] {
        &TOOLS
    }

    async fn authenticate(&self, credentials: Option<&Credentials>) -> Result<Reader, Problem> {
        match credentials {
            Some(Credentials::Bearer(key)) if key.expose() == "member" => Ok(Reader::Member),
            Some(Credentials::Bearer(key)) if key.expose() == "visitor" => Ok(Reader::Visitor),
            _ => Err(Problem::unauthorized()),
        }
    }

    async fn call(&self, call: ToolCall<'_, Reader>) -> Result<CallToolResult, Problem> {
        let result = CallToolResult::structured(json!({"tool": call.tool}));
        *LAST_CALL.lock().expect("nobody panics with it") = Some(Call {
            by: *call.caller,
            tool: call.tool.to_owned(),
            arguments: call.arguments,
        });
        Ok(result)
    }
}

/// Returns a sound message of each kind.
fn messages() -> [Value; 6] {
    let of = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let call = json!({"name": "look_up", "arguments": {"title": "Altorių šešėly"}});
    let mut modern = call.clone();
    modern["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover = json!({"_meta": modern["_meta"]});
    let client = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "client", "version": "1"},
    });
    [
        of("tools/call", call),
        of("tools/call", modern),
        of("tools/list", json!({})),
        of("initialize", client),
        of("server/discover", discover),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    // Choices: whether it is raw, the message, and the headers.
    let mut seeds = vec![
        vec![0, 0],
        vec![0, 1, 0, 1, 1, 1],
        vec![0, 2, 2],
        vec![0, 3],
        vec![0, 4, 0, 1, 3],
        vec![0, 5],
        vec![0, 0, 1],
    ];
    let raw = messages().map(|message| {
        let body = message.to_string();
        [&[1, 0, 0, 0, 0, 0, 0], body.as_bytes()].concat()
    });
    seeds.extend(raw);
    seeds
}
