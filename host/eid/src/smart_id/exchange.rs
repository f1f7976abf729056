//! One request and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use parafa_http_port::{ExchangeLimits, HttpPort};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::service::{self, ServiceError, json_get, json_post};

use super::wire::{Refusal, RefusalReason};
use super::{InvalidAnswer, SmartIdConfig, SmartIdError};

/// Code for a person who exists, but has no account of the level.
const NO_SUITABLE_ACCOUNT: &str = "NO_SUITABLE_ACCOUNT_FOUND";
/// Maximum length of a name from a refusal, in characters.
const LONGEST_NAME: usize = 64;
/// Maximum number of reasons from a refusal.
const MOST_REASONS: usize = 8;

/// Subject of a 404.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    Account,
    Session,
}

/// Sends `body` to `path` under `/v3`.
pub(super) async fn post<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &SmartIdConfig,
    path: &str,
    body: &impl Serialize,
) -> Result<T, SmartIdError> {
    let request = json_post(&address(config, path), body);
    exchange(port, config, request, Duration::ZERO, Subject::Account).await
}

/// Requests `path` under `/v3`, and gives the service `wait` to answer.
pub(super) async fn get<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &SmartIdConfig,
    path: &str,
    wait: Duration,
) -> Result<T, SmartIdError> {
    let request = json_get(&address(config, path));
    exchange(port, config, request, wait, Subject::Session).await
}

fn address(config: &SmartIdConfig, path: &str) -> String {
    format!(
        "{}/v3/{path}",
        config.base_url.as_str().trim_end_matches('/')
    )
}

async fn exchange<T: DeserializeOwned>(
    port: &dyn HttpPort,
    config: &SmartIdConfig,
    request: http::Result<Request<Bytes>>,
    wait: Duration,
    subject: Subject,
) -> Result<T, SmartIdError> {
    let limits = ExchangeLimits {
        timeout: config.exchange_timeout + wait,
        max_response_bytes: config.max_response_bytes,
    };
    let response = service::exchange(port, request, limits).await?;
    check_status(&response, subject)?;
    serde_json::from_slice(response.body()).map_err(|_| InvalidAnswer::Malformed.into())
}

fn check_status(response: &Response<Bytes>, subject: Subject) -> Result<(), SmartIdError> {
    let refusal = || serde_json::from_slice::<Refusal>(response.body()).unwrap_or_default();
    Err(match (response.status().as_u16(), subject) {
        (200, _) => return Ok(()),
        (400, _) => SmartIdError::BadRequest(names(&refusal())),
        (403, _) => SmartIdError::Forbidden,
        (404, Subject::Session) => SmartIdError::SessionNotFound,
        (404, Subject::Account) if is_of_another_level(&refusal()) => {
            SmartIdError::NoSuitableAccount
        }
        (404, Subject::Account) => SmartIdError::AccountNotFound,
        (471, _) => SmartIdError::NoSuitableAccount,
        (472, _) => SmartIdError::SeeApp,
        (480, _) => SmartIdError::ClientTooOld,
        (580, _) => SmartIdError::Maintenance,
        (status, _) => ServiceError::of_status(status).into(),
    })
}

fn is_of_another_level(refusal: &Refusal) -> bool {
    refusal
        .errors
        .iter()
        .any(|reason| reason.code.as_deref() == Some(NO_SUITABLE_ACCOUNT))
}

/// The members that a refusal names, without its sentences: those may repeat
/// values that were sent.
fn names(refusal: &Refusal) -> String {
    let names: Vec<_> = refusal
        .errors
        .iter()
        .take(MOST_REASONS)
        .filter_map(name)
        .collect();
    if names.is_empty() {
        "no member is named".to_owned()
    } else {
        names.join(", ")
    }
}

fn name(reason: &RefusalReason) -> Option<String> {
    let name = reason
        .pointer
        .as_deref()
        .or(reason.param_name.as_deref())
        .or(reason.code.as_deref())?;
    let is_name = name.len() <= LONGEST_NAME
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'.' | b'_'));
    is_name.then(|| name.to_owned())
}
