//! A time-stamping authority, honest by default.

use der::{Decode, Encode};
use openssl::hash::MessageDigest;
use openssl::pkey::Id;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Signer};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use x509_tsp::TimeStampReq;

use crate::asn1::{INTEGER, NULL, algorithm, explicit, octets, oid, sequence, set, time, tlv};
use crate::authority::Identity;

const SHA256: &str = "2.16.840.1.101.3.4.2.1";
const TST_INFO: &str = "1.2.840.113549.1.9.16.1.4";
const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
const POLICY: &str = "0.4.0.2023.1.1";

#[derive(Clone, Copy, Eq, PartialEq)]
pub enum EssAttribute {
    V1,
    V2,
    Both,
    V2OfAnother,
    V1OfAnother,
    Absent,
}

#[derive(Clone, Copy, Eq, PartialEq)]
pub enum NonceReply {
    Echo,
    Silent,
    Wrong,
}

#[derive(Clone)]
pub struct Stamper {
    pub signer: Identity,
    pub embedded: Vec<Identity>,
    pub gen_time: &'static str,
    pub nonce: NonceReply,
    pub ess: EssAttribute,
    pub wrong_imprint: bool,
    pub wrong_digest: bool,
    pub corrupt_signature: bool,
    pub signers: usize,
    pub content_type: &'static str,
    /// Sends the signed attributes in reverse.
    pub unsorted_attributes: bool,
    /// Signs them as sent instead of their DER encoding.
    pub sign_as_sent: bool,
    pub pss: bool,
    pub policy: &'static str,
}

impl Stamper {
    pub fn new(signer: &Identity) -> Self {
        Self {
            signer: signer.clone(),
            embedded: vec![signer.clone()],
            gen_time: "20261121160001Z",
            nonce: NonceReply::Echo,
            ess: EssAttribute::V2,
            wrong_imprint: false,
            wrong_digest: false,
            corrupt_signature: false,
            signers: 1,
            content_type: TST_INFO,
            unsorted_attributes: false,
            sign_as_sent: false,
            pss: false,
            policy: POLICY,
        }
    }

    pub fn answer(&self, request: &[u8]) -> Vec<u8> {
        let request = TimeStampReq::from_der(request).expect("a time-stamp request");
        assert!(request.cert_req, "the certificate is asked for");
        let granted = sequence(&[&tlv(INTEGER, &[&[0]])]);
        sequence(&[&granted, &self.token(&request)])
    }

    fn token(&self, request: &TimeStampReq) -> Vec<u8> {
        let content = self.info(request);
        let mut certificates: Vec<Vec<u8>> = self.embedded.iter().map(Identity::der).collect();
        certificates.sort();
        let certificates: Vec<&[u8]> = certificates.iter().map(Vec::as_slice).collect();
        let info = self.signer_info(&content);
        let data = sequence(&[
            &tlv(INTEGER, &[&[3]]),
            &set(vec![algorithm(SHA256)]),
            &sequence(&[&oid(self.content_type), &explicit(0, &[&octets(&content)])]),
            &explicit(0, &certificates),
            &set(vec![info; self.signers]),
        ]);
        sequence(&[&oid(SIGNED_DATA), &explicit(0, &[&data])])
    }

    fn info(&self, request: &TimeStampReq) -> Vec<u8> {
        let mut imprint = request.message_imprint.to_der().expect("DER");
        if self.wrong_imprint {
            *imprint.last_mut().expect("octets") ^= 1;
        }
        let nonce = match (self.nonce, &request.nonce) {
            (NonceReply::Echo, Some(nonce)) => nonce.to_der().expect("DER"),
            (NonceReply::Wrong, _) => tlv(INTEGER, &[&[9]]),
            _ => Vec::new(),
        };
        let accuracy = sequence(&[&tlv(INTEGER, &[&[1]])]);
        sequence(&[
            &tlv(INTEGER, &[&[1]]),
            &oid(self.policy),
            &imprint,
            &tlv(INTEGER, &[&[0x12, 0x34]]),
            &time(self.gen_time),
            &accuracy,
            &nonce,
            &explicit(
                0,
                &[&explicit(4, &[self.signer.certificate().subject_der()])],
            ),
        ])
    }

