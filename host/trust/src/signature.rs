//! Signature values of OCSP responses, revocation lists, time-stamp tokens and
//! persons.

use const_oid::db::rfc5912::{
    ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, ID_EC_PUBLIC_KEY, ID_MGF_1,
    ID_RSASSA_PSS, ID_SHA_256, ID_SHA_384, ID_SHA_512, RSA_ENCRYPTION, SHA_256_WITH_RSA_ENCRYPTION,
    SHA_384_WITH_RSA_ENCRYPTION, SHA_512_WITH_RSA_ENCRYPTION,
};
use const_oid::db::rfc8410::ID_ED_25519;
use der::asn1::ObjectIdentifier;
use der::{DecodeValue, FixedTag, Header, Reader, Tag, TagMode, TagNumber};
use openssl::error::ErrorStack;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::Id;
use openssl::sign::Verifier;
use parafa_public_key::{PublicKey, Scheme};
use spki::AlgorithmIdentifierOwned;

/// Reason why a signature value is invalid.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SignatureFault {
    /// An algorithm that is unknown here, too weak, or strangely parametrised.
    #[error("the signature algorithm {0} is not accepted")]
    Algorithm(ObjectIdentifier),
    /// The key cannot have made a signature of this algorithm.
    #[error("the key is not one for the signature algorithm {0}")]
    Key(ObjectIdentifier),
    /// The value was not made over these octets with this key.
    #[error("the signature value does not match")]
    Mismatch,
}

/// Signature scheme over a SHA-256 digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureScheme {
    /// ECDSA on the key's curve; the value is an `ECDSA-Sig-Value` in DER.
    Ecdsa,
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1,
    /// RSASSA-PSS with MGF1 over SHA-256 and a salt of 32 octets.
    RsaPss,
}

/// Checks `value` over `message` with `key`.
pub(crate) fn verify_sha256(
    key: &PublicKey,
    scheme: SignatureScheme,
    message: &[u8],
    value: &[u8],
) -> Result<(), SignatureFault> {
    let digest = MessageDigest::sha256();
    let (scheme, oid) = match scheme {
        SignatureScheme::Ecdsa => (Scheme::Ecdsa, ECDSA_WITH_SHA_256),
        SignatureScheme::RsaPkcs1 => (Scheme::RsaPkcs1, SHA_256_WITH_RSA_ENCRYPTION),
        SignatureScheme::RsaPss => (
            Scheme::RsaPss {
                mask_digest: digest,
                salt_len: 32,
            },
            ID_RSASSA_PSS,
        ),
    };
    Algorithm::OfDigest(scheme, digest).check(oid, key, message, value)
}

/// Checks `value` over `message` with `key`.
///
/// `digest_algorithm` is CMS's separate digest algorithm, for signature
/// algorithms that name only the key type (RFC 3370 clause 3.2).
pub(crate) fn verify(
    key: &PublicKey,
    algorithm: &AlgorithmIdentifierOwned,
    digest_algorithm: Option<ObjectIdentifier>,
    message: &[u8],
    value: &[u8],
) -> Result<(), SignatureFault> {
    let known = Algorithm::of(algorithm, digest_algorithm)
        .ok_or(SignatureFault::Algorithm(algorithm.oid))?;
    known.check(algorithm.oid, key, message, value)
}

/// The digest that `oid` names; SHA-1 and older ones are not accepted.
pub(crate) fn message_digest(oid: ObjectIdentifier) -> Option<MessageDigest> {
    match oid {
        ID_SHA_256 => Some(MessageDigest::sha256()),
        ID_SHA_384 => Some(MessageDigest::sha384()),
        ID_SHA_512 => Some(MessageDigest::sha512()),
        _ => None,
    }
}

enum Algorithm {
    /// The message's digest is signed.
    OfDigest(Scheme, MessageDigest),
    /// The message itself is signed.
    Ed25519,
}

