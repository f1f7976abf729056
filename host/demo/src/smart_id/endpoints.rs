//! The paths of the relying-party API.

use std::time::Duration;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, OriginalUri, Path, Query, Request, State},
    http::{HeaderMap, header::CONTENT_TYPE},
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{SmartId, Target, problem::Problem, request::Transport, session::Progress, status};
use crate::replacements;

/// Largest body, bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// Bounds of `timeoutMs`, and what holds without it, milliseconds.
const POLL_MS: std::ops::RangeInclusive<u64> = 1_000..=120_000;
const POLL_DEFAULT_MS: u64 = 60_500;

pub(super) fn router(service: SmartId) -> Router {
    let signature = Router::new()
        .route(
            "/device-link/etsi/{person}",
            post(signature_by_link_to_person),
        )
        .route(
            "/device-link/document/{document}",
            post(signature_by_link_to_document),
        )
        .route("/notification/etsi/{person}", post(signature_to_person))
        .route(
            "/notification/document/{document}",
            post(signature_to_document),
        )
        .route("/notification/linked/{document}", post(linked_signature))
        .route("/certificate/{document}", post(certificate))
        .route(
            "/certificate-choice/device-link/anonymous",
            post(choice_by_link),
        )
        .route(
            "/certificate-choice/notification/etsi/{person}",
            post(choice_by_person),
        );
    let authentication = Router::new()
        .route("/device-link/anonymous", post(authentication_by_link))
        .route(
            "/device-link/etsi/{person}",
            post(authentication_by_link_to_person),
        )
        .route(
            "/device-link/document/{document}",
            post(authentication_by_link_to_document),
        )
        .route(
            "/notification/etsi/{person}",
            post(authentication_of_person),
        )
        .route(
            "/notification/document/{document}",
            post(authentication_by_document),
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

async fn signature_by_link_to_person(
    State(service): State<SmartId>,
    Path(person): Path<String>,
    body: JsonPost,
) -> Answer {
    body.signature(&service, Target::Person(person), Transport::DeviceLink)
}

async fn signature_by_link_to_document(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    body.signature(&service, Target::Document(document), Transport::DeviceLink)
}

async fn signature_to_person(
    State(service): State<SmartId>,
    Path(person): Path<String>,
    body: JsonPost,
) -> Answer {
    body.signature(&service, Target::Person(person), Transport::Notification)
}

async fn signature_to_document(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    body.signature(
        &service,
        Target::Document(document),
        Transport::Notification,
    )
}

async fn linked_signature(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    body.signature(&service, Target::Document(document), Transport::Linked)
}

async fn authentication_of_person(
    State(service): State<SmartId>,
    Path(person): Path<String>,
    body: JsonPost,
) -> Answer {
    body.authentication(&service, Target::Person(person), Transport::Notification)
}

async fn authentication_by_document(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    body.authentication(
        &service,
        Target::Document(document),
        Transport::Notification,
    )
}

async fn authentication_by_link(State(service): State<SmartId>, body: JsonPost) -> Answer {
    body.authentication(&service, Target::Anybody, Transport::DeviceLink)
}

async fn authentication_by_link_to_person(
    State(service): State<SmartId>,
    Path(person): Path<String>,
    body: JsonPost,
) -> Answer {
    body.authentication(&service, Target::Person(person), Transport::DeviceLink)
}

async fn authentication_by_link_to_document(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    body.authentication(&service, Target::Document(document), Transport::DeviceLink)
}

async fn certificate(
    State(service): State<SmartId>,
    Path(document): Path<String>,
    body: JsonPost,
) -> Answer {
    service.certificate(&document, &body.value).await.map(Json)
}

async fn choice_by_link(State(service): State<SmartId>, body: JsonPost) -> Answer {
    let (target, transport) = (Target::Anybody, Transport::DeviceLink);
    service
        .request_choice(&body.path, target, transport, &body.value)
        .map(Json)
}

async fn choice_by_person(
    State(service): State<SmartId>,
    Path(person): Path<String>,
    body: JsonPost,
) -> Answer {
    let (target, transport) = (Target::Person(person), Transport::Notification);
    service
        .request_choice(&body.path, target, transport, &body.value)
        .map(Json)
}

#[derive(Deserialize)]
struct Poll {
    #[serde(rename = "timeoutMs")]
    timeout_ms: Option<String>,
}

/// Long poll: answers when the session ends, at the latest after `timeoutMs`, or
/// sooner while nobody follows a link.
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

impl JsonPost {
    fn authentication(&self, service: &SmartId, target: Target, transport: Transport) -> Answer {
        service
            .request_authentication(&self.path, target, transport, &self.value)
            .map(Json)
    }

    fn signature(&self, service: &SmartId, target: Target, transport: Transport) -> Answer {
        service
            .request_signature(&self.path, target, transport, &self.value)
            .map(Json)
    }
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
