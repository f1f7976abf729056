//! One request and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use parafa_http_port::{ExchangeLimits, HttpPort};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::service::{self, ServiceError, json_get, json_post};

use super::wire::Refusal;
use super::{InvalidAnswer, MobileIdConfig, MobileIdError};

/// Maximum length of a refused request's id, in characters.
const LONGEST_TRACE: usize = 64;

/// Sends `body` to `path`.
pub(super) async fn post<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &MobileIdConfig,
    path: &str,
    body: &impl Serialize,
) -> Result<T, MobileIdError> {
    let request = json_post(&address(config, path), body);
    exchange(port, config, request, Duration::ZERO)
        .await
        .map_err(|error| match error {
            // No session exists yet, so a 404 does not mean an unknown one.
            MobileIdError::SessionNotFound => ServiceError::of_status(404).into(),
            error => error,
        })
}

/// Requests `path`, and gives the service `wait` to answer.
pub(super) async fn get<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &MobileIdConfig,
    path: &str,
    wait: Duration,
) -> Result<T, MobileIdError> {
    let request = json_get(&address(config, path));
    exchange(port, config, request, wait).await
}

fn address(config: &MobileIdConfig, path: &str) -> String {
    format!("{}/{path}", config.base_url.as_str().trim_end_matches('/'))
}

async fn exchange<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &MobileIdConfig,
    request: http::Result<Request<Bytes>>,
    wait: Duration,
) -> Result<T, MobileIdError> {
    let limits = ExchangeLimits {
        timeout: config.exchange_timeout + wait,
        max_response_bytes: config.max_response_bytes,
    };
    let response = service::exchange(port, request, limits).await?;
    check_status(&response)?;
    serde_json::from_slice(response.body()).map_err(|_| InvalidAnswer::Malformed.into())
}

fn check_status(response: &Response<Bytes>) -> Result<(), MobileIdError> {
    Err(match response.status().as_u16() {
        200 => return Ok(()),
        400 => MobileIdError::BadRequest(trace(response)),
        404 => MobileIdError::SessionNotFound,
        status => ServiceError::of_status(status).into(),
    })
}

/// The service's trace id of the request.
fn trace(response: &Response<Bytes>) -> String {
    let refusal: Refusal = serde_json::from_slice(response.body()).unwrap_or_default();
    let is_of_id = |c: &char| c.is_ascii_alphabetic() || c.is_ascii_digit() || *c == '-';
    let trace: String = refusal.trace_id.chars().take(LONGEST_TRACE).collect();
    match trace.chars().all(|c| is_of_id(&c)) {
        true => trace,
        false => String::new(),
    }
}
