use const_oid::ObjectIdentifier;
use const_oid::db::{rfc4519, rfc5280, rfc5912, rfc6960};
use der::Tag;
use der::asn1::UintRef;
use parafa_format_core::Environment;

use crate::Error;
use crate::asn1::{Element, Elements, context};
use crate::distinguished_name;
use crate::signed::Signed;
use crate::time::seconds_since_epoch;

/// The parts of an X.509 certificate (RFC 5280, 4.1) that signatures refer to,
/// as slices of its DER. Nothing is validated.
#[derive(Clone, Copy, Debug)]
pub struct Certificate<'a> {
    der: &'a [u8],
    serial_number: Element<'a>,
    issuer: &'a [u8],
    validity: Option<Validity>,
    subject: Element<'a>,
    subject_public_key_info: &'a [u8],
    extensions: Option<Element<'a>>,
}

/// Validity period of a certificate (RFC 5280, 4.1.2.5), both ends included, in
/// seconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Validity {
    /// `notBefore`.
    pub not_before: i64,
    /// `notAfter`.
    pub not_after: i64,
}

/// `keyCertSign` in the first octet of KeyUsage (RFC 5280, 4.2.1.3).
const KEY_CERT_SIGN: u8 = 0x04;

/// `cRLSign` in the same octet.
const CRL_SIGN: u8 = 0x02;

