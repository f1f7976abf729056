//! Revocation data: statements of issuers about their certificates.

use parafa_format_core::Environment;

use crate::asn1::Elements;
use crate::issuer::Issuer;
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

/// Search keys of revocation data.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subjects<'a> {
    /// All certificates of an issuer, by its DER-encoded Name.
    IssuedBy(&'a [u8]),
    /// Certificates with these serial numbers, each a DER-encoded INTEGER.
    SerialNumbers(Vec<&'a [u8]>),
}

/// Signer of revocation data.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RevocationSigner {
    /// The issuer of the certificates.
    Issuer,
    /// A delegate certified by the issuer; its DER-encoded certificate.
    Delegate(Vec<u8>),
}

/// Status of a certificate in revocation data.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CertificateStatus {
    /// Time of revocation in seconds since the Unix epoch.
    pub revoked_at: Option<i64>,
    /// Time at which the status was known (`thisUpdate`).
    pub this_update: i64,
    /// Time by which newer data is available (`nextUpdate`).
    pub next_update: Option<i64>,
    /// Time of the statement: `producedAt` of a response, `thisUpdate` of a
    /// CRL.
    pub told_at: i64,
    /// Earliest expiry of expired certificates that are still covered: the
    /// archive cutoff of a response (RFC 6960, 4.4.4), or `expiredCertsOnCRL`
    /// of a CRL (ITU-T X.509, 9.5.2.8). With `None`, expired certificates are
    /// not covered, unless they are revoked.
    pub expired_since: Option<i64>,
}

/// Reason why revocation data has no usable status of a certificate.
#[derive(Debug, thiserror::Error)]
pub enum RevocationError {
    /// Several statuses of the certificate, possibly different.
    #[error("it tells of the certificate more than once")]
    Ambiguous,
    /// An unknown critical extension limits the data.
    #[error("a critical extension of it is not known")]
    CriticalExtension,
    /// The data concerns other certificates.
    #[error("it is about another certificate")]
    OtherCertificate,
    /// Signed with the key of the certificate in question.
    #[error("it is signed by the key that it tells of")]
    OwnWord,
    /// Not signed by the issuer or its delegate.
    #[error("it is not signed by the issuer or its delegate")]
    Signature,
    /// The responder does not know the certificate.
    #[error("the responder does not know the certificate")]
    Unknown,
    /// The data cannot be read to its end.
    #[error("it cannot be read")]
    Unreadable(#[source] Error),
}

/// Nonce of an OCSP response (RFC 6960, 4.4.1), and the responder behind it.
/// The authority of the responder is not checked.
#[derive(Clone, Copy, Debug)]
pub struct Nonce<'r> {
    /// Value of the extension.
    pub value: &'r [u8],
    response: &'r OcspResponse<'r>,
}

impl Nonce<'_> {
    /// Returns the time at which the response was signed (`producedAt`), in
    /// seconds since the Unix epoch.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.response.produced_at()
    }

    /// Returns whether the response names the subject of a certificate as its
    /// responder.
    #[must_use]
    pub fn names_responder<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> bool {
        self.response.names_responder(environment, certificate)
    }

    /// Returns whether the key of a certificate signed the response.
    #[must_use]
    pub fn is_signed_by<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> bool {
        self.response.is_signed_by(environment, certificate)
    }
}

impl<'a> RevocationData<'a> {
    /// Reads a DER-encoded OCSPResponse, which must be successful, or a
    /// DER-encoded CertificateList.
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

    /// Returns whether this is an OCSP response.
    #[must_use]
    pub fn is_ocsp_response(&self) -> bool {
        matches!(self.0, Kind::Response(_))
    }

    /// Returns the DER-encoded certificates in the data.
    #[must_use]
    pub fn certificates(&self) -> &[&'a [u8]] {
        match &self.0 {
            Kind::Response(response) => response.certificates(),
            Kind::List(_) => &[],
        }
    }

    /// Returns the nonce of an OCSP response, chosen by the requester; `None`
    /// for a CRL.
    #[must_use]
    pub fn nonce(&self) -> Option<Nonce<'_>> {
        match &self.0 {
            Kind::Response(response) => Some(Nonce {
                value: response.nonce()?,
                response,
            }),
            Kind::List(_) => None,
        }
    }

    /// Returns the search keys. [`Self::is_about`] decides on a certificate.
    #[must_use]
    pub fn subjects(&self) -> Subjects<'a> {
        match &self.0 {
            Kind::Response(response) => Subjects::SerialNumbers(response.serial_numbers()),
            Kind::List(list) => Subjects::IssuedBy(list.issuer()),
        }
    }

    /// Returns whether it claims to cover a certificate of `issuer`; nothing is
    /// verified.
    #[must_use]
    pub fn is_about<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Issuer<'_>,
    ) -> bool {
        match &self.0 {
            Kind::Response(response) => response.is_about(environment, certificate, issuer),
            Kind::List(list) => list.is_about(certificate, issuer.certificate()),
        }
    }

    /// Returns the signer, if it is authorized for certificates of `issuer`.
    /// `others` are candidate certificates of a responder that are missing from
    /// its response.
    #[must_use]
    pub fn signer<'c, E: Environment>(
        &self,
        environment: &E,
        issuer: &Issuer<'_>,
        others: impl Iterator<Item = &'c [u8]>,
    ) -> Option<RevocationSigner> {
        match &self.0 {
            Kind::Response(response) => response.signer(environment, issuer, others),
            Kind::List(list) => list
                .is_signed_by(environment, issuer.certificate())
                .then_some(RevocationSigner::Issuer),
        }
    }

    /// Returns the status of a certificate issued by `issuer`; `signer` is the
    /// result of [`Self::signer`].
    ///
    /// # Errors
    /// The data has no status, or its signer is not authorized.
    pub fn status<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
        issuer: &Issuer<'_>,
        signer: Option<&RevocationSigner>,
    ) -> Result<CertificateStatus, RevocationError> {
        if !self.is_about(environment, certificate, issuer) {
            return Err(RevocationError::OtherCertificate);
        }
        match signer.ok_or(RevocationError::Signature)? {
            RevocationSigner::Delegate(delegate) if has_key_of(delegate, certificate) => {
                return Err(RevocationError::OwnWord);
            }
            RevocationSigner::Delegate(_) | RevocationSigner::Issuer => {}
        }
        match &self.0 {
            Kind::Response(response) => response.status(environment, certificate, issuer),
            Kind::List(list) => list.status(certificate),
        }
    }
}

fn has_key_of(delegate: &[u8], certificate: &Certificate<'_>) -> bool {
    Certificate::from_der(delegate).is_ok_and(|delegate| {
        delegate.subject_public_key_info() == certificate.subject_public_key_info()
    })
}

/// Returns whether the first element is a status, as in an OCSPResponse; a CRL
/// begins with its signed value.
fn is_ocsp_response(der: &[u8]) -> bool {
    let first = || {
        let outer = Elements::new("RevocationData", der).ok()?.any().ok()?;
        outer.children("RevocationData").ok()?.any().ok()
    };
    first().is_some_and(|first| first.tag == der::Tag::Enumerated)
}
