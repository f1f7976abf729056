//! Keys that sign what the world issues: certificates, OCSP answers,
//! revocation lists and time-stamp tokens.

use const_oid::db::rfc5912::{
    ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, SHA_256_WITH_RSA_ENCRYPTION,
};
use der::{Any, Decode, Encode, asn1::BitString, oid::ObjectIdentifier};
use openssl::{
    ec::{EcGroup, EcKey},
    ecdsa::EcdsaSig,
    error::ErrorStack,
    hash::MessageDigest,
    md::Md,
    nid::Nid,
    pkey::{Id, PKey, Private},
    pkey_ctx::PkeyCtx,
    rsa::{Padding, Rsa},
    sign::Signer,
};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::error::WorldError;

/// What kind of key to make.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum KeySpec {
    P256,
    P384,
    P521,
    /// RSA with a modulus of this many bits.
    Rsa(u32),
}

/// A private key and the one algorithm with which it signs messages.
pub(crate) struct SigningKey {
    key: PKey<Private>,
    algorithm: MessageAlgorithm,
}

/// What a device makes of a digest.
pub(crate) struct DeviceSignature {
    /// `EC` or `RSA`.
    pub(crate) kind: &'static str,
    pub(crate) value: Vec<u8>,
}

#[derive(Clone, Copy)]
enum MessageAlgorithm {
    EcdsaSha256,
    EcdsaSha384,
    EcdsaSha512,
    RsaSha256,
}

impl SigningKey {
    pub(crate) fn generate(spec: KeySpec) -> Result<Self, ErrorStack> {
        let key = match spec {
            KeySpec::P256 => generate_ec(Nid::X9_62_PRIME256V1)?,
            KeySpec::P384 => generate_ec(Nid::SECP384R1)?,
            KeySpec::P521 => generate_ec(Nid::SECP521R1)?,
            KeySpec::Rsa(bits) => PKey::from_rsa(Rsa::generate(bits)?)?,
        };
        Ok(Self::from_key(key))
    }

    /// Whether it is of that kind.
    pub(crate) fn is(&self, spec: KeySpec) -> bool {
        let curve = || self.key.ec_key().ok()?.group().curve_name();
        match spec {
            KeySpec::P256 => curve() == Some(Nid::X9_62_PRIME256V1),
            KeySpec::P384 => curve() == Some(Nid::SECP384R1),
            KeySpec::P521 => curve() == Some(Nid::SECP521R1),
            KeySpec::Rsa(bits) => self.key.rsa().is_ok() && self.key.bits() == bits,
        }
    }

    /// Reads PKCS #8 in PEM.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, ErrorStack> {
        PKey::private_key_from_pem(pem).map(Self::from_key)
    }

    /// Writes PKCS #8 in PEM, not encrypted.
    pub(crate) fn to_pem(&self) -> Result<Vec<u8>, ErrorStack> {
        self.key.private_key_to_pem_pkcs8()
    }

    pub(crate) fn public_key(&self) -> Result<SubjectPublicKeyInfoOwned, WorldError> {
        let der = self.key.public_key_to_der()?;
        Ok(SubjectPublicKeyInfoOwned::from_der(&der)?)
    }

    /// The algorithm of [`SigningKey::sign`].
    pub(crate) fn algorithm(&self) -> AlgorithmIdentifierOwned {
        let (oid, parameters): (ObjectIdentifier, _) = match self.algorithm {
            MessageAlgorithm::EcdsaSha256 => (ECDSA_WITH_SHA_256, None),
            MessageAlgorithm::EcdsaSha384 => (ECDSA_WITH_SHA_384, None),
            MessageAlgorithm::EcdsaSha512 => (ECDSA_WITH_SHA_512, None),
            MessageAlgorithm::RsaSha256 => (SHA_256_WITH_RSA_ENCRYPTION, Some(Any::null())),
        };
        AlgorithmIdentifierOwned { oid, parameters }
    }

    /// Signs a message (ECDSA signatures in DER).
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        let digest = match self.algorithm {
            MessageAlgorithm::EcdsaSha256 | MessageAlgorithm::RsaSha256 => MessageDigest::sha256(),
            MessageAlgorithm::EcdsaSha384 => MessageDigest::sha384(),
            MessageAlgorithm::EcdsaSha512 => MessageDigest::sha512(),
        };
        Signer::new(digest, &self.key)?.sign_oneshot_to_vec(message)
    }

    /// Signs the encoding of a to-be-signed structure.
    pub(crate) fn sign_der(&self, to_be_signed: &impl Encode) -> Result<BitString, WorldError> {
        let signature = self.sign(&to_be_signed.to_der()?)?;
        Ok(BitString::from_bytes(&signature)?)
    }

    /// Signs a digest, in the form that devices give: ECDSA's r and s one behind
    /// the other, each as long as the curve's field, or RSASSA-PKCS1-v1_5.
    pub(crate) fn sign_digest(
        &self,
        hash: MessageDigest,
        digest: &[u8],
    ) -> Result<DeviceSignature, ErrorStack> {
        if let Ok(key) = self.key.ec_key() {
            let field_octets = i32::try_from(self.key.bits().div_ceil(8)).unwrap_or(i32::MAX);
            let signature = EcdsaSig::sign(digest, &key)?;
            let numbers = [signature.r(), signature.s()];
            let [r, s] = numbers.map(|number| number.to_vec_padded(field_octets));
            return Ok(DeviceSignature {
                kind: "EC",
                value: [r?, s?].concat(),
            });
        }
        let mut context = PkeyCtx::new(&self.key)?;
        context.sign_init()?;
        context.set_rsa_padding(Padding::PKCS1)?;
        let hash = Md::from_nid(hash.type_()).ok_or_else(ErrorStack::get)?;
        context.set_signature_md(hash)?;
        let mut value = Vec::new();
        context.sign_to_vec(digest, &mut value)?;
        Ok(DeviceSignature { kind: "RSA", value })
    }

    /// The key itself, for signatures over a digest.
    pub(crate) fn pkey(&self) -> &PKey<Private> {
        &self.key
    }

    fn from_key(key: PKey<Private>) -> Self {
        let algorithm = match (key.id(), key.bits()) {
            (Id::EC, 384) => MessageAlgorithm::EcdsaSha384,
            (Id::EC, 521) => MessageAlgorithm::EcdsaSha512,
            (Id::EC, _) => MessageAlgorithm::EcdsaSha256,
            _ => MessageAlgorithm::RsaSha256,
        };
        Self { key, algorithm }
    }
}

fn generate_ec(curve: Nid) -> Result<PKey<Private>, ErrorStack> {
    let group = EcGroup::from_curve_name(curve)?;
    PKey::from_ec_key(EcKey::generate(&group)?)
}
