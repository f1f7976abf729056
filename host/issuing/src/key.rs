use const_oid::db::rfc5912::{
    ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, SHA_256_WITH_RSA_ENCRYPTION,
};
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::error::ErrorStack;
use openssl::hash::{MessageDigest, hash};
use openssl::md::Md;
use openssl::nid::Nid;
use openssl::pkey::{Id, PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::{Padding, Rsa};
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::{DerSignature, SigningKey};

use crate::IssuingError;
use crate::der::{NULL, algorithm, oid, sequence, tlv};

/// Kind of key to generate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyKind {
    /// On the curve P-256.
    P256,
    /// On the curve P-384.
    P384,
    /// On the curve P-521.
    P521,
    /// RSA with a modulus of this many bits.
    Rsa(u32),
}

/// A private key and the one algorithm with which it signs messages: ECDSA with
/// the hash that suits its curve, or RSASSA-PKCS1-v1_5 with SHA-256.
#[derive(Clone, Debug)]
pub struct Key {
    pkey: PKey<Private>,
    /// The same key, if signatures must be reproducible.
    seeded: Option<SigningKey>,
}

impl Key {
    /// Generates a new key.
    ///
    /// # Errors
    ///
    /// OpenSSL generates none.
    pub fn generate(kind: KeyKind) -> Result<Self, IssuingError> {
        let pkey = match kind {
            KeyKind::P256 => PKey::ec_gen("prime256v1")?,
            KeyKind::P384 => PKey::ec_gen("secp384r1")?,
            KeyKind::P521 => PKey::ec_gen("secp521r1")?,
            KeyKind::Rsa(bits) => PKey::from_rsa(Rsa::generate(bits)?)?,
        };
        Ok(pkey.into())
    }

    /// The P-256 key whose private number is `seed`. It signs deterministically (RFC 6979).
    ///
    /// # Errors
    ///
    /// The number is not in the curve's range.
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, IssuingError> {
        let seeded = SigningKey::from_bytes(seed.into())?;
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
        let point = seeded.verifying_key().to_encoded_point(false);
        let mut context = BigNumContext::new()?;
        let point = EcPoint::from_bytes(&group, point.as_bytes(), &mut context)?;
        let number = BigNum::from_slice(seed)?;
        let key = EcKey::from_private_components(&group, &number, &point)?;
        Ok(Self {
            pkey: PKey::from_ec_key(key)?,
            seeded: Some(seeded),
        })
    }

    /// Reads PKCS #8 in PEM.
    ///
    /// # Errors
    ///
    /// When there is no key in it.
    pub fn from_pem(pem: &[u8]) -> Result<Self, IssuingError> {
        Ok(PKey::private_key_from_pem(pem)?.into())
    }

    /// Writes PKCS #8 in PEM, not encrypted.
    ///
    /// # Errors
    ///
    /// When OpenSSL fails.
    pub fn to_pem(&self) -> Result<Vec<u8>, IssuingError> {
        Ok(self.pkey.private_key_to_pem_pkcs8()?)
    }

    /// Returns true if the key is of that kind.
    #[must_use]
    pub fn is(&self, kind: KeyKind) -> bool {
        let curve = || self.pkey.ec_key().ok()?.group().curve_name();
        match kind {
            KeyKind::P256 => curve() == Some(Nid::X9_62_PRIME256V1),
            KeyKind::P384 => curve() == Some(Nid::SECP384R1),
            KeyKind::P521 => curve() == Some(Nid::SECP521R1),
            KeyKind::Rsa(bits) => self.pkey.id() == Id::RSA && self.pkey.bits() == bits,
        }
    }

    /// SubjectPublicKeyInfo, DER.
    ///
    /// # Errors
    ///
    /// When OpenSSL fails.
    pub fn public_key(&self) -> Result<Vec<u8>, IssuingError> {
        Ok(self.pkey.public_key_to_der()?)
    }

    /// The AlgorithmIdentifier of [`Key::sign`] (RFC 5758, 3.2; RFC 4055, 5), DER.
    #[must_use]
    pub fn algorithm(&self) -> Vec<u8> {
        match (self.pkey.id(), self.pkey.bits()) {
            (Id::EC, 384) => algorithm(ECDSA_WITH_SHA_384),
            (Id::EC, 521) => algorithm(ECDSA_WITH_SHA_512),
            (Id::EC, _) => algorithm(ECDSA_WITH_SHA_256),
            _ => sequence(&[&oid(SHA_256_WITH_RSA_ENCRYPTION), &tlv(NULL, &[])]),
        }
    }

    /// Signs a message (ECDSA signatures in DER).
    ///
    /// # Errors
    ///
    /// When the key cannot be used.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, IssuingError> {
        let algorithm = match (self.pkey.id(), self.pkey.bits()) {
            (Id::EC, 384) => MessageDigest::sha384(),
            (Id::EC, 521) => MessageDigest::sha512(),
            _ => MessageDigest::sha256(),
        };
        self.sign_digest(algorithm, &hash(algorithm, message)?)
    }

    /// Signs a digest (ECDSA signatures in DER, RSASSA-PKCS1-v1_5).
    ///
    /// # Errors
    ///
    /// The key cannot be used, or the digest does not fit the algorithm.
    pub fn sign_digest(
        &self,
        algorithm: MessageDigest,
        digest: &[u8],
    ) -> Result<Vec<u8>, IssuingError> {
        if let Some(key) = &self.seeded {
            let signature: DerSignature = key.sign_prehash(digest)?;
            return Ok(signature.as_bytes().to_vec());
        }
        if let Ok(key) = self.pkey.ec_key() {
            return Ok(EcdsaSig::sign(digest, &key)?.to_der()?);
        }
        let mut context = PkeyCtx::new(&self.pkey)?;
        context.sign_init()?;
        context.set_rsa_padding(Padding::PKCS1)?;
        let algorithm = Md::from_nid(algorithm.type_()).ok_or_else(ErrorStack::get)?;
        context.set_signature_md(algorithm)?;
        let mut value = Vec::new();
        context.sign_to_vec(digest, &mut value)?;
        Ok(value)
    }

    /// The key itself, for other algorithms.
    #[must_use]
    pub fn pkey(&self) -> &PKey<Private> {
        &self.pkey
    }
}

impl From<PKey<Private>> for Key {
    fn from(pkey: PKey<Private>) -> Self {
        Self { pkey, seeded: None }
    }
}
