use std::fmt;
use std::str::FromStr;

/// A digest algorithm by its catalogue name.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum DigestAlgorithm {
    /// Only to check what others made.
    Sha1,
    /// FIPS 180-4.
    Sha256,
    /// FIPS 180-4.
    Sha384,
    /// FIPS 180-4.
    Sha512,
}

impl DigestAlgorithm {
    /// The catalogue name.
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

/// A signature algorithm with its digest, by its catalogue name.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SignatureAlgorithm {
    /// ECDSA on the key's curve; the value is a DER `ECDSA-Sig-Value`.
    Ecdsa(DigestAlgorithm),
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    RsaPkcs1(DigestAlgorithm),
    /// RSASSA-PSS (RFC 8017, 8.1), MGF1 with the same digest, salt of its length.
    RsaPss(DigestAlgorithm),
}

impl SignatureAlgorithm {
    /// The digest that is signed.
    #[must_use]
    pub fn digest(self) -> DigestAlgorithm {
        match self {
            Self::Ecdsa(digest) | Self::RsaPkcs1(digest) | Self::RsaPss(digest) => digest,
        }
    }

    /// The catalogue name.
    #[must_use]
    pub fn name(self) -> &'static str {
        use DigestAlgorithm as D;

        match self {
            Self::Ecdsa(D::Sha1) => "ECDSA-SHA1",
            Self::Ecdsa(D::Sha256) => "ECDSA-SHA256",
            Self::Ecdsa(D::Sha384) => "ECDSA-SHA384",
            Self::Ecdsa(D::Sha512) => "ECDSA-SHA512",
            Self::RsaPkcs1(D::Sha1) => "RSA-PKCS1-SHA1",
            Self::RsaPkcs1(D::Sha256) => "RSA-PKCS1-SHA256",
            Self::RsaPkcs1(D::Sha384) => "RSA-PKCS1-SHA384",
            Self::RsaPkcs1(D::Sha512) => "RSA-PKCS1-SHA512",
            Self::RsaPss(D::Sha1) => "RSA-PSS-SHA1",
            Self::RsaPss(D::Sha256) => "RSA-PSS-SHA256",
            Self::RsaPss(D::Sha384) => "RSA-PSS-SHA384",
            Self::RsaPss(D::Sha512) => "RSA-PSS-SHA512",
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
        f.write_str(self.name())
    }
}

impl FromStr for DigestAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512]
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

impl FromStr for SignatureAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [
            DigestAlgorithm::Sha1,
            DigestAlgorithm::Sha256,
            DigestAlgorithm::Sha384,
            DigestAlgorithm::Sha512,
        ]
        .into_iter()
        .flat_map(|digest| {
            [
                Self::Ecdsa(digest),
                Self::RsaPkcs1(digest),
                Self::RsaPss(digest),
            ]
        })
        .find(|algorithm| algorithm.name() == name)
        .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
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
    fn every_name_reads_back_as_its_algorithm() {
        for name in ["RSA-PKCS1-SHA256", "RSA-PSS-SHA512", "ECDSA-SHA384"] {
            assert_eq!(name.parse::<SignatureAlgorithm>().unwrap().name(), name);
        }
        assert_eq!(
            "MD5".parse::<DigestAlgorithm>(),
            Err(UnknownAlgorithm("MD5".into()))
        );
    }
}
