//! Sessions as callers keep them, and their results.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;

use super::{CertificateLevel, DocumentNumber, FlowType, SessionId, SignatureAlgorithm};

/// A running choice of a certificate.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CertificateSession {
    /// The session.
    pub id: SessionId,
    pub(super) flows: Vec<FlowType>,
}

/// A running signature, with the data that its answer is checked against.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SignatureSession {
    /// The session.
    pub id: SessionId,
    /// Signature algorithm.
    pub algorithm: SignatureAlgorithm,
    /// The document that signs.
    pub document_number: DocumentNumber,
    pub(super) certificate_sha256: [u8; 32],
    pub(super) flows: Vec<FlowType>,
}

/// A signature requested by notification.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct NotifiedSignature {
    /// Session to poll.
    pub session: SignatureSession,
    /// Code that the person compares with the app.
    pub verification_code: VerificationCode,
}

/// Four digits that the page and the app both show.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct VerificationCode(String);

impl VerificationCode {
    pub(super) fn new(text: &str) -> Option<Self> {
        let sound = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        sound.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for VerificationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The certificate with which a document signs.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
pub struct SigningCertificate {
    /// The end-entity certificate, DER: some bytes, few enough for one.
    #[serde(with = "As::<Base64>")]
    pub der: Vec<u8>,
    /// Its level, at least the configured one.
    pub level: CertificateLevel,
    /// The document that it belongs to.
    pub document_number: DocumentNumber,
    /// Path of the choice to the person's app, if the service reports it.
    pub flow: Option<FlowType>,
}

impl fmt::Debug for SigningCertificate {
    /// Omits the certificate, which names a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningCertificate")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

/// The device's signature. It is not verified against the certificate here.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DeviceSignature {
    /// The signature value.
    pub value: Vec<u8>,
    /// Requested algorithm.
    pub algorithm: SignatureAlgorithm,
}
