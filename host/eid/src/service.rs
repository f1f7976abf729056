//! Common parts of the providers' services.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, Response};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use serde::Serialize;

/// Media type of requests and answers.
const JSON: &str = "application/json";
/// Maximum size of a certificate, DER, in bytes: a person's own is below 3 KiB. Callers that store
/// one in a record can rely on it.
pub(crate) const LONGEST_CERTIFICATE: usize = 8 * 1024;
/// Maximum size of a signature value, in bytes: one of an RSA key of 16384 bits.
pub(crate) const LONGEST_SIGNATURE: usize = 2 * 1024;
/// Maximum length of an unknown result in errors, in characters.
const LONGEST_UNKNOWN: usize = 64;

/// A request that sends `body`.
pub(crate) fn json_post(address: &str, body: &impl Serialize) -> http::Result<Request<Bytes>> {
    let body = serde_json::to_vec(body).expect("strings always serialise");
    Request::post(address)
        .header(CONTENT_TYPE, JSON)
        .header(ACCEPT, JSON)
        .body(Bytes::from(body))
}

/// A GET request that accepts JSON.
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

/// Base64-decoded bytes of an answer, at most `longest`.
pub(crate) fn decode(base64: &str, longest: usize) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(base64).ok()?;
    (1..=longest).contains(&bytes.len()).then_some(bytes)
}

/// One exchange, whatever its status.
pub(crate) async fn exchange(
    port: &dyn HttpPort,
    request: http::Result<Request<Bytes>>,
    limits: ExchangeLimits,
) -> Result<Response<Bytes>, ServiceError> {
    let request = request.map_err(ServiceError::Address)?;
    let response = port.exchange(request, limits).await;
    response.map_err(ServiceError::NoAnswer)
}

/// Reason why a service gave no answer of its protocol.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The service does not accept this relying party from this address.
    #[error("the service does not know this relying party from this address")]
    Unauthorized,
    /// A status that the protocol does not define.
    #[error("the service answered with status {0}")]
    UnexpectedStatus(u16),
    /// No answer. The port's error is the source, and may name the address.
    #[error("the service gave no answer")]
    NoAnswer(#[source] HttpPortError),
    /// The configured address cannot be requested.
    #[error("the service's address is unusable")]
    Address(#[source] http::Error),
}

impl ServiceError {
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthorized,
            status => Self::UnexpectedStatus(status),
        }
    }

    /// The HTTP status of an answer.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Unauthorized => Some(401),
            Self::UnexpectedStatus(status) => Some(*status),
            Self::NoAnswer(_) | Self::Address(_) => None,
        }
    }

    /// Returns true if the same request may be answered a little later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer(HttpPortError::TimedOut(_) | HttpPortError::Transport(_)) => true,
            Self::UnexpectedStatus(status) => *status == 429 || *status >= 500,
            _ => false,
        }
    }
}
