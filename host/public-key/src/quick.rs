//! Verification by AWS-LC: signatures on the curves of FIPS 186 and of RSA, with the three digests
//! for new signatures (ETSI TS 119 312).

use std::sync::Arc;

use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

use crate::{EC_PUBLIC_KEY, RSA_ENCRYPTION, Scheme};

const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const P521: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");

/// A key of a kind that AWS-LC has; whether it is sound shows when it is used.
#[derive(Clone)]
pub(crate) struct QuickKey {
    kind: Kind,
    /// A point (SEC 1, 2.3.3) or an `RSAPublicKey` (RFC 8017, A.1.1).
    octets: Arc<[u8]>,
}

#[derive(Clone, Copy)]
enum Kind {
    P256,
    P384,
    P521,
    Rsa,
}

impl QuickKey {
    /// The key of a DER `SubjectPublicKeyInfo`; `None` for other kinds, and for explicit curve
    /// parameters.
    pub(crate) fn of_spki(spki: &[u8]) -> Option<Self> {
        let spki = SubjectPublicKeyInfoRef::try_from(spki).ok()?;
        let kind = match spki.algorithm.oid {
            EC_PUBLIC_KEY => match spki.algorithm.parameters_oid().ok()? {
                P256 => Kind::P256,
                P384 => Kind::P384,
                P521 => Kind::P521,
                _ => return None,
            },
            RSA_ENCRYPTION => Kind::Rsa,
            _ => return None,
        };
        let octets = spki.subject_public_key.as_bytes()?.into();
        Some(Self { kind, octets })
    }

    /// Returns true if AWS-LC verifies that `value` signs `digest`. Returns false also for unknown
    /// algorithms.
    pub(crate) fn accepts(
        &self,
        scheme: Scheme,
        hash: MessageDigest,
        digest: &[u8],
        value: &[u8],
    ) -> bool {
        let verified = || {
            let hash_algorithm = match hash.type_() {
                Nid::SHA256 => &digest::SHA256,
                Nid::SHA384 => &digest::SHA384,
                Nid::SHA512 => &digest::SHA512,
                _ => return None,
            };
            let algorithm = algorithm(self.kind, scheme, hash)?;
            let digest = Digest::import_less_safe(digest, hash_algorithm).ok()?;
            let key = UnparsedPublicKey::new(algorithm, &self.octets);
            key.verify_digest(&digest, value).ok()
        };
        verified().is_some()
    }
}

/// AWS-LC's name of an algorithm. Its RSASSA-PSS uses MGF1 with the same digest, and a salt of the
/// digest's length.
fn algorithm(
    kind: Kind,
    scheme: Scheme,
    hash: MessageDigest,
) -> Option<&'static dyn VerificationAlgorithm> {
    if let Scheme::RsaPss {
        mask_digest,
        salt_len,
    } = scheme
        && (mask_digest.type_() != hash.type_() || usize::from(salt_len) != hash.size())
    {
        return None;
    }
    let algorithm: &'static dyn VerificationAlgorithm = match (scheme, kind, hash.type_()) {
        (Scheme::Ecdsa, Kind::P256, Nid::SHA256) => &signature::ECDSA_P256_SHA256_ASN1,
        (Scheme::Ecdsa, Kind::P256, Nid::SHA384) => &signature::ECDSA_P256_SHA384_ASN1,
        (Scheme::Ecdsa, Kind::P256, Nid::SHA512) => &signature::ECDSA_P256_SHA512_ASN1,
        (Scheme::Ecdsa, Kind::P384, Nid::SHA256) => &signature::ECDSA_P384_SHA256_ASN1,
        (Scheme::Ecdsa, Kind::P384, Nid::SHA384) => &signature::ECDSA_P384_SHA384_ASN1,
        (Scheme::Ecdsa, Kind::P384, Nid::SHA512) => &signature::ECDSA_P384_SHA512_ASN1,
        (Scheme::Ecdsa, Kind::P521, Nid::SHA256) => &signature::ECDSA_P521_SHA256_ASN1,
        (Scheme::Ecdsa, Kind::P521, Nid::SHA384) => &signature::ECDSA_P521_SHA384_ASN1,
        (Scheme::Ecdsa, Kind::P521, Nid::SHA512) => &signature::ECDSA_P521_SHA512_ASN1,
        (Scheme::RsaPkcs1, Kind::Rsa, Nid::SHA256) => &signature::RSA_PKCS1_2048_8192_SHA256,
        (Scheme::RsaPkcs1, Kind::Rsa, Nid::SHA384) => &signature::RSA_PKCS1_2048_8192_SHA384,
        (Scheme::RsaPkcs1, Kind::Rsa, Nid::SHA512) => &signature::RSA_PKCS1_2048_8192_SHA512,
        (Scheme::RsaPss { .. }, Kind::Rsa, Nid::SHA256) => &signature::RSA_PSS_2048_8192_SHA256,
        (Scheme::RsaPss { .. }, Kind::Rsa, Nid::SHA384) => &signature::RSA_PSS_2048_8192_SHA384,
        (Scheme::RsaPss { .. }, Kind::Rsa, Nid::SHA512) => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    };
    Some(algorithm)
}

