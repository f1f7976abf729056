use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A digest algorithm of FIPS 180-4, by its name in `wit/CATALOGUE.md`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum DigestAlgorithm {
    /// Only to check what others made.
    Sha1,
    /// The usual one.
    Sha256,
    /// For P-384.
    Sha384,
    /// For P-521 and long RSA keys.
    Sha512,
}

/// A signature algorithm with its digest, by its name in `wit/CATALOGUE.md`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum SignatureAlgorithm {
    /// ECDSA on the key's curve; the value is a DER `ECDSA-Sig-Value` (RFC 3279, 2.2.3).
    Ecdsa(DigestAlgorithm),
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    RsaPkcs1(DigestAlgorithm),
    /// RSASSA-PSS (RFC 8017, 8.1), MGF1 with the same digest, salt of its length.
    RsaPss(DigestAlgorithm),
}

impl DigestAlgorithm {
    const ALL: [Self; 4] = [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512];

    /// The catalogue name, such as `SHA-256`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA-1",
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    /// Length of the digest in bytes.
    #[must_use]
    pub fn output_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

impl SignatureAlgorithm {
    /// The digest that is signed.
    #[must_use]
    pub fn digest(self) -> DigestAlgorithm {
        match self {
            Self::Ecdsa(digest) | Self::RsaPkcs1(digest) | Self::RsaPss(digest) => digest,
        }
    }

    fn scheme(self) -> &'static str {
        match self {
            Self::Ecdsa(_) => "ECDSA",
            Self::RsaPkcs1(_) => "RSA-PKCS1",
            Self::RsaPss(_) => "RSA-PSS",
        }
    }
}

impl fmt::Display for DigestAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}",
            self.scheme(),
            self.digest().name().replace('-', "")
        )
    }
}

impl FromStr for DigestAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

impl FromStr for SignatureAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        DigestAlgorithm::ALL
            .into_iter()
            .flat_map(|digest| {
                [
                    Self::Ecdsa(digest),
                    Self::RsaPkcs1(digest),
                    Self::RsaPss(digest),
                ]
            })
            .find(|algorithm| algorithm.to_string() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

impl TryFrom<String> for DigestAlgorithm {
    type Error = UnknownAlgorithm;

    fn try_from(name: String) -> Result<Self, UnknownAlgorithm> {
        name.parse()
    }
}

impl TryFrom<String> for SignatureAlgorithm {
    type Error = UnknownAlgorithm;

    fn try_from(name: String) -> Result<Self, UnknownAlgorithm> {
        name.parse()
    }
}

impl From<DigestAlgorithm> for String {
    fn from(algorithm: DigestAlgorithm) -> Self {
        algorithm.to_string()
    }
}

impl From<SignatureAlgorithm> for String {
    fn from(algorithm: SignatureAlgorithm) -> Self {
        algorithm.to_string()
    }
}

/// A name that is not in the catalogue.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("unknown algorithm {0:?}")]
pub struct UnknownAlgorithm(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogue_names_are_read_and_written() {
        for name in [
            "RSA-PKCS1-SHA256",
            "RSA-PSS-SHA512",
            "ECDSA-SHA384",
            "ECDSA-SHA1",
        ] {
            assert_eq!(
                name.parse::<SignatureAlgorithm>().unwrap().to_string(),
                name
            );
        }
        assert_eq!("SHA-512".parse(), Ok(DigestAlgorithm::Sha512));
    }

    #[test]
    fn other_names_are_unknown() {
        assert_eq!(
            "MD5".parse::<DigestAlgorithm>(),
            Err(UnknownAlgorithm("MD5".into()))
        );
        assert_eq!(
            "ecdsa-sha256".parse::<SignatureAlgorithm>(),
            Err(UnknownAlgorithm("ecdsa-sha256".into()))
        );
    }
}
