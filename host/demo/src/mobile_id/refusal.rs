//! Refusals, and common members of answers.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

/// A refused request, as in the protocol: a sentence for developers, the time and an id.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: String,
}

impl Refusal {
    pub(super) fn bad_request(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    pub(super) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Failed to authorize user")
    }

    pub(super) fn no_session() -> Self {
        Self::new(StatusCode::NOT_FOUND, "SessionID not found")
    }

    pub(super) fn media_type() -> Self {
        let error = "The body must be application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error)
    }

    pub(super) fn damaged() -> Self {
        let error = "The demo world is damaged";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self {
            status,
            error: error.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        tracing::debug!(status = %self.status, error = self.error, "mobile-id request refused");
        let mut body = json!({ "error": self.error });
        stamp(&mut body, Timestamp::now());
        (self.status, Json(body)).into_response()
    }
}

/// Adds time and id to an answer.
pub(super) fn stamp(answer: &mut Value, now: Timestamp) {
    answer["time"] = json!(crate::date_time::date_time(now));
    answer["traceId"] = json!(Uuid::new_v4().simple().to_string());
}
