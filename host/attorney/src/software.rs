//! A key in memory.

use async_trait::async_trait;
use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;

use crate::chain::{Chain, ChainError};
use crate::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError};

/// Reason why a key in files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SoftwareKeyError {
    /// The certificates do not do.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The key cannot be read.
    #[error("the key cannot be read as PEM without a passphrase")]
    Key(#[source] ErrorStack),
    /// The key is not the one of the first certificate.
    #[error("the key is not the one of the first certificate")]
    OtherKey,
}

/// A key in memory, without a device: for sandboxes.
pub struct SoftwareKey {
    key: PKey<Private>,
    chain: Chain,
}

impl SoftwareKey {
    /// Reads a key (PKCS #8, PKCS #1 or SEC 1) and certificates, the signer's
    /// first, from PEM.
    ///
    /// # Errors
    /// [`SoftwareKeyError`].
    pub fn from_pem(key: &[u8], certificates: &[u8]) -> Result<Self, SoftwareKeyError> {
        let chain = Chain::from_pem(certificates)?;
        // The callback prevents a prompt for a passphrase on the terminal.
        let key = PKey::private_key_from_pem_callback(key, |_| Ok(0));
        let key = key.map_err(SoftwareKeyError::Key)?;
        let own = chain.signer.public_key().map_err(ChainError::Unreadable)?;
        if !own.public_eq(&key) {
            return Err(SoftwareKeyError::OtherKey);
        }
        Ok(Self { key, chain })
    }

    fn sign(&self, digest: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        let mut context = PkeyCtx::new(&self.key)?;
        context.sign_init()?;
        if self.chain.algorithm == KeyAlgorithm::Rs256 {
            context.set_rsa_padding(Padding::PKCS1)?;
            context.set_signature_md(Md::sha256())?;
        }
        let mut value = Vec::new();
        context.sign_to_vec(digest, &mut value)?;
        Ok(value)
    }
}

#[async_trait]
impl SigningKey for SoftwareKey {
    fn chain(&self) -> &[Vec<u8>] {
        &self.chain.der
    }

    fn algorithm(&self) -> KeyAlgorithm {
        self.chain.algorithm
    }

    fn storage(&self) -> KeyStorage {
        KeyStorage::Memory
    }

    async fn check(&self) -> Result<(), SigningKeyError> {
        Ok(())
    }

    async fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.algorithm().check(digest)?;
        self.sign(digest)
            .map_err(|error| SigningKeyError::Refused(error.to_string()))
    }
}