impl<'a> Certificate<'a> {
    /// Reads a DER-encoded certificate.
    ///
    /// # Errors
    /// The bytes are not one certificate, or trailing bytes follow.
    pub fn from_der(der: &'a [u8]) -> Result<Self, Error> {
        const WHAT: &str = "Certificate";

        let mut tbs = Element::sequence(WHAT, der)?
            .expect(Tag::Sequence)?
            .children("TBSCertificate")?;
        tbs.optional(context(0))?;
        let serial_number = tbs.expect(Tag::Integer)?;
        tbs.expect(Tag::Sequence)?;
        let issuer = tbs.expect(Tag::Sequence)?.der;
        let validity = Validity::read(tbs.expect(Tag::Sequence)?).ok();
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
            validity,
            subject,
            subject_public_key_info,
            extensions,
        })
    }

    /// Returns the whole certificate.
    #[must_use]
    pub fn as_der(&self) -> &'a [u8] {
        self.der
    }

    /// Returns the DER-encoded Name of the issuer.
    #[must_use]
    pub fn issuer(&self) -> &'a [u8] {
        self.issuer
    }

    /// Returns the serial number as a DER-encoded INTEGER.
    #[must_use]
    pub fn serial_number(&self) -> &'a [u8] {
        self.serial_number.der
    }

    /// Returns the issuer's Name as a string (RFC 2253), if it is valid.
    #[must_use]
    pub fn issuer_text(&self) -> Option<String> {
        distinguished_name::write(self.issuer)
    }

    /// Returns the serial number in decimal digits.
    #[must_use]
    pub fn serial_number_decimal(&self) -> String {
        distinguished_name::decimal(self.serial_number.value)
    }

    /// Returns the validity period; `None` if it cannot be read.
    #[must_use]
    pub fn validity(&self) -> Option<Validity> {
        self.validity
    }

    /// Returns whether it was valid at a time, in seconds since the Unix epoch.
    #[must_use]
    pub fn was_valid_at(&self, time: i64) -> bool {
        self.validity
            .is_some_and(|validity| (validity.not_before..=validity.not_after).contains(&time))
    }

    /// Returns the DER-encoded Name of the subject.
    #[must_use]
    pub fn subject(&self) -> &'a [u8] {
        self.subject.der
    }

    /// Returns the DER-encoded SubjectPublicKeyInfo.
    #[must_use]
    pub fn subject_public_key_info(&self) -> &'a [u8] {
        self.subject_public_key_info
    }

    /// Returns the first common name of the subject, if readable.
    #[must_use]
    pub fn common_name(&self) -> Option<String> {
        attribute_in(self.subject, rfc4519::COMMON_NAME)
    }

    /// Returns the subject's given name and surname, in this order, if it has
    /// both. Otherwise returns the common name, in which authorities use either
    /// order and add text.
    #[must_use]
    pub fn person_name(&self) -> Option<String> {
        let part = |oid| attribute_in(self.subject, oid);
        let (given_name, surname) = (part(rfc4519::GIVEN_NAME), part(rfc4519::SURNAME));
        match (given_name, surname) {
            (Some(given_name), Some(surname)) => Some(format!("{given_name} {surname}")),
            _ => self.common_name(),
        }
    }

    /// Returns the first common name of the issuer, if readable.
    #[must_use]
    pub fn issuer_common_name(&self) -> Option<String> {
        let issuer = Element::parse("Name", self.issuer).ok()?;
        attribute_in(issuer, rfc4519::COMMON_NAME)
    }

    /// Returns the serial number in hexadecimal digits, for display.
    #[must_use]
    pub fn serial_number_hex(&self) -> String {
        let digits = self.serial_number.value.iter();
        digits.map(|octet| format!("{octet:02x}")).collect()
    }

    /// Returns whether BasicConstraints marks the subject as an authority (RFC
    /// 5280, 4.2.1.9).
    #[must_use]
    pub fn is_authority(&self) -> bool {
        let constraints = self.basic_constraints();
        constraints
            .first()
            .is_some_and(|first| first.tag == Tag::Boolean && first.value != [0])
    }

    /// Returns the maximum number of authorities between it and an end-entity
    /// certificate (`pathLenConstraint`, 4.2.1.9); `None` if unlimited.
    #[must_use]
    pub fn max_authorities_below(&self) -> Option<usize> {
        let constraints = self.basic_constraints();
        let limit = constraints.iter().find(|part| part.tag == Tag::Integer)?;
        // An unreadable limit permits nothing.
        let limit = limit.decode::<u8>("pathLenConstraint");
        Some(limit.map_or(0, usize::from))
    }

    /// Returns whether it may issue certificates: its subject is an authority,
    /// and its key may sign certificates (4.2.1.3).
    #[must_use]
    pub fn may_issue_certificates(&self) -> bool {
        self.is_authority() && self.may_be_used_for(KEY_CERT_SIGN)
    }

    /// Returns whether its key may sign revocation lists (4.2.1.3).
    #[must_use]
    pub fn may_sign_revocation_lists(&self) -> bool {
        self.may_be_used_for(CRL_SIGN)
    }

    /// Returns whether its subject may sign OCSP responses for its issuer (RFC
    /// 6960, 4.2.2.2).
    #[must_use]
    pub fn may_sign_ocsp_responses(&self) -> bool {
        let purposes = || {
            let value = self.extension(rfc5280::ID_CE_EXT_KEY_USAGE)?;
            let purposes = Element::parse("ExtKeyUsageSyntax", value).ok()?;
            purposes
                .children("ExtKeyUsageSyntax")
                .ok()?
                .remaining()
                .ok()
        };
        purposes().is_some_and(|purposes| {
            let mut purposes = purposes.iter();
            purposes.any(|purpose| {
                purpose.decode::<ObjectIdentifier>("KeyPurposeId").ok()
                    == Some(rfc5280::ID_KP_OCSP_SIGNING)
            })
        })
    }

    /// Returns whether its issuer exempts it from revocation checks
    /// (`id-pkix-ocsp-nocheck`, RFC 6960, 4.2.2.2.1).
    #[must_use]
    pub fn needs_no_revocation_check(&self) -> bool {
        self.extension(rfc6960::ID_PKIX_OCSP_NOCHECK).is_some()
    }

    /// Returns whether `issuer` issued it: the names agree and the signature
    /// verifies. Whether `issuer` may issue certificates is not checked.
    #[must_use]
    pub fn is_issued_by<E: Environment>(&self, environment: &E, issuer: &Certificate<'_>) -> bool {
        self.issuer() == issuer.subject()
            && self
                .signed()
                .is_ok_and(|signed| signed.verifies(environment, issuer))
    }

    /// Returns the length of the modulus in bytes; `None` if the key is not RSA
    /// (RFC 8017, A.1.1).
    #[must_use]
    pub fn rsa_modulus_len(&self) -> Option<usize> {
        const WHAT: &str = "RSAPublicKey";

        let algorithm = key_algorithm(self.subject_public_key_info)?.expect(Tag::ObjectIdentifier);
        let algorithm = algorithm.ok()?.decode(WHAT).ok()?;
        if ![rfc5912::RSA_ENCRYPTION, rfc5912::ID_RSASSA_PSS].contains(&algorithm) {
            return None;
        }
        let key = Element::parse(WHAT, self.subject_public_key()?).ok()?;
        let modulus = key.children(WHAT).ok()?.expect(Tag::Integer).ok()?;
        let modulus: UintRef<'_> = modulus.decode(WHAT).ok()?;
        Some(modulus.as_bytes().len())
    }

    /// Returns the octets of the public key, without the AlgorithmIdentifier.
    pub(crate) fn subject_public_key(&self) -> Option<&'a [u8]> {
        const WHAT: &str = "SubjectPublicKeyInfo";

        let info = Element::parse(WHAT, self.subject_public_key_info).ok()?;
        let mut parts = info.children(WHAT).ok()?;
        parts.expect(Tag::Sequence).ok()?;
        let (_, key) = parts.expect(Tag::BitString).ok()?.value.split_first()?;
        Some(key)
    }

    /// Returns the key identifier of the SubjectKeyIdentifier extension.
    #[must_use]
    pub(crate) fn subject_key_identifier(&self) -> Option<&'a [u8]> {
        let value = self.extension(rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER)?;
        let identifier = Element::parse("SubjectKeyIdentifier", value).ok()?;
        (identifier.tag == Tag::OctetString).then_some(identifier.value)
    }

    /// Returns whether a CRLDistributionPoints extension contains one of these
    /// DER-encoded GeneralNames (RFC 5280, 4.2.1.13).
    pub(crate) fn has_distribution_point(&self, names: &[&[u8]]) -> bool {
        let points = || {
            let value = self.extension(rfc5280::ID_CE_CRL_DISTRIBUTION_POINTS)?;
            let points = Element::parse("CRLDistributionPoints", value).ok()?;
            points
                .children("CRLDistributionPoints")
                .ok()?
                .remaining()
                .ok()
        };
        points().is_some_and(|points| {
            let mut names_of = points.iter().flat_map(|point| {
                let parts = point.children("DistributionPoint");
                let first = parts.and_then(|mut parts| parts.optional(context(0)));
                first.ok().flatten().map(full_names).unwrap_or_default()
            });
            names_of.any(|name| names.contains(&name))
        })
    }

    /// Returns the parts of BasicConstraints; empty if missing.
    fn basic_constraints(&self) -> Vec<Element<'a>> {
        const WHAT: &str = "BasicConstraints";

        let constraints = || {
            let value = self.extension(rfc5280::ID_CE_BASIC_CONSTRAINTS)?;
            let constraints = Element::parse(WHAT, value).ok()?;
            constraints.children(WHAT).ok()?.remaining().ok()
        };
        constraints().unwrap_or_default()
    }

    /// Returns whether KeyUsage is missing, or has this bit in its first octet.
    fn may_be_used_for(&self, usage: u8) -> bool {
        let Some(value) = self.extension(rfc5280::ID_CE_KEY_USAGE) else {
            return true;
        };
        let bits = Element::parse("KeyUsage", value);
        let first = bits.ok().filter(|bits| bits.tag == Tag::BitString);
        let first = first.and_then(|bits| bits.value.get(1).copied());
        first.is_some_and(|first| first & usage != 0)
    }

    fn signed(&self) -> Result<Signed<'a>, Error> {
        const WHAT: &str = "Certificate";

        let mut parts = Element::parse(WHAT, self.der)?.children(WHAT)?;
        let signed = Signed::read(WHAT, &mut parts)?;
        parts.finish()?;
        Ok(signed)
    }

    /// Returns the content of an extension's value.
    fn extension(&self, wanted: ObjectIdentifier) -> Option<&'a [u8]> {
        let list = Element::parse("Extensions", self.extensions?.value).ok()?;
        let extensions = list.children("Extensions").ok()?.remaining().ok()?;
        extensions.iter().find_map(|extension| {
            let mut parts = extension.children("Extension").ok()?;
            let oid: ObjectIdentifier = parts.any().ok()?.decode("Extension").ok()?;
            if oid != wanted {
                return None;
            }
            let value = parts.remaining().ok()?.pop()?;
            (value.tag == Tag::OctetString).then_some(value.value)
        })
    }
}

