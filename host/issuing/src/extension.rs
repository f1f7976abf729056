use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::{
    ID_AD_CA_ISSUERS, ID_AD_OCSP, ID_CE_AUTHORITY_KEY_IDENTIFIER, ID_CE_BASIC_CONSTRAINTS,
    ID_CE_CERTIFICATE_POLICIES, ID_CE_CRL_DISTRIBUTION_POINTS, ID_CE_EXT_KEY_USAGE,
    ID_CE_KEY_USAGE, ID_CE_SUBJECT_ALT_NAME, ID_CE_SUBJECT_KEY_IDENTIFIER,
    ID_PE_AUTHORITY_INFO_ACCESS,
};
use const_oid::db::rfc6960::ID_PKIX_OCSP_NOCHECK;
use der::Decode;
use der::flagset::FlagSet;
use sha1::{Digest, Sha1};
use x509_cert::ext::pkix::{KeyUsage, KeyUsages};
use x509_cert::spki::SubjectPublicKeyInfoRef;

use crate::IssuingError;
use crate::der::{
    BOOLEAN, NULL, context, encoded, integer, octets, oid, sequence, sequence_of, tlv, uri,
};

/// The certificate is qualified (EN 319 412-5, 4.2.1).
pub const QC_COMPLIANCE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.1");
/// The key is in a qualified device (EN 319 412-5, 4.2.2).
pub const QC_SSCD: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.4");
/// Locations of the disclosure statements (EN 319 412-5, 4.3.4).
pub const QC_PDS: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.5");
/// Type of the certificate (EN 319 412-5, 4.2.3).
pub const QC_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6");

const QC_STATEMENTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.3");

/// An extension of a certificate, a list or an answer (RFC 5280, 4.2).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Extension {
    /// Object identifier of the extension.
    pub id: ObjectIdentifier,
    /// True if the extension is critical.
    pub critical: bool,
    /// Its value, DER.
    pub value: Vec<u8>,
}

impl Extension {
    /// A critical extension.
    #[must_use]
    pub fn critical(id: ObjectIdentifier, value: Vec<u8>) -> Self {
        Self {
            id,
            critical: true,
            value,
        }
    }

    /// A non-critical extension.
    #[must_use]
    pub fn plain(id: ObjectIdentifier, value: Vec<u8>) -> Self {
        Self {
            critical: false,
            ..Self::critical(id, value)
        }
    }

    /// `basicConstraints` of an authority, with this path length.
    #[must_use]
    pub fn authority(path_length: Option<u8>) -> Self {
        let length = path_length.map(|length| integer(&[length]));
        let is_authority = tlv(BOOLEAN, &[&[0xFF]]);
        let value = sequence(&[&is_authority, &length.unwrap_or_default()]);
        Self::critical(ID_CE_BASIC_CONSTRAINTS, value)
    }

    /// `basicConstraints` of an end entity.
    #[must_use]
    pub fn end_entity() -> Self {
        Self::plain(ID_CE_BASIC_CONSTRAINTS, sequence(&[]))
    }

    /// `keyUsage`.
    #[must_use]
    pub fn key_usage(usages: impl Into<FlagSet<KeyUsages>>) -> Self {
        Self::critical(ID_CE_KEY_USAGE, encoded(&KeyUsage(usages.into())))
    }

    /// `extKeyUsage`, not critical.
    #[must_use]
    pub fn purposes(purposes: &[ObjectIdentifier]) -> Self {
        let purposes: Vec<_> = purposes.iter().copied().map(oid).collect();
        Self::plain(ID_CE_EXT_KEY_USAGE, sequence_of(&purposes))
    }

    /// `extKeyUsage` with the only purpose that a key has, critical.
    #[must_use]
    pub fn only_purpose(purpose: ObjectIdentifier) -> Self {
        Self {
            critical: true,
            ..Self::purposes(&[purpose])
        }
    }

