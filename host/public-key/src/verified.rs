//! Cache of verified values. A value that verifies once always does, so a result serves every
//! caller.

use openssl::sha::Sha256;

use crate::Recent;

/// Values that have verified; only successes are remembered.
pub(crate) static VERIFIED: Recent<Fingerprint, bool> = Recent::new(2048);

/// SHA-256 over everything that a verification depends on.
pub(crate) type Fingerprint = [u8; 32];

/// Fingerprint of all parts. The length before each part separates it from the next.
pub(crate) fn fingerprint(parts: [&[u8]; 4]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finish()
}

/// Forgets the values not used since the last call. Only a digest of each is kept, but it would
/// confirm a value to a party that has all of its parts. Long-running processes call this every few
/// minutes.
pub fn forget_unused() {
    VERIFIED.forget_unused();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use openssl::ec::{EcGroup, EcKey};
    use openssl::hash::MessageDigest;
    use openssl::nid::Nid;
    use openssl::pkey::PKey;
    use openssl::sha::sha256;
    use openssl::sign::Signer;

    use super::*;
    use crate::{PublicKey, Scheme};

    #[test]
    fn a_value_that_verified_is_remembered_and_vouches_for_nothing_else() {
        let group = EcGroup::from_curve_name(Nid::SECP384R1).unwrap();
        let keys = [(); 2].map(|()| PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap());
        let [key, other_key] = keys
            .each_ref()
            .map(|key| PublicKey::from_spki(&key.public_key_to_der().unwrap()).unwrap());
        let hash = MessageDigest::sha256();
        let mut signer = Signer::new(hash, &keys[0]).unwrap();
        let value = signer.sign_oneshot_to_vec(b"signed").unwrap();
        let [digest, other_digest] = [b"signed", b"others"].map(|bytes| sha256(bytes));
        let mut other_value = value.clone();
        *other_value.last_mut().unwrap() ^= 1;
        let is_remembered = |key: &PublicKey, digest: &[u8], value: &[u8]| {
            let fingerprint = key.fingerprint(Scheme::Ecdsa, hash, digest, value);
            let known = VERIFIED.value(fingerprint, |signs| *signs, || Err(()));
            known.is_ok()
        };
        assert!(!is_remembered(&key, &digest, &value));

        for _ in 0..2 {
            let verified = key.verify_digest(Scheme::Ecdsa, hash, &digest, &value);
            assert!(verified.unwrap());
            assert!(is_remembered(&key, &digest, &value));
        }

        for (key, digest, value) in [
            (&other_key, digest, &value),
            (&key, other_digest, &value),
            (&key, digest, &other_value),
        ] {
            let verified = key.verify_digest(Scheme::Ecdsa, hash, &digest, value);
            assert!(!verified.unwrap_or(false));
            assert!(!is_remembered(key, &digest, value));
        }
    }

    #[test]
    fn an_algorithm_vouches_for_no_other() {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
        let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
        let key = PublicKey::from_spki(&key.public_key_to_der().unwrap()).unwrap();
        let (sha256, sha384) = (MessageDigest::sha256(), MessageDigest::sha384());
        let pss = |mask_digest, salt_len| Scheme::RsaPss {
            mask_digest,
            salt_len,
        };

        let fingerprints: BTreeSet<Fingerprint> = [
            (Scheme::Ecdsa, sha256),
            (Scheme::Ecdsa, sha384),
            (Scheme::RsaPkcs1, sha256),
            (pss(sha256, 32), sha256),
            (pss(sha384, 32), sha256),
            (pss(sha256, 20), sha256),
        ]
        .map(|(scheme, hash)| key.fingerprint(scheme, hash, b"digest", b"value"))
        .into();

        assert_eq!(fingerprints.len(), 6);
    }
}
