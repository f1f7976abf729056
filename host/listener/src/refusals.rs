//! Answers to input that never becomes a request.

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Response};
use parafa_api_http::{BaseUrl, Fault, Problem, ProblemType, RequestId};

/// `Retry-After` of a refusal for want of a slot, in seconds.
const RETRY_SECONDS: u32 = 5;

/// Writes refusals as problem documents, like all others.
#[derive(Clone, Debug)]
pub(crate) struct Refusals(BaseUrl);

impl Refusals {
    pub(crate) fn new(base_url: BaseUrl) -> Self {
        Self(base_url)
    }

    /// The problem as a response. Its connection must be closed.
    pub(crate) fn response(&self, problem: &Problem) -> Response<Bytes> {
        tracing::debug!(problem = problem.kind().name, "refused");
        let mut response = problem.answer(&self.0);
        let id = RequestId::of(response.headers());
        let headers = response.headers_mut();
        headers.insert(RequestId::HEADER, id.to_header());
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// The problem as the bytes of an HTTP/1.1 message, with a date line if there is one.
    pub(crate) fn bytes(&self, problem: &Problem, date: Option<&[u8]>) -> Bytes {
        let response = self.response(problem);
        let mut bytes = format!("HTTP/1.1 {}\r\n", response.status()).into_bytes();
        for (name, value) in response.headers() {
            bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        bytes.extend(
            date.map(|date| [date, b"\r\n"].concat())
                .unwrap_or_default(),
        );
        bytes.extend(b"\r\n");
        bytes.extend(response.body());
        bytes.into()
    }
}

/// The head of a request is not one of HTTP/1.1.
pub(crate) fn malformed() -> Problem {
    no_request("is not valid HTTP/1.1 (RFC 9112)")
}

/// A line of a head ends in LF alone.
pub(crate) fn bare_line_feed() -> Problem {
    no_request("has a line that does not end in CR and LF")
}

/// The request lacks a single valid Host header (RFC 9112, 3.2).
pub(crate) fn host_unclear() -> Problem {
    no_request("must have one Host header, and a host in it")
}

fn no_request(detail: &str) -> Problem {
    Problem::validation(vec![Fault::new("", detail)])
}

/// Connections or large heads are at their maximum.
pub(crate) fn no_room() -> Problem {
    Problem::unavailable("The service is busy with other connections; nothing was changed.")
        .with_retry_after(RETRY_SECONDS)
}

/// A client has as many requests under way as may be.
pub(crate) fn too_many_of_client() -> Problem {
    Problem::new(
        ProblemType::RATE_LIMITED,
        "Too many requests from this address are under way.",
    )
    .with_retry_after(RETRY_SECONDS)
}