#[cfg(test)]
mod tests {
    use openssl::ec::{Asn1Flag, EcGroup, EcKey};
    use openssl::pkey::{PKey, Private};
    use openssl::rsa::{Padding, Rsa};
    use openssl::sign::{RsaPssSaltlen, Signer};

    use super::*;
    use crate::PublicKey;

    const MESSAGE: &[u8] = b"what is signed";

    #[test]
    fn aws_lc_and_openssl_take_the_same_usual_signatures_and_no_others() {
        let rsa = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        for (hash, salt_len) in [
            (MessageDigest::sha256(), 32),
            (MessageDigest::sha384(), 48),
            (MessageDigest::sha512(), 64),
        ] {
            for curve in [Nid::X9_62_PRIME256V1, Nid::SECP384R1, Nid::SECP521R1] {
                assert_known(&ec_key(curve), Scheme::Ecdsa, hash);
            }
            assert_known(&rsa, Scheme::RsaPkcs1, hash);
            assert_known(&rsa, pss(hash, salt_len), hash);
        }
    }

    #[test]
    fn what_aws_lc_lacks_is_verified_by_openssl() {
        let sha256 = MessageDigest::sha256();
        let rsa = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        let short = PKey::from_rsa(Rsa::generate(1024).unwrap()).unwrap();
        for (key, scheme, hash) in [
            (&ec_key(Nid::BRAINPOOL_P256R1), Scheme::Ecdsa, sha256),
            (
                &ec_key(Nid::SECP384R1),
                Scheme::Ecdsa,
                MessageDigest::sha224(),
            ),
            (
                &ec_key(Nid::SECP384R1),
                Scheme::Ecdsa,
                MessageDigest::sha3_256(),
            ),
            (&rsa, pss(sha256, 20), sha256),
            (&rsa, pss(MessageDigest::sha384(), 32), sha256),
            (&short, Scheme::RsaPkcs1, sha256),
        ] {
            let value = value(key, scheme, hash);
            assert_eq!(verdicts(key, scheme, hash, &value), (false, true));
        }
    }

    #[test]
    fn a_curve_that_is_written_out_is_none_of_aws_lc() {
        let mut group = EcGroup::from_curve_name(Nid::SECP384R1).unwrap();
        group.set_asn1_flag(Asn1Flag::EXPLICIT_CURVE);
        let key = EcKey::generate(&group).unwrap();

        assert!(QuickKey::of_spki(&key.public_key_to_der().unwrap()).is_none());
    }

    #[track_caller]
    fn assert_known(key: &PKey<Private>, scheme: Scheme, hash: MessageDigest) {
        let mut value = value(key, scheme, hash);
        assert_eq!(verdicts(key, scheme, hash, &value), (true, true));
        *value.last_mut().unwrap() ^= 1;
        assert_eq!(verdicts(key, scheme, hash, &value), (false, false));
        value.pop();
        assert_eq!(verdicts(key, scheme, hash, &value), (false, false));
        assert_eq!(verdicts(key, scheme, hash, b""), (false, false));
    }

    /// AWS-LC's verdict, and the final one.
    fn verdicts(
        key: &PKey<Private>,
        scheme: Scheme,
        hash: MessageDigest,
        value: &[u8],
    ) -> (bool, bool) {
        let spki = key.public_key_to_der().unwrap();
        let digest = openssl::hash::hash(hash, MESSAGE).unwrap();
        let quick = QuickKey::of_spki(&spki);
        let key = PublicKey::from_spki(&spki).unwrap();
        let verified = key.verify_digest(scheme, hash, &digest, value);
        (
            quick.is_some_and(|key| key.accepts(scheme, hash, &digest, value)),
            verified.unwrap_or(false),
        )
    }

    fn value(key: &PKey<Private>, scheme: Scheme, hash: MessageDigest) -> Vec<u8> {
        let mut signer = Signer::new(hash, key).unwrap();
        match scheme {
            Scheme::Ecdsa => {}
            Scheme::RsaPkcs1 => signer.set_rsa_padding(Padding::PKCS1).unwrap(),
            Scheme::RsaPss {
                mask_digest,
                salt_len,
            } => {
                let salt_len = RsaPssSaltlen::custom(salt_len.into());
                signer.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
                signer.set_rsa_mgf1_md(mask_digest).unwrap();
                signer.set_rsa_pss_saltlen(salt_len).unwrap();
            }
        }
        signer.sign_oneshot_to_vec(MESSAGE).unwrap()
    }

    fn pss(mask_digest: MessageDigest, salt_len: u8) -> Scheme {
        Scheme::RsaPss {
            mask_digest,
            salt_len,
        }
    }

    fn ec_key(curve: Nid) -> PKey<Private> {
        let group = EcGroup::from_curve_name(curve).unwrap();
        PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
    }
}
