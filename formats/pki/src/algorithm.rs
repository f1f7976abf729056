//! AlgorithmIdentifiers of digests and signatures.

use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5912, rfc8410};
use der::Tag;
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake256};

use crate::Error;
use crate::asn1::{Element, context, encode, object_identifier, sequence};

/// Returns the digest of `bytes`, computed in-process; for small inputs.
#[must_use]
pub fn digest(algorithm: DigestAlgorithm, bytes: &[u8]) -> Vec<u8> {
    match algorithm {
        DigestAlgorithm::Sha1 => Sha1::digest(bytes).to_vec(),
        DigestAlgorithm::Sha224 => Sha224::digest(bytes).to_vec(),
        DigestAlgorithm::Sha256 => Sha256::digest(bytes).to_vec(),
        DigestAlgorithm::Sha384 => Sha384::digest(bytes).to_vec(),
        DigestAlgorithm::Sha512 => Sha512::digest(bytes).to_vec(),
        DigestAlgorithm::Sha3_224 => Sha3_224::digest(bytes).to_vec(),
        DigestAlgorithm::Sha3_256 => Sha3_256::digest(bytes).to_vec(),
        DigestAlgorithm::Sha3_384 => Sha3_384::digest(bytes).to_vec(),
        DigestAlgorithm::Sha3_512 => Sha3_512::digest(bytes).to_vec(),
        DigestAlgorithm::Shake256 => {
            let mut output = vec![0; algorithm.output_len()];
            Shake256::default()
                .chain(bytes)
                .finalize_xof()
                .read(&mut output);
            output
        }
    }
}

/// Encodes a digest AlgorithmIdentifier without parameters (RFC 5754, 2).
#[must_use]
pub fn encode_digest(algorithm: DigestAlgorithm) -> Vec<u8> {
    sequence([&object_identifier(digest_oid(algorithm))])
}

/// Encodes a signature AlgorithmIdentifier (RFC 3370 and RFC 5754, 3; RFC 4056
/// for RSASSA-PSS); `None` for an algorithm not allowed for new signatures.
#[must_use]
pub fn encode_signature(algorithm: SignatureAlgorithm) -> Option<Vec<u8>> {
    const NULL: [u8; 2] = [0x05, 0x00];

    if !algorithm.is_for_making() {
        return None;
    }
    let digest = algorithm.digest();
    if matches!(algorithm, SignatureAlgorithm::RsaPss(_)) {
        let hash = sequence([&object_identifier(digest_oid(digest)), &NULL]);
        let mask = sequence([&object_identifier(rfc5912::ID_MGF_1), &hash]);
        let salt_len = u8::try_from(digest.output_len()).ok()?;
        let parameters = sequence([
            &encode(context(0), &hash),
            &encode(context(1), &mask),
            &encode(context(2), &encode(Tag::Integer, &[salt_len])),
        ]);
        return Some(sequence([
            &object_identifier(rfc5912::ID_RSASSA_PSS),
            &parameters,
        ]));
    }
    let (oid, _) = SIGNATURES.iter().find(|(_, known)| *known == algorithm)?;
    let oid = object_identifier(*oid);
    Some(match algorithm {
        SignatureAlgorithm::RsaPkcs1(_) => sequence([oid.as_slice(), &NULL]),
        _ => sequence([&oid]),
    })
}

/// Returns the digest algorithm of an AlgorithmIdentifier; `None` if it is not
/// in the catalogue.
pub fn decode_digest(identifier: Element<'_>) -> Result<Option<DigestAlgorithm>, Error> {
    let oid = identifier_oid(identifier)?;
    let mut digests = DigestAlgorithm::ALL.iter().copied();
    Ok(digests.find(|algorithm| digest_oid(*algorithm) == oid))
}

/// Returns the signature algorithm of an AlgorithmIdentifier; `None` if it is
/// not in the catalogue. `digest` is the SignerInfo's digest algorithm, for
/// identifiers of a key type only.
pub(crate) fn decode_signature(
    identifier: Element<'_>,
    digest: Option<DigestAlgorithm>,
) -> Result<Option<SignatureAlgorithm>, Error> {
    Ok(match identifier_oid(identifier)? {
        rfc5912::RSA_ENCRYPTION => digest.map(SignatureAlgorithm::RsaPkcs1),
        rfc5912::ID_EC_PUBLIC_KEY => digest.map(SignatureAlgorithm::Ecdsa),
        rfc5912::ID_RSASSA_PSS => decode_pss(identifier)?,
        oid => plain_ecdsa(oid).or_else(|| {
            let known = SIGNATURES.iter().find(|(known, _)| *known == oid);
            known.map(|(_, algorithm)| *algorithm)
        }),
    })
}

