//! What the providers' services have in common.

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use parafa_http_port::HttpPortError;
use serde::Serialize;

/// Media type of requests and answers.
const JSON: &str = "application/json";
/// Longest unknown result that is kept, in characters.
const LONGEST_UNKNOWN: usize = 64;

/// A request that sends `body`.
pub(crate) fn json_post(address: &str, body: &impl Serialize) -> http::Result<Request<Bytes>> {
    let body = serde_json::to_vec(body).expect("strings always serialise");
    Request::post(address)
        .header(CONTENT_TYPE, JSON)
        .header(ACCEPT, JSON)
        .body(Bytes::from(body))
}

/// A request for what is there.
pub(crate) fn json_get(address: &str) -> http::Result<Request<Bytes>> {
    Request::get(address)
        .header(ACCEPT, JSON)
        .body(Bytes::new())
}

/// The characters of a result's name, so that nothing else of an answer reaches
/// a log.
pub(crate) fn name_only(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_uppercase() || *c == '_')
        .take(LONGEST_UNKNOWN)
        .collect()
}

/// Whether the same request may be answered a little later.
pub(crate) fn may_answer_later(error: &HttpPortError) -> bool {
    matches!(
        error,
        HttpPortError::TimedOut(_) | HttpPortError::Transport(_)
    )
}

/// Whether a service that answers with this status may answer otherwise a
/// little later.
pub(crate) fn is_passing(status: u16) -> bool {
    status == 429 || status >= 500
}
