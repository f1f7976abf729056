//! Just enough DER to build what authorities and responders send.

use der::Encode;
use der::asn1::ObjectIdentifier;

pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const ENUMERATED: u8 = 0x0a;
pub(crate) const UTF8_STRING: u8 = 0x0c;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

/// One element whose value is these parts, one after the other.
pub(crate) fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let length = der::Length::try_from(value.len()).expect("a fuzz input is below 256 MiB");
    let mut encoded = vec![tag];
    encoded.extend(length.to_der().expect("lengths encode"));
    encoded.extend(value);
    encoded
}

pub(crate) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, parts)
}

/// `[number]`, constructed, around whole elements.
pub(crate) fn context(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    tlv(0xa0 | number, parts)
}

pub(crate) fn oid(text: &str) -> Vec<u8> {
    ObjectIdentifier::new_unwrap(text)
        .to_der()
        .expect("identifiers encode")
}

pub(crate) fn octets(value: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, &[value])
}

pub(crate) fn bit_string(value: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[0], value])
}

pub(crate) fn integer(value: u8) -> Vec<u8> {
    tlv(INTEGER, &[&[value]])
}

pub(crate) fn time(text: &str) -> Vec<u8> {
    tlv(GENERALIZED_TIME, &[text.as_bytes()])
}

pub(crate) fn algorithm(text: &str) -> Vec<u8> {
    sequence(&[&oid(text)])
}

/// A digest's AlgorithmIdentifier with its NULL.
pub(crate) fn digest_algorithm(text: &str) -> Vec<u8> {
    sequence(&[&oid(text), &tlv(NULL, &[])])
}

/// SET OF, in DER's order.
pub(crate) fn set(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort();
    tlv(SET, &[&elements.concat()])
}