/// Returns whether values of an algorithm are the concatenation of r and s with
/// equal lengths, as from German qualified cards (BSI TR-03111, 5.2.1).
pub(crate) fn has_plain_value(identifier: Element<'_>) -> Result<bool, Error> {
    Ok(plain_ecdsa(identifier_oid(identifier)?).is_some())
}

/// ecdsa-plain-signatures of BSI TR-03111, 5.2.1.1.
fn plain_ecdsa(oid: ObjectIdentifier) -> Option<SignatureAlgorithm> {
    const PLAIN: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.127.0.7.1.1.4.1");

    if oid.parent()? != PLAIN {
        return None;
    }
    let digest = match oid.arc(oid.len() - 1)? {
        1 => DigestAlgorithm::Sha1,
        2 => DigestAlgorithm::Sha224,
        3 => DigestAlgorithm::Sha256,
        4 => DigestAlgorithm::Sha384,
        5 => DigestAlgorithm::Sha512,
        _ => return None,
    };
    Some(SignatureAlgorithm::Ecdsa(digest))
}

/// Algorithms determined by their identifier alone.
const SIGNATURES: [(ObjectIdentifier, SignatureAlgorithm); 20] = {
    use DigestAlgorithm as D;
    use SignatureAlgorithm::{Ecdsa, Ed448, Ed25519, RsaPkcs1};

    [
        (rfc5912::SHA_1_WITH_RSA_ENCRYPTION, RsaPkcs1(D::Sha1)),
        (rfc5912::SHA_224_WITH_RSA_ENCRYPTION, RsaPkcs1(D::Sha224)),
        (rfc5912::SHA_256_WITH_RSA_ENCRYPTION, RsaPkcs1(D::Sha256)),
        (rfc5912::SHA_384_WITH_RSA_ENCRYPTION, RsaPkcs1(D::Sha384)),
        (rfc5912::SHA_512_WITH_RSA_ENCRYPTION, RsaPkcs1(D::Sha512)),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.13"),
            RsaPkcs1(D::Sha3_224),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.14"),
            RsaPkcs1(D::Sha3_256),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.15"),
            RsaPkcs1(D::Sha3_384),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.16"),
            RsaPkcs1(D::Sha3_512),
        ),
        (ECDSA_WITH_SHA_1, Ecdsa(D::Sha1)),
        (rfc5912::ECDSA_WITH_SHA_224, Ecdsa(D::Sha224)),
        (rfc5912::ECDSA_WITH_SHA_256, Ecdsa(D::Sha256)),
        (rfc5912::ECDSA_WITH_SHA_384, Ecdsa(D::Sha384)),
        (rfc5912::ECDSA_WITH_SHA_512, Ecdsa(D::Sha512)),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.9"),
            Ecdsa(D::Sha3_224),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.10"),
            Ecdsa(D::Sha3_256),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.11"),
            Ecdsa(D::Sha3_384),
        ),
        (
            ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.12"),
            Ecdsa(D::Sha3_512),
        ),
        (rfc8410::ID_ED_25519, Ed25519),
        (rfc8410::ID_ED_448, Ed448),
    ]
};

const ECDSA_WITH_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");

fn digest_oid(algorithm: DigestAlgorithm) -> ObjectIdentifier {
    match algorithm {
        DigestAlgorithm::Sha1 => rfc5912::ID_SHA_1,
        DigestAlgorithm::Sha224 => rfc5912::ID_SHA_224,
        DigestAlgorithm::Sha256 => rfc5912::ID_SHA_256,
        DigestAlgorithm::Sha384 => rfc5912::ID_SHA_384,
        DigestAlgorithm::Sha512 => rfc5912::ID_SHA_512,
        DigestAlgorithm::Sha3_224 => ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.7"),
        DigestAlgorithm::Sha3_256 => ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.8"),
        DigestAlgorithm::Sha3_384 => ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.9"),
        DigestAlgorithm::Sha3_512 => ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.10"),
        DigestAlgorithm::Shake256 => ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.12"),
    }
}

