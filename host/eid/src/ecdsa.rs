//! The two forms of an ECDSA signature value.

use der::asn1::UintRef;
use der::{Decode, Encode, Sequence};

/// `ECDSA-Sig-Value` (RFC 3279, 2.2.3).
#[derive(Sequence)]
struct SigValue<'v> {
    r: UintRef<'v>,
    s: UintRef<'v>,
}

/// DER form of the concatenation of r and s, each as long as the curve's field (IEEE P1363); `None`
/// for another length.
pub(crate) fn to_der(raw: &[u8], field_octets: usize) -> Option<Vec<u8>> {
    if raw.len() != 2 * field_octets {
        return None;
    }
    let (r, s) = raw.split_at(field_octets);
    let value = SigValue {
        r: UintRef::new(r).ok()?,
        s: UintRef::new(s).ok()?,
    };
    value.to_der().ok()
}

/// Returns true if a value is in DER form and both its numbers fit the curve's field.
pub(crate) fn is_der(value: &[u8], field_octets: usize) -> bool {
    let fits = |number: &UintRef<'_>| number.as_bytes().len() <= field_octets;
    SigValue::from_der(value).is_ok_and(|value| fits(&value.r) && fits(&value.s))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_keep_their_sign_and_lose_their_zeros() {
        let mut raw = [0; 64];
        raw[0] = 0x80;
        raw[63] = 1;

        let der = to_der(&raw, 32).unwrap();

        assert_eq!(der[..5], [0x30, 38, 0x02, 33, 0]);
        assert_eq!(der[der.len() - 3..], [0x02, 1, 1]);
        assert!(is_der(&der, 32));
        assert!(!is_der(&der, 31), "r is longer than the field");
    }

    #[test]
    fn a_value_of_another_length_has_no_der_form() {
        for length in [0, 63, 65, 96] {
            assert_eq!(to_der(&vec![1; length], 32), None, "{length}");
        }
    }

    proptest! {
        #[test]
        fn every_value_of_the_right_length_has_a_der_form(raw in prop::collection::vec(any::<u8>(), 96)) {
            let der = to_der(&raw, 48).unwrap();
            prop_assert!(is_der(&der, 48));
        }

        #[test]
        fn whatever_comes_is_looked_at_without_a_panic(value in prop::collection::vec(any::<u8>(), 0..160)) {
            is_der(&value, 48);
        }
    }
}
