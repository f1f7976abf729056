use der::Decode;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use spki::SubjectPublicKeyInfoOwned;

use super::SignerError;

/// An RSA key of 4096 bits, which takes too long to be made of a seed.
const KEY: &[u8] = include_bytes!("rsa.pem");

/// An RSA key that everybody has.
pub(super) struct Key(PKey<Private>);

impl Key {
    pub(super) fn of_everybody() -> Result<Self, SignerError> {
        Ok(Self(PKey::private_key_from_pem(KEY)?))
    }

    pub(super) fn public_key(&self) -> Result<SubjectPublicKeyInfoOwned, SignerError> {
        let der = self.0.public_key_to_der()?;
        Ok(SubjectPublicKeyInfoOwned::from_der(&der)?)
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 clause 8.2), which is the same
    /// every time.
    pub(super) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, SignerError> {
        let mut signer = Signer::new(MessageDigest::sha256(), &self.0)?;
        Ok(signer.sign_oneshot_to_vec(bytes)?)
    }
}
