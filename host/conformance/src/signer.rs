use async_trait::async_trait;
use openssl::hash::MessageDigest;
use parafa_issuing::{Credential, IssuingError};
use parafa_plugin_host::{
    Answerer, ArchiveRequest, DigestAlgorithm, HostPayload, Need, NeedKind, Payload, Reply,
    SignRequest, SignatureAlgorithm, TargetLevel, reason,
};
use serde::Deserialize;

use crate::pki::{Authorities, Issuer};

/// Bytes reserved for signature, certificates and time-stamp of an ECDSA key.
const ECDSA_RESERVE: u32 = 16 * 1024;

/// Signature algorithm of a [`SoftwareSigner`], by its name in `wit/CATALOGUE.md`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
pub enum SignerAlgorithm {
    /// With a P-256 key, derived from the signer's seed.
    #[default]
    #[serde(rename = "ECDSA-SHA256")]
    EcdsaSha256,
    /// With an RSA key of 4096 bits that all signers share, and the space that ceremonies reserve:
    /// the case of ceremonies with Smart-ID.
    #[serde(rename = "RSA-PKCS1-SHA256")]
    RsaPkcs1Sha256,
}

/// Kind of party that a [`SoftwareSigner`] stands for.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum SignedBy {
    /// A key that signs on its own; it accepts a digest as well as bytes.
    Key,
    /// A person, whose device shows the bytes.
    #[default]
    Person,
}

/// A key with a certificate of a software authority, a time-stamping authority and an OCSP
/// responder. Anybody can derive their keys.
///
/// Its signatures prove nothing. The same seed and time give the same certificates, values, tokens
/// and responses, so that documents signed with them are reproducible.
pub struct SoftwareSigner {
    by: SignedBy,
    algorithm: SignerAlgorithm,
    authorities: Authorities,
    credential: Credential,
    certificate: Vec<u8>,
    time: i64,
    seed: [u8; 32],
}

impl SoftwareSigner {
    /// Makes a key and its certificate. Signatures carry `time`, in seconds
    /// since the Unix epoch, and identifiers made from `seed`.
    ///
    /// # Errors
    ///
    /// When the time cannot be written in a certificate.
    pub fn generate(time: i64, seed: [u8; 32]) -> Result<Self, IssuingError> {
        Self::of(SignerAlgorithm::default(), time, seed)
    }

    /// A signer with a key of this kind.
    ///
    /// # Errors
    ///
    /// The time cannot be encoded in a certificate.
    pub fn of(algorithm: SignerAlgorithm, time: i64, seed: [u8; 32]) -> Result<Self, IssuingError> {
        let authorities = Authorities::new()?;
        let credential = authorities.signer(algorithm, time, &seed)?;
        Ok(Self {
            by: SignedBy::default(),
            algorithm,
            certificate: credential.der(),
            authorities,
            credential,
            time,
            seed,
        })
    }

    /// The same signer, of this kind.
    pub(crate) fn standing_for(self, by: SignedBy) -> Self {
        Self { by, ..self }
    }

    /// Signing time, in seconds since the Unix epoch.
    pub(crate) fn time(&self) -> i64 {
        self.time
    }

    /// Seed of identifiers.
    pub(crate) fn seed(&self) -> [u8; 32] {
        self.seed
    }

    pub(crate) fn request(&self, target_level: TargetLevel) -> SignRequest {
        const SHA_256: DigestAlgorithm = DigestAlgorithm::Sha256;

        let (signature_algorithm, reserve) = match self.algorithm {
            SignerAlgorithm::EcdsaSha256 => (SignatureAlgorithm::Ecdsa(SHA_256), ECDSA_RESERVE),
            SignerAlgorithm::RsaPkcs1Sha256 => {
                (SignatureAlgorithm::RsaPkcs1(SHA_256), SignRequest::RESERVE)
            }
        };
        SignRequest {
            time: self.time,
            seed: self.seed,
            target_level,
            signer_chain: vec![self.certificate.clone()],
            signature_algorithm,
            reserve,
            params: Vec::new(),
        }
    }

    pub(crate) fn archive_request(&self, target_level: TargetLevel) -> ArchiveRequest {
        ArchiveRequest {
            time: self.time,
            seed: self.seed,
            target_level,
            params: Vec::new(),
        }
    }

    fn sign(&self, payload: &Payload) -> Result<Vec<u8>, String> {
        let digest = payload.digest(DigestAlgorithm::Sha256);
        let is_shown = payload.as_bytes().is_some();
        let digest = digest.filter(|_| is_shown || self.by == SignedBy::Key);
        let digest = digest.ok_or_else(unavailable)?;
        let value = self
            .credential
            .key
            .sign_digest(MessageDigest::sha256(), &digest);
        value.map_err(|error| error.to_string())
    }

