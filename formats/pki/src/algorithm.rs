//! AlgorithmIdentifiers of digests and signatures.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912;
use der::Tag;
use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha384, Sha512};

use crate::Error;
use crate::asn1::{Element, context, encode, object_identifier, sequence};

/// The digest of `bytes`, computed here: for little.
#[must_use]
pub fn digest(algorithm: DigestAlgorithm, bytes: &[u8]) -> Vec<u8> {
    match algorithm {
        DigestAlgorithm::Sha1 => Sha1::digest(bytes).to_vec(),
        DigestAlgorithm::Sha256 => Sha256::digest(bytes).to_vec(),
        DigestAlgorithm::Sha384 => Sha384::digest(bytes).to_vec(),
        DigestAlgorithm::Sha512 => Sha512::digest(bytes).to_vec(),
    }
}

/// A digest AlgorithmIdentifier without parameters (RFC 5754, 2).
#[must_use]
pub fn encode_digest(algorithm: DigestAlgorithm) -> Vec<u8> {
    sequence([&object_identifier(digest_oid(algorithm))])
}

/// A signature AlgorithmIdentifier (RFC 3370 and RFC 5754, 3; RFC 4056 for
/// RSASSA-PSS).
#[must_use]
pub fn encode_signature(algorithm: SignatureAlgorithm) -> Vec<u8> {
    use DigestAlgorithm as D;

    const NULL: [u8; 2] = [0x05, 0x00];

    match algorithm {
        SignatureAlgorithm::RsaPkcs1(digest) => {
            let oid = match digest {
                D::Sha1 => rfc5912::SHA_1_WITH_RSA_ENCRYPTION,
                D::Sha256 => rfc5912::SHA_256_WITH_RSA_ENCRYPTION,
                D::Sha384 => rfc5912::SHA_384_WITH_RSA_ENCRYPTION,
                D::Sha512 => rfc5912::SHA_512_WITH_RSA_ENCRYPTION,
            };
            sequence([&object_identifier(oid), &NULL])
        }
        SignatureAlgorithm::Ecdsa(digest) => {
            let oid = match digest {
                D::Sha1 => ECDSA_WITH_SHA_1,
                D::Sha256 => rfc5912::ECDSA_WITH_SHA_256,
                D::Sha384 => rfc5912::ECDSA_WITH_SHA_384,
                D::Sha512 => rfc5912::ECDSA_WITH_SHA_512,
            };
            sequence([&object_identifier(oid)])
        }
        SignatureAlgorithm::RsaPss(digest) => {
            let hash = sequence([&object_identifier(digest_oid(digest)), &NULL]);
            let mask = sequence([&object_identifier(rfc5912::ID_MGF_1), &hash]);
            let salt_len =
                u8::try_from(digest.output_len()).expect("no digest is longer than 64 bytes");
            let parameters = sequence([
                &encode(context(0), &hash),
                &encode(context(1), &mask),
                &encode(context(2), &encode(Tag::Integer, &[salt_len])),
            ]);
            sequence([&object_identifier(rfc5912::ID_RSASSA_PSS), &parameters])
        }
    }
}

/// The digest that an AlgorithmIdentifier names; `None` when the catalogue
/// does not have it.
pub fn decode_digest(identifier: Element<'_>) -> Result<Option<DigestAlgorithm>, Error> {
    let oid = identifier_oid(identifier)?;
    Ok(DIGESTS
        .into_iter()
        .find(|algorithm| digest_oid(*algorithm) == oid))
}

/// The signature algorithm that an AlgorithmIdentifier names; `digest` is the
/// SignerInfo's digest, for identifiers that name a key type only. `None` when
/// the catalogue does not have it.
pub(crate) fn decode_signature(
    identifier: Element<'_>,
    digest: Option<DigestAlgorithm>,
) -> Result<Option<SignatureAlgorithm>, Error> {
    use DigestAlgorithm as D;

    let algorithm = match identifier_oid(identifier)? {
        rfc5912::RSA_ENCRYPTION => digest.map(SignatureAlgorithm::RsaPkcs1),
        rfc5912::SHA_1_WITH_RSA_ENCRYPTION => Some(SignatureAlgorithm::RsaPkcs1(D::Sha1)),
        rfc5912::SHA_256_WITH_RSA_ENCRYPTION => Some(SignatureAlgorithm::RsaPkcs1(D::Sha256)),
        rfc5912::SHA_384_WITH_RSA_ENCRYPTION => Some(SignatureAlgorithm::RsaPkcs1(D::Sha384)),
        rfc5912::SHA_512_WITH_RSA_ENCRYPTION => Some(SignatureAlgorithm::RsaPkcs1(D::Sha512)),
        rfc5912::ID_EC_PUBLIC_KEY => digest.map(SignatureAlgorithm::Ecdsa),
        ECDSA_WITH_SHA_1 => Some(SignatureAlgorithm::Ecdsa(D::Sha1)),
        rfc5912::ECDSA_WITH_SHA_256 => Some(SignatureAlgorithm::Ecdsa(D::Sha256)),
        rfc5912::ECDSA_WITH_SHA_384 => Some(SignatureAlgorithm::Ecdsa(D::Sha384)),
        rfc5912::ECDSA_WITH_SHA_512 => Some(SignatureAlgorithm::Ecdsa(D::Sha512)),
        rfc5912::ID_RSASSA_PSS => decode_pss(identifier)?,
        _ => None,
    };
    Ok(algorithm)
}

const ECDSA_WITH_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");

const DIGESTS: [DigestAlgorithm; 4] = [
    DigestAlgorithm::Sha1,
    DigestAlgorithm::Sha256,
    DigestAlgorithm::Sha384,
    DigestAlgorithm::Sha512,
];

fn digest_oid(algorithm: DigestAlgorithm) -> ObjectIdentifier {
    match algorithm {
        DigestAlgorithm::Sha1 => rfc5912::ID_SHA_1,
        DigestAlgorithm::Sha256 => rfc5912::ID_SHA_256,
        DigestAlgorithm::Sha384 => rfc5912::ID_SHA_384,
        DigestAlgorithm::Sha512 => rfc5912::ID_SHA_512,
    }
}

fn identifier_oid(identifier: Element<'_>) -> Result<ObjectIdentifier, Error> {
    identifier
        .children("AlgorithmIdentifier")?
        .expect(Tag::ObjectIdentifier)?
        .decode("AlgorithmIdentifier")
}

/// RSASSA-PSS-params (RFC 4055, 3.1). The catalogue has only the case of one
/// digest in both roles and a salt of its length.
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
    use const_oid::db::rfc8410;

    use super::*;

    #[test]
    fn every_signature_algorithm_reads_back_as_itself() {
        for algorithm in DIGESTS.into_iter().flat_map(|digest| {
            [
                SignatureAlgorithm::Ecdsa(digest),
                SignatureAlgorithm::RsaPkcs1(digest),
                SignatureAlgorithm::RsaPss(digest),
            ]
        }) {
            let der = encode_signature(algorithm);
            let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

            assert_eq!(decode_signature(identifier, None).unwrap(), Some(algorithm));
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
        let der = sequence([&object_identifier(rfc8410::ID_ED_25519)]);
        let identifier = Element::parse("AlgorithmIdentifier", &der).unwrap();

        assert_eq!(decode_signature(identifier, None).unwrap(), None);
    }
}
