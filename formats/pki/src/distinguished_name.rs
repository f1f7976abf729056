//! Names and serial numbers as text, as in XML Signature (1.1, 4.5.4.1).

use std::fmt::Write as _;

use const_oid::ObjectIdentifier;

use crate::asn1::Element;
use crate::certificate::directory_string;

/// Attribute types with a keyword (RFC 2253, 2.3); others are written as dotted
/// numbers.
const KEYWORDS: [(&str, &str); 9] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
];

/// Returns a Name as a string (RFC 2253), the last part first; `None` if it is
/// invalid.
pub(crate) fn write(name: &[u8]) -> Option<String> {
    let name = Element::parse("Name", name).ok()?;
    let sets = name.children("Name").ok()?.remaining().ok()?;
    let sets = sets.iter().rev().map(|set| {
        let attributes = set.children("RelativeDistinguishedName").ok()?;
        let attributes = attributes.remaining().ok()?;
        let written = attributes
            .iter()
            .map(|attribute| write_attribute(*attribute));
        Some(written.collect::<Option<Vec<_>>>()?.join("+"))
    });
    Some(sets.collect::<Option<Vec<_>>>()?.join(","))
}

fn write_attribute(attribute: Element<'_>) -> Option<String> {
    const WHAT: &str = "AttributeTypeAndValue";

    let mut parts = attribute.children(WHAT).ok()?;
    let oid: ObjectIdentifier = parts.any().ok()?.decode(WHAT).ok()?;
    let value = parts.any().ok()?;
    let oid = oid.to_string();
    let keyword = KEYWORDS.iter().find(|(known, _)| *known == oid);
    Some(match (keyword, directory_string(value)) {
        (Some((_, keyword)), Some(text)) => format!("{keyword}={}", escaped(&text)),
        _ => format!("{oid}=#{}", hexadecimal(value.der)),
    })
}

/// Escapes a value (RFC 2253, 2.4).
fn escaped(text: &str) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut escaped = String::new();
    for (place, c) in text.chars().enumerate() {
        match c {
            ',' | '+' | '"' | '\\' | '<' | '>' | ';' => escaped.extend(['\\', c]),
            '#' if place == 0 => escaped.push_str("\\#"),
            ' ' if place == 0 || place == last => escaped.push_str("\\ "),
            c if c.is_ascii_control() => {
                let _ = write!(escaped, "\\{:02X}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// Converts big-endian octets of a non-negative number to decimal digits.
pub(crate) fn decimal(octets: &[u8]) -> String {
    // The least significant digit first.
    let mut digits = vec![0_u32];
    for octet in octets {
        let mut carry = u32::from(*octet);
        for digit in &mut digits {
            carry += *digit * 256;
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    let digits = digits.iter().rev();
    digits
        .filter_map(|digit| char::from_digit(*digit, 10))
        .collect()
}

#[cfg(test)]
mod tests {
    use const_oid::db::rfc4519;
    use der::Tag;

    use super::*;
    use crate::asn1::{encode, object_identifier, sequence};

    fn name(attributes: &[(ObjectIdentifier, &str)]) -> Vec<u8> {
        let sets = attributes.iter().map(|(oid, text)| {
            let value = encode(Tag::Utf8String, text.as_bytes());
            let attribute = sequence([&object_identifier(*oid), &value]);
            encode(Tag::Set, &attribute)
        });
        encode(Tag::Sequence, &sets.collect::<Vec<_>>().concat())
    }

    #[test]
    fn a_name_begins_with_its_last_part() {
        let organization = ObjectIdentifier::new_unwrap("2.5.4.97");
        let name = name(&[
            (rfc4519::C, "EE"),
            (organization, "AB"),
            (rfc4519::COMMON_NAME, "#1, \"Ąžuolas\" "),
        ]);

        assert_eq!(
            write(&name).unwrap(),
            "CN=\\#1\\, \\\"Ąžuolas\\\"\\ ,2.5.4.97=#0c024142,C=EE"
        );
        assert_eq!(write(b"no DER"), None);
    }

    #[test]
    fn numbers_of_any_length_are_written_in_decimal() {
        assert_eq!(decimal(&[]), "0");
        assert_eq!(decimal(&[0, 255]), "255");
        assert_eq!(decimal(&[1; 16]), "1334440654591915542993625911497130241");
    }
}
