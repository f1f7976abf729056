//! Just enough DER to build what honest and hostile services send.

use der::Encode;
use der::asn1::ObjectIdentifier;

pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const ENUMERATED: u8 = 0x0a;
pub const GENERALIZED_TIME: u8 = 0x18;

pub fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let length = value.len();
    let mut encoded = vec![tag];
    match length {
        0..0x80 => encoded.push(u8::try_from(length).expect("a short length")),
        0x80..0x100 => encoded.extend([0x81, u8::try_from(length).expect("one octet")]),
        _ => {
            encoded.push(0x82);
            encoded.extend(u16::try_from(length).expect("two octets").to_be_bytes());
        }
    }
    encoded.extend(value);
    encoded
}

pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(SEQUENCE, parts)
}

/// `[number]` around whole values.
pub fn explicit(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    tlv(0xa0 | number, parts)
}

pub fn oid(text: &str) -> Vec<u8> {
    ObjectIdentifier::new_unwrap(text).to_der().expect("DER")
}

pub fn octets(value: &[u8]) -> Vec<u8> {
    tlv(OCTET_STRING, &[value])
}

pub fn time(text: &str) -> Vec<u8> {
    tlv(GENERALIZED_TIME, &[text.as_bytes()])
}

pub fn algorithm(text: &str) -> Vec<u8> {
    sequence(&[&oid(text)])
}

pub fn bit_string(value: &[u8]) -> Vec<u8> {
    tlv(BIT_STRING, &[&[0], value])
}

pub fn set(mut elements: Vec<Vec<u8>>) -> Vec<u8> {
    elements.sort();
    tlv(SET, &elements.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
