//! The cryptography that the host does for plugins, and by which it checks their signatures.

use openssl::asn1::Asn1Object;
use openssl::error::ErrorStack;
use openssl::hash::{Hasher, MessageDigest};
use openssl::nid::Nid;
use openssl::pkey::{Id, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use openssl::sign::Verifier;
use spki::der::{Decode, Encode};
use x509_cert::certificate::{CertificateInner, Raw};

use parafa_catalogue::{DigestAlgorithm, SignatureAlgorithm};
use parafa_public_key::{PublicKey, Scheme};

use crate::{HostPayload, Payload};

/// The curves of ETSI TS 119 312: those of FIPS 186, and of RFC 5639, which
/// German qualified certificates use.
const CURVES: [Nid; 9] = [
    Nid::X9_62_PRIME256V1,
    Nid::SECP384R1,
    Nid::SECP521R1,
    Nid::BRAINPOOL_P256R1,
    Nid::BRAINPOOL_P256T1,
    Nid::BRAINPOOL_P384R1,
    Nid::BRAINPOOL_P384T1,
    Nid::BRAINPOOL_P512R1,
    Nid::BRAINPOOL_P512T1,
];

/// Errors of a verification that cannot be computed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CryptoError {
    /// The digest has another length than the algorithm's.
    #[error("a digest of {len} bytes is none of {algorithm}")]
    DigestLength {
        /// The digest's length.
        len: usize,
        /// The algorithm of the digest.
        algorithm: DigestAlgorithm,
    },
    /// The certificate cannot be read.
    #[error("the certificate cannot be read")]
    MalformedCertificate,
    /// The SubjectPublicKeyInfo cannot be read.
    #[error("the public key cannot be read")]
    MalformedKey,
    /// The message is given as a digest of another algorithm.
    #[error("what is signed is known by another digest than {0}")]
    OtherDigest(DigestAlgorithm),
    /// The digest algorithm is not supported for RSA or ECDSA signatures.
    #[error("{0} is not supported")]
    UnsupportedDigest(SignatureAlgorithm),
    /// The key's curve is not in ETSI TS 119 312.
    #[error("the key's curve is not supported")]
    UnsupportedCurve,
}

/// Returns the DER SubjectPublicKeyInfo of a DER certificate. OpenSSL's certificate parser is not
/// used, because it parses the key at once, as one of any kind.
pub(crate) fn spki_of(certificate: &[u8]) -> Result<Vec<u8>, CryptoError> {
    CertificateInner::<Raw>::from_der(certificate)
        .and_then(|read| read.tbs_certificate.subject_public_key_info.to_der())
        .map_err(|_| CryptoError::MalformedCertificate)
}

/// Returns the digest of `message` for `algorithm`, or the message itself if the algorithm signs
/// that.
pub(crate) fn digest_for(
    algorithm: SignatureAlgorithm,
    message: &Payload,
) -> Result<Vec<u8>, CryptoError> {
    if algorithm.signs_message() {
        let message = message.as_bytes().map(<[u8]>::to_vec);
        return message.ok_or(CryptoError::OtherDigest(algorithm.digest()));
    }
    let digest = message.digest(algorithm.digest());
    digest.ok_or(CryptoError::OtherDigest(algorithm.digest()))
}

/// Returns the key of a DER SubjectPublicKeyInfo.
pub(crate) fn public_key(spki: &[u8]) -> Result<PublicKey, CryptoError> {
    PublicKey::from_spki(spki).map_err(|_| CryptoError::MalformedKey)
}

pub(crate) fn message_digest(algorithm: DigestAlgorithm) -> MessageDigest {
    match algorithm {
        DigestAlgorithm::Sha1 => MessageDigest::sha1(),
        DigestAlgorithm::Sha224 => MessageDigest::sha224(),
        DigestAlgorithm::Sha256 => MessageDigest::sha256(),
        DigestAlgorithm::Sha384 => MessageDigest::sha384(),
        DigestAlgorithm::Sha512 => MessageDigest::sha512(),
        DigestAlgorithm::Sha3_224 => MessageDigest::sha3_224(),
        DigestAlgorithm::Sha3_256 => MessageDigest::sha3_256(),
        DigestAlgorithm::Sha3_384 => MessageDigest::sha3_384(),
        DigestAlgorithm::Sha3_512 => MessageDigest::sha3_512(),
        DigestAlgorithm::Shake256 => MessageDigest::shake_256(),
    }
}

