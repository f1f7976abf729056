//! Signed and unsigned attributes of a SignerInfo (RFC 5652, 5.3).

use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5911, rfc6268};
use der::Tag;

use crate::Error;
use crate::asn1::{Element, Elements};

/// `id-contentType` (RFC 5652, 11.1).
pub const CONTENT_TYPE: ObjectIdentifier = rfc6268::ID_CONTENT_TYPE;
/// `id-messageDigest` (11.2).
pub const MESSAGE_DIGEST: ObjectIdentifier = rfc6268::ID_MESSAGE_DIGEST;
/// `id-aa-signingCertificateV2` (RFC 5035, 3).
pub const SIGNING_CERTIFICATE_V2: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE_V_2;
/// `id-aa-timeStampToken` (RFC 3161, appendix A).
pub const TIMESTAMP_TOKEN: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
/// `id-signingTime` (RFC 5652, 11.3).
pub const SIGNING_TIME: ObjectIdentifier = rfc6268::ID_SIGNING_TIME;
pub(crate) const SIGNING_CERTIFICATE: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE;

/// Attributes, as encoded.
pub(crate) struct Attributes<'a>(Vec<(ObjectIdentifier, Vec<Element<'a>>)>);

impl<'a> Attributes<'a> {
    /// Parses the value of a SET OF Attribute.
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

    /// Returns the value of an attribute that may occur once, with one value.
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

    /// Returns all values of an attribute.
    pub(crate) fn all(&self, oid: ObjectIdentifier) -> impl Iterator<Item = Element<'a>> {
        self.0
            .iter()
            .filter(move |(name, _)| *name == oid)
            .flat_map(|(_, values)| values.iter().copied())
    }
}
