use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_eid_protocols::smart_id::algorithm::{
    SHA_256_WITH_RSA, SHA_384_WITH_RSA, SHA_512_WITH_RSA,
};
use serde::{Deserialize, Serialize};

/// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) with one of three digests: supported by containers and readers
/// without PSS.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum SignatureAlgorithm {
    /// With SHA-256.
    #[serde(rename = "sha256WithRSAEncryption")]
    Sha256WithRsaEncryption,
    /// With SHA-384.
    #[serde(rename = "sha384WithRSAEncryption")]
    Sha384WithRsaEncryption,
    /// With SHA-512.
    #[serde(rename = "sha512WithRSAEncryption")]
    Sha512WithRsaEncryption,
}

impl SignatureAlgorithm {
    const ALL: [Self; 3] = [
        Self::Sha256WithRsaEncryption,
        Self::Sha384WithRsaEncryption,
        Self::Sha512WithRsaEncryption,
    ];

    /// The name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256WithRsaEncryption => SHA_256_WITH_RSA,
            Self::Sha384WithRsaEncryption => SHA_384_WITH_RSA,
            Self::Sha512WithRsaEncryption => SHA_512_WITH_RSA,
        }
    }

    /// Length of the digest that is signed, in bytes.
    #[must_use]
    pub fn digest_length(self) -> usize {
        match self {
            Self::Sha256WithRsaEncryption => 32,
            Self::Sha384WithRsaEncryption => 48,
            Self::Sha512WithRsaEncryption => 64,
        }
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SignatureAlgorithm {
    type Err = UnknownSignatureAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|known| known.name() == name)
            .ok_or(UnknownSignatureAlgorithm)
    }
}

/// The name of an unknown algorithm.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the name is not that of a known signature algorithm")]
pub struct UnknownSignatureAlgorithm;

/// A digest with the algorithm that signs it; their lengths agree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DigestToSign {
    algorithm: SignatureAlgorithm,
    digest: Vec<u8>,
}

impl DigestToSign {
    /// # Errors
    /// [`WrongDigestLength`] when the digest is not as long as the algorithm's.
    pub fn new(
        algorithm: SignatureAlgorithm,
        digest: impl Into<Vec<u8>>,
    ) -> Result<Self, WrongDigestLength> {
        let digest = digest.into();
        if digest.len() != algorithm.digest_length() {
            return Err(WrongDigestLength {
                algorithm,
                length: digest.len(),
            });
        }
        Ok(Self { algorithm, digest })
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    pub(super) fn to_base64(&self) -> String {
        STANDARD.encode(&self.digest)
    }
}

/// A digest that is not as long as its algorithm's.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a digest of {length} bytes cannot be signed with {algorithm}")]
pub struct WrongDigestLength {
    /// The algorithm.
    pub algorithm: SignatureAlgorithm,
    /// The digest's length in bytes.
    pub length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_as_long_as_its_algorithms() {
        for algorithm in SignatureAlgorithm::ALL {
            let length = algorithm.digest_length();
            assert!(DigestToSign::new(algorithm, vec![0; length]).is_ok());
            let wrong = Err(WrongDigestLength {
                algorithm,
                length: length + 1,
            });
            assert_eq!(DigestToSign::new(algorithm, vec![0; length + 1]), wrong);
        }
    }

    #[test]
    fn names_lead_back_to_their_algorithm() {
        for algorithm in SignatureAlgorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(serde_json::to_value(algorithm).unwrap(), algorithm.name());
        }
        assert_eq!(
            "rsassa-pss".parse::<SignatureAlgorithm>(),
            Err(UnknownSignatureAlgorithm)
        );
    }
}