/// Finishes the digest of `hasher`, which is one of `algorithm`.
pub(crate) fn finish(
    algorithm: DigestAlgorithm,
    hasher: &mut Hasher,
) -> Result<Vec<u8>, ErrorStack> {
    if algorithm == DigestAlgorithm::Shake256 {
        let mut output = vec![0; algorithm.output_len()];
        hasher.finish_xof(&mut output)?;
        return Ok(output);
    }
    Ok(hasher.finish()?.to_vec())
}

pub(crate) fn digest_of(algorithm: DigestAlgorithm, message: &[u8]) -> Vec<u8> {
    match algorithm {
        DigestAlgorithm::Sha1 => openssl::sha::sha1(message).to_vec(),
        DigestAlgorithm::Sha256 => openssl::sha::sha256(message).to_vec(),
        DigestAlgorithm::Sha384 => openssl::sha::sha384(message).to_vec(),
        DigestAlgorithm::Sha512 => openssl::sha::sha512(message).to_vec(),
        _ => Hasher::new(message_digest(algorithm))
            .and_then(|mut hasher| {
                hasher.update(message)?;
                finish(algorithm, &mut hasher)
            })
            .expect("OpenSSL has every digest of the catalogue"),
    }
}

/// Returns true if `value` is a signature over `digest` under `key`.
pub(crate) fn verify(
    key: &PublicKey,
    algorithm: SignatureAlgorithm,
    digest: &[u8],
    value: &[u8],
) -> Result<bool, CryptoError> {
    if !algorithm.signs_message() && digest.len() != algorithm.digest().output_len() {
        return Err(CryptoError::DigestLength {
            len: digest.len(),
            algorithm: algorithm.digest(),
        });
    }
    if !algorithm.signs_message() && algorithm.digest() == DigestAlgorithm::Shake256 {
        return Err(CryptoError::UnsupportedDigest(algorithm));
    }
    let read = key.openssl();
    match (algorithm, read.id()) {
        (SignatureAlgorithm::Ecdsa(_), Id::EC) => {
            let curve = read.ec_key().ok().and_then(|key| key.group().curve_name());
            if !curve.is_some_and(|curve| CURVES.contains(&curve)) {
                return Err(CryptoError::UnsupportedCurve);
            }
        }
        (
            SignatureAlgorithm::RsaPkcs1(_)
            | SignatureAlgorithm::RsaPkcs1WithoutNull(_)
            | SignatureAlgorithm::RsaPss(_),
            Id::RSA,
        )
        | (SignatureAlgorithm::RsaPss(_), Id::RSA_PSS)
        | (SignatureAlgorithm::Ed25519, Id::ED25519)
        | (SignatureAlgorithm::Ed448, Id::ED448) => {}
        // A verdict, not an error: a key of one kind cannot make a value of another.
        _ => return Ok(false),
    }
    // OpenSSL reports a malformed signature value (its length, its DER) as an error. For the caller
    // it does not verify.
    Ok(verify_prehashed(key, algorithm, digest, value).unwrap_or(false))
}

fn verify_prehashed(
    key: &PublicKey,
    algorithm: SignatureAlgorithm,
    digest: &[u8],
    value: &[u8],
) -> Result<bool, ErrorStack> {
    let hash = message_digest(algorithm.digest());
    let scheme = match algorithm {
        SignatureAlgorithm::Ecdsa(_) => Scheme::Ecdsa,
        SignatureAlgorithm::RsaPkcs1(_) => Scheme::RsaPkcs1,
        SignatureAlgorithm::RsaPss(_) => Scheme::RsaPss {
            mask_digest: hash,
            salt_len: u8::try_from(digest.len()).expect("digests are short"),
        },
        SignatureAlgorithm::RsaPkcs1WithoutNull(_) => {
            let expected = digest_info_without_null(hash, digest)?;
            let mut context = PkeyCtx::new(key.openssl())?;
            return Ok(recovered(&mut context, value)? == expected);
        }
        SignatureAlgorithm::Ed25519 | SignatureAlgorithm::Ed448 => {
            return Verifier::new_without_digest(key.openssl())?.verify_oneshot(value, digest);
        }
    };
    key.verify_digest(scheme, hash, digest, value)
}