impl Algorithm {
    fn of(
        algorithm: &AlgorithmIdentifierOwned,
        digest_algorithm: Option<ObjectIdentifier>,
    ) -> Option<Self> {
        let (scheme, digest) = match algorithm.oid {
            ECDSA_WITH_SHA_256 => (Scheme::Ecdsa, MessageDigest::sha256()),
            ECDSA_WITH_SHA_384 => (Scheme::Ecdsa, MessageDigest::sha384()),
            ECDSA_WITH_SHA_512 => (Scheme::Ecdsa, MessageDigest::sha512()),
            ID_EC_PUBLIC_KEY => (Scheme::Ecdsa, message_digest(digest_algorithm?)?),
            SHA_256_WITH_RSA_ENCRYPTION => (Scheme::RsaPkcs1, MessageDigest::sha256()),
            SHA_384_WITH_RSA_ENCRYPTION => (Scheme::RsaPkcs1, MessageDigest::sha384()),
            SHA_512_WITH_RSA_ENCRYPTION => (Scheme::RsaPkcs1, MessageDigest::sha512()),
            RSA_ENCRYPTION => (Scheme::RsaPkcs1, message_digest(digest_algorithm?)?),
            ID_RSASSA_PSS => {
                let parameters: PssParameters = algorithm.parameters.as_ref()?.decode_as().ok()?;
                let scheme = Scheme::RsaPss {
                    mask_digest: message_digest(parameters.mask_digest)?,
                    salt_len: parameters.salt_octets,
                };
                (scheme, message_digest(parameters.digest)?)
            }
            // Parameters are absent (RFC 8410, 3).
            ID_ED_25519 if algorithm.parameters.is_none() => return Some(Self::Ed25519),
            _ => return None,
        };
        Some(Self::OfDigest(scheme, digest))
    }

    fn check(
        &self,
        algorithm: ObjectIdentifier,
        key: &PublicKey,
        message: &[u8],
        value: &[u8],
    ) -> Result<(), SignatureFault> {
        if !self.fits(key) {
            return Err(SignatureFault::Key(algorithm));
        }
        match self.verify(key, message, value) {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(SignatureFault::Mismatch),
        }
    }

    fn fits(&self, key: &PublicKey) -> bool {
        let id = key.openssl().id();
        match self {
            Self::OfDigest(Scheme::Ecdsa, _) => id == Id::EC,
            Self::OfDigest(Scheme::RsaPkcs1, _) => id == Id::RSA,
            Self::OfDigest(Scheme::RsaPss { .. }, _) => id == Id::RSA || id == Id::RSA_PSS,
            Self::Ed25519 => id == Id::ED25519,
        }
    }

    fn verify(&self, key: &PublicKey, message: &[u8], value: &[u8]) -> Result<bool, ErrorStack> {
        match *self {
            Self::OfDigest(scheme, digest) => {
                key.verify_digest(scheme, digest, &hash(digest, message)?, value)
            }
            Self::Ed25519 => {
                Verifier::new_without_digest(key.openssl())?.verify_oneshot(value, message)
            }
        }
    }
}

/// RSASSA-PSS-params (RFC 8017 appendix A.2.3) without its SHA-1 defaults,
/// which are not accepted.
struct PssParameters {
    digest: ObjectIdentifier,
    mask_digest: ObjectIdentifier,
    salt_octets: u8,
}

impl FixedTag for PssParameters {
    const TAG: Tag = Tag::Sequence;
}

impl<'a> DecodeValue<'a> for PssParameters {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        reader.read_nested(header.length, |reader| {
            let missing = || Self::TAG.value_error();
            let digest: AlgorithmIdentifierOwned = reader
                .context_specific(TagNumber::N0, TagMode::Explicit)?
                .ok_or_else(missing)?;
            let mask: AlgorithmIdentifierOwned = reader
                .context_specific(TagNumber::N1, TagMode::Explicit)?
                .ok_or_else(missing)?;
            let salt_octets = reader
                .context_specific(TagNumber::N2, TagMode::Explicit)?
                .ok_or_else(missing)?;
            let trailer: Option<u8> = reader.context_specific(TagNumber::N3, TagMode::Explicit)?;
            if mask.oid != ID_MGF_1 || trailer.is_some_and(|field| field != 1) {
                return Err(Self::TAG.value_error());
            }
            let mask_digest: AlgorithmIdentifierOwned =
                mask.parameters.as_ref().ok_or_else(missing)?.decode_as()?;
            Ok(Self {
                digest: digest.oid,
                mask_digest: mask_digest.oid,
                salt_octets,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use der::asn1::Any;

    use super::*;

    #[test]
    fn an_ed25519_signature_has_no_parameters() {
        for (parameters, is_known) in [(None, true), (Some(Any::null()), false)] {
            let algorithm = AlgorithmIdentifierOwned {
                oid: ID_ED_25519,
                parameters,
            };

            assert_eq!(Algorithm::of(&algorithm, None).is_some(), is_known);
        }
    }
}
