//! One read, with retries of transient failures.

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};

use crate::Unavailable;

/// Reads `address`. Transient failures are retried up to `retries` times; time-outs are not,
/// because they have used up their time.
pub(crate) async fn read(
    port: &dyn HttpPort,
    limits: ExchangeLimits,
    retries: u8,
    address: &str,
    authorization: Option<&HeaderValue>,
) -> Result<Response<Bytes>, Unavailable> {
    for _ in 0..retries {
        match read_once(port, limits, address, authorization).await {
            Err(error) if may_go_better(&error) => {
                tracing::debug!(%error, "repeating a request to a register");
            }
            read => return read,
        }
    }
    read_once(port, limits, address, authorization).await
}

fn may_go_better(error: &Unavailable) -> bool {
    let took_its_time = matches!(error, Unavailable::NoAnswer(HttpPortError::TimedOut(_)));
    // A 429 asks for fewer requests, so no immediate retry.
    let is_told_to_wait = matches!(error, Unavailable::Status(429));
    error.is_transient() && !took_its_time && !is_told_to_wait
}

async fn read_once(
    port: &dyn HttpPort,
    limits: ExchangeLimits,
    address: &str,
    authorization: Option<&HeaderValue>,
) -> Result<Response<Bytes>, Unavailable> {
    let mut request = Request::builder()
        .method(Method::GET)
        .uri(address)
        .header(ACCEPT, "application/json, application/problem+json");
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    let request = request.body(Bytes::new()).map_err(Unavailable::Address)?;
    let response = port.exchange(request, limits).await;
    let response = response.map_err(|error| match error {
        HttpPortError::ResponseTooLong { status, limit } if is_answer(status) => {
            Unavailable::TooLong { limit }
        }
        HttpPortError::ResponseTooLong { status, .. } => Unavailable::Status(status.as_u16()),
        error => Unavailable::NoAnswer(error),
    })?;
    match response.status() {
        status if is_answer(status) => Ok(response),
        status => Err(Unavailable::Status(status.as_u16())),
    }
}

/// Returns true if a register answers a query with this status.
fn is_answer(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::NOT_FOUND)
}

/// Returns true if an answer declares this media type.
pub(crate) fn is_of(response: &Response<Bytes>, media_type: &str) -> bool {
    let given = response.headers().get(CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(media_type)
}
