use const_oid::ObjectIdentifier;
use const_oid::db::{rfc4519, rfc5280};
use der::Tag;

use crate::Error;
use crate::element::{Element, context};

/// The parts of an X.509 certificate (RFC 5280, 4.1) that a signature refers
/// to, as slices of its DER. Nothing about it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Certificate<'a> {
    der: &'a [u8],
    serial_number: Element<'a>,
    issuer: &'a [u8],
    subject: Element<'a>,
    subject_public_key_info: &'a [u8],
    extensions: Option<Element<'a>>,
}

impl<'a> Certificate<'a> {
    /// Reads a DER certificate.
    ///
    /// # Errors
    /// The bytes are not one certificate, or something follows it.
    pub fn from_der(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "Certificate";

        let certificate = Element::parse(WHAT, der)?;
        certificate
            .tag
            .assert_eq(Tag::Sequence)
            .map_err(Error::malformed(WHAT))?;
        let mut tbs = certificate
            .children(WHAT)?
            .expect(Tag::Sequence)?
            .children("TBSCertificate")?;
        tbs.optional(context(0))?;
        let serial_number = tbs.expect(Tag::Integer)?;
        tbs.expect(Tag::Sequence)?;
        let issuer = tbs.expect(Tag::Sequence)?.der;
        tbs.expect(Tag::Sequence)?;
        let subject = tbs.expect(Tag::Sequence)?;
        let subject_public_key_info = tbs.expect(Tag::Sequence)?.der;
        let extensions = tbs
            .remaining()?
            .into_iter()
            .find(|element| element.tag == context(3));
        Ok(Self {
            der,
            serial_number,
            issuer,
            subject,
            subject_public_key_info,
            extensions,
        })
    }

    /// The whole certificate.
    #[must_use]
    pub fn as_der(&self) -> &'a [u8] {
        self.der
    }

    /// DER of the issuer's Name.
    #[must_use]
    pub fn issuer(&self) -> &'a [u8] {
        self.issuer
    }

    /// DER of the serial number, an INTEGER.
    #[must_use]
    pub fn serial_number(&self) -> &'a [u8] {
        self.serial_number.der
    }

    /// DER of the subject's Name.
    #[must_use]
    pub fn subject(&self) -> &'a [u8] {
        self.subject.der
    }

    /// DER of the SubjectPublicKeyInfo.
    #[must_use]
    pub fn subject_public_key_info(&self) -> &'a [u8] {
        self.subject_public_key_info
    }

    /// The first common name of the subject, if it has a readable one.
    #[must_use]
    pub fn common_name(&self) -> Option<String> {
        let names = self.subject.children("Name").ok()?.remaining().ok()?;
        names
            .iter()
            .filter_map(|set| {
                set.children("RelativeDistinguishedName")
                    .ok()?
                    .remaining()
                    .ok()
            })
            .flatten()
            .find_map(|attribute| common_name(attribute))
    }

    /// The key identifier of the SubjectKeyIdentifier extension.
    #[must_use]
    pub(crate) fn subject_key_identifier(&self) -> Option<&'a [u8]> {
        let list = Element::parse("Extensions", self.extensions?.value).ok()?;
        let extensions = list.children("Extensions").ok()?.remaining().ok()?;
        extensions.iter().find_map(|extension| {
            let mut parts = extension.children("Extension").ok()?;
            let oid: ObjectIdentifier = parts.any().ok()?.decode("Extension").ok()?;
            if oid != rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER {
                return None;
            }
            let value = parts.remaining().ok()?.pop()?;
            let identifier = Element::parse("SubjectKeyIdentifier", value.value).ok()?;
            (identifier.tag == Tag::OctetString).then_some(identifier.value)
        })
    }
}

fn common_name(attribute: Element<'_>) -> Option<String> {
    let mut parts = attribute.children("AttributeTypeAndValue").ok()?;
    let oid: ObjectIdentifier = parts.any().ok()?.decode("AttributeTypeAndValue").ok()?;
    if oid != rfc4519::COMMON_NAME {
        return None;
    }
    directory_string(parts.any().ok()?)
}

/// A DirectoryString (RFC 5280, 4.1.2.4).
fn directory_string(element: Element<'_>) -> Option<String> {
    match element.tag {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String => {
            String::from_utf8(element.value.to_vec()).ok()
        }
        Tag::TeletexString => Some(element.value.iter().copied().map(char::from).collect()),
        Tag::BmpString => {
            let units: Vec<u16> = element
                .value
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}
