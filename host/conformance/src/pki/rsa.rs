use der::Decode;
use openssl::md::Md;
use openssl::pkey::{PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use spki::SubjectPublicKeyInfoOwned;

use super::error::SignerError;

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

    /// RSASSA-PKCS1-v1_5 over a SHA-256 digest (RFC 8017 clause 8.2), which is the
    /// same every time.
    pub(super) fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SignerError> {
        let mut context = PkeyCtx::new(&self.0)?;
        context.sign_init()?;
        context.set_rsa_padding(Padding::PKCS1)?;
        context.set_signature_md(Md::sha256())?;
        let mut value = Vec::new();
        context.sign_to_vec(digest, &mut value)?;
        Ok(value)
    }
}
