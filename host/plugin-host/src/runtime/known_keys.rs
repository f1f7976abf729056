//! Verification of signatures with a cache of keys: those of authorities and of the attorney recur.
//! Reading a key takes a good part of a verification.

use parafa_catalogue::SignatureAlgorithm;
use parafa_public_key::{PublicKey, Recent};

use crate::Payload;
use crate::contract::crypto::{CryptoError, digest_for, public_key, spki_of, verify};

/// The longest key that is remembered, in bytes: more than one of 8192 bits.
const LONGEST: usize = 2048;

/// Keys by their DER.
static KNOWN: Recent<Vec<u8>, PublicKey> = Recent::new(32);

/// Returns true if `value` (RSA: octets, ECDSA: DER) is a signature over `message` under the key of
/// the DER `certificate`.
///
/// # Errors
///
/// When the certificate or the key cannot be used with the algorithm, or the message is a digest of
/// another one.
pub fn verify_with_certificate(
    certificate: &[u8],
    algorithm: SignatureAlgorithm,
    message: &Payload,
    value: &[u8],
) -> Result<bool, CryptoError> {
    let spki = spki_of(certificate)?;
    let digest = digest_for(algorithm, message)?;
    verify_with_key(&spki, algorithm, &digest, value)
}

/// Returns true if `value` is a signature over `digest` under the DER SubjectPublicKeyInfo `spki`.
pub(crate) fn verify_with_key(
    spki: &[u8],
    algorithm: SignatureAlgorithm,
    digest: &[u8],
    value: &[u8],
) -> Result<bool, CryptoError> {
    verify(&key(spki)?, algorithm, digest, value)
}

/// Forgets all keys. Some belong to persons: long-running processes call it every few minutes, so
/// that no key outlives its erased records.
pub fn forget_keys() {
    // Keys of this period and of the last one stay.
    KNOWN.forget_unused();
    KNOWN.forget_unused();
}

fn key(spki: &[u8]) -> Result<PublicKey, CryptoError> {
    let is_short = spki.len() <= LONGEST;
    KNOWN.value(spki.to_vec(), |_| is_short, || public_key(spki))
}

#[cfg(test)]
mod tests {
    use openssl::ec::{EcGroup, EcKey};
    use openssl::hash::MessageDigest;
    use openssl::nid::Nid;
    use openssl::pkey::PKey;
    use openssl::sign::Signer;
    use parafa_catalogue::DigestAlgorithm;

    use super::*;

    const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

    #[test]
    fn a_key_that_is_known_verifies_what_it_signed_alone_until_it_is_forgotten() {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
        let keys = [(); 2].map(|()| PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap());
        let [spki, other_spki] = keys.each_ref().map(|key| key.public_key_to_der().unwrap());
        let mut signer = Signer::new(MessageDigest::sha256(), &keys[0]).unwrap();
        let value = signer.sign_oneshot_to_vec(b"signed").unwrap();
        let [digest, other_digest] =
            [b"signed", b"others"].map(|bytes| openssl::sha::sha256(bytes));
        let mut other_value = value.clone();
        *other_value.last_mut().unwrap() ^= 1;
        let is_known = || {
            let known = KNOWN.value(spki.clone(), |_| true, || Err(()));
            known.is_ok()
        };

        for _ in 0..2 {
            let verified = verify_with_key(&spki, ALGORITHM, &digest, &value);
            assert_eq!(verified, Ok(true));
            assert!(is_known());
        }
        for (spki, digest, value) in [
            (&other_spki, digest, &value),
            (&spki, other_digest, &value),
            (&spki, digest, &other_value),
        ] {
            let verified = verify_with_key(spki, ALGORITHM, &digest, value);
            assert_eq!(verified, Ok(false));
        }

        forget_keys();
        assert!(!is_known(), "a person's key stays");
    }
}
