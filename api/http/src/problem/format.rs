//! Formats: from a problem to its answer.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Problem, ProblemType};
use crate::edge::RequestId;

/// Format of an API's refusals.
pub trait ProblemFormat: Send + Sync + 'static {
    /// Media type of the body.
    const MEDIA_TYPE: &'static str;

    /// The members of the body.
    type Body: JsonSchema + Serialize;

    /// The API's own type in place of a common one; its name and status may differ.
    fn translated(&self, kind: ProblemType) -> ProblemType {
        kind
    }

    /// Body of the answer with `problem`, whose request has this id. Its type is translated.
    fn body(&self, problem: &Problem, request: &RequestId) -> Self::Body;
}

impl<F: ProblemFormat> ProblemFormat for Arc<F> {
    const MEDIA_TYPE: &'static str = F::MEDIA_TYPE;

    type Body = F::Body;

    fn translated(&self, kind: ProblemType) -> ProblemType {
        self.as_ref().translated(kind)
    }

    fn body(&self, problem: &Problem, request: &RequestId) -> F::Body {
        self.as_ref().body(problem, request)
    }
}

impl IntoResponse for Problem {
    /// The status alone, with the problem as an extension: the edge, which knows the format, writes
    /// the body.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the problem in its format into `response`, and keeps its other headers.
pub(crate) fn write<F: ProblemFormat>(
    format: &F,
    problem: &Problem,
    request: &RequestId,
    response: Response,
) -> Response {
    let (mut parts, _) = response.into_parts();
    let mut problem = problem.clone();
    if let Some(allowed) = parts
        .headers
        .get(ALLOW)
        .and_then(|allowed| allowed.to_str().ok())
    {
        problem = problem.told_instead(|| format!("The path allows only the methods {allowed}."));
    }
    let problem = &problem.translated(format);
    parts.status = problem.status();
    parts.headers.remove(CONTENT_LENGTH);
    add_headers::<F>(problem, &mut parts.headers);
    Response::from_parts(parts, Body::from(body(format, problem, request)))
}

pub(super) fn body<F: ProblemFormat>(format: &F, problem: &Problem, request: &RequestId) -> Bytes {
    let body = serde_json::to_vec(&format.body(problem, request));
    body.expect("strings and integers always serialise").into()
}

pub(super) fn add_headers<F: ProblemFormat>(problem: &Problem, headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(F::MEDIA_TYPE));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    for (name, value) in &problem.0.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}
