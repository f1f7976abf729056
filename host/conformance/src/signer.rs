use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use openssl::x509::extension::KeyUsage;
use openssl::x509::{X509, X509NameBuilder};
use parafa_plugin_host::{
    Answerer, DigestAlgorithm, Need, NeedKind, Reply, SignRequest, SignatureAlgorithm, TargetLevel,
};

/// What the certificate calls its subject.
const COMMON_NAME: &str = "Parafa software signer";
/// How long before and after the signing time the certificate is valid, in
/// seconds.
const VALIDITY: i64 = 24 * 60 * 60;
/// Bytes kept for signature and certificates.
const RESERVE: u32 = 16 * 1024;

/// A P-256 key that nobody keeps, under a certificate that it signed itself.
///
/// Its signatures reach level B-B and prove nothing about anybody. It gives the
/// same value whenever it is asked to sign the same bytes, so that what is made
/// with it can be made again.
pub struct SoftwareSigner {
    key: PKey<Private>,
    certificate: Vec<u8>,
    time: i64,
    seed: [u8; 32],
    given: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
}

/// OpenSSL makes no key or no certificate.
#[derive(Debug, thiserror::Error)]
#[error("a software signer cannot be made")]
pub struct SignerError(#[from] ErrorStack);

impl SoftwareSigner {
    /// Makes a key and its certificate. Signatures carry `time`, in seconds
    /// since the Unix epoch, and identifiers made from `seed`.
    ///
    /// # Errors
    ///
    /// When OpenSSL fails.
    pub fn generate(time: i64, seed: [u8; 32]) -> Result<Self, SignerError> {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
        let key = PKey::from_ec_key(EcKey::generate(&group)?)?;
        let certificate = self_signed(&key, time)?.to_der()?;
        Ok(Self {
            key,
            certificate,
            time,
            seed,
            given: Mutex::default(),
        })
    }

    pub(crate) fn request(&self) -> SignRequest {
        SignRequest {
            time: self.time,
            seed: self.seed,
            target_level: TargetLevel::BB,
            signer_chain: vec![self.certificate.clone()],
            signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            reserve: RESERVE,
            params: Vec::new(),
        }
    }

    fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, ErrorStack> {
        // Nothing panics while it holds the lock.
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = given.get(bytes) {
            return Ok(value.clone());
        }
        let mut signer = Signer::new(MessageDigest::sha256(), &self.key)?;
        let value = signer.sign_oneshot_to_vec(bytes)?;
        given.insert(bytes.to_vec(), value.clone());
        Ok(value)
    }
}

#[async_trait]
impl Answerer for SoftwareSigner {
    async fn answer(&self, need: &Need) -> Reply {
        Reply::Answered(match need.kind {
            NeedKind::Signature => self.sign(&need.payload).map_err(|error| error.to_string()),
            NeedKind::Certificate | NeedKind::Revocation | NeedKind::Timestamp => {
                Err("unavailable".to_owned())
            }
        })
    }
}

fn self_signed(key: &PKey<Private>, time: i64) -> Result<X509, ErrorStack> {
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_nid(Nid::COMMONNAME, COMMON_NAME)?;
    let name = name.build();
    let serial = BigNum::from_u32(1)?.to_asn1_integer()?;
    let (not_before, not_after) = (
        Asn1Time::from_unix(time.saturating_sub(VALIDITY))?,
        Asn1Time::from_unix(time.saturating_add(VALIDITY))?,
    );

    let mut certificate = X509::builder()?;
    certificate.set_version(2)?;
    certificate.set_serial_number(&serial)?;
    certificate.set_subject_name(&name)?;
    certificate.set_issuer_name(&name)?;
    certificate.set_pubkey(key)?;
    certificate.set_not_before(&not_before)?;
    certificate.set_not_after(&not_after)?;
    certificate.append_extension(KeyUsage::new().critical().non_repudiation().build()?)?;
    certificate.sign(key, MessageDigest::sha256())?;
    Ok(certificate.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_get_the_same_value() {
        let signer = SoftwareSigner::generate(1_763_700_000, [7; 32]).unwrap();

        assert_eq!(signer.sign(b"one").unwrap(), signer.sign(b"one").unwrap());
        assert_ne!(signer.sign(b"one").unwrap(), signer.sign(b"two").unwrap());
    }
}
