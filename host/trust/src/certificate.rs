//! X.509 certificates, read once (RFC 5280).

mod identity;
mod key;
mod qualified;

pub use self::identity::{IdentifierType, NationalIdentifier, Subject};
pub use self::key::{EcCurve, KeyKind};
pub use self::qualified::{QcType, QualifiedStatements};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use const_oid::AssociatedOid;
use const_oid::db::rfc5280::{ID_AD_CA_ISSUERS, ID_AD_OCSP};
use der::asn1::ObjectIdentifier;
use der::{Decode, Encode};
use jiff::Timestamp;
use openssl::error::ErrorStack;
use openssl::x509::X509;
use parafa_public_key::{PublicKey, Recent};
use sha2::{Digest, Sha256};
use x509_cert::certificate::{CertificateInner, Raw, TbsCertificateInner};
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};
use x509_cert::ext::pkix::{
    AuthorityInfoAccessSyntax, BasicConstraints, CertificatePolicies, CrlDistributionPoints,
    ExtendedKeyUsage, KeyUsage,
};

use crate::signature::{self, SignatureFault, SignatureScheme};
use crate::wire::Signed;

/// Maximum size of a cached certificate, in bytes. Anybody can send one.
const LONGEST: usize = 8192;

/// Cache of certificates by fingerprint: those of current signers, and of the authorities involved.
pub(crate) static KNOWN: Recent<[u8; 32], Certificate> = Recent::new(256);

/// Number of certificates read by this process; cached ones are not counted.
pub static CERTIFICATES_READ: AtomicU64 = AtomicU64::new(0);

