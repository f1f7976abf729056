//! ECDSA values in the form of XML Signature (RFC 9231, 2.3.6) and JSON Web
//! Signature (RFC 7518, 3.4): r and s, each as long as the field of the curve.
//! Other formats use DER.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912::{SECP_256_R_1, SECP_384_R_1, SECP_521_R_1};
use der::Tag;
use der::asn1::UintRef;

use crate::asn1::{Element, encode};
use crate::certificate::key_algorithm;

/// The Brainpool curves (RFC 5639, 4.1).
const BRAINPOOL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.36.3.3.2.8.1.1");

/// Returns the length of r and of s in bytes, for a key given as DER-encoded
/// SubjectPublicKeyInfo; `None` for an unknown curve.
#[must_use]
pub fn field_bytes(subject_public_key_info: &[u8]) -> Option<usize> {
    let curve = curve(subject_public_key_info)?;
    match curve {
        SECP_256_R_1 => Some(32),
        SECP_384_R_1 => Some(48),
        SECP_521_R_1 => Some(66),
        _ if curve.parent()? != BRAINPOOL => None,
        // brainpoolP256r1 and t1; P384 and P512 follow.
        _ => match curve.arcs().last()? {
            7 | 8 => Some(32),
            11 | 12 => Some(48),
            13 | 14 => Some(64),
            _ => None,
        },
    }
}

/// Returns whether a key is on a Brainpool curve; JSON Web Signature has no
/// algorithm for these.
#[must_use]
pub fn is_brainpool(subject_public_key_info: &[u8]) -> bool {
    let curve = curve(subject_public_key_info);
    curve.and_then(|curve| curve.parent()) == Some(BRAINPOOL)
}

fn curve(subject_public_key_info: &[u8]) -> Option<ObjectIdentifier> {
    let mut algorithm = key_algorithm(subject_public_key_info)?;
    algorithm.any().ok()?;
    algorithm.any().ok()?.decode("ECParameters").ok()
}

/// Converts r and s to a DER ECDSA-Sig-Value; `None` for another length.
#[must_use]
pub fn to_der(raw: &[u8], field_bytes: usize) -> Option<Vec<u8>> {
    if raw.len() != 2 * field_bytes {
        return None;
    }
    let (r, s) = raw.split_at(field_bytes);
    let integer = |bytes| {
        let value = UintRef::new(bytes).ok()?;
        der::Encode::to_der(&value).ok()
    };
    Some(encode(Tag::Sequence, &[integer(r)?, integer(s)?].concat()))
}

/// Converts a DER ECDSA-Sig-Value to r and s; `None` if it does not fit the
/// curve.
#[must_use]
pub fn to_raw(der: &[u8], field_bytes: usize) -> Option<Vec<u8>> {
    const WHAT: &str = "ECDSA-Sig-Value";

    let mut parts = Element::parse(WHAT, der).ok()?.children(WHAT).ok()?;
    let mut raw = Vec::new();
    for _ in 0..2 {
        let integer = parts.expect(Tag::Integer).ok()?;
        let value: UintRef<'_> = integer.decode(WHAT).ok()?;
        let padding = field_bytes.checked_sub(value.as_bytes().len())?;
        raw.resize(raw.len() + padding, 0);
        raw.extend(value.as_bytes());
    }
    parts.finish().ok()?;
    Some(raw)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_are_the_same_both_ways(r in any::<[u8; 32]>(), s in any::<[u8; 32]>()) {
            let raw = [r, s].concat();
            let der = to_der(&raw, 32).unwrap();
            prop_assert_eq!(to_raw(&der, 32), Some(raw));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>(), field in 0_usize..70) {
            let _ = (to_der(&bytes, field), to_raw(&bytes, field), field_bytes(&bytes));
        }
    }

    #[test]
    fn small_numbers_are_padded_in_front() {
        assert_eq!(
            to_raw(&[0x30, 6, 2, 1, 5, 2, 1, 0], 2),
            Some(vec![0, 5, 0, 0])
        );
    }

    #[test]
    fn values_of_another_length_are_none() {
        assert_eq!(to_der(&[0; 63], 32), None);
        assert_eq!(to_der(&[0; 70], 32), None);
    }
}
