//! An OCSP responder, honest by default.

use der::{Decode, Encode};
use parafa_issuing::{
    Extension, Key, KeyKind, ObjectIdentifier, OcspResponse, ResponderId, SingleResponse, Time,
};
use x509_cert::ext::pkix::CrlReason;
use x509_ocsp::OcspRequest;

use crate::asn1::{ENUMERATED, INTEGER, octets, sequence, tlv};
use crate::authority::Identity;

pub const NONCE: &str = "1.3.6.1.5.5.7.48.1.2";
const UNKNOWN: &str = "1.3.6.1.4.1.99999.1";

#[derive(Clone, Copy)]
pub enum Status {
    Good,
    Revoked,
    Unknown,
}

#[derive(Clone, Copy, Eq, PartialEq)]
pub enum NonceReply {
    Echo,
    Silent,
    Wrong,
}

#[derive(Clone)]
pub struct Responder {
    pub signer: Identity,
    pub embedded: Vec<Identity>,
    pub by_name: bool,
    pub status: Status,
    pub produced_at: &'static str,
    pub this_update: &'static str,
    pub next_update: Option<&'static str>,
    pub nonce: NonceReply,
    /// Number of copies of the one answer in the response.
    pub copies: usize,
    /// Adds to the serial number of the CertID.
    pub wrong_cert_id: bool,
    pub critical_extension: bool,
    /// Extensions of the one answer.
    pub of_answer: Vec<Extension>,
    pub corrupt_signature: bool,
}

impl Responder {
    pub fn new(signer: &Identity) -> Self {
        Self {
            signer: signer.clone(),
            embedded: vec![signer.clone()],
            by_name: false,
            status: Status::Good,
            produced_at: "20261121160000Z",
            this_update: "20261121155930Z",
            next_update: None,
            nonce: NonceReply::Echo,
            copies: 1,
            wrong_cert_id: false,
            critical_extension: false,
            of_answer: Vec::new(),
            corrupt_signature: false,
        }
    }

    pub fn answer(&self, request: &[u8]) -> Vec<u8> {
        let request = OcspRequest::from_der(request).expect("an OCSP request");
        let mut cert_id = request.tbs_request.request_list[0]
            .req_cert
            .to_der()
            .expect("DER");
        if self.wrong_cert_id {
            *cert_id.last_mut().expect("a serial number") ^= 1;
        }
        let single = SingleResponse {
            cert_id,
            status: self.status(),
            this_update: self.this_update.into(),
            next_update: self.next_update.map(Time::from),
            extensions: self.of_answer.clone(),
        };
        let mut signer = self.signer.credential();
        if self.corrupt_signature {
            signer.key = Key::generate(KeyKind::P256).expect("a key");
        }
        let sent = request.nonce().map(|nonce| nonce.0.as_bytes().to_vec());
        let embedded = self.embedded.iter();
        let embedded: Vec<_> = embedded.map(|one| one.credential().certificate).collect();
        let response = OcspResponse {
            responder: &signer,
            id: match self.by_name {
                true => ResponderId::Name,
                false => ResponderId::Key,
            },
            certificates: &embedded,
            produced_at: self.produced_at.into(),
            responses: vec![single; self.copies],
            extensions: self.extensions(sent),
        };
        response.der().expect("a response")
    }

    fn status(&self) -> parafa_issuing::Status {
        match self.status {
            Status::Good => parafa_issuing::Status::Good,
            Status::Revoked => parafa_issuing::Status::Revoked {
                at: "20261101120000.5Z".into(),
                reason: Some(CrlReason::KeyCompromise as u8),
            },
            Status::Unknown => parafa_issuing::Status::Unknown,
        }
    }

    fn extensions(&self, sent: Option<Vec<u8>>) -> Vec<Extension> {
        let nonce = match (self.nonce, sent) {
            (NonceReply::Echo, Some(sent)) => Some(sent),
            (NonceReply::Wrong, _) => Some(vec![7; 32]),
            _ => None,
        };
        let nonce = nonce
            .map(|nonce| Extension::plain(ObjectIdentifier::new_unwrap(NONCE), octets(&nonce)));
        let unknown = self.critical_extension.then(|| {
            let value = tlv(INTEGER, &[&[1]]);
            Extension::critical(ObjectIdentifier::new_unwrap(UNKNOWN), value)
        });
        nonce.into_iter().chain(unknown).collect()
    }
}

/// A response without an answer, such as `tryLater`.
pub fn refusal(status: u8) -> Vec<u8> {
    sequence(&[&tlv(ENUMERATED, &[&[status]])])
}
