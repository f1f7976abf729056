//! A software authority, time-stamping authority and OCSP responder. Their keys
//! are made of fixed words that everybody can read: what they issue proves
//! nothing about anybody, and is the same every time.

mod credential;
mod error;
mod ocsp;
mod rsa;
mod token;

use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use der::Decode;
use x509_cert::Certificate;
use x509_cert::ext::pkix::KeyUsages;

use self::credential::{Credential, Subject, encoded};
pub use self::error::SignerError;
use crate::SignerAlgorithm;

const AUTHORITY: &str = "Parafa software authority";
const TIME_STAMPER: &str = "Parafa software time-stamping authority";
const SIGNER: &str = "Parafa software signer";

/// Validity of what lives as long as the kit: 2020 to 2050.
const LIFE: (i64, i64) = (1_577_836_800, 2_524_607_999);
/// How long before and after the signing time a signer's certificate is valid,
/// in seconds.
const VALIDITY: i64 = 24 * 60 * 60;

/// Who answers for what signers sign.
pub(crate) struct Authorities {
    root: Credential,
    time_stamper: Credential,
}

/// A signer's key with its certificate.
pub(crate) struct SignerCredential(Kind);

enum Kind {
    Ecdsa(Credential),
    Rsa(rsa::Key, Certificate),
}

impl Authorities {
    pub(crate) fn new() -> Result<Self, SignerError> {
        let root = Credential::self_issued(AUTHORITY, LIFE)?;
        let time_stamper = root.issue(
            &Subject {
                common_name: TIME_STAMPER,
                key_usage: KeyUsages::DigitalSignature,
                purpose: Some(ID_KP_TIME_STAMPING),
                validity: LIFE,
            },
            TIME_STAMPER.as_bytes(),
        )?;
        Ok(Self { root, time_stamper })
    }

    /// A signer for signatures at `time`. An ECDSA key is made of `seed`; there
    /// is one RSA key only.
    pub(crate) fn signer(
        &self,
        algorithm: SignerAlgorithm,
        time: i64,
        seed: &[u8],
    ) -> Result<SignerCredential, SignerError> {
        let subject = Subject {
            common_name: SIGNER,
            key_usage: KeyUsages::NonRepudiation,
            purpose: None,
            validity: (time.saturating_sub(VALIDITY), time.saturating_add(VALIDITY)),
        };
        Ok(SignerCredential(match algorithm {
            SignerAlgorithm::EcdsaSha256 => Kind::Ecdsa(self.root.issue(&subject, seed)?),
            SignerAlgorithm::RsaPkcs1Sha256 => {
                let key = rsa::Key::of_everybody()?;
                let certificate = self.root.certify(&subject, key.public_key()?)?;
                Kind::Rsa(key, certificate)
            }
        }))
    }

    /// Who issued a certificate.
    pub(crate) fn issuer_of(&self, der: &[u8]) -> Result<Issuer, SignerError> {
        if der == self.root.der()? {
            return Ok(Issuer::Anchor);
        }
        Ok(match self.issued(der) {
            Some(_) => Issuer::Authority(self.root.der()?),
            None => Issuer::Unknown,
        })
    }

    /// An OCSP response that a certificate of these is good at `time`.
    pub(crate) fn ocsp_response(
        &self,
        der: &[u8],
        time: i64,
    ) -> Result<Option<Vec<u8>>, SignerError> {
        match self.issued(der) {
            Some(certificate) => ocsp::good(&self.root, &certificate, time).map(Some),
            None => Ok(None),
        }
    }

    /// An RFC 3161 token over the SHA-256 of something, at `time`.
    pub(crate) fn token(&self, imprint: &[u8], time: i64) -> Result<Vec<u8>, SignerError> {
        token::over(&self.time_stamper, imprint, time)
    }

    fn issued(&self, der: &[u8]) -> Option<Certificate> {
        let certificate = Certificate::from_der(der).ok()?;
        self.root.has_issued(&certificate).then_some(certificate)
    }
}

/// Who issued a certificate.
pub(crate) enum Issuer {
    /// It is the software authority's own.
    Anchor,
    /// The software authority, in DER.
    Authority(Vec<u8>),
    /// Somebody else.
    Unknown,
}

impl SignerCredential {
    /// The certificate in DER.
    pub(crate) fn certificate(&self) -> Result<Vec<u8>, SignerError> {
        match &self.0 {
            Kind::Ecdsa(credential) => credential.der(),
            Kind::Rsa(_, certificate) => encoded(certificate),
        }
    }

    /// A signature over what has this SHA-256 digest, in the form that crosses the
    /// contract; the same value every time.
    pub(crate) fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SignerError> {
        match &self.0 {
            Kind::Ecdsa(credential) => credential.sign_digest(digest),
            Kind::Rsa(key, _) => key.sign_digest(digest),
        }
    }
}
