//! Why nothing can be issued.

/// Why nothing can be issued.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    /// A certificate, time-stamp or OCSP response cannot be encoded.
    #[error("a certificate, time-stamp or OCSP response cannot be encoded")]
    Encoding(#[from] der::Error),
    /// The seed makes no key, or the key no signature.
    #[error("the seed makes no usable key")]
    Key,
    /// The RSA key makes no signature.
    #[error("the RSA key cannot be used")]
    Rsa(#[from] openssl::error::ErrorStack),
}

impl From<p256::ecdsa::Error> for SignerError {
    fn from(_: p256::ecdsa::Error) -> Self {
        Self::Key
    }
}
