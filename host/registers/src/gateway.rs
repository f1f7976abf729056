//! A gateway to registers, run by a party that may query them: `docs/registers.md` has its
//! protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Response};
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_register_data::{Query, RegisterData, SourceMode};
use serde::Deserialize;
use url::Url;
use zeroize::Zeroizing;

use crate::answer::{JSON, PROBLEM, reference};
use crate::breaker::{Breaker, BreakerSettings};
use crate::exchange::{is_of, read};
use crate::{Clock, RawAnswer, RegisterAnswer, RegisterSource, SourceError, Unavailable};

/// Header with the gateway's reference of an answer.
const REFERENCE: &str = "register-reference";
/// Maximum length of a reference, in characters.
const LONGEST_REFERENCE: usize = 200;
/// Suffix of the problem type for no data.
const NO_DATA: &str = "no-data";
/// Suffix of the problem type for an unknown entity or thing.
const UNKNOWN_SUBJECT: &str = "unknown-subject";

/// Connection to a gateway.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// The address that `/v1/…` is appended to.
    pub base_url: Url,
    /// Credential sent to it, in addition to the port's certificate if there is one.
    pub credential: Credential,
    /// Time limit of one exchange.
    pub timeout: Duration,
    /// Number of retries after a transient failure.
    pub retries: u8,
    /// Circuit breaker of failing registers.
    pub breaker: BreakerSettings,
    /// Longest accepted answer, in bytes.
    pub max_response_bytes: usize,
}

impl GatewayConfig {
    /// Defaults: no credential, 10 s for an exchange, one retry, 8 MiB for an answer.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self {
            base_url,
            credential: Credential::None,
            timeout: Duration::from_secs(10),
            retries: 1,
            breaker: BreakerSettings::default(),
            max_response_bytes: 8 * 1024 * 1024,
        }
    }
}

/// Credential sent to a gateway. `Debug` does not show it.
#[derive(Clone, Default)]
pub enum Credential {
    /// Nothing: it knows this service by address or by client certificate.
    #[default]
    None,
    /// A bearer token (RFC 6750).
    Bearer(Zeroizing<String>),
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Bearer(_) => "Bearer(…)",
        })
    }
}

/// A gateway to registers, under a contract with their operators.
#[derive(Clone)]
pub struct Gateway {
    config: Arc<GatewayConfig>,
    port: Arc<dyn HttpPort>,
    clock: Clock,
    breaker: Arc<Breaker>,
}

#[derive(Deserialize)]
struct Problem {
    #[serde(rename = "type")]
    kind: String,
}

impl Gateway {
    /// Speaks through `port`, which has to reach the configured address.
    pub fn new(config: GatewayConfig, port: Arc<dyn HttpPort>, clock: Clock) -> Self {
        Self {
            breaker: Arc::new(Breaker::new(config.breaker)),
            config: Arc::new(config),
            port,
            clock,
        }
    }

    async fn ask(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let limits = ExchangeLimits {
            timeout: self.config.timeout,
            max_response_bytes: self.config.max_response_bytes,
        };
        let base = self.config.base_url.as_str().trim_end_matches('/');
        let address = format!("{base}/v1/{}", reference(query));
        let authorization = self.authorization()?;
        let retries = self.config.retries;
        let read = read(
            &*self.port,
            limits,
            retries,
            &address,
            authorization.as_ref(),
        );
        let response = read.await?;
        let reference = own_reference(&response).unwrap_or_else(|| reference(query));
        let raw = |raw| {
            let (register, mode) = (query.register(), SourceMode::Licensed);
            RawAnswer::json(register, mode, raw, reference, (self.clock)())
        };
        if response.status() == 404 {
            let is_unknown = is_unknown(&response)?;
            let mut answer = raw(response.into_body());
            answer.media_type = PROBLEM;
            return Err(answer.without_data(query, is_unknown));
        }
        if !is_of(&response, JSON) {
            return Err(Unavailable::MediaType.into());
        }
        let data = RegisterData::from_json(query, response.body());
        let data = data.map_err(Unavailable::Unreadable)?;
        raw(response.into_body()).with(query, data)
    }

    fn authorization(&self) -> Result<Option<HeaderValue>, Unavailable> {
        let Credential::Bearer(token) = &self.config.credential else {
            return Ok(None);
        };
        let value = Zeroizing::new(format!("Bearer {}", token.as_str()));
        let value = HeaderValue::from_str(&value);
        let mut value = value.map_err(|error| Unavailable::Address(error.into()))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

/// Returns true if a 404 says that the subject is unknown, false if only nothing is held on it.
/// A 404 without either of the protocol's bodies means a misconfigured URL.
fn is_unknown(response: &Response<Bytes>) -> Result<bool, Unavailable> {
    let problem: Option<Problem> = is_of(response, PROBLEM)
        .then(|| serde_json::from_slice(response.body()).ok())
        .flatten();
    match problem {
        Some(problem) if problem.kind.ends_with(NO_DATA) => Ok(false),
        Some(problem) if problem.kind.ends_with(UNKNOWN_SUBJECT) => Ok(true),
        _ => Err(Unavailable::Status(404)),
    }
}

fn own_reference(response: &Response<Bytes>) -> Option<String> {
    let reference = response.headers().get(REFERENCE)?.to_str().ok()?;
    let is_reference = (1..=LONGEST_REFERENCE).contains(&reference.len());
    is_reference.then(|| reference.to_owned())
}

#[async_trait]
impl RegisterSource for Gateway {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let register = query.register();
        if !self.breaker.admits(register, (self.clock)()) {
            return Err(Unavailable::Resting(register).into());
        }
        let answer = self.ask(query).await;
        if let Err(SourceError::Unavailable(error)) = &answer {
            error.tell(register, &self.config.base_url);
        }
        match &answer {
            Err(SourceError::Unavailable(error)) if error.is_transient() => {
                self.breaker
                    .failed(register, query.subject(), (self.clock)());
            }
            _ => self.breaker.answered(register),
        }
        answer
    }
}
