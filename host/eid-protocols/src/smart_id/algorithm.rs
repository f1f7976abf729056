//! Names of algorithms in requests and answers.

/// `signatureAlgorithm` of RSASSA-PSS (RFC 8017, 8.1), which authentications use.
pub const RSASSA_PSS: &str = "rsassa-pss";
/// `signatureAlgorithm` of RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) with SHA-256.
pub const SHA_256_WITH_RSA: &str = "sha256WithRSAEncryption";
/// The same with SHA-384.
pub const SHA_384_WITH_RSA: &str = "sha384WithRSAEncryption";
/// The same with SHA-512.
pub const SHA_512_WITH_RSA: &str = "sha512WithRSAEncryption";

/// `hashAlgorithm` of the parameters of RSASSA-PSS.
pub const SHA_256: &str = "SHA-256";
/// `maskGenAlgorithm` of the same.
pub const MGF1: &str = "id-mgf1";
/// `trailerField` of the same.
pub const TRAILER_FIELD: &str = "0xbc";
