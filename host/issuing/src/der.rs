//! Just enough DER (ITU-T X.690) to write what authorities issue.

use const_oid::ObjectIdentifier;
use der::{Encode, Length};

/// The tag of BOOLEAN.
pub const BOOLEAN: u8 = 0x01;
/// The tag of INTEGER.
pub const INTEGER: u8 = 0x02;
/// The tag of BIT STRING.
pub const BIT_STRING: u8 = 0x03;
/// The tag of OCTET STRING.
pub const OCTET_STRING: u8 = 0x04;
/// The tag of NULL.
pub const NULL: u8 = 0x05;
/// The tag of ENUMERATED.
pub const ENUMERATED: u8 = 0x0A;
/// The tag of UTF8String.
pub const UTF8_STRING: u8 = 0x0C;
/// The tag of PrintableString.
pub const PRINTABLE_STRING: u8 = 0x13;
/// The tag of IA5String.
pub const IA5_STRING: u8 = 0x16;
/// The tag of UTCTime.
pub const UTC_TIME: u8 = 0x17;
/// The tag of GeneralizedTime.
pub const GENERALIZED_TIME: u8 = 0x18;
/// The tag of SEQUENCE.
pub const SEQUENCE: u8 = 0x30;
/// The tag of SET.
pub const SET: u8 = 0x31;

/// An element whose value is the concatenation of these parts.
///
/// # Panics
///
/// The value has 256 MiB or more.
#[must_use]
pub fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let length = Length::try_from(value.len()).expect("what is issued is short");
    [&[tag], encoded(&length).as_slice(), &value].concat()
}

/// DER encoding of a value of another crate's type.
///
/// # Panics
///
/// The value cannot be encoded; a value read from DER always can.
#[must_use]
pub fn encoded(value: &impl Encode) -> Vec<u8> {
    value.to_der().expect("what was read can be written")
}

/// A SEQUENCE of whole elements.
#[must_use]
pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, parts)
}

/// A SEQUENCE OF whole elements.
#[must_use]
pub fn sequence_of(elements: &[Vec<u8>]) -> Vec<u8> {
    tlv(SEQUENCE, &[&elements.concat()])
}

/// A SET OF whole elements, in DER's order (X.690, 11.6).
#[must_use]
pub fn set(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort_unstable();
    tlv(SET, &[&elements.concat()])
}

/// `[number]`, constructed, around whole elements.
#[must_use]
pub fn context(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    tlv(0xA0 | number, parts)
}

/// A constructed element with `[number]` in the place of its tag.
pub(crate) fn implicit(number: u8, element: &[u8]) -> Vec<u8> {
    let rest = element.get(1..).unwrap_or_default();
    [&[0xA0 | number], rest].concat()
}

/// An OBJECT IDENTIFIER.
#[must_use]
pub fn oid(identifier: ObjectIdentifier) -> Vec<u8> {
    encoded(&identifier)
}

/// An AlgorithmIdentifier without parameters.
#[must_use]
pub fn algorithm(identifier: ObjectIdentifier) -> Vec<u8> {
    sequence(&[&oid(identifier)])
}

/// An OCTET STRING.
#[must_use]
pub fn octets(value: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, &[value])
}

/// A BIT STRING of whole octets.
#[must_use]
pub fn bit_string(value: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[0], value])
}

/// A non-negative INTEGER from its octets; leading zeros are ignored.
#[must_use]
pub fn integer(octets: &[u8]) -> Vec<u8> {
    let zeros = octets.iter().take_while(|octet| **octet == 0).count();
    let magnitude = &octets[zeros..];
    let is_led_by_sign = magnitude.first().is_none_or(|octet| *octet >= 0x80);
    let sign: &[u8] = if is_led_by_sign { &[0] } else { &[] };
    tlv(INTEGER, &[sign, magnitude])
}

/// A `uniformResourceIdentifier` among GeneralNames (RFC 5280, 4.2.1.6).
#[must_use]
pub fn uri(url: &str) -> Vec<u8> {
    tlv(0x86, &[url.as_bytes()])
}

/// Elements under a context tag; empty without elements.
pub(crate) fn optional(number: u8, elements: &[Vec<u8>]) -> Vec<u8> {
    if elements.is_empty() {
        return Vec::new();
    }
    context(number, &[&sequence_of(elements)])
}
