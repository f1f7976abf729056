//! What stands between a request and the protocol.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ORIGIN,
    TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::Full;
use parafa_api_http::{
    Access, Admission, Credentials, HttpConfig, MIB, Principal, Problem, ProblemDocuments,
    ProblemType, RateDecision, edge,
};
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tracing::Span;

use crate::handler::{Admitted, Handler};
use crate::message::Message;
use crate::refusal::advice;
use crate::tools::AgentTools;

/// Where the endpoint is.
pub const PATH: &str = "/mcp";

/// Longest message, in bytes: arguments are codes and addresses.
const LONGEST_MESSAGE: usize = MIB / 4;
/// Longest text that `rmcp` refuses in, in bytes.
const LONGEST_REFUSAL: usize = 16 * 1024;
/// The protection space of RFC 7235, 2.2.
const CHALLENGE: &str = "Bearer realm=\"mcp\"";
/// Both forms of an answer; `rmcp` insists on hearing of both, and answers in
/// the first.
const EITHER_FORM: &str = "application/json, text/event-stream";

/// What the operator decides about the endpoint.
#[derive(Clone, Debug)]
pub struct McpConfig {
    /// Addresses, paces and rates, as for an API. Bodies are at most 256 KiB.
    pub http: HttpConfig,
    /// Origins whose pages may speak to the endpoint; pages of all others are
    /// refused, and what is no page names none.
    pub origins: Vec<String>,
}

/// The endpoint, complete with its edge.
pub fn router<T: AgentTools>(tools: T, config: McpConfig) -> Router {
    let documents = ProblemDocuments::new(config.http.base_url.clone());
    let tools = Arc::new(tools);
    let handler = Handler {
        tools: Arc::clone(&tools),
        documents: documents.clone(),
    };
    let endpoint = Arc::new(Endpoint {
        tools,
        origins: config.origins,
        admission: Admission::new(&config.http, LONGEST_MESSAGE),
        protocol: StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(NeverSessionManager::default()),
            without_sessions(),
        ),
    });
    let route = Router::new()
        .route(PATH, post(answer::<T>))
        .method_not_allowed_fallback(async || Problem::of(ProblemType::METHOD_NOT_ALLOWED))
        .with_state(endpoint);
    edge(route, documents)
}

/// One JSON answer to one request, of which nothing is kept. Hosts and origins
/// are not `rmcp`'s to look at: pages are told by their origin alone, before
/// anything is read.
fn without_sessions() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_max_request_body_bytes(LONGEST_MESSAGE)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}

struct Endpoint<T> {
    tools: Arc<T>,
    origins: Vec<String>,
    admission: Admission,
    protocol: StreamableHttpService<Handler<T>, NeverSessionManager>,
}

async fn answer<T: AgentTools>(
    State(endpoint): State<Arc<Endpoint<T>>>,
    request: Request,
) -> Response {
    endpoint.answer(request).await
}

impl<T: AgentTools> Endpoint<T> {
    async fn answer(&self, request: Request) -> Response {
        if self.is_foreign(request.headers()) {
            let detail = "Pages of this origin may not use this endpoint.";
            return Problem::new(ProblemType::FORBIDDEN, detail).into_response();
        }
        let (head, body) = request.into_parts();
        let mut onward = head.clone();
        let body = match self.admission.read(Request::from_parts(head, body)).await {
            Ok(body) => body,
            Err(problem) => return problem.into_response(),
        };
        let message = Message::parse(&body.bytes);
        let called = message.as_ref().ok().and_then(Message::called_tool);
        let rate = match self.admit(&mut onward, called).await {
            Ok(rate) => rate,
            Err(refusal) => return refusal,
        };
        let mut response = match message {
            Ok(message) => match message.fault() {
                Some(error) => protocol_error(StatusCode::OK, message.id().cloned(), &error),
                None => self.hand_on(onward, message).await,
            },
            Err(error) => protocol_error(StatusCode::BAD_REQUEST, None, &error),
        };
        if let Some(rate) = rate {
            rate.describe(response.headers_mut());
        }
        response
    }

    fn is_foreign(&self, headers: &HeaderMap) -> bool {
        let known = |origin: &HeaderValue| {
            let mut known = self.origins.iter();
            known.any(|known| origin.as_bytes() == known.as_bytes())
        };
        !headers.get_all(ORIGIN).iter().all(known)
    }

