//! The paths of the REST API.

use std::time::Duration;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, Query, State},
    http::{HeaderMap, header::CONTENT_TYPE},
    middleware,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::Value;

use super::{MobileId, refusal::Refusal, session::Task};
use crate::replacements;

/// Largest body, bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// Bounds of `timeoutMs`, to which the service clamps it silently, and its default, in
/// milliseconds.
const SHORTEST_POLL_MS: u64 = 1_000;
const LONGEST_POLL_MS: u64 = 60_000;
const POLL_DEFAULT_MS: u64 = 10_000;

pub(super) fn router(service: MobileId) -> Router {
    let replacements = service.0.switches.replacements();
    let api = Router::new()
        .route("/certificate", post(certificate))
        .route("/signature", post(signature))
        .route("/signature/session/{session}", get(signature_session))
        .route("/authentication", post(authentication))
        .route(
            "/authentication/session/{session}",
            get(authentication_session),
        )
        .route("/version", get(|| async { "demo" }));
    Router::new()
        .nest("/mid-api", api)
        .layer(middleware::map_response_with_state(
            replacements,
            replacements::alter,
        ))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(service)
}

type Answer = Result<Json<Value>, Refusal>;

async fn certificate(State(service): State<MobileId>, headers: HeaderMap, body: Bytes) -> Answer {
    service.certificate(&json(&headers, &body)?).await.map(Json)
}

async fn signature(State(service): State<MobileId>, headers: HeaderMap, body: Bytes) -> Answer {
    let body = json(&headers, &body)?;
    service.ask(Task::Signature, &body).map(Json)
}

async fn authentication(
    State(service): State<MobileId>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let body = json(&headers, &body)?;
    service.ask(Task::Authentication, &body).map(Json)
}

#[derive(Deserialize)]
struct Poll {
    #[serde(rename = "timeoutMs")]
    timeout_ms: Option<String>,
}

async fn signature_session(
    State(service): State<MobileId>,
    Path(id): Path<String>,
    Query(poll): Query<Poll>,
) -> Answer {
    session(&service, Task::Signature, &id, poll).await
}

async fn authentication_session(
    State(service): State<MobileId>,
    Path(id): Path<String>,
    Query(poll): Query<Poll>,
) -> Answer {
    session(&service, Task::Authentication, &id, poll).await
}

/// Long poll: answers when the session ends, at the latest after `timeoutMs`.
async fn session(service: &MobileId, task: Task, id: &str, poll: Poll) -> Answer {
    let timeout = match poll.timeout_ms {
        None => POLL_DEFAULT_MS,
        Some(text) => text
            .parse()
            .map_err(|_| Refusal::bad_request("timeoutMs must be a number"))?,
    };
    let timeout = Duration::from_millis(timeout.clamp(SHORTEST_POLL_MS, LONGEST_POLL_MS));
    let id = id.parse().map_err(|_| Refusal::no_session())?;
    let session = service.0.sessions.find(id, task, service.0.clock.now());
    let session = session.ok_or_else(Refusal::no_session)?;
    let status = session.status(timeout, service.0.shutdown.begun()).await;
    Ok(Json(service.answer(status)))
}

fn json(headers: &HeaderMap, body: &[u8]) -> Result<Value, Refusal> {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = media_type.unwrap_or_default().split(';').next();
    let essence = essence.unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(Refusal::media_type());
    }
    serde_json::from_slice(body).map_err(|_| Refusal::bad_request("The body is not JSON"))
}
