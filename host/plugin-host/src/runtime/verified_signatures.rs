//! Signatures that have verified before.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use parafa_catalogue::SignatureAlgorithm;
use parafa_public_key::{PublicKey, VerifiedValues, fingerprint};

use crate::Payload;
use crate::contract::crypto::{CryptoError, digest_for, public_key, spki_of, verify};

/// How many keys are remembered: those of authorities, and the attorney's, come
/// back. To read one takes a good part of a verification.
const MOST_KEYS: usize = 64;
/// The longest key that is remembered, in bytes: more than one of 8192 bits.
const KEY_BYTES: usize = 2048;

/// Whether `value` (RSA: octets, ECDSA: DER) signs `message` under the key of
/// the DER `certificate`.
///
/// # Errors
///
/// When the certificate or the key cannot be used with the algorithm, or the
/// message is the digest of another one.
pub fn verify_with_certificate(
    certificate: &[u8],
    algorithm: SignatureAlgorithm,
    message: &Payload,
    value: &[u8],
) -> Result<bool, CryptoError> {
    VerifiedSignatures::shared().verify_with_certificate(certificate, algorithm, message, value)
}

/// Verifies signatures, and remembers those that do: a plugin comes back to the
/// signatures of certificates, time-stamps and responses after every answer, and
/// once more in what it made of them.
#[derive(Default)]
pub(crate) struct VerifiedSignatures {
    values: VerifiedValues,
    keys: Mutex<KnownKeys>,
}

/// Keys by their DER, the newest first.
#[derive(Default)]
struct KnownKeys(VecDeque<(Vec<u8>, PublicKey)>);

impl VerifiedSignatures {
    /// Those of this process. That a signature verifies follows from what is
    /// remembered of it alone, whoever asks.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: LazyLock<Arc<VerifiedSignatures>> = LazyLock::new(Arc::default);

        Arc::clone(&SHARED)
    }

    /// Whether `value` signs `digest` under the DER SubjectPublicKeyInfo `spki`.
    pub(crate) fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        value: &[u8],
    ) -> Result<bool, CryptoError> {
        let fingerprint = fingerprint([algorithm.to_string().as_bytes(), spki, digest, value]);
        if self.values.has(&fingerprint) {
            return Ok(true);
        }
        let known = self.keys().find(spki);
        let key = match known {
            Some(key) => key,
            None => {
                let key = public_key(spki)?;
                self.keys().insert(spki, &key);
                key
            }
        };
        let verified = verify(&key, algorithm, digest, value)?;
        if verified {
            self.values.note(fingerprint);
        }
        Ok(verified)
    }

    /// See [`verify_with_certificate`].
    pub(crate) fn verify_with_certificate(
        &self,
        certificate: &[u8],
        algorithm: SignatureAlgorithm,
        message: &Payload,
        value: &[u8],
    ) -> Result<bool, CryptoError> {
        let spki = spki_of(certificate)?;
        let digest = digest_for(algorithm, message)?;
        self.verify(&spki, algorithm, &digest, value)
    }

    fn keys(&self) -> MutexGuard<'_, KnownKeys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownKeys {
    fn find(&self, spki: &[u8]) -> Option<PublicKey> {
        let mut keys = self.0.iter();
        let (_, key) = keys.find(|(known, _)| known == spki)?;
        Some(key.clone())
    }

    fn insert(&mut self, spki: &[u8], key: &PublicKey) {
        if spki.len() > KEY_BYTES {
            return;
        }
        self.0.truncate(MOST_KEYS - 1);
        self.0.push_front((spki.to_vec(), key.clone()));
    }
}

#[cfg(test)]
mod tests {
    use openssl::asn1::Asn1Time;
    use openssl::ec::{EcGroup, EcKey};
    use openssl::hash::MessageDigest;
    use openssl::nid::Nid;
    use openssl::pkey::PKey;
    use openssl::sign::Signer;
    use openssl::x509::X509;
    use parafa_catalogue::DigestAlgorithm;

    use super::*;

    const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

    #[test]
    fn a_signature_that_verified_vouches_for_no_other_digest_value_or_key() {
        let verified = VerifiedSignatures::default();
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
        let keys = [(); 2].map(|()| PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap());
        let [spki, other_spki] = keys.each_ref().map(|key| key.public_key_to_der().unwrap());
        let mut signer = Signer::new(MessageDigest::sha256(), &keys[0]).unwrap();
        let value = signer.sign_oneshot_to_vec(b"signed").unwrap();
        let [digest, other_digest] =
            [b"signed", b"others"].map(|bytes| openssl::sha::sha256(bytes));
        let mut other_value = value.clone();
        *other_value.last_mut().unwrap() ^= 1;

        for _ in 0..2 {
            assert_eq!(verified.verify(&spki, ALGORITHM, &digest, &value), Ok(true));
        }
        for (spki, digest, value) in [
            (&other_spki, digest, &value),
            (&spki, other_digest, &value),
            (&spki, digest, &other_value),
        ] {
            assert_eq!(verified.verify(spki, ALGORITHM, &digest, value), Ok(false));
        }
    }

    #[test]
    fn what_the_host_verified_for_itself_is_known_to_all_of_its_plugins() {
        let group = EcGroup::from_curve_name(Nid::SECP384R1).unwrap();
        let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
        let mut certificate = X509::builder().unwrap();
        let day = |after| Asn1Time::days_from_now(after).unwrap();
        certificate.set_version(2).unwrap();
        certificate.set_not_before(&day(0)).unwrap();
        certificate.set_not_after(&day(1)).unwrap();
        certificate.set_pubkey(&key).unwrap();
        certificate.sign(&key, MessageDigest::sha256()).unwrap();
        let certificate = certificate.build().to_der().unwrap();
        let mut signer = Signer::new(MessageDigest::sha256(), &key).unwrap();
        let value = signer.sign_oneshot_to_vec(b"signed").unwrap();
        let message = Payload::Bytes(b"signed".to_vec());

        let verified = verify_with_certificate(&certificate, ALGORITHM, &message, &value);

        assert_eq!(verified, Ok(true));
        let (spki, digest) = (
            spki_of(&certificate).unwrap(),
            openssl::sha::sha256(b"signed"),
        );
        let name = ALGORITHM.to_string();
        let fingerprint = fingerprint([name.as_bytes(), &spki, &digest, &value]);
        assert!(VerifiedSignatures::shared().values.has(&fingerprint));
    }
}
