//! Values that have verified before. One that verifies once always does: what is
//! known of it holds whoever asks.

use std::collections::HashSet;
use std::mem;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use openssl::sha::Sha256;

/// How many are remembered of those that were asked for in one period.
const MOST: usize = 2048;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// SHA-256 over everything that a verification depends on.
pub(crate) type Fingerprint = [u8; 32];

/// Fingerprints that are remembered for the period in which they were asked for, and
/// for the next.
#[derive(Default)]
struct Known {
    current: HashSet<Fingerprint>,
    last: HashSet<Fingerprint>,
}

/// The fingerprint of all parts. Each is told apart from the next by its length.
pub(crate) fn fingerprint(parts: [&[u8]; 4]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finish()
}

/// Whether a value has verified.
pub(crate) fn is_known(fingerprint: &Fingerprint) -> bool {
    known().has(fingerprint)
}

/// Remembers a value that has.
pub(crate) fn remember(fingerprint: Fingerprint) {
    known().insert(fingerprint);
}

/// Forgets the values that nobody has asked about since this was called last. Of each
/// there is a digest alone, by which whoever has all that was signed could tell that
/// it was here: whoever runs for long calls it every few minutes.
pub fn forget_unused() {
    known().end_period();
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Known {
    fn has(&mut self, fingerprint: &Fingerprint) -> bool {
        if let Some(fingerprint) = self.last.take(fingerprint) {
            self.insert(fingerprint);
        }
        self.current.contains(fingerprint)
    }

    /// A period that has too many ends early.
    fn insert(&mut self, fingerprint: Fingerprint) {
        if self.current.len() == MOST {
            self.end_period();
        }
        self.current.insert(fingerprint);
    }

    fn end_period(&mut self) {
        self.last = mem::take(&mut self.current);
    }
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
            is_known(&key.fingerprint(Scheme::Ecdsa, hash, digest, value))
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
    fn a_value_stays_as_long_as_it_is_asked_about_in_each_period() {
        let mut known = Known::default();
        known.insert(of(1));
        known.insert(of(2));

        for _ in 0..3 {
            known.end_period();
            assert!(known.has(&of(1)));
        }

        assert!(!known.has(&of(2)));
        known.end_period();
        known.end_period();
        assert!(!known.has(&of(1)));
    }

    #[test]
    fn the_oldest_are_forgotten_for_the_newest() {
        let mut known = Known::default();

        (0..=2 * MOST).for_each(|number| known.insert(of(number)));

        assert_eq!((known.current.len(), known.last.len()), (1, MOST));
        for (number, is_known) in [(0, false), (MOST, true), (2 * MOST, true)] {
            assert_eq!(known.has(&of(number)), is_known, "{number}");
        }
    }

    fn of(number: usize) -> Fingerprint {
        fingerprint([&number.to_be_bytes(), b"", b"", b""])
    }
}
