use crate::named::{named, read_and_written};

named! {
    /// A digest algorithm of FIPS 180-4.
    pub enum DigestAlgorithm("digest algorithm") {
        /// Only to check what others made.
        Sha1 = "SHA-1",
        /// The usual one.
        Sha256 = "SHA-256",
        /// For P-384.
        Sha384 = "SHA-384",
        /// For P-521 and long RSA keys.
        Sha512 = "SHA-512",
    }
}

/// What a hasher of the host computes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum HashFunction {
    /// The check value of ZIP archives (APPNOTE.TXT 4.4.7), four bytes, the
    /// most significant first.
    Crc32,
    /// A digest.
    Digest(DigestAlgorithm),
}

/// A signature algorithm with its digest.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SignatureAlgorithm {
    /// ECDSA on the key's curve; the value is a DER `ECDSA-Sig-Value`
    /// (RFC 3279, 2.2.3).
    Ecdsa(DigestAlgorithm),
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    RsaPkcs1(DigestAlgorithm),
    /// RSASSA-PSS (RFC 8017, 8.1), MGF1 with the same digest, salt of its length.
    RsaPss(DigestAlgorithm),
}

impl DigestAlgorithm {
    /// Length of the digest in bytes.
    #[must_use]
    pub const fn output_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

impl HashFunction {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Crc32,
        Self::Digest(DigestAlgorithm::Sha1),
        Self::Digest(DigestAlgorithm::Sha256),
        Self::Digest(DigestAlgorithm::Sha384),
        Self::Digest(DigestAlgorithm::Sha512),
    ];

    /// The catalogue name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "CRC-32",
            Self::Digest(algorithm) => algorithm.name(),
        }
    }
}

impl From<DigestAlgorithm> for HashFunction {
    fn from(algorithm: DigestAlgorithm) -> Self {
        Self::Digest(algorithm)
    }
}

impl SignatureAlgorithm {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Ecdsa(DigestAlgorithm::Sha1),
        Self::Ecdsa(DigestAlgorithm::Sha256),
        Self::Ecdsa(DigestAlgorithm::Sha384),
        Self::Ecdsa(DigestAlgorithm::Sha512),
        Self::RsaPkcs1(DigestAlgorithm::Sha1),
        Self::RsaPkcs1(DigestAlgorithm::Sha256),
        Self::RsaPkcs1(DigestAlgorithm::Sha384),
        Self::RsaPkcs1(DigestAlgorithm::Sha512),
        Self::RsaPss(DigestAlgorithm::Sha1),
        Self::RsaPss(DigestAlgorithm::Sha256),
        Self::RsaPss(DigestAlgorithm::Sha384),
        Self::RsaPss(DigestAlgorithm::Sha512),
    ];

    /// The digest that is signed.
    #[must_use]
    pub const fn digest(self) -> DigestAlgorithm {
        match self {
            Self::Ecdsa(digest) | Self::RsaPkcs1(digest) | Self::RsaPss(digest) => digest,
        }
    }

    /// The catalogue name.
    #[must_use]
    pub const fn name(self) -> &'static str {
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

read_and_written!(HashFunction("hash function"));
read_and_written!(SignatureAlgorithm("signature algorithm"));
