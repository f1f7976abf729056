use const_oid::db::rfc5912::ID_SHA_1;
use const_oid::db::rfc6960::ID_PKIX_OCSP_BASIC;
use sha1::{Digest, Sha1};
use x509_cert::Certificate;

use crate::der::{
    ENUMERATED, NULL, bit_string, context, encoded, integer, octets, oid, optional, sequence,
    sequence_of, tlv,
};
use crate::{Credential, Extension, IssuingError, Time};

/// Status of a certificate (RFC 6960, 4.2.1).
#[derive(Clone, Debug)]
pub enum Status {
    /// Not revoked.
    Good,
    /// Revoked.
    Revoked {
        /// Since when.
        at: Time,
        /// `CRLReason` (RFC 5280, 5.3.1).
        reason: Option<u8>,
    },
    /// The responder does not know it.
    Unknown,
}

/// A SingleResponse.
#[derive(Clone, Debug)]
pub struct SingleResponse {
    /// CertID in DER; see [`cert_id`].
    pub cert_id: Vec<u8>,
    /// Certificate status.
    pub status: Status,
    /// Time at which the status was known to be correct.
    pub this_update: Time,
    /// Time of the next update.
    pub next_update: Option<Time>,
    /// Extensions of this response.
    pub extensions: Vec<Extension>,
}

/// Name of the responder in a response.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResponderId {
    /// The subject's name.
    Name,
    /// SHA-1 of the public key.
    Key,
}

/// A successful OCSPResponse.
#[derive(Clone, Debug)]
pub struct OcspResponse<'a> {
    /// The signer: the issuer, or a responder that it delegated to.
    pub responder: &'a Credential,
    /// Form of the responder's name.
    pub id: ResponderId,
    /// Certificates included.
    pub certificates: &'a [Certificate],
    /// Time of signing.
    pub produced_at: Time,
    /// Statuses of certificates.
    pub responses: Vec<SingleResponse>,
    /// Extensions of the whole, such as the nonce.
    pub extensions: Vec<Extension>,
}

/// Names a certificate by its number and its issuer, with SHA-1 (RFC 6960,
/// 4.1.1).
#[must_use]
pub fn cert_id(issuer: &Certificate, serial: &[u8]) -> Vec<u8> {
    let issuer = &issuer.tbs_certificate;
    sequence(&[
        &sequence(&[&oid(ID_SHA_1), &tlv(NULL, &[])]),
        &octets(&Sha1::digest(encoded(&issuer.subject))),
        &octets(&key_hash(issuer)),
        &integer(serial),
    ])
}

fn key_hash(certificate: &x509_cert::TbsCertificate) -> [u8; 20] {
    let key = &certificate.subject_public_key_info.subject_public_key;
    Sha1::digest(key.raw_bytes()).into()
}

impl SingleResponse {
    fn der(&self) -> Vec<u8> {
        let status = match &self.status {
            Status::Good => tlv(0x80, &[]),
            Status::Revoked { at, reason } => {
                let reason = reason.map(|reason| context(0, &[&tlv(ENUMERATED, &[&[reason]])]));
                context(1, &[&at.generalized(), &reason.unwrap_or_default()])
            }
            Status::Unknown => tlv(0x82, &[]),
        };
        let next = self.next_update.as_ref();
        let next = next.map(|next| context(0, &[&next.generalized()]));
        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        sequence(&[
            &self.cert_id,
            &status,
            &self.this_update.generalized(),
            &next.unwrap_or_default(),
            &optional(1, &extensions),
        ])
    }
}

impl OcspResponse<'_> {
    /// The signed response.
    ///
    /// # Errors
    ///
    /// When the responder's key cannot be used.
    pub fn der(&self) -> Result<Vec<u8>, IssuingError> {
        ocsp_response(self.responder, &self.data(), self.certificates)
    }

    /// The data to be signed, ResponseData.
    #[must_use]
    pub fn data(&self) -> Vec<u8> {
        let id = match self.id {
            ResponderId::Name => context(1, &[&self.responder.name()]),
            ResponderId::Key => {
                let certificate = &self.responder.certificate.tbs_certificate;
                context(2, &[&octets(&key_hash(certificate))])
            }
        };
        let responses: Vec<_> = self.responses.iter().map(SingleResponse::der).collect();
        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        sequence(&[
            &id,
            &self.produced_at.generalized(),
            &sequence_of(&responses),
            &optional(1, &extensions),
        ])
    }
}

/// A successful OCSPResponse around any ResponseData.
///
/// # Errors
///
/// When the responder's key cannot be used.
pub fn ocsp_response(
    responder: &Credential,
    data: &[u8],
    certificates: &[Certificate],
) -> Result<Vec<u8>, IssuingError> {
    const SUCCESSFUL: u8 = 0;

    let certificates: Vec<_> = certificates.iter().map(encoded).collect();
    let basic = sequence(&[
        data,
        &responder.key.algorithm(),
        &bit_string(&responder.key.sign(data)?),
        &optional(0, &certificates),
    ]);
    let bytes = sequence(&[&oid(ID_PKIX_OCSP_BASIC), &octets(&basic)]);
    let status = tlv(ENUMERATED, &[&[SUCCESSFUL]]);
    Ok(sequence(&[&status, &context(0, &[&bytes])]))
}
