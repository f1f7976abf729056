//! What somebody works on: bytes, or their digest where that is enough.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parafa_catalogue::DigestAlgorithm;
use serde::{Deserialize, Serialize};

use crate::base64_bytes;
use crate::crypto::digest_of;

/// A digest with its algorithm, as long as the algorithm's are.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Digest {
    /// How it was computed.
    pub algorithm: DigestAlgorithm,
    /// The digest.
    #[serde(with = "base64_bytes")]
    pub value: Vec<u8>,
}

/// Bytes that somebody works on, or their digest where that is enough. Stored
/// as the base64 text of the bytes, or as the digest.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub enum Payload {
    /// The bytes, not hashed.
    Bytes(Vec<u8>),
    /// Their digest.
    Digest(Digest),
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Stored {
    Bytes(String),
    Digest(Digest),
}

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(algorithm: DigestAlgorithm, bytes: &[u8]) -> Self {
        Self {
            algorithm,
            value: digest_of(algorithm, bytes),
        }
    }
}

impl Payload {
    /// The bytes, if it is not their digest alone.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Digest(_) => None,
        }
    }

    /// Its digest; none where it is one of another algorithm.
    #[must_use]
    pub fn digest(&self, algorithm: DigestAlgorithm) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(digest_of(algorithm, bytes)),
            Self::Digest(digest) if digest.algorithm == algorithm => Some(digest.value.clone()),
            Self::Digest(_) => None,
        }
    }

    /// Itself, or its digest in the place of bytes that are longer.
    #[must_use]
    pub fn at_most(self, bytes: usize, algorithm: DigestAlgorithm) -> Self {
        match self {
            Self::Bytes(long) if long.len() > bytes => Self::Digest(Digest::of(algorithm, &long)),
            short => short,
        }
    }

    /// Whether both stand for the same bytes.
    #[must_use]
    pub fn is_of_same_bytes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            (Self::Digest(digest), other) | (other, Self::Digest(digest)) => {
                other.digest(digest.algorithm).as_ref() == Some(&digest.value)
            }
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Payload> for Stored {
    fn from(payload: Payload) -> Self {
        match payload {
            Payload::Bytes(bytes) => Self::Bytes(STANDARD.encode(bytes)),
            Payload::Digest(digest) => Self::Digest(digest),
        }
    }
}

impl TryFrom<Stored> for Payload {
    type Error = base64::DecodeError;

    fn try_from(stored: Stored) -> Result<Self, base64::DecodeError> {
        Ok(match stored {
            Stored::Bytes(text) => Self::Bytes(STANDARD.decode(text)?),
            Stored::Digest(digest) => Self::Digest(digest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA_256: DigestAlgorithm = DigestAlgorithm::Sha256;

    #[test]
    fn bytes_and_their_digest_are_stored_and_read_back() {
        for payload in [
            Payload::Bytes(vec![0, 255]),
            Payload::Digest(Digest::of(SHA_256, b"long")),
        ] {
            let stored = serde_json::to_string(&payload).unwrap();
            assert_eq!(serde_json::from_str::<Payload>(&stored).unwrap(), payload);
        }
        let bytes = serde_json::from_str::<Payload>("\"AP8=\"").unwrap();
        assert_eq!(bytes, Payload::Bytes(vec![0, 255]));
    }

    #[test]
    fn bytes_and_a_digest_are_the_same_where_the_digest_is_theirs() {
        let bytes = Payload::Bytes(b"signed".to_vec());
        let digest = Payload::Digest(Digest::of(SHA_256, b"signed"));
        let other = Payload::Digest(Digest::of(SHA_256, b"other"));
        let elsewise = Payload::Digest(Digest::of(DigestAlgorithm::Sha384, b"signed"));

        assert!(bytes.is_of_same_bytes(&digest) && digest.is_of_same_bytes(&bytes));
        assert!(digest.is_of_same_bytes(&digest));
        assert!(bytes.is_of_same_bytes(&elsewise));
        assert!(!bytes.is_of_same_bytes(&other) && !other.is_of_same_bytes(&digest));
        assert!(!digest.is_of_same_bytes(&elsewise));
    }

    #[test]
    fn only_what_is_longer_is_kept_as_its_digest() {
        let bytes = Payload::Bytes(b"four".to_vec());

        assert_eq!(bytes.clone().at_most(4, SHA_256), bytes);
        assert_eq!(
            bytes.at_most(3, SHA_256),
            Payload::Digest(Digest::of(SHA_256, b"four"))
        );
    }
}