/// Reason why octets are not a usable certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// Not the DER encoding of a certificate.
    #[error("the certificate is not well-formed DER")]
    Encoding(#[source] der::Error),
    /// An extension that decides about the use of the key cannot be read, or occurs twice.
    #[error("the certificate extension {0} is malformed")]
    Extension(ObjectIdentifier),
    /// A time of the validity period is out of range.
    #[error("the certificate's validity period is out of range")]
    Validity,
    /// OpenSSL cannot read the certificate or its key.
    #[error("the certificate's key cannot be used")]
    Key(#[source] ErrorStack),
}

/// A certificate, with its DER encoding and the contents needed by the checks. A clone shares both.
///
/// `Debug` shows the fingerprint alone, never the subject.
#[derive(Clone)]
pub struct Certificate(Arc<Contents>);

struct Contents {
    der: Vec<u8>,
    sha256: [u8; 32],
    x509: X509,
    /// The signed part; `None` if its algorithm differs from the outer one (RFC 5280 clause
    /// 4.1.1.2).
    signed: Option<Signed>,
    public_key: PublicKey,
    spki_der: Vec<u8>,
    key_kind: KeyKind,
    key_octets: Vec<u8>,
    serial_number: Vec<u8>,
    subject: Subject,
    subject_der: Vec<u8>,
    issuer_der: Vec<u8>,
    not_before: Timestamp,
    not_after: Timestamp,
    is_authority: bool,
    key_usage: Option<KeyUsage>,
    extended_key_usage: Option<ExtendedUsage>,
    policies: Vec<ObjectIdentifier>,
    qualified: QualifiedStatements,
    ocsp_urls: Vec<String>,
    issuer_urls: Vec<String>,
    revocation_list_urls: Vec<String>,
}

struct ExtendedUsage {
    critical: bool,
    purposes: Vec<ObjectIdentifier>,
}

impl Certificate {
    /// Reads a certificate, from a cache if possible. A signature needs the same certificates at
    /// each of its steps, and reading one takes longer than verifying with its key. See
    /// [`forget_unused`](crate::forget_unused).
    ///
    /// Extensions that only widen what a certificate may do (policies, QC statements, authority
    /// information) count as absent if they cannot be read. Those that decide about the key's use
    /// are an error.
    ///
    /// # Errors
    /// [`CertificateError`] names what cannot be read.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        let sha256: [u8; 32] = Sha256::digest(der).into();
        let read = || -> Result<Self, CertificateError> {
            let contents = Contents::from_der(der, sha256)?;
            CERTIFICATES_READ.fetch_add(1, Ordering::Relaxed);
            Ok(Self(Arc::new(contents)))
        };
        KNOWN.value(sha256, |_| der.len() <= LONGEST, read)
    }

    /// The certificate as it was read.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.0.der
    }

    /// SHA-256 over the DER encoding.
    #[must_use]
    pub fn sha256(&self) -> &[u8; 32] {
        &self.0.sha256
    }

    /// The content octets of the serial number's INTEGER.
    #[must_use]
    pub fn serial_number(&self) -> &[u8] {
        &self.0.serial_number
    }

    /// Subject of the certificate.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.0.subject
    }

    /// The subject's national identifier, normalised, when the subject carries
    /// exactly one (ETSI EN 319 412-1 clause 5.1.3).
    #[must_use]
    pub fn national_identifier(&self) -> Option<&NationalIdentifier> {
        self.0.subject.national_identifier()
    }

    /// The subject's distinguished name in DER.
    #[must_use]
    pub fn subject_der(&self) -> &[u8] {
        &self.0.subject_der
    }

    /// The issuer's distinguished name in DER.
    #[must_use]
    pub fn issuer_der(&self) -> &[u8] {
        &self.0.issuer_der
    }

    /// Returns true if this certificate names `issuer` as its issuer. The signature is not checked.
    #[must_use]
    pub fn names_issuer(&self, issuer: &Certificate) -> bool {
        self.0
            .x509
            .issuer_name()
            .try_cmp(issuer.0.x509.subject_name())
            .is_ok_and(std::cmp::Ordering::is_eq)
    }

    /// The first moment of the validity period.
    #[must_use]
    pub fn not_before(&self) -> Timestamp {
        self.0.not_before
    }

    /// The last moment of the validity period.
    #[must_use]
    pub fn not_after(&self) -> Timestamp {
        self.0.not_after
    }

    /// Returns true if basicConstraints make this an authority's certificate.
    #[must_use]
    pub fn is_authority(&self) -> bool {
        self.0.is_authority
    }

    /// The keyUsage extension, if present.
    #[must_use]
    pub fn key_usage(&self) -> Option<KeyUsage> {
        self.0.key_usage
    }

    /// The purposes of the extKeyUsage extension; `None` when it is absent.
    #[must_use]
    pub fn extended_key_usage(&self) -> Option<&[ObjectIdentifier]> {
        self.0
            .extended_key_usage
            .as_ref()
            .map(|usage| usage.purposes.as_slice())
    }

    /// Returns true if the extKeyUsage extension is present and critical.
    #[must_use]
    pub fn extended_key_usage_is_critical(&self) -> bool {
        self.0
            .extended_key_usage
            .as_ref()
            .is_some_and(|usage| usage.critical)
    }

    /// The policies that it was issued under.
    #[must_use]
    pub fn policies(&self) -> &[ObjectIdentifier] {
        &self.0.policies
    }

    /// The QC statements (ETSI EN 319 412-5).
    #[must_use]
    pub fn qualified_statements(&self) -> &QualifiedStatements {
        &self.0.qualified
    }

    /// Addresses of OCSP responders, in the certificate's order.
    #[must_use]
    pub fn ocsp_urls(&self) -> &[String] {
        &self.0.ocsp_urls
    }

    /// URLs of the issuer's certificate.
    #[must_use]
    pub fn issuer_urls(&self) -> &[String] {
        &self.0.issuer_urls
    }

    /// Addresses of revocation lists (RFC 5280 clause 4.2.1.13).
    #[must_use]
    pub fn revocation_list_urls(&self) -> &[String] {
        &self.0.revocation_list_urls
    }

    /// Returns true if `issuer` issued this certificate, by names and signature; a self-signed one
    /// is its own issuer.
    #[must_use]
    pub fn is_issued_by(&self, issuer: &Certificate) -> bool {
        self.names_issuer(issuer) && self.is_signed_by(issuer)
    }

    fn is_signed_by(&self, issuer: &Certificate) -> bool {
        let key = &issuer.0.public_key;
        let verifies = |signed: &Signed| {
            let Signed {
                tbs_octets: message,
                algorithm,
                signature: value,
            } = signed;
            signature::verify(key, algorithm, None, message, value).is_ok()
        };
        // OpenSSL verifies by algorithms that are accepted nowhere else, too.
        let verified = self.0.signed.as_ref().is_some_and(verifies)
            || self.0.x509.verify(key.openssl()).is_ok_and(|is| is);
        // Errors queued by OpenSSL must not surface in the next call of this thread.
        drop(ErrorStack::get());
        verified
    }

    /// Checks that its key signed `message`, with SHA-256.
    ///
    /// # Errors
    /// [`SignatureFault`].
    pub fn verify_sha256(
        &self,
        scheme: SignatureScheme,
        message: &[u8],
        value: &[u8],
    ) -> Result<(), SignatureFault> {
        let verified = signature::verify_sha256(&self.0.public_key, scheme, message, value);
        // Errors queued by OpenSSL must not surface in the next call of this thread.
        drop(ErrorStack::get());
        verified
    }

    /// Kind of the certified key.
    #[must_use]
    pub fn key_kind(&self) -> &KeyKind {
        &self.0.key_kind
    }

    /// The SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn spki_der(&self) -> &[u8] {
        &self.0.spki_der
    }

    /// The octets of the subjectPublicKey bit string, which OCSP identifies
    /// keys by.
    pub(crate) fn key_octets(&self) -> &[u8] {
        &self.0.key_octets
    }

    pub(crate) fn public_key(&self) -> &PublicKey {
        &self.0.public_key
    }

    pub(crate) fn x509(&self) -> &X509 {
        &self.0.x509
    }
}

