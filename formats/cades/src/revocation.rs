//! What issuers tell about the certificates that they issued.

use parafa_format_core::Environment;

use crate::element::Elements;
use crate::ocsp::OcspResponse;
use crate::revocation_list::RevocationList;
use crate::{Certificate, Error};

/// An OCSP response (RFC 6960) or a revocation list (RFC 5280, 5).
#[derive(Clone, Debug)]
pub struct RevocationData<'a>(Kind<'a>);

#[derive(Clone, Debug)]
enum Kind<'a> {
    Response(OcspResponse<'a>),
    List(RevocationList<'a>),
}

/// What revocation data tell about a certificate, authentically.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CertificateStatus {
    /// Since when the certificate is revoked, seconds since the Unix epoch.
    pub revoked_at: Option<i64>,
    /// When this was known to be so (`thisUpdate`).
    pub this_update: i64,
    /// Until when there will be something newer (`nextUpdate`).
    pub next_update: Option<i64>,
    /// DER of the responder's certificate when the issuer delegated the answer.
    pub delegate: Option<Vec<u8>>,
}

/// Why revocation data tell nothing about a certificate.
#[derive(Debug, thiserror::Error)]
pub enum RevocationError {
    /// They are about other certificates.
    #[error("it is about another certificate")]
    OtherCertificate,
    /// Neither the issuer nor its delegate signed them.
    #[error("it is not signed by the issuer or its delegate")]
    Signature,
    /// The responder does not know the certificate.
    #[error("the responder does not know the certificate")]
    Unknown,
    /// They cannot be read to their end.
    #[error("it cannot be read")]
    Unreadable(#[source] Error),
}

impl<'a> RevocationData<'a> {
    /// Reads a DER OCSPResponse, which must be a successful one, or a DER
    /// CertificateList.
    ///
    /// # Errors
    /// The bytes are neither.
    pub fn parse(der: &'a [u8]) -> Result<Self, Error> {
        if is_ocsp_response(der) {
            OcspResponse::parse(der).map(|response| Self(Kind::Response(response)))
        } else {
            RevocationList::parse(der).map(|list| Self(Kind::List(list)))
        }
    }

    /// Whether it is an OCSP response.
    #[must_use]
    pub fn is_ocsp_response(&self) -> bool {
        matches!(self.0, Kind::Response(_))
    }

    /// DER of the certificates that come along.
    #[must_use]
    pub fn certificates(&self) -> &[&'a [u8]] {
        match &self.0 {
            Kind::Response(response) => response.certificates(),
            Kind::List(_) => &[],
        }
    }

    /// Whether it says that it tells about a certificate; nothing is verified.
    #[must_use]
    pub fn is_about(&self, certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> bool {
        match &self.0 {
            Kind::Response(response) => response.is_about(certificate, issuer),
            Kind::List(list) => list.is_about(certificate, issuer),
        }
    }

    /// What it tells about a certificate. `others` are certificates among which
    /// a responder may be that does not come with its response.
    ///
    /// # Errors
    /// It tells nothing, or is not authentic.
    pub fn status<'c, E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Certificate<'_>,
        others: impl Iterator<Item = &'c [u8]>,
    ) -> Result<CertificateStatus, RevocationError> {
        match &self.0 {
            Kind::Response(response) => response.status(environment, certificate, issuer, others),
            Kind::List(list) => list.status(environment, certificate, issuer),
        }
    }
}

/// An OCSPResponse begins with its status, a list with what is signed.
fn is_ocsp_response(der: &[u8]) -> bool {
    let first = || {
        let outer = Elements::new("RevocationData", der).ok()?.any().ok()?;
        outer.children("RevocationData").ok()?.any().ok()
    };
    first().is_some_and(|first| first.tag == der::Tag::Enumerated)
}
