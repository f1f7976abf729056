//! Time-stamps (RFC 3161).

mod response;
mod signers;
mod token;

pub use self::token::{TimestampToken, TokenFault};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use const_oid::db::rfc5912::ID_SHA_256;
use der::Encode;
use der::asn1::{Int, Null, ObjectIdentifier, OctetString};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError, remedy};
use spki::AlgorithmIdentifierOwned;
use url::Url;
use x509_tsp::{MessageImprint, TimeStampReq, TspVersion};

use self::response::TimestampResponse;
use self::signers::KnownSigners;
use self::token::Expected;
use crate::anchors::TrustAnchors;
use crate::certificate::Certificate;
use crate::random::{RandomSource, RandomUnavailable};

/// Number of valid time-stamps that this process has received.
pub static TIMESTAMPS_RECEIVED: AtomicU64 = AtomicU64::new(0);
/// Number of times that no authority gave this process a valid time-stamp.
pub static TIMESTAMPS_FAILED: AtomicU64 = AtomicU64::new(0);

/// Octets of a nonce.
const NONCE_OCTETS: usize = 16;

/// A configured time-stamping authority.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimestampAuthority {
    /// URL of the service.
    pub url: Url,
    /// The policy to request, which its tokens must name.
    pub policy: Option<ObjectIdentifier>,
}

/// Limits of a time-stamp exchange.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TimestampPolicy {
    /// Size and time of one exchange with one authority.
    pub limits: ExchangeLimits,
    /// Maximum difference between genTime and now, either way.
    pub clock_skew: Duration,
}

impl Default for TimestampPolicy {
    /// Ten seconds and 64 KiB; five minutes of skew.
    fn default() -> Self {
        Self {
            limits: ExchangeLimits {
                timeout: Duration::from_secs(10),
                max_response_bytes: 64 * 1024,
            },
            clock_skew: Duration::from_secs(5 * 60),
        }
    }
}

