//! The ESS signing-certificate attributes (RFC 2634, 5.4 and RFC 5035).

use der::Tag;
use parafa_format_core::DigestAlgorithm;

use crate::Error;
use crate::algorithm::{decode_digest, digest};
use crate::asn1::Element;

/// Relation of the signing-certificate attribute to the identified certificate
/// of the signer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SigningCertificate {
    /// The attribute is missing.
    Absent,
    /// The attribute names this certificate.
    Matches,
    /// The attribute names another certificate, or one that is not embedded.
    Differs,
}

/// First ESSCertID or ESSCertIDv2 of the attribute, which names the signer's
/// certificate.
#[derive(Clone, Debug)]
pub(crate) struct CertificateId {
    algorithm: Option<DigestAlgorithm>,
    hash: Vec<u8>,
}

impl CertificateId {
    /// Reads the value of a SigningCertificate.
    pub(crate) fn parse_v1(value: Element<'_>) -> Result<Self, Error> {
        let mut id = first_id(value)?.children("ESSCertID")?;
        let hash = id.expect(Tag::OctetString)?.value.to_vec();
        Ok(Self {
            algorithm: Some(DigestAlgorithm::Sha1),
            hash,
        })
    }

    /// Reads the value of a SigningCertificateV2.
    pub(crate) fn parse_v2(value: Element<'_>) -> Result<Self, Error> {
        let mut id = first_id(value)?.children("ESSCertIDv2")?;
        let algorithm = match id.optional(Tag::Sequence)? {
            Some(identifier) => decode_digest(identifier)?,
            None => Some(DigestAlgorithm::Sha256),
        };
        let hash = id.expect(Tag::OctetString)?.value.to_vec();
        Ok(Self { algorithm, hash })
    }

    pub(crate) fn names(&self, certificate: &[u8]) -> bool {
        self.algorithm
            .is_some_and(|algorithm| digest(algorithm, certificate) == self.hash)
    }
}

fn first_id(value: Element<'_>) -> Result<Element<'_>, Error> {
    const WHAT: &str = "SigningCertificate";

    value
        .children(WHAT)?
        .expect(Tag::Sequence)?
        .children(WHAT)?
        .expect(Tag::Sequence)
}
