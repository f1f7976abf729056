//! The one rule on sources of revocation: OCSP, otherwise the CRL that the certificate names,
//! otherwise none.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use parafa_http_port::{ExchangeLimits, HttpPortError};
use url::Url;

use super::fault::{SourceFault, ValidationDataError};
use super::issuer_statement::IssuerStatement;
use super::revocation_list;
use crate::addresses::{reachable, tell_failure};
use crate::certificate::Certificate;
use crate::ocsp::{OcspClient, OcspError, OcspSettings};

/// Size and time of the exchange for a CRL.
const LIST_LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(8),
    max_response_bytes: 2 * 1024 * 1024,
};

/// Sources of revocation data.
#[derive(Clone)]
pub(crate) struct RevocationSources {
    pub(crate) ocsp: OcspClient,
}

/// A question to these sources.
pub(crate) struct RevocationQuestion<'a> {
    pub(crate) certificate: &'a Certificate,
    pub(crate) issuer: &'a Certificate,
    pub(crate) ocsp: &'a OcspSettings,
    /// Maximum age of thisUpdate of a CRL; `None` allows the age that its nextUpdate allows.
    pub(crate) list_max_age: Option<Duration>,
    pub(crate) now: Timestamp,
}

impl RevocationQuestion<'_> {
    /// Hosts that it goes to until one answers.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let responders = match &self.ocsp.url {
            Some(url) => vec![url.to_string()],
            None => self.certificate.ocsp_urls().to_vec(),
        };
        let lists = self.certificate.revocation_list_urls();
        let addresses = responders.iter().chain(lists);
        let hosts = addresses.filter_map(|url| Some(Url::parse(url).ok()?.host_str()?.to_owned()));
        hosts.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl RevocationSources {
    pub(crate) fn new(ocsp: OcspClient) -> Self {
        Self { ocsp }
    }

    /// The first usable statement: of an OCSP responder or, if none gives one for whatever reason,
    /// of a CRL that the certificate names. `usable` decides which statements serve the caller, and
    /// what others lack.
    ///
    /// # Errors
    /// [`ValidationDataError`] if neither serves: `Unreachable` and `NotYet` if trying again may
    /// help, otherwise `NoSource` or `Unusable`.
    pub(crate) async fn ask<T>(
        &self,
        question: &RevocationQuestion<'_>,
        usable: impl Fn(IssuerStatement) -> Result<T, ValidationDataError>,
    ) -> Result<T, ValidationDataError> {
        let told = self.ocsp_response(question).await.and_then(&usable);
        let mut fault = match told {
            Ok(told) => return Ok(told),
            Err(fault) => fault,
        };
        let lists = question.certificate.revocation_list_urls();
        for (address, limits) in reachable(lists, LIST_LIMITS) {
            let told = self.listed(address, limits, question).await;
            let told = told.inspect_err(|error| tell_failure(address, error.http_status(), error));
            match told.map_err(unanswered).and_then(&usable) {
                Ok(told) => {
                    if !matches!(fault, ValidationDataError::NoSource) {
                        let fault: &dyn std::error::Error = &fault;
                        tracing::warn!(error = fault, "using a CRL because OCSP failed");
                    }
                    return Ok(told);
                }
                Err(other) => fault = fault.or(other),
            }
        }
        Err(fault)
    }

    async fn ocsp_response(
        &self,
        question: &RevocationQuestion<'_>,
    ) -> Result<IssuerStatement, ValidationDataError> {
        let RevocationQuestion {
            certificate,
            issuer,
            ocsp,
            now,
            ..
        } = question;
        match self.ocsp.status(certificate, issuer, ocsp, *now).await {
            Ok(evidence) => Ok(IssuerStatement {
                der: evidence.response_der,
                status: evidence.status,
                this_update: evidence.this_update,
                told_at: evidence.produced_at,
                next_update: evidence.next_update,
            }),
            Err(OcspError::NoResponder) => Err(ValidationDataError::NoSource),
            Err(error) => Err(unanswered(SourceFault::Ocsp(error))),
        }
    }

    async fn listed(
        &self,
        address: &str,
        limits: ExchangeLimits,
        question: &RevocationQuestion<'_>,
    ) -> Result<IssuerStatement, SourceFault> {
        let list = self.fetch(address, limits).await?;
        revocation_list::read(&list, question, self.ocsp.clock_skew())
            .map_err(SourceFault::RevocationList)
    }

    /// Content at an address in a certificate.
    pub(super) async fn fetch(
        &self,
        address: &str,
        limits: ExchangeLimits,
    ) -> Result<Bytes, SourceFault> {
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

/// A source that was asked and gave nothing usable may do better later, whatever its fault. One
/// that may not be asked from here never will.
fn unanswered(fault: SourceFault) -> ValidationDataError {
    match fault {
        SourceFault::Address
        | SourceFault::Ocsp(OcspError::Address | OcspError::Encode(_))
        | SourceFault::Transport(HttpPortError::Forbidden { .. } | HttpPortError::Spent)
        | SourceFault::Ocsp(OcspError::Transport(
            HttpPortError::Forbidden { .. } | HttpPortError::Spent,
        )) => ValidationDataError::Unusable(fault),
        fault => ValidationDataError::Unreachable(fault),
    }
}
