//! A software authority, time-stamping authority and OCSP responder.
//!
//! Their keys are derived from fixed public words. What they issue proves nothing, and is the same
//! every time.

use der::Decode;
use openssl::x509::X509;
use parafa_issuing::oids::rfc4519::COMMON_NAME;
use parafa_issuing::oids::rfc5280::ID_KP_TIME_STAMPING;
use parafa_issuing::{
    Certificate, Credential, Extension, IssuingError, Key, KeyUsages, ObjectIdentifier,
    OcspResponse, Profile, ResponderId, SingleResponse, Status, Time, TimestampInfo, cert_id,
    imprint, name, serial_number, timestamp_token,
};
use sha2::{Digest, Sha256};

use crate::SignerAlgorithm;

const AUTHORITY: &str = "Parafa software authority";
const TIME_STAMPER: &str = "Parafa software time-stamping authority";
const SIGNER: &str = "Parafa software signer";

/// A public RSA key of 4096 bits: generating one from a seed takes too long.
const RSA_KEY: &[u8] = include_bytes!("pki/rsa.pem");
/// Policy identifier that belongs to no authority.
const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.99999.3161");

/// Validity of certificates that last as long as the kit: 2020 to 2050.
const LIFE: (i64, i64) = (1_577_836_800, 2_524_607_999);
/// Validity of a signer's certificate before and after the signing time, in seconds.
const VALIDITY: i64 = 24 * 60 * 60;

/// Authorities behind the signers' certificates.
pub(crate) struct Authorities {
    root: Credential,
    time_stamper: Credential,
}

impl Authorities {
    pub(crate) fn new() -> Result<Self, IssuingError> {
        let key = key_of(AUTHORITY.as_bytes())?;
        let usages = KeyUsages::KeyCertSign | KeyUsages::CRLSign;
        let extensions = vec![Extension::authority(Some(0)), Extension::key_usage(usages)];
        let root = Credential::self_signed(&profile(AUTHORITY, &key, LIFE, extensions)?, key)?;
        let key = key_of(TIME_STAMPER.as_bytes())?;
        let extensions = vec![
            Extension::key_usage(KeyUsages::DigitalSignature),
            Extension::only_purpose(ID_KP_TIME_STAMPING),
        ];
        let time_stamper = root.issue(&profile(TIME_STAMPER, &key, LIFE, extensions)?, key)?;
        Ok(Self { root, time_stamper })
    }

    /// A signer for signatures at `time`. An ECDSA key is derived from `seed`; there is only one
    /// RSA key.
    pub(crate) fn signer(
        &self,
        algorithm: SignerAlgorithm,
        time: i64,
        seed: &[u8],
    ) -> Result<Credential, IssuingError> {
        let key = match algorithm {
            SignerAlgorithm::EcdsaSha256 => key_of(seed)?,
            SignerAlgorithm::RsaPkcs1Sha256 => Key::from_pem(RSA_KEY)?,
        };
        let validity = (time.saturating_sub(VALIDITY), time.saturating_add(VALIDITY));
        let extensions = vec![Extension::key_usage(KeyUsages::NonRepudiation)];
        self.root
            .issue(&profile(SIGNER, &key, validity, extensions)?, key)
    }

    /// Issuer of a certificate.
    pub(crate) fn issuer_of(&self, der: &[u8]) -> Issuer {
        if der == self.root.der() {
            return Issuer::Anchor;
        }
        match self.issued(der) {
            Some(_) => Issuer::Authority(self.root.der()),
            None => Issuer::Unknown,
        }
    }

    /// An OCSP response that a certificate of these is good at `time`.
    pub(crate) fn ocsp_response(
        &self,
        der: &[u8],
        time: i64,
    ) -> Result<Option<Vec<u8>>, IssuingError> {
        let Some(certificate) = self.issued(der) else {
            return Ok(None);
        };
        let at = Time::from_unix(time)?;
        let serial = certificate.tbs_certificate.serial_number;
        let good = SingleResponse {
            cert_id: cert_id(&self.root.certificate, serial.as_bytes()),
            status: Status::Good,
            this_update: at.clone(),
            next_update: None,
            extensions: Vec::new(),
        };
        let response = OcspResponse {
            responder: &self.root,
            id: ResponderId::Name,
            certificates: &[],
            produced_at: at,
            responses: vec![good],
            extensions: Vec::new(),
        };
        response.der().map(Some)
    }

    /// An RFC 3161 token over the SHA-256 digest at `time`; its serial number is derived from the
    /// digest.
    pub(crate) fn token(&self, digest: &[u8], time: i64) -> Result<Vec<u8>, IssuingError> {
        let info = TimestampInfo {
            policy: POLICY,
            imprint: imprint(digest),
            serial: [&[1], digest.get(..8).unwrap_or(digest)].concat(),
            gen_time: Time::from_unix(time)?,
            accuracy: None,
            nonce: Vec::new(),
        };
        let certificate = self.time_stamper.certificate.clone();
        timestamp_token(&self.time_stamper, &info.der(), &[certificate], false)
    }

    fn issued(&self, der: &[u8]) -> Option<Certificate> {
        let is_issued = X509::from_der(der).ok()?.verify(self.root.key.pkey());
        let certificate = Certificate::from_der(der).ok()?;
        is_issued.is_ok_and(|issued| issued).then_some(certificate)
    }
}

/// Issuer of a certificate.
pub(crate) enum Issuer {
    /// The certificate is the software authority's own.
    Anchor,
    /// The software authority, in DER.
    Authority(Vec<u8>),
    /// Another issuer.
    Unknown,
}

fn profile(
    common_name: &str,
    key: &Key,
    (from, until): (i64, i64),
    extensions: Vec<Extension>,
) -> Result<Profile, IssuingError> {
    Ok(Profile {
        subject: name(&[(COMMON_NAME, common_name)]),
        serial: serial_number(&key.public_key()?),
        validity: [Time::from_unix(from)?, Time::from_unix(until)?],
        extensions,
    })
}

fn key_of(seed: &[u8]) -> Result<Key, IssuingError> {
    let digest = Sha256::new()
        .chain_update(b"parafa-conformance key\n")
        .chain_update(seed)
        .finalize();
    Key::from_seed(&digest.into())
}
