//! Conversion of third-party BER signatures to definite lengths.

use der::{Encode, Length};

use crate::Error;
use crate::asn1::Element;

/// Maximum nesting depth; a signature with a time-stamp has about 15 levels.
const MAX_DEPTH: usize = 64;

/// Maximum number of converted elements, each copied; a signature with a long
/// CRL has some 100 000.
const MAX_ELEMENTS: usize = 1_000_000;

/// Converts the first element of `bytes` to definite, minimal lengths; returns
/// it and the remaining bytes. Constructed OCTET STRINGs become primitive.
///
/// DER elements keep their bytes, so that signatures over them remain valid.
pub(crate) fn to_definite_lengths(bytes: &[u8]) -> Result<(Vec<u8>, &[u8]), Error> {
    element(bytes, 0, &mut 0)
}

/// Returns the length of the first BER element, with any form of length.
#[must_use]
pub fn first_element_len(bytes: &[u8]) -> Option<usize> {
    let (_, rest) = to_definite_lengths(bytes).ok()?;
    Some(bytes.len() - rest.len())
}

const INDEFINITE: u8 = 0x80;
const END_OF_CONTENTS: [u8; 2] = [0, 0];
const CONSTRUCTED: u8 = 0x20;
const OCTET_STRING: u8 = 0x04;
const CONSTRUCTED_OCTET_STRING: u8 = OCTET_STRING | CONSTRUCTED;

fn element<'a>(
    bytes: &'a [u8],
    depth: usize,
    count: &mut usize,
) -> Result<(Vec<u8>, &'a [u8]), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::Nesting(MAX_DEPTH));
    }
    if *count == MAX_ELEMENTS {
        return Err(Error::TooManyElements(MAX_ELEMENTS));
    }
    *count += 1;
    let malformed = || Error::unexpected("BER element");
    let [identifier, length, rest @ ..] = bytes else {
        return Err(malformed());
    };

    if *length == INDEFINITE {
        if identifier & CONSTRUCTED == 0 {
            return Err(malformed());
        }
        let mut parts = Vec::new();
        let mut rest = rest;
        loop {
            if let Some(after) = rest.strip_prefix(&END_OF_CONTENTS) {
                return Ok((assemble(*identifier, &parts)?, after));
            }
            let (part, after) = element(rest, depth + 1, count)?;
            parts.push(part);
            rest = after;
        }
    }

    let (value_len, rest) = definite_length(*length, rest).ok_or_else(malformed)?;
    let (mut value, after) = rest.split_at_checked(value_len).ok_or_else(malformed)?;
    if identifier & CONSTRUCTED == 0 {
        return Ok((encode(*identifier, value)?, after));
    }
    let mut parts = Vec::new();
    while !value.is_empty() {
        let (part, remaining) = element(value, depth + 1, count)?;
        parts.push(part);
        value = remaining;
    }
    Ok((assemble(*identifier, &parts)?, after))
}

fn assemble(identifier: u8, parts: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    if identifier != CONSTRUCTED_OCTET_STRING {
        return encode(identifier, &parts.concat());
    }
    let mut value = Vec::new();
    for part in parts {
        value.extend_from_slice(Element::parse("OCTET STRING", part)?.value);
    }
    encode(OCTET_STRING, &value)
}

fn encode(identifier: u8, value: &[u8]) -> Result<Vec<u8>, Error> {
    let length = Length::try_from(value.len())
        .and_then(|length| length.to_der())
        .map_err(Error::malformed("BER element"))?;
    Ok([&[identifier], length.as_slice(), value].concat())
}

fn definite_length(first: u8, rest: &[u8]) -> Option<(usize, &[u8])> {
    const LONG_FORM: u8 = 0x80;

    if first & LONG_FORM == 0 {
        return Some((usize::from(first), rest));
    }
    let (octets, rest) = rest.split_at_checked(usize::from(first & !LONG_FORM))?;
    let length = octets.iter().try_fold(0usize, |length, octet| {
        length.checked_mul(256)?.checked_add(usize::from(*octet))
    })?;
    Some((length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indefinite_lengths_and_split_octet_strings_become_der() {
        let ber = [
            0x30, 0x80, 0x24, 0x80, 0x04, 1, 0xaa, 0x04, 0x81, 1, 0xbb, 0, 0, 0x02, 1, 5, 0, 0,
            0xff,
        ];

        let (der, rest) = to_definite_lengths(&ber).unwrap();

        assert_eq!(der, [0x30, 7, 0x04, 2, 0xaa, 0xbb, 0x02, 1, 5]);
        assert_eq!(rest, [0xff]);
        assert_eq!(first_element_len(&ber), Some(ber.len() - 1));
        assert_eq!(first_element_len(&ber[..12]), None);
    }

    #[test]
    fn bottomless_nesting_is_refused() {
        let ber = [0x30, 0x80].repeat(10_000);

        assert!(matches!(
            to_definite_lengths(&ber),
            Err(Error::Nesting(MAX_DEPTH))
        ));
    }

    #[test]
    fn very_many_elements_are_refused() {
        let ber = [vec![0x30, 0x80], [5, 0].repeat(MAX_ELEMENTS)].concat();

        assert!(matches!(
            to_definite_lengths(&ber),
            Err(Error::TooManyElements(MAX_ELEMENTS))
        ));
    }
}
