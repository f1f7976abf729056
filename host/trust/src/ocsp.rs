//! Revocation by the Online Certificate Status Protocol (RFC 6960).

mod request;
mod response;

pub use self::request::CertIdHash;
pub use self::response::{CertificateStatus, OcspEvidence};

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use der::asn1::ObjectIdentifier;
use http::header::CONTENT_TYPE;
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use serde::Deserialize;
use url::Url;

use self::request::{NONCE_OCTETS, OcspQuery};
use self::response::Expected;
use crate::addresses::{reachable, tell_failure};
use crate::certificate::Certificate;
use crate::path::PathError;
use crate::ports::{FetchBudget, Ports};
use crate::random::{RandomSource, RandomUnavailable};
use crate::signature::SignatureFault;

/// Settings of requests to one authority's responder.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OcspSettings {
    /// URL of a fixed responder; `None` for the one in the certificate's authority information
    /// access.
    pub url: Option<Url>,
    /// Use of nonces: sent or not, required in the response or not.
    pub nonce: NonceMode,
    /// Digest that identifies the issuer.
    pub certid_hash: CertIdHash,
    /// Maximum age of thisUpdate; `None` for the client's policy.
    pub max_age: Option<Duration>,
}

/// The nonce extension (RFC 6960 clause 4.4.1, RFC 9654).
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum NonceMode {
    /// No nonce is sent.
    Off,
    /// A nonce is sent; if the responder returns one, it must be equal.
    #[default]
    Send,
    /// A nonce is sent and must be returned.
    Require,
}

/// Limits of an OCSP exchange.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OcspPolicy {
    /// Size of an answer, and time for all responders of a certificate.
    pub limits: ExchangeLimits,
    /// Tolerance for an issuer's clock.
    pub clock_skew: Duration,
    /// Maximum age of thisUpdate.
    pub max_age: Duration,
}

impl Default for OcspPolicy {
    /// A time-out of four seconds, which leaves time for a CRL if a responder hangs; 64 KiB; five
    /// minutes of skew; an hour of age.
    fn default() -> Self {
        Self {
            limits: ExchangeLimits {
                timeout: Duration::from_secs(4),
                max_response_bytes: 64 * 1024,
            },
            clock_skew: Duration::from_secs(5 * 60),
            max_age: Duration::from_secs(60 * 60),
        }
    }
}