/// Reason for the lack of a time-stamp.
#[derive(Debug, thiserror::Error)]
pub enum TimestampError {
    /// No authority is configured.
    #[error("no time-stamping authority is configured")]
    NoAuthority,
    /// No nonce could be made.
    #[error(transparent)]
    Random(#[from] RandomUnavailable),
    /// The request could not be encoded.
    #[error("the time-stamp request cannot be encoded")]
    Encode(#[source] der::Error),
    /// Every authority failed.
    #[error("none of {} time-stamping authorities gave a valid token", .0.len())]
    AllFailed(Vec<AuthorityFailure>),
}

/// Failure of one authority.
#[derive(Debug, thiserror::Error)]
#[error("{authority} gave no valid time-stamp")]
pub struct AuthorityFailure {
    /// Its address.
    pub authority: Url,
    /// The fault.
    #[source]
    pub fault: TimestampFault,
}

/// A fault of one authority.
#[derive(Debug, thiserror::Error)]
pub enum TimestampFault {
    /// The authority was not reached.
    #[error("the time-stamping authority was not reached")]
    Transport(#[source] HttpPortError),
    /// The HTTP status is not 200.
    #[error("the time-stamping authority answered with HTTP status {0}")]
    HttpStatus(u16),
    /// The authority refused (PKIStatusInfo, RFC 3161 clause 2.4.2).
    #[error("the time-stamping authority refused with status {status}, failure bits {failure:?}")]
    Refused {
        /// PKIStatus.
        status: u8,
        /// The bits set in PKIFailureInfo.
        failure: Vec<u8>,
    },
    /// Its answer fails the checks.
    #[error("the time-stamping authority's answer is not valid")]
    Invalid(#[source] TokenFault),
}

impl TimestampFault {
    /// The HTTP status, if it is the fault.
    fn status(&self) -> Option<u16> {
        match self {
            Self::HttpStatus(status) => Some(*status),
            Self::Transport(_) | Self::Refused { .. } | Self::Invalid(_) => None,
        }
    }
}

/// Client of time-stamping authorities, asked in order.
#[derive(Clone)]
pub struct TimestampClient {
    port: Arc<dyn HttpPort>,
    random: Arc<dyn RandomSource>,
    anchors: Arc<TrustAnchors>,
    authorities: Vec<TimestampAuthority>,
    policy: TimestampPolicy,
    /// Cache of signers with paths to these anchors.
    signers: Arc<KnownSigners>,
}

impl TimestampClient {
    /// A client of `authorities`, whose tokens must chain to a `timestamping`
    /// anchor.
    #[must_use]
    pub fn new(
        port: Arc<dyn HttpPort>,
        random: Arc<dyn RandomSource>,
        anchors: Arc<TrustAnchors>,
        authorities: Vec<TimestampAuthority>,
        policy: TimestampPolicy,
    ) -> Self {
        Self {
            port,
            random,
            anchors,
            authorities,
            policy,
            signers: Arc::default(),
        }
    }

    /// A token over the SHA-256 digest `imprint`, from the first authority that gives a valid one.
    ///
    /// # Errors
    /// [`TimestampError`], with the failure of each authority if all failed.
    pub async fn timestamp(
        &self,
        imprint: &[u8; 32],
        now: Timestamp,
    ) -> Result<TimestampToken, TimestampError> {
        if self.authorities.is_empty() {
            return Err(TimestampError::NoAuthority);
        }
        let mut failures = Vec::new();
        for authority in &self.authorities {
            let nonce = self.nonce()?;
            let body = request(imprint, &nonce, authority.policy)
                .and_then(|request| request.to_der())
                .map_err(TimestampError::Encode)?;
            let expected = Expected {
                imprint,
                nonce: Some(&nonce),
                policy: authority.policy,
                clock_skew: self.policy.clock_skew,
            };
            match self.ask(authority, body, &expected, now).await {
                Ok(token) => {
                    TIMESTAMPS_RECEIVED.fetch_add(1, Ordering::Relaxed);
                    return Ok(token);
                }
                Err(fault) => {
                    let error: &(dyn std::error::Error + 'static) = &fault;
                    let status = fault.status();
                    tracing::warn!(
                        provider = "time-stamping authority",
                        host = authority.url.host_str(),
                        status,
                        remedy = remedy(status, error),
                        error,
                        "a time-stamping authority gives no valid time-stamp"
                    );
                    failures.push(AuthorityFailure {
                        authority: authority.url.clone(),
                        fault,
                    });
                }
            }
        }
        TIMESTAMPS_FAILED.fetch_add(1, Ordering::Relaxed);
        Err(TimestampError::AllFailed(failures))
    }

    /// Certificates that signed tokens since the client was made: the last one of each issuer.
    #[must_use]
    pub fn signers(&self) -> Vec<Certificate> {
        self.signers.newest()
    }

    async fn ask(
        &self,
        authority: &TimestampAuthority,
        body: Vec<u8>,
        expected: &Expected<'_>,
        now: Timestamp,
    ) -> Result<TimestampToken, TimestampFault> {
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = authority
            .url
            .as_str()
            .parse()
            .map_err(|_| TimestampFault::Transport(unusable_address(&authority.url)))?;
        let headers = request.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            http::HeaderValue::from_static("application/timestamp-query"),
        );
        headers.insert(
            ACCEPT,
            http::HeaderValue::from_static("application/timestamp-reply"),
        );
        let answer = self
            .port
            .exchange(request, self.policy.limits)
            .await
            .map_err(TimestampFault::Transport)?;
        if answer.status() != StatusCode::OK {
            return Err(TimestampFault::HttpStatus(answer.status().as_u16()));
        }
        let response = TimestampResponse::parse(answer.body())
            .map_err(|error| TimestampFault::Invalid(TokenFault::Malformed(error)))?;
        let token = response.into_token()?;
        expected
            .check(&token, &self.anchors, &self.signers, now)
            .map_err(TimestampFault::Invalid)
    }

    /// The content octets of a positive INTEGER without leading zeros.
    fn nonce(&self) -> Result<[u8; NONCE_OCTETS], RandomUnavailable> {
        let mut nonce = [0; NONCE_OCTETS];
        self.random.fill(&mut nonce)?;
        let [first, ..] = &mut nonce;
        *first = (*first & 0x7f) | 0x40;
        Ok(nonce)
    }
}

fn request(
    imprint: &[u8; 32],
    nonce: &[u8; NONCE_OCTETS],
    policy: Option<ObjectIdentifier>,
) -> der::Result<TimeStampReq> {
    Ok(TimeStampReq {
        version: TspVersion::V1,
        message_imprint: MessageImprint {
            hash_algorithm: AlgorithmIdentifierOwned {
                oid: ID_SHA_256,
                parameters: Some(Null.into()),
            },
            hashed_message: OctetString::new(imprint.as_slice())?,
        },
        req_policy: policy,
        nonce: Some(Int::new(nonce)?),
        cert_req: true,
        extensions: None,
    })
}

fn unusable_address(url: &Url) -> HttpPortError {
    HttpPortError::Forbidden {
        host: url.host_str().unwrap_or_default().to_owned(),
        reason: "the address is not one of HTTP".to_owned(),
    }
}