impl Contents {
    fn from_der(der: &[u8], sha256: [u8; 32]) -> Result<Self, CertificateError> {
        let parsed: CertificateInner<Raw> =
            CertificateInner::from_der(der).map_err(CertificateError::Encoding)?;
        let x509 = X509::from_der(der).map_err(CertificateError::Key)?;
        let public_key = x509.public_key().map_err(CertificateError::Key)?;
        let tbs = &parsed.tbs_certificate;
        let spki = &tbs.subject_public_key_info;
        let spki_der = spki.to_der().map_err(CertificateError::Encoding)?;
        let access = AccessUrls::of(tbs);
        let signed = Signed::from_der(der).ok();
        Ok(Self {
            signed: signed.filter(|signed| signed.algorithm == tbs.signature),
            sha256,
            key_kind: KeyKind::of(spki.algorithm.oid, &public_key),
            key_octets: spki.subject_public_key.raw_bytes().to_vec(),
            serial_number: tbs.serial_number.as_bytes().to_vec(),
            subject: Subject::of(&tbs.subject),
            subject_der: name_der(x509.subject_name())?,
            issuer_der: name_der(x509.issuer_name())?,
            not_before: timestamp(tbs.validity.not_before)?,
            not_after: timestamp(tbs.validity.not_after)?,
            is_authority: deciding_extension::<BasicConstraints>(tbs)?
                .is_some_and(|(_, constraints)| constraints.ca),
            key_usage: deciding_extension::<KeyUsage>(tbs)?.map(|(_, usage)| usage),
            extended_key_usage: deciding_extension::<ExtendedKeyUsage>(tbs)?.map(
                |(critical, usage)| ExtendedUsage {
                    critical,
                    purposes: usage.0,
                },
            ),
            policies: optional_extension::<CertificatePolicies>(tbs).map_or_else(
                Vec::new,
                |policies| {
                    let identifier =
                        |policy: &x509_cert::ext::pkix::certpolicy::PolicyInformation| {
                            policy.policy_identifier
                        };
                    policies.0.iter().map(identifier).collect()
                },
            ),
            qualified: optional_extension::<QualifiedStatements>(tbs).unwrap_or_default(),
            ocsp_urls: access.ocsp,
            issuer_urls: access.issuers,
            revocation_list_urls: revocation_list_urls(tbs),
            der: der.to_vec(),
            x509,
            public_key: PublicKey::of_openssl(public_key, &spki_der),
            spki_der,
        })
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Certificate")
            .field("sha256", &hex::encode(self.0.sha256))
            .finish_non_exhaustive()
    }
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.0.der == other.0.der
    }
}

impl Eq for Certificate {}

#[derive(Default)]
struct AccessUrls {
    ocsp: Vec<String>,
    issuers: Vec<String>,
}

impl AccessUrls {
    fn of(tbs: &TbsCertificateInner<Raw>) -> Self {
        let mut urls = Self::default();
        let descriptions = optional_extension::<AuthorityInfoAccessSyntax>(tbs)
            .map_or_else(Vec::new, |syntax| syntax.0);
        for description in descriptions {
            let GeneralName::UniformResourceIdentifier(url) = description.access_location else {
                continue;
            };
            match description.access_method {
                ID_AD_OCSP => urls.ocsp.push(url.to_string()),
                ID_AD_CA_ISSUERS => urls.issuers.push(url.to_string()),
                _ => {}
            }
        }
        urls
    }
}

fn revocation_list_urls(tbs: &TbsCertificateInner<Raw>) -> Vec<String> {
    let points = optional_extension::<CrlDistributionPoints>(tbs);
    let names = points
        .into_iter()
        .flat_map(|points| points.0)
        // A list limited to some reasons does not show that a certificate is good.
        .filter(|point| point.reasons.is_none())
        .flat_map(|point| match point.distribution_point {
            Some(DistributionPointName::FullName(names)) => names,
            Some(DistributionPointName::NameRelativeToCRLIssuer(_)) | None => Vec::new(),
        });
    let urls = names.filter_map(|name| match name {
        GeneralName::UniformResourceIdentifier(url) => Some(url.to_string()),
        _ => None,
    });
    urls.collect()
}

fn deciding_extension<T>(
    tbs: &TbsCertificateInner<Raw>,
) -> Result<Option<(bool, T)>, CertificateError>
where
    T: for<'a> Decode<'a> + AssociatedOid,
{
    tbs.get::<T>()
        .map_err(|_| CertificateError::Extension(T::OID))
}

fn optional_extension<T>(tbs: &TbsCertificateInner<Raw>) -> Option<T>
where
    T: for<'a> Decode<'a> + AssociatedOid,
{
    tbs.get::<T>().ok().flatten().map(|(_, value)| value)
}

fn name_der(name: &openssl::x509::X509NameRef) -> Result<Vec<u8>, CertificateError> {
    name.to_der().map_err(CertificateError::Key)
}

fn timestamp(time: x509_cert::time::Time) -> Result<Timestamp, CertificateError> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs());
    seconds
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .ok_or(CertificateError::Validity)
}
