//! Layer between a request and the protocol.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ORIGIN, RETRY_AFTER,
    TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::Full;
use parafa_api_http::{
    Access, Admission, Credentials, HttpConfig, MIB, Principal, Problem, ProblemDocuments,
    ProblemType, RateDecision, RequestId, edge,
};
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::Value;
use tracing::Span;

use crate::handler::{Admitted, Handler, id_of};
use crate::message::Message;
use crate::refusal::{RpcErrors, advice};
use crate::tools::AgentTools;

/// Path of the endpoint.
pub const PATH: &str = "/mcp";
/// The same path for clients that add a slash.
const PATH_WITH_SLASH: &str = "/mcp/";

/// Longest message, in bytes: arguments are codes and addresses.
const LONGEST_MESSAGE: usize = MIB / 4;
/// Longest text that `rmcp` refuses in, in bytes.
const LONGEST_REFUSAL: usize = 16 * 1024;
/// The protection space of RFC 7235, 2.2.
const CHALLENGE: &str = "Bearer realm=\"mcp\"";
/// Both forms of an answer; `rmcp` insists on hearing of both, and answers in
/// the first.
const EITHER_FORM: &str = "application/json, text/event-stream";

/// Configuration of the endpoint by the operator.
#[derive(Clone, Debug)]
pub struct McpConfig {
    /// Addresses, paces and rates, as for an API. Bodies are at most 256 KiB.
    pub http: HttpConfig,
    /// Origins whose pages may use the endpoint. Pages of all others are refused; other clients
    /// send no origin.
    pub origins: Vec<String>,
}

