//! Attributes of a SignerInfo (RFC 5652, 5.3).

use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5911, rfc6268};
use der::Tag;
use parafa_format_core::DigestAlgorithm;

use crate::element::{Element, Elements, encode, object_identifier, sequence, set_of};
use crate::signing_certificate::encode_v2;
use crate::{Certificate, Error};

pub(crate) const CONTENT_TYPE: ObjectIdentifier = rfc6268::ID_CONTENT_TYPE;
pub(crate) const MESSAGE_DIGEST: ObjectIdentifier = rfc6268::ID_MESSAGE_DIGEST;
pub(crate) const SIGNING_TIME: ObjectIdentifier = rfc6268::ID_SIGNING_TIME;
pub(crate) const SIGNING_CERTIFICATE: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE;
pub(crate) const SIGNING_CERTIFICATE_V2: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE_V_2;
/// `id-aa-timeStampToken` (RFC 3161, appendix A).
pub(crate) const TIMESTAMP_TOKEN: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");

/// The signed attributes of a new PAdES baseline signature (ETSI EN 319 142-1,
/// 6.3): content-type, message-digest and signing-certificate-v2. The claimed
/// signing time stands in the PDF signature dictionary, not here.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignedAttributes {
    digest_algorithm: DigestAlgorithm,
    der: Vec<u8>,
}

impl SignedAttributes {
    /// The attributes for a content with this digest. The signing certificate
    /// is named by a digest of the same algorithm.
    ///
    /// # Errors
    /// The algorithm is SHA-1, the digest does not have its length, or the
    /// certificate cannot be read.
    pub fn new(
        message_digest: &[u8],
        digest_algorithm: DigestAlgorithm,
        signer_certificate: &[u8],
    ) -> Result<Self, Error> {
        if digest_algorithm == DigestAlgorithm::Sha1 {
            return Err(Error::WeakDigest(digest_algorithm));
        }
        if message_digest.len() != digest_algorithm.output_len() {
            return Err(Error::DigestLength {
                algorithm: digest_algorithm,
                length: message_digest.len(),
            });
        }
        let certificate = Certificate::from_der(signer_certificate)?;
        let attributes = vec![
            encode_attribute(CONTENT_TYPE, &object_identifier(rfc5911::ID_DATA)),
            encode_attribute(MESSAGE_DIGEST, &encode(Tag::OctetString, message_digest)),
            encode_attribute(
                SIGNING_CERTIFICATE_V2,
                &encode_v2(digest_algorithm, &certificate),
            ),
        ];
        Ok(Self {
            digest_algorithm,
            der: encode(Tag::Set, &set_of(attributes)),
        })
    }

    /// What is signed: the attributes as a DER SET OF (RFC 5652, 5.4).
    #[must_use]
    pub fn to_be_signed(&self) -> &[u8] {
        &self.der
    }

    /// The digest of the content and of what is signed.
    #[must_use]
    pub fn digest_algorithm(&self) -> DigestAlgorithm {
        self.digest_algorithm
    }
}

/// An attribute with one value.
pub(crate) fn encode_attribute(oid: ObjectIdentifier, value: &[u8]) -> Vec<u8> {
    sequence([&object_identifier(oid), &encode(Tag::Set, value)])
}

/// Attributes as they came.
pub(crate) struct Attributes<'a>(Vec<(ObjectIdentifier, Vec<Element<'a>>)>);

impl<'a> Attributes<'a> {
    /// From the value of a SET OF Attribute.
    pub(crate) fn parse(value: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "Attribute";

        let mut attributes = Vec::new();
        for attribute in Elements::new(WHAT, value)?.remaining()? {
            let mut parts = attribute.children(WHAT)?;
            let oid = parts.expect(Tag::ObjectIdentifier)?.decode(WHAT)?;
            let values = parts.expect(Tag::Set)?.children(WHAT)?.remaining()?;
            parts.finish()?;
            attributes.push((oid, values));
        }
        Ok(Self(attributes))
    }

    /// The value of an attribute that may occur only once, with one value.
    pub(crate) fn single(&self, oid: ObjectIdentifier) -> Result<Option<Element<'a>>, Error> {
        let mut values = self.0.iter().filter(|(name, _)| *name == oid);
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some((_, values)), None) => match values.as_slice() {
                [value] => Ok(Some(*value)),
                [] => Err(Error::Missing("attribute value")),
                _ => Err(Error::RepeatedAttribute(oid)),
            },
            (Some(_), Some(_)) => Err(Error::RepeatedAttribute(oid)),
        }
    }

    /// All values of an attribute.
    pub(crate) fn all(&self, oid: ObjectIdentifier) -> impl Iterator<Item = Element<'a>> {
        self.0
            .iter()
            .filter(move |(name, _)| *name == oid)
            .flat_map(|(_, values)| values.iter().copied())
    }
}
