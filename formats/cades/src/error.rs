use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};

/// Error of creating a signature.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A certificate or time-stamp token cannot be read.
    #[error(transparent)]
    Unreadable(#[from] parafa_pki::Error),
    /// The chain has no signer certificate.
    #[error("signer certificate is missing")]
    NoSignerCertificate,
    /// The signature algorithm is not allowed for new signatures.
    #[error("{0} is not accepted for new signatures")]
    Algorithm(SignatureAlgorithm),
    /// The digest algorithm is not allowed for new signatures.
    #[error("{0} is not accepted for new signatures")]
    WeakDigest(DigestAlgorithm),
    /// The digest of the content has the wrong length for its algorithm.
    #[error("a digest of {length} bytes is not one of {algorithm}")]
    DigestLength {
        /// Algorithm of the digest.
        algorithm: DigestAlgorithm,
        /// Actual length.
        length: usize,
    },
    /// The signing time cannot be encoded.
    #[error("{0} seconds since 1970 are no signing time")]
    SigningTime(i64),
    /// The digest algorithms of attributes and signature differ.
    #[error("attributes digested with {attributes} do not go with a signature over {signature}")]
    DigestConflict {
        /// Digest algorithm of the attributes.
        attributes: DigestAlgorithm,
        /// Digest algorithm of the signature.
        signature: DigestAlgorithm,
    },
}
