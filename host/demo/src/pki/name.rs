//! Distinguished names (RFC 5280, 4.1.2.4).

use const_oid::db::rfc4519::{
    COMMON_NAME, COUNTRY_NAME, GIVEN_NAME, ORGANIZATION_NAME, SERIAL_NUMBER, SN,
};
use der::{
    Any, Tag,
    asn1::{ObjectIdentifier, SetOfVec},
};
use x509_cert::{
    attr::AttributeTypeAndValue,
    name::{Name, RdnSequence, RelativeDistinguishedName},
};

const ORGANIZATION_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.97");

/// Builds a name of single-valued RDNs, in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct NameBuilder(Vec<(ObjectIdentifier, Tag, String)>);

impl NameBuilder {
    pub(super) fn country(self, value: &str) -> Self {
        self.with(COUNTRY_NAME, Tag::PrintableString, value)
    }

    pub(super) fn organization(self, value: &str) -> Self {
        self.with(ORGANIZATION_NAME, Tag::Utf8String, value)
    }

    pub(super) fn organization_identifier(self, value: &str) -> Self {
        self.with(ORGANIZATION_IDENTIFIER, Tag::Utf8String, value)
    }

    pub(super) fn common_name(self, value: &str) -> Self {
        self.with(COMMON_NAME, Tag::Utf8String, value)
    }

    pub(super) fn surname(self, value: &str) -> Self {
        self.with(SN, Tag::Utf8String, value)
    }

    pub(super) fn given_name(self, value: &str) -> Self {
        self.with(GIVEN_NAME, Tag::Utf8String, value)
    }

    pub(super) fn serial_number(self, value: &str) -> Self {
        self.with(SERIAL_NUMBER, Tag::PrintableString, value)
    }

    pub(super) fn build(self) -> der::Result<Name> {
        let mut names = Vec::with_capacity(self.0.len());
        for (oid, tag, value) in self.0 {
            let attribute = AttributeTypeAndValue {
                oid,
                value: Any::new(tag, value.as_bytes())?,
            };
            names.push(RelativeDistinguishedName(SetOfVec::try_from(vec![
                attribute,
            ])?));
        }
        Ok(RdnSequence(names))
    }

    fn with(mut self, oid: ObjectIdentifier, tag: Tag, value: &str) -> Self {
        self.0.push((oid, tag, value.into()));
        self
    }
}