    fn token(&self, need: &Need) -> Result<Vec<u8>, String> {
        let imprint = need.payload.digest(DigestAlgorithm::Sha256);
        let asked = need.digest_algorithm == Some(DigestAlgorithm::Sha256);
        let imprint = imprint.filter(|_| asked).ok_or_else(unavailable)?;
        let token = self.authorities.token(&imprint, self.time);
        token.map_err(|error| error.to_string())
    }

    fn issuer(&self, certificate: &[u8]) -> Result<Vec<u8>, String> {
        match self.authorities.issuer_of(certificate) {
            Issuer::Authority(der) => Ok(der),
            Issuer::Anchor => Err(reason::ANCHOR.to_owned()),
            Issuer::Unknown => Err(unavailable()),
        }
    }

    fn revocation(&self, certificate: &[u8]) -> Result<Vec<u8>, String> {
        match self.authorities.ocsp_response(certificate, self.time) {
            Ok(response) => response.ok_or_else(unavailable),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn unavailable() -> String {
    reason::UNAVAILABLE.to_owned()
}

#[async_trait]
impl Answerer for SoftwareSigner {
    async fn answer(&self, need: &Need) -> Reply {
        let bytes = need.payload.as_bytes().unwrap_or_default();
        Reply::Answered(match need.kind {
            NeedKind::Certificate => self.issuer(bytes),
            NeedKind::Revocation => self.revocation(bytes),
            NeedKind::Signature => self.sign(&need.payload),
            NeedKind::Timestamp => self.token(need),
        })
    }
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::verify_with_certificate;

    use super::*;

    const TIME: i64 = 1_763_700_000;

    fn ecdsa(seed: u8) -> SoftwareSigner {
        SoftwareSigner::generate(TIME, [seed; 32]).unwrap()
    }

    #[test]
    fn the_same_seed_makes_the_same_signer() {
        let [one, other] = [7, 7].map(ecdsa);
        let another = ecdsa(8);

        assert_eq!(one.certificate, other.certificate);
        let bytes = Payload::Bytes(b"one".to_vec());
        assert_eq!(one.sign(&bytes), other.sign(&bytes));
        assert_ne!(one.certificate, another.certificate);
    }

    #[test]
    fn each_algorithm_signs_as_its_request_says() {
        for algorithm in [
            SignerAlgorithm::EcdsaSha256,
            SignerAlgorithm::RsaPkcs1Sha256,
        ] {
            let signer = SoftwareSigner::of(algorithm, TIME, [3; 32]).unwrap();
            let value = signer.sign(&Payload::Bytes(b"one".to_vec())).unwrap();
            let algorithm = signer.request(TargetLevel::BB).signature_algorithm;

            let verified = |text: &str| {
                let bytes = Payload::Bytes(text.as_bytes().to_vec());
                verify_with_certificate(&signer.certificate, algorithm, &bytes, &value).unwrap()
            };
            assert!(verified("one"));
            assert!(!verified("two"));
        }
    }

    #[test]
    fn a_key_signs_a_digest_as_it_signs_the_bytes_and_a_person_does_not() {
        for algorithm in [
            SignerAlgorithm::EcdsaSha256,
            SignerAlgorithm::RsaPkcs1Sha256,
        ] {
            let person = SoftwareSigner::of(algorithm, TIME, [3; 32]).unwrap();
            let key = SoftwareSigner::of(algorithm, TIME, [3; 32]).unwrap();
            let key = key.standing_for(SignedBy::Key);
            let bytes = Payload::Bytes(b"one".to_vec());
            let digest_by = |algorithm| Payload::Bytes(b"one".to_vec()).at_most(0, algorithm);
            let digest = digest_by(DigestAlgorithm::Sha256);

            assert_eq!(key.sign(&digest), person.sign(&bytes));
            assert!(key.sign(&digest).is_ok());
            assert_eq!(person.sign(&digest), Err(unavailable()));
            let other = digest_by(DigestAlgorithm::Sha512);
            assert_eq!(key.sign(&other), Err(unavailable()));
        }
    }

    #[test]
    fn signers_answer_for_each_other_and_for_nobody_else() {
        let one = ecdsa(1);
        let rsa = SoftwareSigner::of(SignerAlgorithm::RsaPkcs1Sha256, TIME, [2; 32]).unwrap();

        for other in [&ecdsa(2), &rsa] {
            assert!(one.revocation(&other.certificate).is_ok());
        }
        let issuer = one.issuer(&rsa.certificate).unwrap();
        assert_eq!(one.issuer(&issuer), Err("anchor".to_owned()));
        assert_eq!(one.issuer(b"somebody"), Err("unavailable".to_owned()));
        assert_eq!(one.revocation(b"somebody"), Err("unavailable".to_owned()));
    }
}
