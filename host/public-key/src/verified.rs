//! Values that have verified before.

use std::collections::{HashSet, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use openssl::sha::Sha256;

/// How many are remembered; the digest of each is kept twice.
const MOST: usize = 4096;

/// Those of this process. That a value verifies follows from what is remembered of
/// it alone, whoever asks.
pub(crate) static VERIFIED: LazyLock<VerifiedValues> = LazyLock::new(VerifiedValues::default);

/// SHA-256 over everything that a verification depends on.
pub type Fingerprint = [u8; 32];

/// Values that have verified, by their fingerprints; the oldest are forgotten first.
#[derive(Default)]
pub struct VerifiedValues(Mutex<Known>);

#[derive(Default)]
struct Known {
    fingerprints: HashSet<Fingerprint>,
    /// The same, the oldest first.
    order: VecDeque<Fingerprint>,
}

impl VerifiedValues {
    /// Whether a value has verified.
    #[must_use]
    pub fn has(&self, fingerprint: &Fingerprint) -> bool {
        self.known().fingerprints.contains(fingerprint)
    }

    /// Remembers a value that has.
    pub fn note(&self, fingerprint: Fingerprint) {
        self.known().insert(fingerprint);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn insert(&mut self, fingerprint: Fingerprint) {
        if !self.fingerprints.insert(fingerprint) {
            return;
        }
        self.order.push_back(fingerprint);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.fingerprints.remove(&oldest);
        }
    }
}

/// The fingerprint of all parts. Each is told apart from the next by its length.
#[must_use]
pub fn fingerprint(parts: [&[u8]; 4]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
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
            VERIFIED.has(&fingerprint)
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

        let fingerprints: HashSet<Fingerprint> = [
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

    #[test]
    fn the_oldest_is_forgotten_for_the_newest() {
        let mut known = Known::default();
        let of = |number: usize| fingerprint([&number.to_be_bytes(), b"", b"", b""]);

        (0..=MOST).for_each(|number| known.insert(of(number)));

        assert_eq!((known.order.len(), known.fingerprints.len()), (MOST, MOST));
        assert!(!known.fingerprints.contains(&of(0)));
        assert!(known.fingerprints.contains(&of(MOST)));
    }
}
