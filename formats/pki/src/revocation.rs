//! What issuers tell about the certificates that they issued.

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

/// What revocation data are found by.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subjects<'a> {
    /// All certificates of an issuer, by the DER of its Name.
    IssuedBy(&'a [u8]),
    /// Certificates with these serial numbers, each as the DER of an INTEGER.
    SerialNumbers(Vec<&'a [u8]>),
}

/// Who signed revocation data.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RevocationSigner {
    /// Who issued the certificates.
    Issuer,
    /// Whom the issuer certified to answer for it; DER of the certificate.
    Delegate(Vec<u8>),
}

/// What revocation data tell about a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CertificateStatus {
    /// Since when the certificate is revoked, seconds since the Unix epoch.
    pub revoked_at: Option<i64>,
    /// When this was known to be so (`thisUpdate`).
    pub this_update: i64,
    /// Until when there will be something newer (`nextUpdate`).
    pub next_update: Option<i64>,
    /// When it was told: `producedAt` of a response, `thisUpdate` of a list.
    pub told_at: i64,
    /// Since when certificates have to have expired for this to tell of them
    /// nevertheless: the archive cutoff of a response (RFC 6960, 4.4.4),
    /// `expiredCertsOnCRL` of a list (ITU-T X.509, 9.5.2.8). `None`: it tells
    /// nothing of certificates that have expired, unless they are revoked.
    pub expired_since: Option<i64>,
}

/// Why revocation data tell nothing about a certificate.
#[derive(Debug, thiserror::Error)]
pub enum RevocationError {
    /// They tell of it more than once, who knows what.
    #[error("it tells of the certificate more than once")]
    Ambiguous,
    /// An extension limits them in a way that is not known here.
    #[error("a critical extension of it is not known")]
    CriticalExtension,
    /// They are about other certificates.
    #[error("it is about another certificate")]
    OtherCertificate,
    /// The key that they are about signed them.
    #[error("it is signed by the key that it tells of")]
    OwnWord,
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

/// The nonce of an OCSP response (RFC 6960, 4.4.1), and who vouches for it.
/// Whether that is somebody who may answer for an issuer is not asked.
#[derive(Clone, Copy, Debug)]
pub struct Nonce<'r> {
    /// The value of the extension.
    pub value: &'r [u8],
    response: &'r OcspResponse<'r>,
}

impl Nonce<'_> {
    /// When the response was signed (`producedAt`), seconds since the Unix epoch.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.response.produced_at()
    }

    /// Whether the response says that it is of the subject of a certificate.
    #[must_use]
    pub fn names_responder<E: Environment>(
        &self,
        environment: &E,
        certificate: &Certificate<'_>,
    ) -> bool {
        self.response.names_responder(environment, certificate)
    }

    /// Whether the key of a certificate signed the response.
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

    /// The nonce of an OCSP response, which somebody sent who asked for it;
    /// `None` for a list.
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

    /// What they are found by; of which certificates they tell is for
    /// [`Self::is_about`] to say.
    #[must_use]
    pub fn subjects(&self) -> Subjects<'a> {
        match &self.0 {
            Kind::Response(response) => Subjects::SerialNumbers(response.serial_numbers()),
            Kind::List(list) => Subjects::IssuedBy(list.issuer()),
        }
    }

    /// Whether it says that it tells about a certificate of `issuer`; nothing is
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

    /// Who signed it, if that is somebody who may tell about the certificates of
    /// `issuer`. `others` are certificates among which a responder may be that
    /// does not come with its response.
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

    /// What it tells about a certificate that `issuer` issued, when `signer` is
    /// who [`Self::signer`] found.
    ///
    /// # Errors
    /// It tells nothing, or nobody may take it at its word.
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

/// An OCSPResponse begins with its status, a list with what is signed.
fn is_ocsp_response(der: &[u8]) -> bool {
    let first = || {
        let outer = Elements::new("RevocationData", der).ok()?.any().ok()?;
        outer.children("RevocationData").ok()?.any().ok()
    };
    first().is_some_and(|first| first.tag == der::Tag::Enumerated)
}