    fn signer_info(&self, content: &[u8]) -> Vec<u8> {
        let mut digest = Sha256::digest(content).to_vec();
        if self.wrong_digest {
            digest[0] ^= 1;
        }
        let mut attributes = vec![
            attribute("1.2.840.113549.1.9.3", &oid(self.content_type)),
            attribute("1.2.840.113549.1.9.4", &octets(&digest)),
        ];
        attributes.extend(self.ess_attributes());
        attributes.sort();
        let canonical = attributes.concat();
        if self.unsorted_attributes {
            attributes.reverse();
        }
        let attributes = attributes.concat();
        let signed = if self.sign_as_sent {
            &attributes
        } else {
            &canonical
        };
        let signature = self.sign(&tlv(0x31, &[signed]));
        let certificate = self.signer.certificate();
        let serial = tlv(INTEGER, &[certificate.serial_number()]);
        sequence(&[
            &tlv(INTEGER, &[&[1]]),
            &sequence(&[certificate.issuer_der(), &serial]),
            &algorithm(SHA256),
            &tlv(0xa0, &[&attributes]),
            &self.signature_algorithm(),
            &octets(&signature),
        ])
    }

    fn ess_attributes(&self) -> Vec<Vec<u8>> {
        let der = self.signer.der();
        let v1 = |der: &[u8]| {
            let id = sequence(&[&octets(&Sha1::digest(der))]);
            attribute(
                "1.2.840.113549.1.9.16.2.12",
                &sequence(&[&sequence(&[&id])]),
            )
        };
        let v2 = |der: &[u8]| {
            let id = sequence(&[&octets(&Sha256::digest(der))]);
            attribute(
                "1.2.840.113549.1.9.16.2.47",
                &sequence(&[&sequence(&[&id])]),
            )
        };
        match self.ess {
            EssAttribute::V1 => vec![v1(&der)],
            EssAttribute::V2 => vec![v2(&der)],
            EssAttribute::Both => vec![v1(&der), v2(&der)],
            EssAttribute::V1OfAnother => vec![v1(b"another"), v2(&der)],
            EssAttribute::V2OfAnother => vec![v2(b"another")],
            EssAttribute::Absent => Vec::new(),
        }
    }

    fn signature_algorithm(&self) -> Vec<u8> {
        match (self.signer.key.id(), self.pss) {
            (Id::RSA, true) => {
                let mask = sequence(&[&oid("1.2.840.113549.1.1.8"), &algorithm(SHA256)]);
                let parameters = sequence(&[
                    &explicit(0, &[&algorithm(SHA256)]),
                    &explicit(1, &[&mask]),
                    &explicit(2, &[&tlv(INTEGER, &[&[32]])]),
                ]);
                sequence(&[&oid("1.2.840.113549.1.1.10"), &parameters])
            }
            (Id::RSA, false) => sequence(&[&oid("1.2.840.113549.1.1.1"), &tlv(NULL, &[])]),
            _ => algorithm("1.2.840.10045.4.3.2"),
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let key = &self.signer.key;
        let mut signer = Signer::new(MessageDigest::sha256(), key).expect("a signer");
        if self.pss {
            signer.set_rsa_padding(Padding::PKCS1_PSS).expect("PSS");
            signer
                .set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)
                .expect("PSS");
        }
        let mut signature = signer.sign_oneshot_to_vec(message).expect("a signature");
        if self.corrupt_signature {
            *signature.last_mut().expect("octets") ^= 1;
        }
        signature
    }
}

fn attribute(kind: &str, value: &[u8]) -> Vec<u8> {
    sequence(&[&oid(kind), &set(vec![value.to_vec()])])
}

/// A response that grants nothing.
pub fn refusal(status: u8) -> Vec<u8> {
    let failure = tlv(0x03, &[&[0, 0x20]]);
    sequence(&[&sequence(&[&tlv(INTEGER, &[&[status]]), &failure])])
}