/// The endpoint, complete with its edge.
pub fn router<T: AgentTools>(tools: T, config: McpConfig) -> Router {
    let errors = RpcErrors(ProblemDocuments::new(config.http.base_url.clone()));
    let tools = Arc::new(tools);
    let handler = Handler {
        tools: Arc::clone(&tools),
        errors: errors.clone(),
    };
    let endpoint = Arc::new(Endpoint {
        tools,
        errors: errors.clone(),
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
        .route(PATH_WITH_SLASH, post(answer::<T>))
        .method_not_allowed_fallback(async || Problem::of(ProblemType::METHOD_NOT_ALLOWED))
        .with_state(endpoint);
    edge(route, errors)
}

/// One JSON answer to one request, without state. Hosts and origins are not checked by `rmcp`: our
/// own check of the origin precedes all reading.
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
    errors: RpcErrors,
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
        let (head, body) = request.into_parts();
        let request_id = id_of(&head);
        if self.is_foreign(&head.headers) {
            let detail = "Pages of this origin may not use this endpoint.";
            let problem = Problem::new(ProblemType::FORBIDDEN, detail);
            return self.refuse(None, &request_id, Refusal::of(problem));
        }
        let mut onward = head.clone();
        let body = match self.admission.read(Request::from_parts(head, body)).await {
            Ok(body) => body,
            Err(problem) => return self.refuse(None, &request_id, Refusal::of(problem)),
        };
        let message = Message::parse(&body.bytes);
        let known = message.as_ref().ok();
        let id = known.and_then(Message::id).cloned();
        let called = known.and_then(Message::called_tool);
        let rate = match self.admit(&mut onward, called).await {
            Ok(rate) => rate,
            Err(refusal) => return self.refuse(id.as_ref(), &request_id, refusal),
        };
        let told = |error| self.errors.explained(error, &request_id);
        let mut response = match message {
            Ok(message) => match message.fault() {
                Some(error) => protocol_error(StatusCode::OK, id.as_ref(), &told(error)),
                None => self.hand_on(onward, message, &request_id).await,
            },
            Err(error) => protocol_error(StatusCode::BAD_REQUEST, None, &told(error)),
        };
        if let Some(rate) = rate {
            rate.describe(response.headers_mut());
        }
        response
    }

    /// A refusal with its status and headers; the body is an error of JSON-RPC.
    fn refuse(&self, id: Option<&Value>, request: &RequestId, refusal: Refusal) -> Response {
        let Refusal {
            problem,
            challenge,
            rate,
        } = refusal;
        tracing::info!(problem = problem.kind().name, uuid = %request.to_uuid(), "refused");
        let error = self.errors.refused(&problem, request);
        let mut response = protocol_error(problem.status(), id, &error);
        let headers = response.headers_mut();
        if let Some(seconds) = problem.retry_after() {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if let Some(challenge) = challenge {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        if let Some(rate) = rate {
            rate.describe(headers);
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

    /// Admits a message: a call of a tool by its caller, any other by its address.
    async fn admit(
        &self,
        head: &mut Parts,
        called: Option<&str>,
    ) -> Result<Option<RateDecision>, Refusal> {
        let Some(tool) = called else {
            let rate = self.admission.count_visitor(&head.extensions, Access::Read);
            return match rate {
                Some(rate) => in_time(rate).map(Some),
                None => Ok(None),
            };
        };
        let credentials = Credentials::of(&head.headers);
        let caller = match self.tools.authenticate(credentials.as_ref()).await {
            Ok(caller) if self.admission.admits(&caller, &head.extensions) => caller,
            Ok(_) => return Err(self.refuse_stranger(head, Problem::unauthorized())),
            Err(problem) => return Err(self.refuse_stranger(head, problem)),
        };
        let access = self.tools.access(tool);
        let rate = in_time(self.admission.count(&caller, access).await)?;
        if !caller.may(access) {
            return Err(Refusal {
                challenge: Some(challenge(Some("insufficient_scope"))),
                rate: Some(rate),
                ..Refusal::of(Problem::forbidden(tool))
            });
        }
        let caller = Arc::new(caller);
        head.extensions.insert(Admitted { caller, rate });
        Ok(Some(rate))
    }

    /// Refuses a caller; one that tries many invalid keys must wait.
    fn refuse_stranger(&self, head: &Parts, problem: Problem) -> Refusal {
        if problem.status() != StatusCode::UNAUTHORIZED {
            return Refusal::of(problem);
        }
        let rate = self.admission.count_stranger(&head.extensions);
        if let Some(Err(too_many)) = rate.map(in_time) {
            return too_many;
        }
        let was_given = head.headers.contains_key(AUTHORIZATION);
        Refusal {
            challenge: Some(challenge(was_given.then_some("invalid_token"))),
            ..Refusal::of(problem)
        }
    }

    async fn hand_on(&self, mut head: Parts, message: Message, request_id: &RequestId) -> Response {
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
        let response = response.map(Body::new);
        match response.status().is_success() {
            true => response,
            false => self.in_form(response, id.as_ref(), request_id).await,
        }
    }

    /// Converts refusals of `rmcp`: those in plain text become errors of the protocol, and all get
    /// a problem. Answers that failed become internal errors.
    async fn in_form(
        &self,
        response: Response,
        id: Option<&Value>,
        request_id: &RequestId,
    ) -> Response {
        let status = response.status();
        let text = to_bytes(response.into_body(), LONGEST_REFUSAL).await;
        let text = text.unwrap_or_default();
        if status.is_server_error() {
            let text = String::from_utf8_lossy(&text);
            tracing::error!(%text, "a message was not answered");
            let detail = "The service had an internal error; nothing was changed.";
            let problem = Problem::unavailable(detail);
            return self.refuse(id, request_id, Refusal::of(problem));
        }
        let (status, error) = match serde_json::from_slice(&text) {
            Ok(ErrorMessage { error }) => (status, error),
            Err(_) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let error = ErrorData::invalid_request(text, None);
                (StatusCode::BAD_REQUEST, error)
            }
        };
        protocol_error(status, id, &self.errors.explained(error, request_id))
    }
}

/// A refusal of `rmcp`, without its id.
#[derive(Deserialize)]
struct ErrorMessage {
    error: ErrorData,
}

/// A refusal of the service, with the headers that go with it.
struct Refusal {
    problem: Problem,
    /// Authentication challenge (RFC 6750, 3).
    challenge: Option<HeaderValue>,
    rate: Option<RateDecision>,
}

impl Refusal {
    fn of(problem: Problem) -> Self {
        Self {
            problem,
            challenge: None,
            rate: None,
        }
    }
}

/// # Errors
/// 429.
fn in_time(rate: RateDecision) -> Result<RateDecision, Refusal> {
    rate.check().map_err(|problem| {
        let wait = problem.retry_after().unwrap_or_default();
        let detail = format!("{} {}", problem.detail(), advice(wait));
        let problem = Problem::new(problem.kind(), detail).with_retry_after(wait);
        Refusal {
            rate: Some(rate),
            ..Refusal::of(problem)
        }
    })?;
    Ok(rate)
}

/// Challenge for credentials, with the reason why the given ones are refused.
fn challenge(error: Option<&str>) -> HeaderValue {
    let challenge = match error {
        Some(error) => format!("{CHALLENGE}, error=\"{error}\""),
        None => CHALLENGE.to_owned(),
    };
    HeaderValue::try_from(challenge).expect("it is ASCII")
}

fn protocol_error(status: StatusCode, id: Option<&Value>, error: &ErrorData) -> Response {
    let media_type = [(CONTENT_TYPE, "application/json")];
    let message = RpcErrors::message(id, error).to_string();
    (status, media_type, message).into_response()
}
