//! Checks that a certificate may make a qualified signature now.

use std::sync::Arc;

use der::asn1::ObjectIdentifier;
use jiff::Timestamp;

use crate::anchors::{Purpose, TrustAnchors, TrustEntry, TrustedPath};
use crate::certificate::Certificate;
use crate::ocsp::{CertificateStatus, OcspClient, OcspSettings};
use crate::path::PathError;
use crate::validation::{RevocationQuestion, RevocationSources, ValidationDataError};

/// A certificate that was found good.
#[derive(Clone, Debug)]
pub struct CheckedSigner {
    /// The person's certificate, then its issuers up to the anchor.
    pub chain: Vec<Certificate>,
}

impl CheckedSigner {
    /// The chain in DER, the person's certificate first.
    #[must_use]
    pub fn chain_der(&self) -> Vec<Vec<u8>> {
        self.chain.iter().map(|step| step.der().to_vec()).collect()
    }
}

/// Reason why a certificate may not sign, or authenticate its holder.
#[derive(Debug, thiserror::Error)]
pub enum CertificateRejection {
    /// Its validity has not begun.
    #[error("the certificate is not valid before {not_before}")]
    NotYetValid {
        /// Begin of the validity.
        not_before: Timestamp,
    },
    /// Its validity has ended.
    #[error("the certificate expired at {not_after}")]
    Expired {
        /// End of the validity.
        not_after: Timestamp,
    },
    /// No path to a configured authority for the method.
    #[error("the certificate is not trusted")]
    Untrusted(#[source] PathError),
    /// Its key usage does not fit.
    #[error("the certificate's key is not for this purpose")]
    Purpose(#[source] PurposeFault),
    /// Not a qualified certificate of the expected kind.
    #[error("the certificate is not qualified for electronic signatures")]
    NotQualified(#[source] QualificationFault),
    /// Its issuer revoked or suspended it.
    #[error("the certificate was revoked at {at}")]
    Revoked {
        /// Since when.
        at: Timestamp,
    },
    /// Its issuer's responder does not know it; to be treated as revoked.
    #[error("the certificate is unknown to its issuer's OCSP responder")]
    UnknownToIssuer,
    /// Neither OCSP nor a CRL gave its status; trying again may help.
    #[error("no usable revocation status came from {}", .asked.join(" or "))]
    RevocationUnavailable {
        /// Hosts of responders and lists.
        asked: Vec<String>,
        /// Fault of the sources.
        #[source]
        why: Box<ValidationDataError>,
    },
    /// Its revocation can never be checked: it names neither an OCSP responder nor a CRL that may
    /// be asked, nor does the configuration.
    #[error("the certificate has no source of revocation status")]
    NoRevocationSource(#[source] ValidationDataError),
}

/// A fault of the key usage.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PurposeFault {
    /// keyUsage is absent or lacks nonRepudiation.
    #[error("keyUsage does not hold nonRepudiation")]
    NoNonRepudiation,
    /// keyUsage has nonRepudiation, in an authentication: the key is one for signatures, whatever
    /// else it may do.
    #[error("keyUsage holds nonRepudiation")]
    NonRepudiation,
    /// keyUsage is absent or lacks digitalSignature.
    #[error("keyUsage does not hold digitalSignature")]
    NoDigitalSignature,
    /// extKeyUsage lacks the method's purpose for authentication; for Smart-ID, also if it is
    /// absent.
    #[error("extKeyUsage does not hold the method's purpose for authentication")]
    NotForAuthentication,
    /// An authority's certificate.
    #[error("it is an authority's certificate")]
    Authority,
}

/// A missing qualification.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum QualificationFault {
    /// No QcCompliance statement.
    #[error("it has no QcCompliance statement")]
    NoCompliance,
    /// Qualified under the law of a country outside the EU.
    #[error("it is qualified under the law of another country")]
    ForeignLegislation,
    /// QcType is present without esign.
    #[error("its QcType is not esign")]
    NotForSignatures,
    /// No QcSSCD statement.
    #[error("it has no QcSSCD statement")]
    NoSscd,
    /// A policy that its issuer's entry requires.
    #[error("it was not issued under the policy {0}")]
    NoPolicy(ObjectIdentifier),
    /// The issuer's service is not, or no longer, a qualified one.
    #[error("its issuer is not configured as qualified at this time")]
    IssuerNotQualified,
}

/// Checks signers' certificates.
#[derive(Clone)]
pub struct SignerCheck {
    anchors: Arc<TrustAnchors>,
    sources: RevocationSources,
}

impl SignerCheck {
    /// A check against `anchors`.
    #[must_use]
    pub fn new(anchors: Arc<TrustAnchors>, ocsp: OcspClient) -> Self {
        let sources = RevocationSources::new(ocsp);
        Self { anchors, sources }
    }

    /// Checks that `certificate`, presented by the eID `method`, may make a qualified signature at
    /// `now`. Checks validity, path, key usage, qualification (ETSI EN 319 412-5) and revocation,
    /// in this order.
    ///
    /// # Errors
    /// [`CertificateRejection`] names the first check that failed.
    pub async fn check_signer(
        &self,
        certificate: &Certificate,
        method: &str,
        now: Timestamp,
    ) -> Result<CheckedSigner, CertificateRejection> {
        check_validity(certificate, now)?;
        let path = self
            .anchors
            .path(certificate, &[], Purpose::Signing, Some(method), now)
            .map_err(CertificateRejection::Untrusted)?;
        check_purpose(certificate).map_err(CertificateRejection::Purpose)?;
        check_qualification(certificate, path.anchor, now)
            .map_err(CertificateRejection::NotQualified)?;
        let ocsp = &path.anchor.ocsp;
        check_revocation(&self.sources, certificate, path, ocsp, now).await
    }
}

/// Checks with the issuer of a trusted path's leaf that it is not revoked.
pub(crate) async fn check_revocation(
    sources: &RevocationSources,
    certificate: &Certificate,
    path: TrustedPath<'_>,
    ocsp: &OcspSettings,
    now: Timestamp,
) -> Result<CheckedSigner, CertificateRejection> {
    let [_, issuer, ..] = path.chain.as_slice() else {
        return Err(CertificateRejection::Untrusted(PathError::Shape));
    };
    let question = RevocationQuestion {
        certificate,
        issuer,
        ocsp,
        list_max_age: path.anchor.crl_max_age,
        now,
    };
    match sources.ask(&question, |told| Ok(told.status)).await {
        Ok(CertificateStatus::Good) => Ok(CheckedSigner { chain: path.chain }),
        Ok(CertificateStatus::Revoked { at }) => Err(CertificateRejection::Revoked { at }),
        Ok(CertificateStatus::Unknown) => Err(CertificateRejection::UnknownToIssuer),
        Err(why) if why.may_pass() => Err(CertificateRejection::RevocationUnavailable {
            asked: question.hosts(),
            why: Box::new(why),
        }),
        Err(fault) => Err(CertificateRejection::NoRevocationSource(fault)),
    }
}

pub(crate) fn check_validity(
    certificate: &Certificate,
    now: Timestamp,
) -> Result<(), CertificateRejection> {
    let (not_before, not_after) = (certificate.not_before(), certificate.not_after());
    if now < not_before {
        return Err(CertificateRejection::NotYetValid { not_before });
    }
    if not_after < now {
        return Err(CertificateRejection::Expired { not_after });
    }
    Ok(())
}

fn check_purpose(certificate: &Certificate) -> Result<(), PurposeFault> {
    if certificate.is_authority() {
        return Err(PurposeFault::Authority);
    }
    if !certificate
        .key_usage()
        .is_some_and(|usage| usage.non_repudiation())
    {
        return Err(PurposeFault::NoNonRepudiation);
    }
    Ok(())
}

fn check_qualification(
    certificate: &Certificate,
    anchor: &TrustEntry,
    now: Timestamp,
) -> Result<(), QualificationFault> {
    let statements = certificate.qualified_statements();
    if !statements.compliance {
        return Err(QualificationFault::NoCompliance);
    }
    if statements.foreign_legislation {
        return Err(QualificationFault::ForeignLegislation);
    }
    if !statements.is_for_electronic_signatures() {
        return Err(QualificationFault::NotForSignatures);
    }
    if !statements.sscd {
        return Err(QualificationFault::NoSscd);
    }
    if let Some(policy) = anchor.missing_policy(certificate) {
        return Err(QualificationFault::NoPolicy(policy));
    }
    if !anchor.is_qualified_at(now) {
        return Err(QualificationFault::IssuerNotQualified);
    }
    Ok(())
}