/// Reason for the lack of an answer about a certificate's revocation.
#[derive(Debug, thiserror::Error)]
pub enum OcspError {
    /// Neither the configuration nor the certificate names a responder.
    #[error("no OCSP responder is known for the certificate")]
    NoResponder,
    /// The responder's address is not one of HTTP.
    #[error("the OCSP responder's address is malformed")]
    Address,
    /// No nonce could be made.
    #[error(transparent)]
    Random(#[from] RandomUnavailable),
    /// The request could not be encoded.
    #[error("the OCSP request cannot be encoded")]
    Encode(#[source] der::Error),
    /// The responder was not reached.
    #[error("the OCSP responder was not reached")]
    Transport(#[source] HttpPortError),
    /// The HTTP status is not 200.
    #[error("the OCSP responder answered with HTTP status {0}")]
    HttpStatus(u16),
    /// The responder refused (OCSPResponseStatus, RFC 6960 clause 4.2.1).
    #[error("the OCSP responder refused with status {0}")]
    Refused(u32),
    /// The answer is not well-formed.
    #[error("the OCSP response is malformed")]
    Malformed(#[source] der::Error),
    /// The response type is not id-pkix-ocsp-basic.
    #[error("the OCSP response has the type {0}")]
    ResponseType(ObjectIdentifier),
    /// The response does not have exactly one answer about the certificate.
    #[error("the OCSP response has {0} answers about the certificate instead of one")]
    NotOneAnswer(usize),
    /// A critical extension that is not understood.
    #[error("the OCSP response has the unknown critical extension {0}")]
    CriticalExtension(ObjectIdentifier),
    /// The nonce came back changed, or not at all though it must.
    #[error("the OCSP response does not carry the nonce of the request")]
    Nonce,
    /// No certificate matches the responder's identifier, or none that matches may answer for the
    /// issuer, or the certificate answers for itself.
    #[error("the OCSP responder is not authorised by the issuer")]
    Responder,
    /// The responder's certificate lacks id-kp-OCSPSigning.
    #[error("the OCSP responder's certificate is not one for OCSP signing")]
    ResponderPurpose,
    /// The responder's certificate is no valid one of the issuer.
    #[error("the OCSP responder's certificate is not valid")]
    ResponderPath(#[source] PathError),
    /// The signature is wrong.
    #[error("the OCSP response's signature is not valid")]
    Signature(#[source] SignatureFault),
    /// thisUpdate lies in the future.
    #[error("the OCSP response is from the future: {0}")]
    NotYetValid(Timestamp),
    /// thisUpdate is too old, or nextUpdate has passed.
    #[error("the OCSP response is out of date: {0}")]
    Stale(Timestamp),
}

impl OcspError {
    /// The HTTP status, if it is the fault.
    fn http_status(&self) -> Option<u16> {
        match self {
            Self::HttpStatus(status) => Some(*status),
            _ => None,
        }
    }
}

/// The question put to each responder.
struct Question<'a> {
    certificate: &'a Certificate,
    issuer: &'a Certificate,
    settings: &'a OcspSettings,
    now: Timestamp,
}

/// Client of OCSP responders.
#[derive(Clone)]
pub struct OcspClient {
    ports: Ports,
    random: Arc<dyn RandomSource>,
    policy: OcspPolicy,
}

impl OcspClient {
    /// A client that speaks through `ports`: one for configured responders, the other for those
    /// named in certificates.
    #[must_use]
    pub fn new(ports: Ports, random: Arc<dyn RandomSource>, policy: OcspPolicy) -> Self {
        Self {
            ports,
            random,
            policy,
        }
    }

    /// The same client, limited to fetching `budget`.
    #[must_use]
    pub fn within(&self, budget: FetchBudget) -> Self {
        Self::new(
            self.ports.within(budget),
            Arc::clone(&self.random),
            self.policy,
        )
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.ports
    }

    pub(crate) fn clock_skew(&self) -> Duration {
        self.policy.clock_skew
    }

    /// Status of `certificate`, which `issuer` issued, with the response as evidence. Responders
    /// are asked in turn until one gives a valid answer, whatever the status.
    ///
    /// # Errors
    /// [`OcspError`] of the last responder if none gave a valid answer.
    pub async fn status(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        settings: &OcspSettings,
        now: Timestamp,
    ) -> Result<OcspEvidence, OcspError> {
        let question = Question {
            certificate,
            issuer,
            settings,
            now,
        };
        let limits = self.policy.limits;
        if let Some(url) = &settings.url {
            let asked = self.ask(&self.ports.configured, url.as_str(), limits, &question);
            let asked = asked.await;
            return asked
                .inspect_err(|error| tell_failure(url.as_str(), error.http_status(), error));
        }
        let mut last = OcspError::NoResponder;
        for (address, limits) in reachable(certificate.ocsp_urls(), limits) {
            match self
                .ask(&self.ports.named, address, limits, &question)
                .await
            {
                Ok(evidence) => return Ok(evidence),
                Err(error) => {
                    tell_failure(address, error.http_status(), &error);
                    last = error;
                }
            }
        }
        Err(last)
    }

    async fn ask(
        &self,
        port: &Arc<dyn HttpPort>,
        address: &str,
        limits: ExchangeLimits,
        question: &Question<'_>,
    ) -> Result<OcspEvidence, OcspError> {
        let settings = question.settings;
        let query = OcspQuery {
            certificate: question.certificate,
            issuer: question.issuer,
            hash: settings.certid_hash,
            nonce: self.nonce(settings.nonce)?,
        };
        let body = query.to_der().map_err(OcspError::Encode)?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(address)
            .header(CONTENT_TYPE, "application/ocsp-request")
            .body(Bytes::from(body))
            .map_err(|_| OcspError::Address)?;
        let answer = port
            .exchange(request, limits)
            .await
            .map_err(OcspError::Transport)?;
        if answer.status() != StatusCode::OK {
            return Err(OcspError::HttpStatus(answer.status().as_u16()));
        }
        let expected = Expected {
            query: &query,
            nonce_must_return: settings.nonce == NonceMode::Require,
            clock_skew: self.policy.clock_skew,
            max_age: settings.max_age.unwrap_or(self.policy.max_age),
        };
        expected.check(answer.body(), question.now)
    }

    fn nonce(&self, mode: NonceMode) -> Result<Option<[u8; NONCE_OCTETS]>, RandomUnavailable> {
        if mode == NonceMode::Off {
            return Ok(None);
        }
        let mut nonce = [0; NONCE_OCTETS];
        self.random.fill(&mut nonce)?;
        Ok(Some(nonce))
    }
}
