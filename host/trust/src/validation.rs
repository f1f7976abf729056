//! What verifies signatures when nobody can be asked any more: the certificates
//! of issuers (RFC 5280 clause 4.2.2.1), and what those tell of the certificates
//! that they issued (RFC 6960; RFC 5280 clause 5).

mod issuer_statement;
mod issuers;
mod revocation_list;

pub use self::revocation_list::RevocationListFault;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPortError};

use crate::addresses::reachable;
use crate::anchors::TrustAnchors;
use crate::certificate::Certificate;
use crate::ocsp::{CertificateStatus, OcspClient, OcspError, OcspSettings};
use crate::ports::FetchBudget;
use crate::validation::issuer_statement::IssuerStatement;

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
    /// Nobody else who matters: it is configured as an anchor, and so is
    /// nobody above it, or it is a root above an anchor.
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
    /// Their sources hold nothing that could be used.
    #[error("their sources hold nothing that could be used")]
    Unusable(#[source] SourceFault),
    /// The chain ends in a root that is not configured.
    #[error("no configured authority stands behind them")]
    Untrusted,
    /// A source cannot answer at the moment; trying again may help.
    #[error("their source cannot answer at the moment")]
    Unreachable(#[source] SourceFault),
    /// What is there tells of an earlier time than the one that was asked for;
    /// there will be newer data.
    #[error("there are none yet that tell of {since}")]
    NotYet {
        /// The time that was asked for.
        since: Timestamp,
        /// By when there will be newer data, if that is known.
        next_update: Option<Timestamp>,
    },
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
    anchors: Arc<TrustAnchors>,
    ocsp: OcspClient,
    policy: ValidationPolicy,
}

impl ValidationData {
    /// Gathers through `ocsp` and the ways that it has; `anchors` are looked
    /// through first, and decide where a chain may end.
    #[must_use]
    pub fn new(anchors: Arc<TrustAnchors>, ocsp: OcspClient, policy: ValidationPolicy) -> Self {
        Self {
            anchors,
            ocsp,
            policy,
        }
    }

    /// The same, which fetches no more than `budget` from all sources together.
    #[must_use]
    pub fn within(&self, budget: FetchBudget) -> Self {
        Self {
            ocsp: self.ocsp.within(budget),
            ..self.clone()
        }
    }

    /// Who issued a certificate: a configured authority, or one whose
    /// certificate lies where the certificate says. A chain ends at a configured
    /// anchor unless its issuer is configured too, and at no other root but one
    /// above such an anchor.
    ///
    /// # Errors
    /// [`ValidationDataError`] when the issuer is not known, or not trusted.
    pub async fn issuer(&self, certificate: &Certificate) -> Result<Issuer, ValidationDataError> {
        if is_root(certificate) {
            return if self.anchors.lead_to(certificate) {
                Ok(Issuer::Anchor)
            } else {
                Err(ValidationDataError::Untrusted)
            };
        }
        if let Some(known) = self.anchors.issuer_of(certificate) {
            return Ok(Issuer::Authority(Box::new(known.clone())));
        }
        if self.anchors.has_anchor(certificate) {
            return Ok(Issuer::Anchor);
        }
        let mut fault = ValidationDataError::NoSource;
        for address in reachable(certificate.issuer_urls()) {
            match self.issuer_at(address, certificate).await {
                Ok(issuer) if is_root(&issuer) && !self.anchors.lead_to(&issuer) => {
                    return Err(ValidationDataError::Untrusted);
                }
                Ok(issuer) => return Ok(Issuer::Authority(Box::new(issuer))),
                Err(error) => fault = fault.or(ValidationDataError::of(error)),
            }
        }
        Err(fault)
    }

    /// What the issuer tells of a certificate now, in DER: an OCSP response,
    /// good or not, else a revocation list. An end entity's list is asked for
    /// only where no responder answers for it, because it says nothing of the
    /// time since it was made.
    ///
    /// With `since`, what is told has to tell of that time (ETSI EN 319 102-1
    /// clause 5.2.5): of a signer it was told since; of an authority, whose
    /// lists are weeks apart, it may also have been the newest then.
    ///
    /// # Errors
    /// [`ValidationDataError`] when there is neither.
    pub async fn revocation(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Vec<u8>, ValidationDataError> {
        let told = match self.ocsp_response(certificate, issuer, now).await {
            Ok(told) => told.of_time(certificate, since),
            Err(SourceFault::Ocsp(OcspError::NoResponder)) => Err(ValidationDataError::NoSource),
            Err(error) => Err(ValidationDataError::of(error)),
        };
        let mut fault = match told {
            Ok(response) => return Ok(response),
            Err(fault) => fault,
        };
        if matches!(fault, ValidationDataError::Unreachable(_)) && !certificate.is_authority() {
            return Err(fault);
        }
        for address in reachable(certificate.revocation_list_urls()) {
            let told = match self.revocation_list_at(address, issuer, now).await {
                Ok(told) => told.of_time(certificate, since),
                Err(error) => Err(ValidationDataError::of(error)),
            };
            match told {
                Ok(list) => return Ok(list),
                Err(error) => fault = fault.or(error),
            }
        }
        Err(fault)
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
    ) -> Result<IssuerStatement, SourceFault> {
        let mut entries = self.anchors.entries().iter();
        let entry = entries.find(|entry| entry.certificate == *issuer);
        let mut settings = entry.map_or_else(OcspSettings::default, |entry| entry.ocsp.clone());
        if certificate.is_authority() {
            settings.max_age = Some(self.policy.max_age_of_authorities);
        }
        let answer = self.ocsp.status(certificate, issuer, &settings, now).await;
        let evidence = answer.map_err(SourceFault::Ocsp)?;
        let is_revoked = match evidence.status {
            CertificateStatus::Unknown => return Err(SourceFault::UnknownToResponder),
            CertificateStatus::Good => false,
            CertificateStatus::Revoked { .. } => true,
        };
        Ok(IssuerStatement {
            der: evidence.response_der,
            this_update: evidence.this_update,
            told_at: evidence.produced_at,
            next_update: evidence.next_update,
            is_revoked,
        })
    }

    async fn revocation_list_at(
        &self,
        address: &str,
        issuer: &Certificate,
        now: Timestamp,
    ) -> Result<IssuerStatement, SourceFault> {
        let list = self.fetch(address, self.policy.revocation_list).await?;
        let period = revocation_list::check(&list, issuer, now, self.policy.clock_skew)
            .map_err(SourceFault::RevocationList)?;
        Ok(IssuerStatement {
            der: list.to_vec(),
            this_update: period.this_update,
            told_at: period.this_update,
            next_update: Some(period.next_update),
            is_revoked: false,
        })
    }

    async fn fetch(&self, address: &str, limits: ExchangeLimits) -> Result<Bytes, SourceFault> {
        let request = Request::builder()
            .method(Method::GET)
            .uri(address)
            .body(Bytes::new())
            .map_err(|_| SourceFault::Address)?;
        let answer = self.ocsp.ports().named.exchange(request, limits).await;
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

    /// Of two faults, the one that leaves more hope: data that are to come,
    /// then a source that may be reached later. Of two such data, those that
    /// come first.
    fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (
                Self::NotYet {
                    next_update: one, ..
                },
                Self::NotYet {
                    next_update: another,
                    ..
                },
            ) => {
                let is_sooner = another.is_some_and(|another| one.is_none_or(|one| another < one));
                if is_sooner { other } else { self }
            }
            _ if other.hope() >= self.hope() => other,
            _ => self,
        }
    }

    fn hope(&self) -> u8 {
        match self {
            Self::NoSource => 0,
            Self::Unusable(_) | Self::Untrusted => 1,
            Self::Unreachable(_) => 2,
            Self::NotYet { .. } => 3,
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

/// Whether it signed itself.
fn is_root(certificate: &Certificate) -> bool {
    certificate.is_issued_by(certificate)
}

fn is_transient_transport(error: &HttpPortError) -> bool {
    match error {
        HttpPortError::TimedOut(_) | HttpPortError::Transport(_) => true,
        HttpPortError::Forbidden { .. }
        | HttpPortError::ResponseTooLong { .. }
        | HttpPortError::Spent => false,
    }
}
