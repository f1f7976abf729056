//! Keys in PKCS #11 modules.

mod single_part;
mod token;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openssl::bn::BigNum;
use openssl::ecdsa::EcdsaSig;
use openssl::error::ErrorStack;
use serde::Deserialize;
use tokio::sync::Semaphore;
use zeroize::{Zeroize, ZeroizeOnDrop};

use self::token::Token;
use crate::chain::{Chain, ChainError};
use crate::{KeyAlgorithm, KeyStorage, SigningKey, SigningKeyError};

/// Location of a key, and access to it.
#[derive(Clone, Debug)]
pub struct Pkcs11Settings {
    /// The module, a shared library.
    pub module: PathBuf,
    /// The token's label.
    pub token: String,
    /// The key's label (`CKA_LABEL`), if it has one to be found by.
    pub key_label: Option<String>,
    /// Its id (`CKA_ID`), likewise.
    pub key_id: Option<Vec<u8>>,
    /// User PIN of the token.
    pub pin: Pin,
    /// Most sessions at one time.
    pub sessions: usize,
    /// Longest time for one signature, the wait for a session included.
    pub timeout: Duration,
}

/// The PIN of a token's user. It is in no `Debug` output, and wiped when it is
/// dropped.
#[derive(Clone, Deserialize, Zeroize, ZeroizeOnDrop)]
#[serde(transparent)]
pub struct Pin(String);

/// Reason why a module's key cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum Pkcs11KeyError {
    /// The certificates do not do.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Nothing says which key it is.
    #[error("neither a label nor an id names the key on the token")]
    NoName,
}

/// A key in a module. Sessions are opened when needed, and again after the token was absent.
pub struct Pkcs11Key {
    token: Arc<Token>,
    places: Arc<Semaphore>,
    timeout: Duration,
    chain: Chain,
}

impl Pin {
    /// A PIN.
    #[must_use]
    pub fn new(pin: String) -> Self {
        Self(pin)
    }
}

impl std::fmt::Debug for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pin")
    }
}

impl Pkcs11Key {
    /// A key with its certificates in PEM, the signer's first. The token is not opened yet: it may
    /// be attached later.
    ///
    /// # Errors
    /// [`Pkcs11KeyError`].
    pub fn new(settings: Pkcs11Settings, certificates: &[u8]) -> Result<Self, Pkcs11KeyError> {
        if settings.key_label.is_none() && settings.key_id.is_none() {
            return Err(Pkcs11KeyError::NoName);
        }
        Ok(Self {
            chain: Chain::from_pem(certificates)?,
            places: Arc::new(Semaphore::new(settings.sessions)),
            timeout: settings.timeout,
            token: Arc::new(Token::new(settings)),
        })
    }

    /// Runs a call on the token once there is a slot, within the time limit.
    async fn by_token<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Token) -> Result<T, SigningKeyError> + Send + 'static,
    ) -> Result<T, SigningKeyError> {
        let done = tokio::time::timeout(self.timeout, self.in_place(call)).await;
        done.unwrap_or_else(|_| {
            Err(SigningKeyError::Unavailable(
                "the module does not answer in time".to_owned(),
            ))
        })
    }

    async fn in_place<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Token) -> Result<T, SigningKeyError> + Send + 'static,
    ) -> Result<T, SigningKeyError> {
        let closed = || SigningKeyError::Unavailable("the module is closed".to_owned());
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| closed())?;
        let token = self.token.clone();
        let calling = tokio::task::spawn_blocking(move || {
            // A module that hangs keeps its slot, so that few threads hang.
            let _place = place;
            call(&token)
        });
        calling.await.unwrap_or_else(|_| Err(closed()))
    }
}

#[async_trait]
impl SigningKey for Pkcs11Key {
    fn chain(&self) -> &[Vec<u8>] {
        &self.chain.der
    }

    fn algorithm(&self) -> KeyAlgorithm {
        self.chain.algorithm
    }

    fn storage(&self) -> KeyStorage {
        KeyStorage::Device
    }

    async fn check(&self) -> Result<(), SigningKeyError> {
        self.by_token(Token::check).await
    }

    async fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.algorithm().check(digest)?;
        let is_rsa = self.algorithm() == KeyAlgorithm::Rs256;
        let data = match is_rsa {
            true => [&SHA_256_INFO, digest].concat(),
            false => digest.to_vec(),
        };
        let algorithm = self.algorithm();
        let value = self
            .by_token(move |token| token.sign(algorithm, &data))
            .await?;
        match is_rsa {
            true => Ok(value),
            false => der_of(&value).map_err(|error| SigningKeyError::Refused(error.to_string())),
        }
    }
}

/// A DigestInfo of SHA-256 without the digest (RFC 8017, 9.2, note 1): modules pad their input, and
/// name no algorithm.
const SHA_256_INFO: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// Converts the concatenated r and s of modules (PKCS #11 v2.40, 2.3.1).
fn der_of(value: &[u8]) -> Result<Vec<u8>, ErrorStack> {
    let (r, s) = value.split_at(value.len() / 2);
    EcdsaSig::from_private_components(BigNum::from_slice(r)?, BigNum::from_slice(s)?)?.to_der()
}