/// Returns the content of an RSASSA-PKCS1-v1_5 value after its padding, which OpenSSL has checked.
fn recovered(context: &mut PkeyCtx<Public>, value: &[u8]) -> Result<Vec<u8>, ErrorStack> {
    context.verify_recover_init()?;
    context.set_rsa_padding(Padding::PKCS1)?;
    let len = context.verify_recover(value, None)?;
    let mut recovered = vec![0; len];
    let len = context.verify_recover(value, Some(&mut recovered))?;
    recovered.truncate(len);
    Ok(recovered)
}

/// Returns the only DER encoding of a `DigestInfo` whose algorithm has no parameters (RFC 8017,
/// A.2.4). It is compared whole, so that no part of a value stays unread.
fn digest_info_without_null(hash: MessageDigest, digest: &[u8]) -> Result<Vec<u8>, ErrorStack> {
    let oid = Asn1Object::from_str(hash.type_().short_name()?)?;
    let element = |tag: u8, content: &[u8]| {
        let len = u8::try_from(content.len()).expect("identifiers and digests are short");
        [&[tag, len], content].concat()
    };
    let algorithm = element(0x30, &element(0x06, oid.as_slice()));
    let content = [algorithm, element(0x04, digest)].concat();
    Ok(element(0x30, &content))
}

#[cfg(test)]
mod tests {
    use openssl::ec::{EcGroup, EcKey};
    use openssl::pkey::{PKey, Private};
    use openssl::rsa::Rsa;
    use openssl::sign::{RsaPssSaltlen, Signer};

    use super::*;

    const MESSAGE: &[u8] = b"what is signed";

    #[test]
    fn rsa_signatures_of_both_schemes_verify() {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        for hash in [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512] {
            assert_verifies(
                &key,
                SignatureAlgorithm::RsaPkcs1(hash),
                Some(Padding::PKCS1),
            );
            assert_verifies(
                &key,
                SignatureAlgorithm::RsaPss(hash),
                Some(Padding::PKCS1_PSS),
            );
        }
    }

