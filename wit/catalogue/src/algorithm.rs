use crate::named::{named, read_and_written};

named! {
    /// A digest algorithm of FIPS 180-4 or FIPS 202.
    pub enum DigestAlgorithm("digest algorithm") {
        /// Only for verification.
        Sha1 = "SHA-1",
        /// Only for verification, such as of Estonian cards of 2011 to 2016.
        Sha224 = "SHA-224",
        /// The usual one.
        Sha256 = "SHA-256",
        /// For P-384.
        Sha384 = "SHA-384",
        /// For P-521 and long RSA keys.
        Sha512 = "SHA-512",
        /// Only for verification.
        Sha3_224 = "SHA3-224",
        /// Only for verification.
        Sha3_256 = "SHA3-256",
        /// Only for verification.
        Sha3_384 = "SHA3-384",
        /// Only for verification.
        Sha3_512 = "SHA3-512",
        /// SHAKE256 with an output of 64 bytes, for Ed448 (RFC 8419, 3.1).
        Shake256 = "SHAKE256",
    }
}

/// Functions that a hasher of the host computes.
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
    /// RSASSA-PKCS1-v1_5 whose `DigestInfo` lacks the NULL of its algorithm, which verifiers may
    /// accept (RFC 8017, A.2.4). Only for verification.
    RsaPkcs1WithoutNull(DigestAlgorithm),
    /// RSASSA-PSS (RFC 8017, 8.1), MGF1 with the same digest, salt of its length.
    RsaPss(DigestAlgorithm),
    /// Ed25519 over the message itself (RFC 8032, 5.1).
    Ed25519,
    /// Ed448 over the message itself, with an empty context (RFC 8032, 5.2).
    Ed448,
}

impl DigestAlgorithm {
    /// Returns the length of the digest in bytes.
    #[must_use]
    pub const fn output_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Shake256 => 64,
        }
    }

    /// Returns true if it is allowed in new signatures and time-stamps (ETSI TS 119 312).
    #[must_use]
    pub const fn is_for_making(self) -> bool {
        matches!(self, Self::Sha256 | Self::Sha384 | Self::Sha512)
    }
}

impl HashFunction {
    /// Returns all functions.
    pub fn all() -> impl Iterator<Item = Self> {
        let digests = DigestAlgorithm::ALL.iter().copied();
        core::iter::once(Self::Crc32).chain(digests.map(Self::Digest))
    }

    /// Returns the catalogue name.
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

/// The name of a scheme with each digest.
macro_rules! with_digest {
    ($scheme:literal, $digest:expr) => {
        match $digest {
            DigestAlgorithm::Sha1 => concat!($scheme, "-SHA1"),
            DigestAlgorithm::Sha224 => concat!($scheme, "-SHA224"),
            DigestAlgorithm::Sha256 => concat!($scheme, "-SHA256"),
            DigestAlgorithm::Sha384 => concat!($scheme, "-SHA384"),
            DigestAlgorithm::Sha512 => concat!($scheme, "-SHA512"),
            DigestAlgorithm::Sha3_224 => concat!($scheme, "-SHA3-224"),
            DigestAlgorithm::Sha3_256 => concat!($scheme, "-SHA3-256"),
            DigestAlgorithm::Sha3_384 => concat!($scheme, "-SHA3-384"),
            DigestAlgorithm::Sha3_512 => concat!($scheme, "-SHA3-512"),
            DigestAlgorithm::Shake256 => concat!($scheme, "-SHAKE256"),
        }
    };
}

impl SignatureAlgorithm {
    /// Returns all algorithms.
    pub fn all() -> impl Iterator<Item = Self> {
        let schemes = [
            Self::Ecdsa,
            Self::RsaPkcs1,
            Self::RsaPkcs1WithoutNull,
            Self::RsaPss,
        ];
        let digests = DigestAlgorithm::ALL.iter().copied();
        digests
            .flat_map(move |digest| schemes.map(|scheme| scheme(digest)))
            .chain([Self::Ed25519, Self::Ed448])
    }

    /// Returns the digest that is signed. If the message itself is signed, it is the content's
    /// digest in CMS (RFC 8419, 3.1).
    #[must_use]
    pub const fn digest(self) -> DigestAlgorithm {
        match self {
            Self::Ecdsa(digest)
            | Self::RsaPkcs1(digest)
            | Self::RsaPkcs1WithoutNull(digest)
            | Self::RsaPss(digest) => digest,
            Self::Ed25519 => DigestAlgorithm::Sha512,
            Self::Ed448 => DigestAlgorithm::Shake256,
        }
    }

    /// Returns true if it signs the message itself instead of a digest.
    #[must_use]
    pub const fn signs_message(self) -> bool {
        matches!(self, Self::Ed25519 | Self::Ed448)
    }

    /// Returns true if it is allowed in new signatures: RSA or ECDSA, with a digest that is.
    #[must_use]
    pub const fn is_for_making(self) -> bool {
        match self {
            Self::Ecdsa(digest) | Self::RsaPkcs1(digest) | Self::RsaPss(digest) => {
                digest.is_for_making()
            }
            Self::RsaPkcs1WithoutNull(_) | Self::Ed25519 | Self::Ed448 => false,
        }
    }

    /// Returns the catalogue name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ecdsa(digest) => with_digest!("ECDSA", digest),
            Self::RsaPkcs1(digest) => with_digest!("RSA-PKCS1", digest),
            Self::RsaPkcs1WithoutNull(digest) => with_digest!("RSA-PKCS1-WITHOUT-NULL", digest),
            Self::RsaPss(digest) => with_digest!("RSA-PSS", digest),
            Self::Ed25519 => "Ed25519",
            Self::Ed448 => "Ed448",
        }
    }
}

read_and_written!(HashFunction("hash function"), HashFunction::all());
read_and_written!(
    SignatureAlgorithm("signature algorithm"),
    SignatureAlgorithm::all()
);
