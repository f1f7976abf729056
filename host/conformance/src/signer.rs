use async_trait::async_trait;
use parafa_plugin_host::{
    Answerer, ArchiveRequest, DigestAlgorithm, Need, NeedKind, Reply, SignRequest,
    SignatureAlgorithm, TargetLevel,
};
use sha2::{Digest, Sha256};

use crate::SignerError;
use crate::pki::{Authorities, Issuer, SignerCredential};

/// Bytes kept for signature, certificates and time-stamp.
const RESERVE: u32 = 16 * 1024;

/// A P-256 key made of a seed, under a certificate of a software authority
/// whose key everybody can make, with a time-stamping authority and an OCSP
/// responder beside it.
///
/// Its signatures prove nothing about anybody. The same seed and time give the
/// same certificates, values, tokens and responses, so that what is made with
/// them can be made again.
pub struct SoftwareSigner {
    authorities: Authorities,
    credential: SignerCredential,
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
    pub fn generate(time: i64, seed: [u8; 32]) -> Result<Self, SignerError> {
        let authorities = Authorities::new()?;
        let credential = authorities.signer(time, &seed)?;
        Ok(Self {
            certificate: credential.certificate()?,
            authorities,
            credential,
            time,
            seed,
        })
    }

    /// When it signs, seconds since the Unix epoch.
    pub(crate) fn time(&self) -> i64 {
        self.time
    }

    /// What identifiers are made of.
    pub(crate) fn seed(&self) -> [u8; 32] {
        self.seed
    }

    pub(crate) fn request(&self, target_level: TargetLevel) -> SignRequest {
        SignRequest {
            time: self.time,
            seed: self.seed,
            target_level,
            signer_chain: vec![self.certificate.clone()],
            signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            reserve: RESERVE,
            params: Vec::new(),
        }
    }

    pub(crate) fn archive_request(&self) -> ArchiveRequest {
        ArchiveRequest {
            time: self.time,
            seed: self.seed,
            params: Vec::new(),
        }
    }

    fn token(&self, need: &Need) -> Result<Vec<u8>, String> {
        if need.digest_algorithm != Some(DigestAlgorithm::Sha256) {
            return Err(UNAVAILABLE.to_owned());
        }
        let imprint = Sha256::digest(&need.payload);
        let token = self.authorities.token(&imprint, self.time);
        token.map_err(|error| error.to_string())
    }

    fn issuer(&self, certificate: &[u8]) -> Result<Vec<u8>, String> {
        match self.authorities.issuer_of(certificate) {
            Ok(Issuer::Authority(der)) => Ok(der),
            Ok(Issuer::Anchor) => Err("anchor".to_owned()),
            Ok(Issuer::Unknown) => Err(UNAVAILABLE.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn revocation(&self, certificate: &[u8]) -> Result<Vec<u8>, String> {
        match self.authorities.ocsp_response(certificate, self.time) {
            Ok(response) => response.ok_or_else(|| UNAVAILABLE.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

const UNAVAILABLE: &str = "unavailable";

#[async_trait]
impl Answerer for SoftwareSigner {
    async fn answer(&self, need: &Need) -> Reply {
        Reply::Answered(match need.kind {
            NeedKind::Certificate => self.issuer(&need.payload),
            NeedKind::Revocation => self.revocation(&need.payload),
            NeedKind::Signature => {
                let signed = self.credential.sign(&need.payload);
                signed.map_err(|error| error.to_string())
            }
            NeedKind::Timestamp => self.token(need),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: i64 = 1_763_700_000;

    #[test]
    fn the_same_seed_makes_the_same_signer() {
        let [one, other] = [7, 7].map(|seed| SoftwareSigner::generate(TIME, [seed; 32]).unwrap());
        let another = SoftwareSigner::generate(TIME, [8; 32]).unwrap();

        assert_eq!(one.certificate, other.certificate);
        assert_eq!(
            one.credential.sign(b"one").unwrap(),
            other.credential.sign(b"one").unwrap()
        );
        assert_ne!(one.certificate, another.certificate);
    }

    #[test]
    fn signers_answer_for_each_other_and_for_nobody_else() {
        let one = SoftwareSigner::generate(TIME, [1; 32]).unwrap();
        let other = SoftwareSigner::generate(TIME, [2; 32]).unwrap();

        let issuer = one.issuer(&other.certificate).unwrap();
        assert!(one.revocation(&other.certificate).is_ok());
        assert_eq!(one.issuer(&issuer), Err("anchor".to_owned()));
        assert_eq!(one.issuer(b"somebody"), Err("unavailable".to_owned()));
        assert_eq!(one.revocation(b"somebody"), Err("unavailable".to_owned()));
    }
}
