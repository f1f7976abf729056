use std::sync::LazyLock;

use openssl::nid::Nid;
use parafa_cades::{
    Certificate, RevocationData, SignedAttributes, SignedData, SignedDataBuilder, TimestampToken,
};
use parafa_format_core::{DigestAlgorithm, NativeEnvironment, SignatureAlgorithm};
use proptest::prelude::*;

use crate::pki::{Pki, ec_key};

/// A sound signature with a time-stamp, to be damaged.
static SIGNATURE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let pki = Pki::new();
    let signer = pki.signer("Signer", ec_key(Nid::X9_62_PRIME256V1));
    let chain = pki.chain(&signer);
    let token = pki.timestamp(b"value");
    let attributes = SignedAttributes::new(&[7; 32], DigestAlgorithm::Sha256, &chain[0]).unwrap();
    SignedDataBuilder::new(
        &attributes,
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        &chain,
        b"value",
    )
    .unwrap()
    .with_timestamp(&token)
    .unwrap()
    .to_der()
});

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
        let mut damaged = SIGNATURE.clone();
        *damaged.get_mut(position.index(SIGNATURE.len())).unwrap() = byte;
        if let Ok(read) = SignedData::parse(&damaged) {
            let _ = read.signer_common_name();
            let certificates = read.certificates().iter();
            for certificate in certificates.filter_map(|der| Certificate::from_der(der).ok()) {
                let _ = certificate.is_self_signed(&NativeEnvironment);
                let _ = certificate.is_authority();
                let _ = read.holds(&NativeEnvironment, &certificate);
            }
        }
        prop_assert!(SignedData::parse(&SIGNATURE[..length.index(SIGNATURE.len())]).is_err());
    }
}

#[test]
fn something_behind_the_signature_other_than_zeros_is_refused() {
    assert!(SignedData::parse(&[SIGNATURE.as_slice(), &[0, 0]].concat()).is_ok());
    assert!(SignedData::parse(&[SIGNATURE.as_slice(), &[0, 1]].concat()).is_err());
}
