use std::sync::LazyLock;

use parafa_format_core::NativeEnvironment;
use parafa_pki::{Certificate, RevocationData, SignedData, TimestampToken};
use proptest::prelude::*;

use crate::pki::Pki;

/// A sound time-stamp token, a signature with content, to be damaged.
static TOKEN: LazyLock<Vec<u8>> = LazyLock::new(|| Pki::new().timestamp(b"value"));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(SignedData::parse(&bytes).is_err());
        prop_assert!(TimestampToken::parse(&bytes).is_err());
        prop_assert!(Certificate::from_der(&bytes).is_err());
        prop_assert!(RevocationData::parse(&bytes).is_err());
    }

    #[test]
    fn a_damaged_signature_is_read_or_refused(
        position in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        length in any::<prop::sample::Index>(),
    ) {
        let mut damaged = TOKEN.clone();
        *damaged.get_mut(position.index(TOKEN.len())).unwrap() = byte;
        let _ = TimestampToken::parse(&damaged).map(|token| token.stamps(b"value"));
        if let Ok(read) = SignedData::parse(&damaged) {
            let _ = read.signer_common_name();
            let certificates = read.certificates().iter();
            for certificate in certificates.filter_map(|der| Certificate::from_der(der).ok()) {
                let _ = certificate.is_issued_by(&NativeEnvironment, &certificate);
                let _ = certificate.is_authority();
                let _ = read.holds(&NativeEnvironment, &certificate);
            }
        }
        prop_assert!(SignedData::parse(&TOKEN[..length.index(TOKEN.len())]).is_err());
    }
}

#[test]
fn something_behind_the_signature_other_than_zeros_is_refused() {
    assert!(SignedData::parse(&[TOKEN.as_slice(), &[0, 0]].concat()).is_ok());
    assert!(SignedData::parse(&[TOKEN.as_slice(), &[0, 1]].concat()).is_err());
}
