//! Requests in the forms of both revisions.

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// A request in the making.
pub(crate) struct Ask(pub(crate) Request<Body>);

/// An answer of the endpoint.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.bytes)))
    }

    /// The code of an error of JSON-RPC.
    pub(crate) fn code(&self) -> i64 {
        let code = self.json()["error"]["code"].as_i64();
        code.unwrap_or_else(|| panic!("no error: {}", self.json()))
    }

    /// The last segment of the type of the problem that an error of JSON-RPC has
    /// as its data.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/json");
        let error = &self.json()["error"];
        let problem = &error["data"];
        assert_eq!(self.json()["jsonrpc"], "2.0");
        assert!(self.code() <= -32000, "{error}");
        assert_eq!(error["message"], problem["detail"], "{error}");
        assert!(problem["status"].is_u64(), "{error}");
        let kind = problem["type"].as_str().unwrap_or_default();
        kind.rsplit('/').next().unwrap_or_default().to_owned()
    }
}

/// A message of 2026-07-28.
pub(crate) fn modern(method: &str, params: Value) -> Ask {
    let name = params["name"].as_str().map(str::to_owned);
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
    let ask = Ask::of(&body.to_string())
        .with("mcp-protocol-version", MODERN)
        .with("mcp-method", method);
    match name {
        Some(name) => ask.with("mcp-name", &name),
        None => ask,
    }
}

/// A message of 2025-11-25.
pub(crate) fn legacy(method: &str, params: &Value) -> Ask {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    Ask::of(&body.to_string()).with("mcp-protocol-version", LEGACY)
}

/// The same call of a tool in both revisions.
pub(crate) fn calls(tool: &str, title: &str) -> [Ask; 2] {
    let params = json!({"name": tool, "arguments": {"title": title}});
    [legacy("tools/call", &params), modern("tools/call", params)]
}

impl Ask {
    pub(crate) fn of(body: &str) -> Self {
        let request = Request::post("/mcp")
            .header("host", "library.example")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(Body::from(body.to_owned()));
        Self(request.expect("a request"))
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_str(value).expect("a value");
        self.0
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.headers_mut().remove(name);
        self
    }

    pub(crate) fn by(self, key: &str) -> Self {
        self.with("authorization", key)
    }

    pub(crate) fn from(mut self, address: &str) -> Self {
        let address: SocketAddr = address.parse().expect("an address");
        self.0.extensions_mut().insert(ConnectInfo(address));
        self
    }

    pub(crate) async fn to(self, service: &Router) -> Answer {
        let answer = service.clone().oneshot(self.0).await.expect("an answer");
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a body");
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            bytes: bytes.to_vec(),
        }
    }
}