    #[test]
    fn signatures_of_6144_bit_keys_verify() {
        let spki = include_bytes!("../../tests/vectors/rsa-6144.spki");
        let pkcs1 = include_bytes!("../../tests/vectors/rsa-6144-pkcs1-sha512.sig");
        let pss = include_bytes!("../../tests/vectors/rsa-6144-pss-sha512.sig");
        let digest = digest_of(DigestAlgorithm::Sha512, MESSAGE);
        let verdict = |algorithm, value| verify_with_spki(spki, algorithm, &digest, value);

        assert_eq!(
            verdict(SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha512), pkcs1),
            Ok(true)
        );
        assert_eq!(
            verdict(SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha512), pss),
            Ok(true)
        );
        assert_eq!(
            verdict(SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha512), pkcs1),
            Ok(false)
        );
    }

    #[test]
    fn ecdsa_signatures_verify_on_the_supported_curves() {
        for curve in CURVES {
            assert_verifies(
                &ec_key(curve),
                SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384),
                None,
            );
        }
    }

    #[test]
    fn digests_of_others_are_computed_and_signatures_over_them_verify() {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        for hash in DigestAlgorithm::ALL.iter().copied() {
            assert_eq!(digest_of(hash, MESSAGE).len(), hash.output_len(), "{hash}");
            if hash != DigestAlgorithm::Shake256 {
                let algorithm = SignatureAlgorithm::RsaPkcs1(hash);
                assert_verifies(&key, algorithm, Some(Padding::PKCS1));
            }
        }
        // FIPS 202, of the empty message, with 64 bytes of output.
        let shake = hex::encode(digest_of(DigestAlgorithm::Shake256, b""));
        assert!(
            shake.starts_with("46b9dd2b0ba88d13233b3feb743eeb24"),
            "{shake}"
        );
        assert!(shake.ends_with("be"), "{shake}");
    }

    #[test]
    fn edwards_curves_sign_the_message_itself() {
        for (key, algorithm, other) in [
            (
                PKey::generate_ed25519().unwrap(),
                SignatureAlgorithm::Ed25519,
                SignatureAlgorithm::Ed448,
            ),
            (
                PKey::generate_ed448().unwrap(),
                SignatureAlgorithm::Ed448,
                SignatureAlgorithm::Ed25519,
            ),
        ] {
            let mut signer = Signer::new_without_digest(&key).unwrap();
            let value = signer.sign_oneshot_to_vec(MESSAGE).unwrap();
            let spki = key.public_key_to_der().unwrap();
            let verdict = |algorithm, message| verify_with_spki(&spki, algorithm, message, &value);

            assert_eq!(verdict(algorithm, MESSAGE), Ok(true));
            assert_eq!(verdict(algorithm, b"something else"), Ok(false));
            assert_eq!(verdict(other, MESSAGE), Ok(false));
        }
    }

    #[test]
    fn a_digest_info_without_null_has_a_name_of_its_own_and_one_form() {
        let hash = DigestAlgorithm::Sha256;
        let rsa = Rsa::generate(2048).unwrap();
        let digest = digest_of(hash, MESSAGE);
        let sound = digest_info_without_null(message_digest(hash), &digest).unwrap();
        let spki = rsa.public_key_to_der().unwrap();
        let signed = |digest_info: &[u8]| {
            let mut value = vec![0; rsa.size() as usize];
            rsa.private_encrypt(digest_info, &mut value, Padding::PKCS1)
                .unwrap();
            let by = |algorithm| verify_with_spki(&spki, algorithm, &digest, &value).unwrap();
            let without = by(SignatureAlgorithm::RsaPkcs1WithoutNull(hash));
            (by(SignatureAlgorithm::RsaPkcs1(hash)), without)
        };
        let mut with_null = sound.clone();
        with_null.splice(15..15, [0x05, 0x00]);
        with_null[1] += 2;
        with_null[3] += 2;

        assert_eq!(signed(&sound), (false, true));
        assert_eq!(signed(&with_null), (true, false));
        // Garbage after the digest and in the parameters, by which values are forged under keys
        // with small exponents.
        let behind = [&sound[..], b"garbage"].concat();
        assert_eq!(signed(&behind), (false, false));
        let mut inside = sound.clone();
        inside.splice(15..15, [0x04, 0x02, 0xab, 0xcd]);
        inside[1] += 4;
        inside[3] += 4;
        assert_eq!(signed(&inside), (false, false));
    }

    #[test]
    fn other_curves_are_not_known_and_other_kinds_of_keys_have_not_signed() {
        let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
        let digest = digest_of(DigestAlgorithm::Sha256, MESSAGE);
        let verdict = |key: &PKey<Private>| {
            verify_with_spki(&key.public_key_to_der().unwrap(), algorithm, &digest, b"")
        };

        assert_eq!(
            verdict(&ec_key(Nid::SECP256K1)),
            Err(CryptoError::UnsupportedCurve)
        );
        let rsa = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        assert_eq!(verdict(&rsa), Ok(false));
        assert_eq!(
            verify_with_spki(b"no key", algorithm, &digest, b""),
            Err(CryptoError::MalformedKey)
        );
    }

    #[test]
    fn a_digest_of_another_length_is_refused() {
        let key = ec_key(Nid::X9_62_PRIME256V1).public_key_to_der().unwrap();
        let algorithm = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);

        assert_eq!(
            verify_with_spki(&key, algorithm, &[0; 20], b""),
            Err(CryptoError::DigestLength {
                len: 20,
                algorithm: DigestAlgorithm::Sha256
            })
        );
    }

    fn assert_verifies(
        key: &PKey<Private>,
        algorithm: SignatureAlgorithm,
        padding: Option<Padding>,
    ) {
        let mut signer = Signer::new(message_digest(algorithm.digest()), key).unwrap();
        if let Some(padding) = padding {
            signer.set_rsa_padding(padding).unwrap();
            if padding == Padding::PKCS1_PSS {
                signer
                    .set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)
                    .unwrap();
            }
        }
        let mut value = signer.sign_oneshot_to_vec(MESSAGE).unwrap();
        let spki = key.public_key_to_der().unwrap();
        let digest = digest_of(algorithm.digest(), MESSAGE);

        assert_eq!(
            verify_with_spki(&spki, algorithm, &digest, &value),
            Ok(true),
            "{algorithm}"
        );
        value.push(0);
        assert_eq!(
            verify_with_spki(&spki, algorithm, &digest, &value),
            Ok(false),
            "{algorithm}"
        );
        value.truncate(3);
        assert_eq!(
            verify_with_spki(&spki, algorithm, &digest, &value),
            Ok(false),
            "{algorithm}"
        );
    }

    fn verify_with_spki(
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        value: &[u8],
    ) -> Result<bool, CryptoError> {
        verify(&public_key(spki)?, algorithm, digest, value)
    }

    fn ec_key(curve: Nid) -> PKey<Private> {
        let group = EcGroup::from_curve_name(curve).unwrap();
        PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
    }
}
