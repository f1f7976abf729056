//! A gateway to the synthetic register: the server of the gateway protocol. It refuses what a
//! gateway refuses.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, RawQuery, State},
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
    routing::get,
};
use parafa_register_data::{
    Query, Role,
    synthetic::{self, Answer},
};
use serde_json::json;

use crate::clock::DemoClock;
use crate::shutdown::Shutdown;

/// The bearer token that the gateway knows the host by.
pub const REGISTER_TOKEN: &str = "demo-register-token";

const PROBLEM: [(HeaderName, &str); 1] = [(CONTENT_TYPE, "application/problem+json")];

#[derive(Clone)]
struct Gateway {
    clock: Arc<dyn DemoClock>,
    shutdown: Shutdown,
}

pub(crate) fn router(clock: Arc<dyn DemoClock>, shutdown: Shutdown) -> Router {
    Router::new()
        .route("/register/v1/{register}/{kind}/{subject}", get(answer))
        .with_state(Gateway { clock, shutdown })
}

async fn answer(
    State(gateway): State<Gateway>,
    Path((register, kind, subject)): Path<(String, String, String)>,
    RawQuery(parameters): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = check(&headers)
        .and_then(|()| query(&kind, &subject, parameters.as_deref()))
        .and_then(|query| match query.register().slug() == register {
            true => Ok(query),
            false => Err(Refusal::NoSuchRegister),
        });
    let query = match query {
        Ok(query) => query,
        Err(refusal) => return refusal.into_response(),
    };
    match synthetic::answer_at(&query, gateway.clock.now()) {
        Answer::Data(data) => axum::Json(data).into_response(),
        Answer::NoData => nothing(&query, false),
        Answer::Unknown => nothing(&query, true),
        Answer::Down => Refusal::OutOfOrder.into_response(),
        Answer::Hangs => {
            gateway.shutdown.begun().await;
            Refusal::OutOfOrder.into_response()
        }
        Answer::Garbage => {
            let half = Body::from("{\"code\":\"999000177\",\"name\":\"UAB „Neįsk");
            ([(CONTENT_TYPE, "application/json")], half).into_response()
        }
    }
}

fn nothing(query: &Query, is_unknown: bool) -> Response {
    let body = synthetic::no_data(query, is_unknown);
    (StatusCode::NOT_FOUND, PROBLEM, body).into_response()
}

fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let token = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if token != Some(REGISTER_TOKEN) {
        return Err(Refusal::Unauthorized);
    }
    let mut accepted = text(ACCEPT).unwrap_or_default().split(',');
    match accepted.any(|range| range.trim().starts_with("application/json")) {
        true => Ok(()),
        false => Err(Refusal::NotAcceptable),
    }
}

fn query(kind: &str, subject: &str, parameters: Option<&str>) -> Result<Query, Refusal> {
    let malformed = |_| Refusal::Malformed;
    if kind == "role-holders" {
        let role = parameters.and_then(|parameters| parameters.strip_prefix("role="));
        let role: Role = role
            .and_then(|role| role.parse().ok())
            .ok_or(Refusal::Malformed)?;
        let entity = subject.parse().map_err(malformed)?;
        return Ok(Query::RoleHolders { entity, role });
    }
    if parameters.is_some() {
        return Err(Refusal::Malformed);
    }
    if kind == "property-extract" {
        let number = subject.parse().map_err(|_| Refusal::Malformed)?;
        return Ok(Query::PropertyExtract(number));
    }
    let about = Query::about_entity(kind).ok_or(Refusal::NoSuchRegister)?;
    subject.parse().map(about).map_err(malformed)
}

/// A gateway's refusal.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    Unauthorized,
    NotAcceptable,
    Malformed,
    NoSuchRegister,
    OutOfOrder,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, kind) = match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, "not-acceptable"),
            Self::Malformed => (StatusCode::BAD_REQUEST, "malformed"),
            Self::NoSuchRegister => (StatusCode::NOT_FOUND, "no-such-register"),
            Self::OutOfOrder => (StatusCode::SERVICE_UNAVAILABLE, "out-of-order"),
        };
        let problem =
            json!({ "type": format!("urn:parafa:register:{kind}"), "status": status.as_u16() });
        let mut response = (status, PROBLEM, problem.to_string()).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
