use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};

/// Why a signature cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A certificate or time-stamp token cannot be read.
    #[error(transparent)]
    Unreadable(#[from] parafa_pki::Error),
    /// There is nobody to sign.
    #[error("signer certificate is missing")]
    NoSignerCertificate,
    /// Nothing new is signed with the algorithm.
    #[error("{0} is not accepted for new signatures")]
    Algorithm(SignatureAlgorithm),
    /// Nothing new is signed with the digest algorithm.
    #[error("{0} is not accepted for new signatures")]
    WeakDigest(DigestAlgorithm),
    /// The digest of the content does not have the length of its algorithm.
    #[error("a digest of {length} bytes is not one of {algorithm}")]
    DigestLength {
        /// The algorithm that was named.
        algorithm: DigestAlgorithm,
        /// The length that was given.
        length: usize,
    },
    /// The attributes were made for another digest than the one that is signed.
    #[error("attributes digested with {attributes} do not go with a signature over {signature}")]
    DigestConflict {
        /// The digest that the attributes name.
        attributes: DigestAlgorithm,
        /// The digest of the signature algorithm.
        signature: DigestAlgorithm,
    },
}
