//! Problem documents (RFC 9457).

use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS};
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use super::format::{add_headers, body};
use super::{Problem, ProblemFormat};
use crate::config::BaseUrl;
use crate::decode::Fault;
use crate::edge::RequestId;

/// Problem documents whose types are URLs of the service's pages.
#[derive(Clone, Debug)]
pub struct ProblemDocuments(BaseUrl);

/// A refusal (RFC 9457).
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Problem")]
#[serde(rename_all = "camelCase")]
pub struct ProblemDocument {
    /// The kind of problem: the address of a page about it.
    #[schemars(url)]
    r#type: String,
    /// The kind in a few words.
    title: &'static str,
    /// The status of the answer.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// A sentence about this occurrence.
    detail: String,
    /// All faults of the request, in the order of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Fault>,
    /// A page on which a person can settle what is due.
    #[schemars(extend("format" = "uri-reference"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_url: Option<String>,
}

impl ProblemDocuments {
    /// Types begin with `base_url`.
    #[must_use]
    pub fn new(base_url: BaseUrl) -> Self {
        Self(base_url)
    }
}

impl ProblemFormat for ProblemDocuments {
    const MEDIA_TYPE: &'static str = "application/problem+json";

    type Body = ProblemDocument;

    fn body(&self, problem: &Problem, _: &RequestId) -> ProblemDocument {
        let kind = problem.kind();
        ProblemDocument {
            r#type: self.0.join(&kind.path()),
            title: kind.title,
            status: kind.status.as_u16(),
            detail: problem.detail().to_owned(),
            errors: problem.errors().to_vec(),
            recovery_url: problem.0.recovery_url.as_ref().map(Url::to_string),
        }
    }
}

impl Problem {
    /// The whole answer as a problem document, for use outside of an edge: in answer to input that
    /// is not a request yet.
    #[must_use]
    pub fn answer(&self, base_url: &BaseUrl) -> http::Response<Bytes> {
        let format = ProblemDocuments::new(base_url.clone());
        let mut response = http::Response::new(Bytes::new());
        *response.status_mut() = self.status();
        add_headers::<ProblemDocuments>(self, response.headers_mut());
        let id = RequestId::of(response.headers());
        *response.body_mut() = body(&format, self, &id);
        let length = response.body().len();
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}
