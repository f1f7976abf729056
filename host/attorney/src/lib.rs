//! The responsible attorney's signing key.
//!
//! A [`SigningKey`] signs digests and nothing else: the signed content never reaches it.
//! [`SoftwareKey`] has the key in memory, for sandboxes. [`Pkcs11Key`] leaves it in the module that
//! keeps it (PKCS #11 v2.40), such as a qualified signature creation device.

mod chain;
mod pkcs11;
mod software;

use async_trait::async_trait;

pub use chain::ChainError;
pub use pkcs11::{Pin, Pkcs11Key, Pkcs11KeyError, Pkcs11Settings};
pub use software::{SoftwareKey, SoftwareKeyError};

/// A key that signs digests, with its certificate chain.
#[async_trait]
pub trait SigningKey: Send + Sync {
    /// The certificates in DER, the signer's first, then its issuers as far as
    /// they are known here.
    fn chain(&self) -> &[Vec<u8>];

    /// Signature algorithm of the key.
    fn algorithm(&self) -> KeyAlgorithm;

    /// Storage of the key.
    fn storage(&self) -> KeyStorage;

    /// Checks that the key can be reached, without a signature.
    ///
    /// # Errors
    /// [`SigningKeyError`], as [`SigningKey::sign_digest`] would have.
    async fn check(&self) -> Result<(), SigningKeyError>;

    /// Signs a digest of [`KeyAlgorithm::digest_octets`] octets: for RSA the
    /// signature's octets (RFC 8017, 8.2), for ECDSA a DER `ECDSA-Sig-Value`
    /// (RFC 3279, 2.2.3).
    ///
    /// # Errors
    /// [`SigningKeyError`].
    async fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SigningKeyError>;
}

/// Storage of a key, which decides for whom it may sign.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyStorage {
    /// A device: its signatures may be qualified.
    Device,
    /// This process, from a file: its signatures must not be relied on.
    Memory,
}

/// An algorithm by its name of JSON Web Algorithms (RFC 7518, 3.1).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyAlgorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
}

impl KeyAlgorithm {
    /// Octets of the digests that are signed.
    #[must_use]
    pub const fn digest_octets(self) -> usize {
        match self {
            Self::Rs256 | Self::Es256 => 32,
            Self::Es384 => 48,
        }
    }

    fn check(self, digest: &[u8]) -> Result<(), SigningKeyError> {
        if digest.len() == self.digest_octets() {
            return Ok(());
        }
        Err(SigningKeyError::Refused(format!(
            "a digest of {} octets is none of {self:?}",
            digest.len()
        )))
    }
}

/// Reason for the lack of a signature.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SigningKeyError {
    /// The key cannot be reached; trying again may help.
    #[error("the key cannot be reached: {0}")]
    Unavailable(String),
    /// The key does not sign; retrying does not help.
    #[error("the key refuses to sign: {0}")]
    Refused(String),
}
