//! Public keys, and verification of signatures over digests.
//!
//! AWS-LC verifies on the curve P-384 many times as fast as OpenSSL 3. Its yes is final. Otherwise,
//! because it lacks the algorithm or the kind of key, or refuses the value, OpenSSL decides:
//! nothing that OpenSSL accepts is refused here.
//!
//! Verified values are remembered: the host and its plugins meet the signatures of certificates,
//! time-stamps and responses again and again. Other crates remember their findings about keys by
//! the same type, [`Recent`].

mod quick;
mod recent;
mod verified;

use std::sync::atomic::{AtomicU64, Ordering};

use openssl::ec::EcKey;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::md::{Md, MdRef};
use openssl::pkey::{PKey, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::{Padding, Rsa};
use openssl::sha::sha256;
use openssl::sign::RsaPssSaltlen;
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

use self::quick::QuickKey;
use self::verified::{Fingerprint, VERIFIED, fingerprint};

pub use self::recent::Recent;
pub use self::verified::forget_unused;

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// Number of signature verifications in this process, whatever their result; remembered results are
/// not counted.
pub static VERIFICATIONS: AtomicU64 = AtomicU64::new(0);

/// Signature scheme.
#[derive(Clone, Copy)]
pub enum Scheme {
    /// ECDSA on the key's curve; the value is an `ECDSA-Sig-Value` in DER
    /// (RFC 3279, 2.2.3).
    Ecdsa,
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    RsaPkcs1,
    /// RSASSA-PSS (RFC 8017, 8.1).
    RsaPss {
        /// The digest of MGF1.
        mask_digest: MessageDigest,
        /// Length of the salt in bytes.
        salt_len: u8,
    },
}

/// A public key, read once.
#[derive(Clone)]
pub struct PublicKey {
    openssl: PKey<Public>,
    quick: Option<QuickKey>,
    /// SHA-256 of its `SubjectPublicKeyInfo`.
    sha256: [u8; 32],
}

impl PublicKey {
    /// Reads a DER `SubjectPublicKeyInfo` as a key of the kind that its algorithm identifier names
    /// (RFC 5480, 2.1; RFC 4055, 1.2). OpenSSL's generic reader tries all of its decoders, which
    /// takes longer than a verification.
    ///
    /// # Errors
    /// OpenSSL cannot read the key.
    pub fn from_spki(spki: &[u8]) -> Result<Self, ErrorStack> {
        let read = SubjectPublicKeyInfoRef::try_from(spki);
        let openssl = match read.map(|spki| spki.algorithm.oid) {
            Ok(EC_PUBLIC_KEY) => EcKey::public_key_from_der(spki).and_then(PKey::from_ec_key),
            Ok(RSA_ENCRYPTION) => Rsa::public_key_from_der(spki).and_then(PKey::from_rsa),
            _ => PKey::public_key_from_der(spki),
        }?;
        Ok(Self::of_openssl(openssl, spki))
    }

    /// The key that OpenSSL has read of the DER `SubjectPublicKeyInfo` `spki`.
    #[must_use]
    pub fn of_openssl(openssl: PKey<Public>, spki: &[u8]) -> Self {
        Self {
            openssl,
            quick: QuickKey::of_spki(spki),
            sha256: sha256(spki),
        }
    }

    /// OpenSSL's form of the key.
    #[must_use]
    pub fn openssl(&self) -> &PKey<Public> {
        &self.openssl
    }

    /// Returns true if `value` signs `digest`, computed by `hash`.
    ///
    /// # Errors
    /// AWS-LC does not accept the value, and OpenSSL cannot decide. That is so for many values that
    /// are no signature at all.
    pub fn verify_digest(
        &self,
        scheme: Scheme,
        hash: MessageDigest,
        digest: &[u8],
        value: &[u8],
    ) -> Result<bool, ErrorStack> {
        let fingerprint = self.fingerprint(scheme, hash, digest, value);
        let verify = || self.verify_anew(scheme, hash, digest, value);
        VERIFIED.value(fingerprint, |signs| *signs, verify)
    }

    /// Fingerprint of all inputs of a verification.
    fn fingerprint(
        &self,
        scheme: Scheme,
        hash: MessageDigest,
        digest: &[u8],
        value: &[u8],
    ) -> Fingerprint {
        let scheme = match scheme {
            Scheme::Ecdsa => [0; 3],
            Scheme::RsaPkcs1 => [1, 0, 0],
            Scheme::RsaPss {
                mask_digest,
                salt_len,
            } => [2, mask_digest.type_().as_raw(), salt_len.into()],
        };
        let [kind, mask_digest, salt_len] = scheme.map(i32::to_be_bytes);
        let hash = hash.type_().as_raw().to_be_bytes();
        let algorithm = [kind, mask_digest, salt_len, hash].concat();
        fingerprint([&algorithm, &self.sha256, digest, value])
    }

    fn verify_anew(
        &self,
        scheme: Scheme,
        hash: MessageDigest,
        digest: &[u8],
        value: &[u8],
    ) -> Result<bool, ErrorStack> {
        VERIFICATIONS.fetch_add(1, Ordering::Relaxed);
        let is_taken = |quick: &QuickKey| quick.accepts(scheme, hash, digest, value);
        if self.quick.as_ref().is_some_and(is_taken) {
            return Ok(true);
        }
        let mut context = PkeyCtx::new(&self.openssl)?;
        context.verify_init()?;
        match scheme {
            Scheme::Ecdsa => {}
            Scheme::RsaPkcs1 => context.set_rsa_padding(Padding::PKCS1)?,
            Scheme::RsaPss { salt_len, .. } => {
                context.set_rsa_padding(Padding::PKCS1_PSS)?;
                context.set_rsa_pss_saltlen(RsaPssSaltlen::custom(salt_len.into()))?;
            }
        }
        context.set_signature_md(md(hash)?)?;
        if let Scheme::RsaPss { mask_digest, .. } = scheme {
            context.set_rsa_mgf1_md(md(mask_digest)?)?;
        }
        context.verify(digest, value)
    }
}

fn md(hash: MessageDigest) -> Result<&'static MdRef, ErrorStack> {
    Md::from_nid(hash.type_()).ok_or_else(ErrorStack::get)
}