fn identifier_oid(identifier: Element<'_>) -> Result<ObjectIdentifier, Error> {
    identifier
        .children("AlgorithmIdentifier")?
        .expect(Tag::ObjectIdentifier)?
        .decode("AlgorithmIdentifier")
}

/// Decodes RSASSA-PSS-params (RFC 4055, 3.1). The catalogue has only parameters
/// with the same digest in both roles and a salt of its length.
fn decode_pss(identifier: Element<'_>) -> Result<Option<SignatureAlgorithm>, Error> {
    const WHAT: &str = "RSASSA-PSS-params";
    const DEFAULT_SALT_LEN: usize = 20;

    let mut identifier = identifier.children(WHAT)?;
    identifier.expect(Tag::ObjectIdentifier)?;
    if identifier.is_finished() {
        return Ok(None);
    }
    let mut parameters = identifier.expect(Tag::Sequence)?.children(WHAT)?;

    let hash = match parameters.optional(context(0))? {
        Some(hash) => decode_digest(Element::parse(WHAT, hash.value)?)?,
        None => Some(DigestAlgorithm::Sha1),
    };
    let mask_hash = match parameters.optional(context(1))? {
        Some(mask) => {
            let mut mask = Element::parse(WHAT, mask.value)?.children(WHAT)?;
            mask.expect(Tag::ObjectIdentifier)?;
            decode_digest(mask.expect(Tag::Sequence)?)?
        }
        None => Some(DigestAlgorithm::Sha1),
    };
    let salt_len = match parameters.optional(context(2))? {
        Some(salt_len) => usize::from(Element::parse(WHAT, salt_len.value)?.decode::<u16>(WHAT)?),
        None => DEFAULT_SALT_LEN,
    };
    Ok(hash
        .filter(|hash| mask_hash == Some(*hash) && salt_len == hash.output_len())
        .map(SignatureAlgorithm::RsaPss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_that_is_signed_with_reads_back_as_itself() {
        let all = SignatureAlgorithm::all().filter(|algorithm| algorithm.is_for_making());
        for algorithm in all {
            let der = encode_signature(algorithm).unwrap();
            let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

            assert_eq!(decode_signature(identifier, None).unwrap(), Some(algorithm));
        }
        assert_eq!(encode_signature(SignatureAlgorithm::Ed25519), None);
    }

    #[test]
    fn no_two_algorithms_have_one_identifier() {
        for (place, (oid, algorithm)) in SIGNATURES.iter().enumerate() {
            let mut others = SIGNATURES[place + 1..].iter();
            assert!(!others.any(|other| other.0 == *oid || other.1 == *algorithm));
        }
        for digest in DigestAlgorithm::ALL {
            let der = encode_digest(*digest);
            let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

            assert_eq!(decode_digest(identifier).unwrap(), Some(*digest));
            assert_eq!(super::digest(*digest, b"").len(), digest.output_len());
        }
    }

    #[test]
    fn plain_ecdsa_is_ecdsa_with_another_value() {
        for (oid, algorithm) in [
            ("0.4.0.127.0.7.1.1.4.1.3", Some(DigestAlgorithm::Sha256)),
            ("0.4.0.127.0.7.1.1.4.1.6", None),
        ] {
            let der = sequence([&object_identifier(ObjectIdentifier::new_unwrap(oid))]);
            let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

            let algorithm = algorithm.map(SignatureAlgorithm::Ecdsa);
            assert_eq!(decode_signature(identifier, None).unwrap(), algorithm);
            assert_eq!(has_plain_value(identifier).unwrap(), algorithm.is_some());
        }
    }

    #[test]
    fn a_bare_key_type_takes_the_digest_of_the_signer_info() {
        let der = sequence([&object_identifier(rfc5912::RSA_ENCRYPTION)]);
        let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

        assert_eq!(
            decode_signature(identifier, Some(DigestAlgorithm::Sha512)).unwrap(),
            Some(SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha512))
        );
    }

    #[test]
    fn an_algorithm_outside_the_catalogue_is_none() {
        let der = sequence([&object_identifier(rfc8410::ID_X_25519)]);
        let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

        assert_eq!(decode_signature(identifier, None).unwrap(), None);
    }
}
