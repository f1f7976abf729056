//! The ESS signing-certificate attributes (RFC 2634, 5.4 and RFC 5035).

use der::Tag;
use parafa_format_core::DigestAlgorithm;

use crate::algorithm::{decode_digest, digest, encode_digest};
use crate::element::{Element, context, encode, sequence};
use crate::{Certificate, Error};

/// What the signing-certificate attribute says about the certificate that the
/// signer is identified with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SigningCertificate {
    /// There is no such attribute.
    Absent,
    /// It names this certificate.
    Matches,
    /// It names another certificate, or one that does not come with the signature.
    Differs,
}

/// The first ESSCertID or ESSCertIDv2 of the attribute: the signer's.
#[derive(Clone, Debug)]
pub(crate) struct CertificateId {
    algorithm: Option<DigestAlgorithm>,
    hash: Vec<u8>,
}

impl CertificateId {
    /// From the value of a SigningCertificate.
    pub(crate) fn parse_v1(value: Element<'_>) -> Result<Self, Error> {
        let mut id = first_id(value)?.children("ESSCertID")?;
        let hash = id.expect(Tag::OctetString)?.value.to_vec();
        Ok(Self {
            algorithm: Some(DigestAlgorithm::Sha1),
            hash,
        })
    }

    /// From the value of a SigningCertificateV2.
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

/// The value of a SigningCertificateV2 that names `certificate`, with its
/// issuer and serial number. The hash algorithm is left out when it is the
/// default, as DER wants.
pub(crate) fn encode_v2(algorithm: DigestAlgorithm, certificate: &Certificate<'_>) -> Vec<u8> {
    const DIRECTORY_NAME: u8 = 4;

    let hash_algorithm = if algorithm == DigestAlgorithm::Sha256 {
        Vec::new()
    } else {
        encode_digest(algorithm)
    };
    let hash = encode(Tag::OctetString, &digest(algorithm, certificate.as_der()));
    let general_names = sequence([&encode(context(DIRECTORY_NAME), certificate.issuer())]);
    let issuer_serial = sequence([&general_names, certificate.serial_number()]);
    let id = sequence([&hash_algorithm, &hash, &issuer_serial]);
    sequence([&sequence([&id])])
}

fn first_id(value: Element<'_>) -> Result<Element<'_>, Error> {
    const WHAT: &str = "SigningCertificate";

    value
        .children(WHAT)?
        .expect(Tag::Sequence)?
        .children(WHAT)?
        .expect(Tag::Sequence)
}