    /// `certificatePolicies` without qualifiers.
    #[must_use]
    pub fn policies(policies: &[ObjectIdentifier]) -> Self {
        let policy = |id: &ObjectIdentifier| sequence(&[&oid(*id)]);
        let policies: Vec<_> = policies.iter().map(policy).collect();
        Self::plain(ID_CE_CERTIFICATE_POLICIES, sequence_of(&policies))
    }

    /// `authorityInfoAccess`: URLs of the responder and of the issuer's certificate.
    #[must_use]
    pub fn access(responder: &str, issuer: Option<&str>) -> Self {
        let access = |method, url: &str| sequence(&[&oid(method), &uri(url)]);
        let issuer = issuer.map(|url| access(ID_AD_CA_ISSUERS, url));
        let value = sequence(&[&access(ID_AD_OCSP, responder), &issuer.unwrap_or_default()]);
        Self::plain(ID_PE_AUTHORITY_INFO_ACCESS, value)
    }

    /// `cRLDistributionPoints` with one address.
    #[must_use]
    pub fn revocation_list(url: &str) -> Self {
        let name = context(0, &[&context(0, &[&uri(url)])]);
        let value = sequence(&[&sequence(&[&name])]);
        Self::plain(ID_CE_CRL_DISTRIBUTION_POINTS, value)
    }

    /// `subjectAltName` with the name of a host.
    #[must_use]
    pub fn host_name(name: &str) -> Self {
        let value = sequence(&[&tlv(0x82, &[name.as_bytes()])]);
        Self::plain(ID_CE_SUBJECT_ALT_NAME, value)
    }

    /// `subjectAltName` with a directory name, DER.
    #[must_use]
    pub fn directory_name(name: &[u8]) -> Self {
        Self::plain(ID_CE_SUBJECT_ALT_NAME, sequence(&[&context(4, &[name])]))
    }

    /// `id-pkix-ocsp-nocheck` (RFC 6960, 4.2.2.2.1).
    #[must_use]
    pub fn ocsp_no_check() -> Self {
        Self::plain(ID_PKIX_OCSP_NOCHECK, tlv(NULL, &[]))
    }

    /// `qcStatements` (RFC 3739, 3.2.6), each a [`statement`].
    #[must_use]
    pub fn qualified(statements: &[Vec<u8>]) -> Self {
        Self::plain(QC_STATEMENTS, sequence_of(statements))
    }

    /// `subjectKeyIdentifier` of a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    ///
    /// The key is not a SubjectPublicKeyInfo.
    pub fn subject_key(public_key: &[u8]) -> Result<Self, IssuingError> {
        let value = octets(&key_identifier(public_key)?);
        Ok(Self::plain(ID_CE_SUBJECT_KEY_IDENTIFIER, value))
    }

    /// `authorityKeyIdentifier` of the issuer's SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    ///
    /// The key is not a SubjectPublicKeyInfo.
    pub fn authority_key(public_key: &[u8]) -> Result<Self, IssuingError> {
        let value = sequence(&[&tlv(0x80, &[&key_identifier(public_key)?])]);
        Ok(Self::plain(ID_CE_AUTHORITY_KEY_IDENTIFIER, value))
    }

    /// The extension, DER.
    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        let critical = match self.critical {
            true => tlv(BOOLEAN, &[&[0xFF]]),
            false => Vec::new(),
        };
        sequence(&[&oid(self.id), &critical, &octets(&self.value)])
    }
}

/// A QCStatement with any information, in DER.
#[must_use]
pub fn statement(id: ObjectIdentifier, information: &[u8]) -> Vec<u8> {
    sequence(&[&oid(id), information])
}

/// SHA-1 of the public key, method 1 of RFC 5280, 4.2.1.2.
fn key_identifier(public_key: &[u8]) -> Result<[u8; 20], IssuingError> {
    let key = SubjectPublicKeyInfoRef::from_der(public_key)?;
    Ok(Sha1::digest(key.subject_public_key.raw_bytes()).into())
}
