//! The paths of the relying-party API.

use std::time::Duration;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, OriginalUri, Path, Query, Request, State},
    http::{HeaderMap, header::CONTENT_TYPE},
    middleware,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{SmartId, Target, problem::Problem, request::Transport, session::Progress, status};
use crate::replacements;

/// Largest body, bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// Bounds of `timeoutMs`, and its default, in milliseconds.
const POLL_MS: std::ops::RangeInclusive<u64> = 1_000..=120_000;
const POLL_DEFAULT_MS: u64 = 60_500;

pub(super) fn router(service: SmartId) -> Router {
    use Target::{Document, Person};
    use Transport::{DeviceLink, Linked, Notification};

    let sign = |whom: fn(String) -> Target, how| asked(SmartId::request_signature, whom, how);
    let signature = Router::new()
        .route("/device-link/etsi/{person}", sign(Person, DeviceLink))
        .route(
            "/device-link/document/{document}",
            sign(Document, DeviceLink),
        )
        .route("/notification/etsi/{person}", sign(Person, Notification))
        .route(
            "/notification/document/{document}",
            sign(Document, Notification),
        )
        .route("/notification/linked/{document}", sign(Document, Linked))
        .route("/certificate/{document}", post(certificate))
        .route(
            "/certificate-choice/device-link/anonymous",
            asked_of_anybody(SmartId::request_choice),
        )
        .route(
            "/certificate-choice/notification/etsi/{person}",
            asked(SmartId::request_choice, Person, Notification),
        );
    let log_in =
        |whom: fn(String) -> Target, how| asked(SmartId::request_authentication, whom, how);
    let authentication = Router::new()
        .route(
            "/device-link/anonymous",
            asked_of_anybody(SmartId::request_authentication),
        )
        .route("/device-link/etsi/{person}", log_in(Person, DeviceLink))
        .route(
            "/device-link/document/{document}",
            log_in(Document, DeviceLink),
        )
        .route("/notification/etsi/{person}", log_in(Person, Notification))
        .route(
            "/notification/document/{document}",
            log_in(Document, Notification),
        );
    let replacements = service.0.switches.replacements();
    Router::new()
        .nest("/smart-id-rp/v3/signature", signature)
        .nest("/smart-id-rp/v3/authentication", authentication)
        .route("/smart-id-rp/v3/session/{session}", get(session))
        .layer(middleware::map_response_with_state(
            replacements,
            replacements::alter,
        ))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(service)
}

type Answer = Result<Json<Value>, Problem>;

/// Handler of a request to a person.
type Ask = fn(&SmartId, &str, Target, Transport, &Value) -> Result<Value, Problem>;

/// Asks the person named by the path.
fn asked(ask: Ask, whom: fn(String) -> Target, how: Transport) -> MethodRouter<SmartId> {
    post(
        move |State(service): State<SmartId>, Path(named): Path<String>, body: JsonPost| async move {
            ask(&service, &body.path, whom(named), how, &body.value).map(Json)
        },
    )
}

/// A request to anybody who follows a link.
fn asked_of_anybody(ask: Ask) -> MethodRouter<SmartId> {
    post(
        move |State(service): State<SmartId>, body: JsonPost| async move {
            let (whom, how) = (Target::Anybody, Transport::DeviceLink);
            ask(&service, &body.path, whom, how, &body.value).map(Json)
        },
    )
}

async fn certificate(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    service.certificate(&document, &body.value).await.map(Json)
}

#[derive(Deserialize)]
struct Poll {
    #[serde(rename = "timeoutMs")]
    timeout_ms: Option<String>,
}

/// Long poll: answers when the session ends, at the latest after `timeoutMs`, or sooner until a
/// person follows the link.
async fn session(
    State(service): State<SmartId>,
    Path(id): Path<String>,
    Query(poll): Query<Poll>,
) -> Answer {
    let id =
        Uuid::parse_str(&id).map_err(|_| Problem::bad_parameter("sessionID", "must be a UUID"))?;
    let timeout = match poll.timeout_ms {
        None => POLL_DEFAULT_MS,
        Some(text) => text
            .parse()
            .ok()
            .filter(|timeout| POLL_MS.contains(timeout))
            .ok_or_else(|| Problem::bad_parameter("timeoutMs", "must be 1000 to 120000"))?,
    };
    let session = service
        .0
        .sessions
        .find(id, service.0.clock.now())
        .ok_or_else(|| Problem::not_found("no such session"))?;
    let timeout = Duration::from_millis(timeout);
    let timeout = if session.awaits_follower() {
        timeout.min(service.0.timings.longest_link_poll)
    } else {
        timeout
    };
    let mut progress = session.progress();
    let complete = progress.wait_for(|progress| matches!(progress, Progress::Complete { .. }));
    tokio::select! {
        _ = complete => {}
        () = tokio::time::sleep(timeout) => {}
        () = service.0.shutdown.begun() => {}
    }
    let progress = progress.borrow().clone();
    Ok(Json(status::status(&session, &progress)))
}

/// A POST whose body is JSON.
struct JsonPost {
    path: String,
    value: Value,
}

impl<S: Send + Sync> FromRequest<S> for JsonPost {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        if !is_json(request.headers()) {
            return Err(Problem::unsupported_media_type().into_response());
        }
        let path = request
            .extensions()
            .get::<OriginalUri>()
            .map_or_else(|| request.uri(), |original| &original.0)
            .path()
            .to_owned();
        let body = Bytes::from_request(request, state)
            .await
            .map_err(IntoResponse::into_response)?;
        let value = parse_json(&body).map_err(IntoResponse::into_response)?;
        Ok(Self { path, value })
    }
}

pub(super) fn parse_json(body: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(body).map_err(|_| Problem::bad_request("the body is not JSON", vec![]))
}

/// `application/json`, in UTF-8 when a charset is named.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    let charset = parameters.trim();
    essence.trim().eq_ignore_ascii_case("application/json")
        && (charset.is_empty() || charset.eq_ignore_ascii_case("charset=utf-8"))
}