impl Validity {
    fn read(validity: Element<'_>) -> Result<Self, Error> {
        const WHAT: &str = "Validity";

        let mut times = validity.children(WHAT)?;
        Ok(Self {
            not_before: seconds_since_epoch(WHAT, times.any()?)?,
            not_after: seconds_since_epoch(WHAT, times.any()?)?,
        })
    }
}

/// Returns the DER-encoded GeneralNames of a DistributionPointName; empty if it
/// is relative to the issuer's name.
pub(crate) fn full_names(name: Element<'_>) -> Vec<&[u8]> {
    let names = || {
        let mut choice = name.children("DistributionPointName").ok()?;
        let full = choice.optional(context(0)).ok()??;
        full.children("GeneralNames").ok()?.remaining().ok()
    };
    let names = names().unwrap_or_default();
    names.iter().map(|name| name.der).collect()
}

/// Returns the elements of the AlgorithmIdentifier in a SubjectPublicKeyInfo.
pub(crate) fn key_algorithm(subject_public_key_info: &[u8]) -> Option<Elements<'_>> {
    const WHAT: &str = "SubjectPublicKeyInfo";

    let info = Element::parse(WHAT, subject_public_key_info).ok()?;
    let algorithm = info.children(WHAT).ok()?.expect(Tag::Sequence).ok()?;
    algorithm.children(WHAT).ok()
}

/// Returns the first readable attribute of a type in a Name.
fn attribute_in(name: Element<'_>, wanted: ObjectIdentifier) -> Option<String> {
    let names = name.children("Name").ok()?.remaining().ok()?;
    names
        .iter()
        .filter_map(|set| {
            set.children("RelativeDistinguishedName")
                .ok()?
                .remaining()
                .ok()
        })
        .flatten()
        .find_map(|attribute| value_of(attribute, wanted))
}

fn value_of(attribute: Element<'_>, wanted: ObjectIdentifier) -> Option<String> {
    let mut parts = attribute.children("AttributeTypeAndValue").ok()?;
    let oid: ObjectIdentifier = parts.any().ok()?.decode("AttributeTypeAndValue").ok()?;
    if oid != wanted {
        return None;
    }
    directory_string(parts.any().ok()?)
}

/// Decodes a DirectoryString (RFC 5280, 4.1.2.4).
pub(crate) fn directory_string(element: Element<'_>) -> Option<String> {
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
