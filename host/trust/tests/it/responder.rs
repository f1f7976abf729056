//! An OCSP responder, honest unless told otherwise.

use der::{Decode, Encode};
use openssl::hash::MessageDigest;
use openssl::sign::Signer;
use sha1::{Digest, Sha1};
use x509_ocsp::OcspRequest;

use crate::asn1::{
    ENUMERATED, INTEGER, algorithm, bit_string, explicit, octets, oid, sequence, time, tlv,
};
use crate::authority::Identity;

pub const NONCE: &str = "1.3.6.1.5.5.7.48.1.2";
const BASIC: &str = "1.3.6.1.5.5.7.48.1.1";
const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";

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
    /// How often the one answer stands in the response.
    pub copies: usize,
    /// Adds to the serial number of the CertID.
    pub wrong_cert_id: bool,
    pub critical_extension: bool,
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
        let next_update = self.next_update.map(|text| explicit(0, &[&time(text)]));
        let single = sequence(&[
            &cert_id,
            &self.status(),
            &time(self.this_update),
            &next_update.unwrap_or_default(),
        ]);
        let sent = request.nonce().map(|nonce| nonce.0.as_bytes().to_vec());
        let data = sequence(&[
            &self.identifier(),
            &time(self.produced_at),
            &sequence(&vec![single.as_slice(); self.copies]),
            &self.extensions(sent),
        ]);
        let embedded: Vec<Vec<u8>> = self.embedded.iter().map(Identity::der).collect();
        let embedded: Vec<&[u8]> = embedded.iter().map(Vec::as_slice).collect();
        let basic = sequence(&[
            &data,
            &algorithm(ECDSA_SHA256),
            &bit_string(&self.sign(&data)),
            &explicit(0, &[&sequence(&embedded)]),
        ]);
        sequence(&[
            &tlv(ENUMERATED, &[&[0]]),
            &explicit(0, &[&sequence(&[&oid(BASIC), &octets(&basic)])]),
        ])
    }

    fn status(&self) -> Vec<u8> {
        match self.status {
            Status::Good => tlv(0x80, &[]),
            Status::Revoked => tlv(
                0xa1,
                &[
                    &time("20261101120000.5Z"),
                    &explicit(0, &[&tlv(ENUMERATED, &[&[1]])]),
                ],
            ),
            Status::Unknown => tlv(0x82, &[]),
        }
    }

    fn identifier(&self) -> Vec<u8> {
        let certificate = self.signer.certificate();
        if self.by_name {
            return explicit(1, &[certificate.subject_der()]);
        }
        let spki = spki::SubjectPublicKeyInfoOwned::from_der(certificate.spki_der());
        let key = spki.expect("a key").subject_public_key;
        explicit(2, &[&octets(&Sha1::digest(key.raw_bytes()))])
    }

    fn extensions(&self, sent: Option<Vec<u8>>) -> Vec<u8> {
        let nonce = match (self.nonce, sent) {
            (NonceReply::Echo, Some(sent)) => Some(sent),
            (NonceReply::Wrong, _) => Some(vec![7; 32]),
            _ => None,
        };
        let mut extensions = Vec::new();
        if let Some(nonce) = nonce {
            extensions.extend(sequence(&[&oid(NONCE), &octets(&octets(&nonce))]));
        }
        if self.critical_extension {
            let critical = tlv(0x01, &[&[0xff]]);
            let value = octets(&tlv(INTEGER, &[&[1]]));
            extensions.extend(sequence(&[&oid("1.3.6.1.4.1.99999.1"), &critical, &value]));
        }
        if extensions.is_empty() {
            return Vec::new();
        }
        explicit(1, &[&sequence(&[&extensions])])
    }

    fn sign(&self, data: &[u8]) -> Vec<u8> {
        let mut signer = Signer::new(MessageDigest::sha256(), &self.signer.key).expect("a signer");
        let mut signature = signer.sign_oneshot_to_vec(data).expect("a signature");
        if self.corrupt_signature {
            *signature.last_mut().expect("octets") ^= 1;
        }
        signature
    }
}

/// A response without an answer, such as `tryLater`.
pub fn refusal(status: u8) -> Vec<u8> {
    sequence(&[&tlv(ENUMERATED, &[&[status]])])
}
