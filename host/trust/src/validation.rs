//! Data for verifying signatures in the long term. The certificates of issuers (RFC 5280 clause
//! 4.2.2.1), and revocation data on certificates that they issued (RFC 6960; RFC 5280 clause 5).

mod fault;
mod issuer_statement;
mod issuers;
mod known_statements;
mod revocation;
mod revocation_list;

pub use self::fault::{RevocationListFault, SourceFault, ValidationDataError};
pub(crate) use self::revocation::{RevocationQuestion, RevocationSources};

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parafa_http_port::ExchangeLimits;

use self::issuer_statement::is_signers;
use self::known_statements::KnownStatements;
use crate::addresses::reachable;
use crate::anchors::TrustAnchors;
use crate::certificate::Certificate;
use crate::ocsp::OcspClient;
use crate::ports::FetchBudget;

/// Limits on gathering.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ValidationPolicy {
    /// Size and time of the exchange for an issuer's certificate.
    pub issuer: ExchangeLimits,
    /// Maximum age of a responder's answer about an authority: those are often produced in advance.
    pub max_age_of_authorities: Duration,
}

impl Default for ValidationPolicy {
    /// Ten seconds and 64 KiB for a certificate; a week of age.
    fn default() -> Self {
        Self {
            issuer: ExchangeLimits {
                timeout: Duration::from_secs(10),
                max_response_bytes: 64 * 1024,
            },
            max_age_of_authorities: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}

/// Issuer of a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Issuer {
    /// None is needed: the certificate is configured as an anchor and its issuer is not configured,
    /// or it is a root above an anchor.
    Anchor,
    /// The configured authority.
    Authority(Box<Certificate>),
}

/// Gathers validation data.
#[derive(Clone)]
pub struct ValidationData {
    anchors: Arc<TrustAnchors>,
    sources: RevocationSources,
    policy: ValidationPolicy,
    /// `None` without a cache.
    known: Option<Arc<KnownStatements>>,
}

impl ValidationData {
    /// Gathers through `ocsp` and its ports; `anchors` are searched first, and decide where a chain
    /// may end.
    #[must_use]
    pub fn new(anchors: Arc<TrustAnchors>, ocsp: OcspClient, policy: ValidationPolicy) -> Self {
        Self {
            anchors,
            sources: RevocationSources::new(ocsp),
            policy,
            known: None,
        }
    }

    /// The same, with a cache for authorities and their responders. Each is asked about once in ten
    /// minutes, unless newer information is due before. For callers that check the same
    /// certificates all the time. Signers' certificates are asked about anew each time.
    #[must_use]
    pub fn remembering_authorities(self) -> Self {
        Self {
            known: Some(Arc::default()),
            ..self
        }
    }

    /// The same, limited to fetching `budget` from all sources together.
    #[must_use]
    pub fn within(&self, budget: FetchBudget) -> Self {
        Self {
            sources: RevocationSources::new(self.sources.ocsp.within(budget)),
            ..self.clone()
        }
    }

    /// The issuer of a certificate: a configured authority, or one whose certificate is at an
    /// address in the certificate. A chain ends at a configured anchor unless its issuer is
    /// configured too, and at no other root than one above such an anchor.
    ///
    /// # Errors
    /// [`ValidationDataError`] if the issuer is not known, or not trusted.
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
        for (address, limits) in reachable(certificate.issuer_urls(), self.policy.issuer) {
            match self.issuer_at(address, limits, certificate).await {
                Ok(issuer) if is_root(&issuer) && !self.anchors.lead_to(&issuer) => {
                    return Err(ValidationDataError::Untrusted);
                }
                Ok(issuer) => return Ok(Issuer::Authority(Box::new(issuer))),
                Err(error) => fault = fault.or(ValidationDataError::of(error)),
            }
        }
        Err(fault)
    }

    /// Current revocation data on a certificate, in DER: an OCSP response, whatever its status,
    /// otherwise a revocation list. If the responder does not know the certificate, the list
    /// decides (RFC 6960 clause 2.2).
    ///
    /// With `since`, the data must cover that time (ETSI EN 319 102-1 clause 5.2.5). On a signer
    /// they must have been issued since. On an authority, whose lists are weeks apart, they may
    /// also have been the newest at that time.
    ///
    /// # Errors
    /// [`ValidationDataError`] if there is neither.
    pub async fn revocation(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Vec<u8>, ValidationDataError> {
        let mut entries = self.anchors.entries().iter();
        let entry = entries.find(|entry| entry.certificate == *issuer);
        let mut ocsp = entry.map(|entry| entry.ocsp.clone()).unwrap_or_default();
        let mut list_max_age = entry.and_then(|entry| entry.crl_max_age);
        if certificate.is_authority() {
            ocsp.max_age = Some(self.policy.max_age_of_authorities);
            list_max_age = None;
        }
        let question = RevocationQuestion {
            certificate,
            issuer,
            ocsp: &ocsp,
            list_max_age,
            now,
        };
        let known = self.known.as_deref().filter(|_| !is_signers(certificate));
        let remembered = known.and_then(|known| known.of(certificate, issuer, now));
        if let Some(Ok(der)) = remembered.map(|told| told.of_time(certificate, since)) {
            return Ok(der);
        }
        let told = self.sources.ask(&question, |told| {
            told.clone().of_time(certificate, since)?;
            Ok(told)
        });
        let told = told.await?;
        if let Some(known) = known {
            known.note(certificate, issuer, now, &told);
        }
        Ok(told.der)
    }

    async fn issuer_at(
        &self,
        address: &str,
        limits: ExchangeLimits,
        certificate: &Certificate,
    ) -> Result<Certificate, SourceFault> {
        let body = self.sources.fetch(address, limits).await?;
        issuers::read(&body)
            .into_iter()
            .find(|found| found.is_authority() && certificate.is_issued_by(found))
            .ok_or(SourceFault::NoIssuer)
    }
}

/// Returns true if it is self-signed.
fn is_root(certificate: &Certificate) -> bool {
    certificate.is_issued_by(certificate)
}