    /// Lets a message pass: a call of a tool by whom it is made for, any other
    /// by where it comes from.
    async fn admit(
        &self,
        head: &mut Parts,
        called: Option<&str>,
    ) -> Result<Option<RateDecision>, Response> {
        let Some(tool) = called else {
            let rate = self.admission.count_visitor(&head.extensions, Access::Read);
            return match rate {
                Some(rate) => in_time(rate).map(Some),
                None => Ok(None),
            };
        };
        let credentials = Credentials::of(&head.headers);
        let caller = match self.tools.authenticate(credentials.as_ref()).await {
            Ok(caller) => caller,
            Err(problem) => return Err(self.refuse_stranger(head, problem)),
        };
        let access = self.tools.access(tool);
        let rate = in_time(self.admission.count(&caller, access))?;
        if !caller.may(access) {
            let mut refusal = challenged(Problem::forbidden(), Some("insufficient_scope"));
            rate.describe(refusal.headers_mut());
            return Err(refusal);
        }
        let caller = Arc::new(caller);
        head.extensions.insert(Admitted { caller, rate });
        Ok(Some(rate))
    }

    /// Whoever tries many keys that do not work is told to wait.
    fn refuse_stranger(&self, head: &Parts, problem: Problem) -> Response {
        if problem.status() != StatusCode::UNAUTHORIZED {
            return problem.into_response();
        }
        let rate = self.admission.count_stranger(&head.extensions);
        if let Some(Err(too_many)) = rate.map(in_time) {
            return too_many;
        }
        let was_given = head.headers.contains_key(AUTHORIZATION);
        challenged(problem, was_given.then_some("invalid_token"))
    }

    async fn hand_on(&self, mut head: Parts, message: Message) -> Response {
        let id = message.id().cloned();
        let body = Bytes::from(message.into_bytes());
        for stale in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            head.headers.remove(stale);
        }
        let either = HeaderValue::from_static(EITHER_FORM);
        head.headers.insert(ACCEPT, either);
        head.extensions.insert(Span::current());
        let request = Request::from_parts(head, Full::new(body));
        let response = self.protocol.handle(request).await;
        in_form(response.map(Body::new), id).await
    }
}

/// # Errors
/// The whole answer of 429.
#[expect(clippy::result_large_err, reason = "it is returned as it is")]
fn in_time(rate: RateDecision) -> Result<RateDecision, Response> {
    rate.check().map_err(|problem| {
        let wait = problem.retry_after().unwrap_or_default();
        let detail = format!("{} {}", problem.detail(), advice(wait));
        let problem = Problem::new(problem.kind(), detail).with_retry_after(wait);
        let mut response = problem.into_response();
        rate.describe(response.headers_mut());
        response
    })?;
    Ok(rate)
}

/// A refusal of credentials (RFC 6750, 3).
fn challenged(problem: Problem, error: Option<&str>) -> Response {
    let challenge = match error {
        Some(error) => format!("{CHALLENGE}, error=\"{error}\""),
        None => CHALLENGE.to_owned(),
    };
    let mut response = problem.into_response();
    let challenge = HeaderValue::try_from(challenge).expect("it is ASCII");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

/// The answer of `rmcp`, with what it refuses in plain text as an error of the
/// protocol, and what it could not answer as a problem.
async fn in_form(response: Response, id: Option<Value>) -> Response {
    let status = response.status();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if status.is_success() || is_json {
        return response;
    }
    let text = to_bytes(response.into_body(), LONGEST_REFUSAL).await;
    let text = text.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    if status.is_server_error() {
        tracing::error!(text, "a message was not answered");
        let detail = "The service ran into a fault of its own; nothing was changed.";
        return Problem::unavailable(detail).into_response();
    }
    let error = ErrorData::invalid_request(text, None);
    protocol_error(StatusCode::BAD_REQUEST, id, &error)
}

/// An error of JSON-RPC; it has no id where none could be read.
fn protocol_error(status: StatusCode, id: Option<Value>, error: &ErrorData) -> Response {
    let mut answer = json!({"jsonrpc": "2.0"});
    if let Some(id) = id {
        answer["id"] = id;
    }
    answer["error"] = json!(error);
    let media_type = [(CONTENT_TYPE, "application/json")];
    (status, media_type, answer.to_string()).into_response()
}
