//! From a problem to its answer.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use url::Url;

use super::Problem;
use crate::config::BaseUrl;
use crate::decode::Fault;

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The members of RFC 9457, 3.1 that the contract has, and its own two.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Members<'p> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'p str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'p [Fault],
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_url: Option<&'p str>,
}

impl IntoResponse for Problem {
    /// The status alone, with the problem as an extension: the edge, which
    /// knows the service's address, writes the document.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The problem document in place of `response`, whose other headers stay.
pub(crate) fn document(problem: &Problem, base_url: &BaseUrl, response: Response) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.status = problem.status();
    parts.headers.remove(CONTENT_LENGTH);
    add_headers(problem, &mut parts.headers);
    Response::from_parts(parts, Body::from(members(problem, base_url)))
}

impl Problem {
    /// The whole answer, for whoever has to answer where there is no edge: to
    /// what is no request yet.
    #[must_use]
    pub fn answer(&self, base_url: &BaseUrl) -> http::Response<Bytes> {
        let mut response = http::Response::new(members(self, base_url));
        *response.status_mut() = self.status();
        add_headers(self, response.headers_mut());
        let length = response.body().len();
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

fn members(problem: &Problem, base_url: &BaseUrl) -> Bytes {
    let members = Members {
        r#type: base_url.join(&problem.0.kind.path()),
        title: problem.0.kind.title(),
        status: problem.status().as_u16(),
        detail: &problem.0.detail,
        errors: &problem.0.errors,
        recovery_url: problem.0.recovery_url.as_ref().map(Url::as_str),
    };
    let body = serde_json::to_vec(&members).expect("strings and integers always serialise");
    body.into()
}

fn add_headers(problem: &Problem, headers: &mut HeaderMap) {
    headers.insert(CONTENT_TYPE, MEDIA_TYPE);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if problem.status() == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = problem.0.retry_after_seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    for (name, value) in &problem.0.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}
