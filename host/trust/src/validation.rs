//! What verifies signatures when nobody can be asked any more: the certificates
//! of issuers (RFC 5280 clause 4.2.2.1), and what those tell of the certificates
//! that they issued (RFC 6960; RFC 5280 clause 5).

mod issuers;
mod revocation_list;

pub use self::revocation_list::RevocationListFault;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};

use crate::addresses::reachable;
use crate::anchors::TrustAnchors;
use crate::certificate::Certificate;
use crate::ocsp::{CertificateStatus, OcspClient, OcspError, OcspSettings};

/// Limits of what is gathered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ValidationPolicy {
    /// Size and time of the exchange for an issuer's certificate.
    pub issuer: ExchangeLimits,
    /// Size and time of the exchange for a revocation list.
    pub revocation_list: ExchangeLimits,
    /// How far the issuers' clocks may be off.
    pub clock_skew: Duration,
    /// How old a responder's answer about an authority may be: those are often
    /// made in advance.
    pub max_age_of_authorities: Duration,
}

impl Default for ValidationPolicy {
    /// Ten seconds each, 64 KiB for certificates and 2 MiB for lists; five
    /// minutes of skew; a week of age.
    fn default() -> Self {
        let within = |max_response_bytes| ExchangeLimits {
            timeout: Duration::from_secs(10),
            max_response_bytes,
        };
        Self {
            issuer: within(64 * 1024),
            revocation_list: within(2 * 1024 * 1024),
            clock_skew: Duration::from_secs(5 * 60),
            max_age_of_authorities: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}

/// Who issued a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Issuer {
    /// Nobody else: it is self-signed, or a configured authority whose own
    /// issuer is not known.
    Anchor,
    /// This authority.
    Authority(Box<Certificate>),
}

/// Why there are no validation data.
#[derive(Debug, thiserror::Error)]
pub enum ValidationDataError {
    /// Neither the certificate nor the configuration says where they are.
    #[error("nothing says where they are")]
    NoSource,
    /// A source cannot answer at the moment; trying again may help.
    #[error("their source cannot answer at the moment")]
    Unreachable(#[source] SourceFault),
    /// Their sources hold nothing that could be used.
    #[error("their sources hold nothing that could be used")]
    Unusable(#[source] SourceFault),
}

/// What one source did wrong.
#[derive(Debug, thiserror::Error)]
pub enum SourceFault {
    /// Its address is not one of HTTP.
    #[error("the address is malformed")]
    Address,
    /// It was not reached.
    #[error("the source was not reached")]
    Transport(#[source] HttpPortError),
    /// It answered with another HTTP status than 200.
    #[error("the source answered with HTTP status {0}")]
    HttpStatus(u16),
    /// It holds no certificate of the issuer.
    #[error("the source holds no certificate of the issuer")]
    NoIssuer,
    /// The responder gives no usable answer.
    #[error("the responder gives no usable answer")]
    Ocsp(#[source] OcspError),
    /// The responder does not know the certificate.
    #[error("the responder does not know the certificate")]
    UnknownToResponder,
    /// The revocation list cannot be used.
    #[error("the revocation list cannot be used")]
    RevocationList(#[source] RevocationListFault),
}

/// Gathers validation data.
#[derive(Clone)]
pub struct ValidationData {
    port: Arc<dyn HttpPort>,
    anchors: Arc<TrustAnchors>,
    ocsp: OcspClient,
    policy: ValidationPolicy,
}

impl ValidationData {
    /// Gathers through `port` and `ocsp`; `anchors` are looked through first.
    #[must_use]
    pub fn new(
        port: Arc<dyn HttpPort>,
        anchors: Arc<TrustAnchors>,
        ocsp: OcspClient,
        policy: ValidationPolicy,
    ) -> Self {
        Self {
            port,
            anchors,
            ocsp,
            policy,
        }
    }

    /// Who issued a certificate: a configured authority, or one whose
    /// certificate lies where the certificate says. Whether it is trusted is
    /// not decided here.
    ///
    /// # Errors
    /// [`ValidationDataError`] when the issuer is not known.
    pub async fn issuer(&self, certificate: &Certificate) -> Result<Issuer, ValidationDataError> {
        if certificate.is_issued_by(certificate) {
            return Ok(Issuer::Anchor);
        }
        if let Some(known) = self.configured_issuer(certificate) {
            return Ok(Issuer::Authority(Box::new(known.clone())));
        }
        let mut fault = ValidationDataError::NoSource;
        for address in reachable(certificate.issuer_urls()) {
            match self.issuer_at(address, certificate).await {
                Ok(issuer) => return Ok(Issuer::Authority(Box::new(issuer))),
                Err(error) => fault = ValidationDataError::of(error),
            }
        }
        let entries = self.anchors.entries();
        if entries
            .iter()
            .any(|entry| entry.certificate == *certificate)
        {
            return Ok(Issuer::Anchor);
        }
        Err(fault)
    }

    /// What the issuer tells of a certificate now, in DER: an OCSP response,
    /// good or not, else a revocation list. An end entity's list is asked for
    /// only where no responder answers for it, because it says nothing of the
    /// time since it was made.
    ///
    /// # Errors
    /// [`ValidationDataError`] when there is neither.
    pub async fn revocation(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: Timestamp,
    ) -> Result<Vec<u8>, ValidationDataError> {
        let mut fault = match self.ocsp_response(certificate, issuer, now).await {
            Ok(response) => return Ok(response),
            Err(SourceFault::Ocsp(OcspError::NoResponder)) => ValidationDataError::NoSource,
            Err(error) => ValidationDataError::of(error),
        };
        if matches!(fault, ValidationDataError::Unreachable(_)) && !certificate.is_authority() {
            return Err(fault);
        }
        for address in reachable(certificate.revocation_list_urls()) {
            match self.revocation_list_at(address, issuer, now).await {
                Ok(list) => return Ok(list.to_vec()),
                Err(error) => fault = ValidationDataError::of(error),
            }
        }
        Err(fault)
    }

    fn configured_issuer(&self, certificate: &Certificate) -> Option<&Certificate> {
        let authorities = self.anchors.entries().iter();
        authorities
            .map(|entry| &entry.certificate)
            .find(|authority| certificate.is_issued_by(authority))
    }

    async fn issuer_at(
        &self,
        address: &str,
        certificate: &Certificate,
    ) -> Result<Certificate, SourceFault> {
        let body = self.fetch(address, self.policy.issuer).await?;
        issuers::read(&body)
            .into_iter()
            .find(|found| found.is_authority() && certificate.is_issued_by(found))
            .ok_or(SourceFault::NoIssuer)
    }

    async fn ocsp_response(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: Timestamp,
    ) -> Result<Vec<u8>, SourceFault> {
        let mut entries = self.anchors.entries().iter();
        let entry = entries.find(|entry| entry.certificate == *issuer);
        let mut settings = entry.map_or_else(OcspSettings::default, |entry| entry.ocsp.clone());
        if certificate.is_authority() {
            settings.max_age = Some(self.policy.max_age_of_authorities);
        }
        let answer = self.ocsp.status(certificate, issuer, &settings, now).await;
        let evidence = answer.map_err(SourceFault::Ocsp)?;
        match evidence.status {
            CertificateStatus::Unknown => Err(SourceFault::UnknownToResponder),
            CertificateStatus::Good | CertificateStatus::Revoked { .. } => {
                Ok(evidence.response_der)
            }
        }
    }

    async fn revocation_list_at(
        &self,
        address: &str,
        issuer: &Certificate,
        now: Timestamp,
    ) -> Result<Bytes, SourceFault> {
        let list = self.fetch(address, self.policy.revocation_list).await?;
        revocation_list::check(&list, issuer, now, self.policy.clock_skew)
            .map_err(SourceFault::RevocationList)?;
        Ok(list)
    }

    async fn fetch(&self, address: &str, limits: ExchangeLimits) -> Result<Bytes, SourceFault> {
        let request = Request::builder()
            .method(Method::GET)
            .uri(address)
            .body(Bytes::new())
            .map_err(|_| SourceFault::Address)?;
        let answer = self.port.exchange(request, limits).await;
        let answer = answer.map_err(SourceFault::Transport)?;
        match answer.status() {
            StatusCode::OK => Ok(answer.into_body()),
            other => Err(SourceFault::HttpStatus(other.as_u16())),
        }
    }
}

impl ValidationDataError {
    fn of(fault: SourceFault) -> Self {
        if fault.is_transient() {
            Self::Unreachable(fault)
        } else {
            Self::Unusable(fault)
        }
    }
}

impl SourceFault {
    /// Whether the same source may answer the same question later.
    fn is_transient(&self) -> bool {
        match self {
            Self::Transport(error) | Self::Ocsp(OcspError::Transport(error)) => {
                is_transient_transport(error)
            }
            Self::HttpStatus(status) | Self::Ocsp(OcspError::HttpStatus(status)) => {
                *status >= 500 || *status == StatusCode::TOO_MANY_REQUESTS
            }
            // internalError and tryLater (RFC 6960 clause 4.2.1).
            Self::Ocsp(OcspError::Refused(status)) => matches!(status, 2 | 3),
            Self::Ocsp(OcspError::Random(_)) => true,
            Self::Address
            | Self::NoIssuer
            | Self::Ocsp(_)
            | Self::UnknownToResponder
            | Self::RevocationList(_) => false,
        }
    }
}

fn is_transient_transport(error: &HttpPortError) -> bool {
    match error {
        HttpPortError::TimedOut(_) | HttpPortError::Transport(_) => true,
        HttpPortError::Forbidden { .. } | HttpPortError::ResponseTooLong { .. } => false,
    }
}
