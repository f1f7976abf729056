//! Operations of the host on payloads, which are bytes or their digest, and their stored form.

use std::io::{self, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::bufread::{DeflateDecoder, DeflateEncoder};
use parafa_catalogue::{Digest, DigestAlgorithm, Payload};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_with::As;
use serde_with::base64::Base64;

use super::crypto::digest_of;

/// Longest bytes that are stored uncompressed.
const STORED_PLAINLY: usize = 1024;
/// Longest bytes that are stored at all.
const LONGEST: usize = 1024 * 1024;

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Stored {
    Bytes(String),
    Deflated {
        deflated: String,
    },
    Digest {
        algorithm: DigestAlgorithm,
        #[serde(with = "As::<Base64>")]
        value: Vec<u8>,
    },
}

/// The stored value is not a payload.
#[derive(Debug, thiserror::Error)]
enum StoredError {
    #[error(transparent)]
    Base64(#[from] base64::DecodeError),
    #[error(transparent)]
    Deflated(#[from] io::Error),
}

/// Operations on a payload besides passing it on.
pub trait HostPayload: Sized {
    /// Returns the payload's digest; `None` if it is a digest of another algorithm.
    fn digest(&self, algorithm: DigestAlgorithm) -> Option<Vec<u8>>;

    /// Returns the payload, or its digest if the stored bytes would take more than `bytes`, or
    /// exceed 1 MiB.
    #[must_use]
    fn at_most(self, bytes: usize, algorithm: DigestAlgorithm) -> Self;

    /// Returns true if both represent the same bytes.
    fn is_of_same_bytes(&self, other: &Self) -> bool;
}

impl HostPayload for Payload {
    fn digest(&self, algorithm: DigestAlgorithm) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(digest_of(algorithm, bytes)),
            Self::Digest(digest) if digest.algorithm == algorithm => Some(digest.value.clone()),
            Self::Digest(_) => None,
        }
    }

    fn at_most(self, bytes: usize, algorithm: DigestAlgorithm) -> Self {
        match self {
            Self::Bytes(long) if long.len() > LONGEST || stored_len(&long) > bytes => {
                Self::Digest(digest_with(algorithm, &long))
            }
            short => short,
        }
    }

    fn is_of_same_bytes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            (Self::Digest(digest), other) | (other, Self::Digest(digest)) => {
                other.digest(digest.algorithm).as_ref() == Some(&digest.value)
            }
        }
    }
}

/// Computes the digest of these bytes.
pub(crate) fn digest_with(algorithm: DigestAlgorithm, bytes: &[u8]) -> Digest {
    Digest {
        algorithm,
        value: digest_of(algorithm, bytes),
    }
}

/// The stored form of payloads: the base64 text of the bytes, deflated if they are long, or the
/// digest.
pub(crate) mod stored {
    use super::{Deserialize, Deserializer, Payload, Serialize, Serializer, Stored, de};

    pub(crate) fn serialize<S: Serializer>(payload: &Payload, to: S) -> Result<S::Ok, S::Error> {
        Stored::from(payload).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Payload, D::Error> {
        let stored = Stored::deserialize(from)?;
        stored.try_into().map_err(de::Error::custom)
    }
}

impl From<&Payload> for Stored {
    fn from(payload: &Payload) -> Self {
        match payload {
            Payload::Bytes(bytes) if bytes.len() > STORED_PLAINLY => Self::Deflated {
                deflated: STANDARD.encode(deflated(bytes)),
            },
            Payload::Bytes(bytes) => Self::Bytes(STANDARD.encode(bytes)),
            Payload::Digest(Digest { algorithm, value }) => Self::Digest {
                algorithm: *algorithm,
                value: value.clone(),
            },
        }
    }
}

impl TryFrom<Stored> for Payload {
    type Error = StoredError;

    fn try_from(stored: Stored) -> Result<Self, StoredError> {
        Ok(match stored {
            Stored::Bytes(text) => Self::Bytes(STANDARD.decode(text)?),
            Stored::Deflated { deflated } => {
                let deflated = STANDARD.decode(deflated)?;
                let mut bytes = Vec::new();
                let inflater = DeflateDecoder::new(&*deflated);
                inflater.take(LONGEST as u64).read_to_end(&mut bytes)?;
                Self::Bytes(bytes)
            }
            Stored::Digest { algorithm, value } => Self::Digest(Digest { algorithm, value }),
        })
    }
}

fn stored_len(bytes: &[u8]) -> usize {
    if bytes.len() > STORED_PLAINLY {
        deflated(bytes).len()
    } else {
        bytes.len()
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::new();
    DeflateEncoder::new(bytes, Compression::default())
        .read_to_end(&mut deflated)
        .expect("memory is read without an error");
    deflated
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA_256: DigestAlgorithm = DigestAlgorithm::Sha256;

    #[derive(Deserialize, Serialize)]
    struct Row(#[serde(with = "stored")] Payload);

    #[test]
    fn bytes_and_their_digest_are_stored_and_read_back() {
        for payload in [
            Payload::Bytes(vec![0, 255]),
            Payload::Bytes(b"reference".repeat(5000)),
            Payload::Digest(digest_with(SHA_256, b"long")),
        ] {
            let text = serde_json::to_string(&Row(payload.clone())).unwrap();
            assert!(text.len() < 1000, "{text}");
            assert_eq!(serde_json::from_str::<Row>(&text).unwrap().0, payload);
        }
        let Row(bytes) = serde_json::from_str("\"AP8=\"").unwrap();
        assert_eq!(bytes, Payload::Bytes(vec![0, 255]));
    }

    #[test]
    fn bytes_and_a_digest_are_the_same_where_the_digest_is_theirs() {
        let bytes = Payload::Bytes(b"signed".to_vec());
        let digest = Payload::Digest(digest_with(SHA_256, b"signed"));
        let other = Payload::Digest(digest_with(SHA_256, b"other"));
        let elsewise = Payload::Digest(digest_with(DigestAlgorithm::Sha384, b"signed"));

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
            Payload::Digest(digest_with(SHA_256, b"four"))
        );
        let redundant = Payload::Bytes(b"reference".repeat(5000));
        assert_eq!(redundant.clone().at_most(1000, SHA_256), redundant);
        let too_long = Payload::Bytes(vec![0; LONGEST + 1]);
        assert!(too_long.at_most(LONGEST, SHA_256).as_bytes().is_none());
    }
}
