//! An authority with its signer, responder and time-stamper. Keys are fixed and
//! signatures deterministic (RFC 6979), so every run meets the same bytes.

use std::sync::LazyLock;

use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::asn1::{
    BOOLEAN, SET, UTC_TIME, UTF8_STRING, algorithm, bit_string, context, digest_algorithm, integer,
    octets, oid, sequence, set, time, tlv,
};

pub(crate) const SHA1: &str = "1.3.14.3.2.26";
pub(crate) const SHA256: &str = "2.16.840.1.101.3.4.2.1";
const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";
const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
const TST_INFO: &str = "1.2.840.113549.1.9.16.1.4";

/// Where the responder of the signer's certificate answers.
pub(crate) const OCSP_URL: &str = "http://ocsp.example.com/";

/// A key with its certificate.
pub(crate) struct Identity {
    key: SigningKey,
    name: Vec<u8>,
    serial: u8,
    /// DER of the certificate.
    pub(crate) certificate: Vec<u8>,
}

/// Everybody there is.
pub(crate) struct World {
    pub(crate) issuer: Identity,
    pub(crate) signer: Identity,
    pub(crate) responder: Identity,
    pub(crate) stamper: Identity,
}

/// The one world of this process.
pub(crate) static WORLD: LazyLock<World> = LazyLock::new(World::new);

impl World {
    fn new() -> Self {
        let issuer = Identity::issue(
            1,
            "Issuing",
            None,
            &[
                extension("2.5.29.19", true, &sequence(&[&tlv(BOOLEAN, &[&[0xff]])])),
                extension("2.5.29.15", true, &[3, 2, 1, 6]),
            ],
        );
        let access = sequence(&[&sequence(&[
            &oid("1.3.6.1.5.5.7.48.1"),
            &tlv(0x86, &[OCSP_URL.as_bytes()]),
        ])]);
        let statements = sequence(&[
            &sequence(&[&oid("0.4.0.1862.1.1")]),
            &sequence(&[&oid("0.4.0.1862.1.4")]),
        ]);
        let signer = Identity::issue(
            2,
            "Signer",
            Some(&issuer),
            &[
                extension("2.5.29.15", true, &[3, 2, 6, 0x40]),
                extension("1.3.6.1.5.5.7.1.1", false, &access),
                extension("1.3.6.1.5.5.7.1.3", false, &statements),
            ],
        );
        let purpose = |critical, purpose| {
            [extension(
                "2.5.29.37",
                critical,
                &sequence(&[&oid(purpose)]),
            )]
        };
        let responder = Identity::issue(
            3,
            "Responder",
            Some(&issuer),
            &purpose(false, "1.3.6.1.5.5.7.3.9"),
        );
        let stamper = Identity::issue(
            4,
            "Stamper",
            Some(&issuer),
            &purpose(true, "1.3.6.1.5.5.7.3.8"),
        );
        Self {
            issuer,
            signer,
            responder,
            stamper,
        }
    }

    /// The CertID of the signer's certificate (RFC 6960, 4.1.1).
    pub(crate) fn cert_id(&self) -> Vec<u8> {
        self.cert_id_of(&self.signer)
    }

    /// The CertID of somebody's certificate.
    pub(crate) fn cert_id_of(&self, subject: &Identity) -> Vec<u8> {
        sequence(&[
            &digest_algorithm(SHA1),
            &octets(&Sha1::digest(&self.issuer.name)),
            &octets(&Sha1::digest(self.issuer.point())),
            &integer(subject.serial),
        ])
    }

    /// An OCSPResponse around a tbsResponseData, signed by the responder.
    pub(crate) fn ocsp_response(&self, data: &[u8]) -> Vec<u8> {
        ocsp_response_by(&self.responder, data)
    }

    /// A TimeStampToken around a TSTInfo, signed by the time-stamper.
    pub(crate) fn timestamp_token(&self, info: &[u8]) -> Vec<u8> {
        let stamper = &self.stamper;
        let certificate_id = sequence(&[&octets(&Sha256::digest(&stamper.certificate))]);
        let mut attributes = [
            attribute("1.2.840.113549.1.9.3", &oid(TST_INFO)),
            attribute("1.2.840.113549.1.9.4", &octets(&Sha256::digest(info))),
            attribute(
                "1.2.840.113549.1.9.16.2.47",
                &sequence(&[&sequence(&[&certificate_id])]),
            ),
        ];
        attributes.sort();
        let attributes = attributes.concat();
        let signer_info = sequence(&[
            &integer(1),
            &sequence(&[&self.issuer.name, &integer(stamper.serial)]),
            &digest_algorithm(SHA256),
            &context(0, &[&attributes]),
            &algorithm(ECDSA_SHA256),
            &octets(&stamper.sign(&tlv(SET, &[&attributes]))),
        ]);
        let signed_data = sequence(&[
            &integer(3),
            &set(vec![digest_algorithm(SHA256)]),
            &sequence(&[&oid(TST_INFO), &context(0, &[&octets(info)])]),
            &context(0, &[&stamper.certificate]),
            &set(vec![signer_info]),
        ]);
        sequence(&[&oid(SIGNED_DATA), &context(0, &[&signed_data])])
    }
}

/// An OCSPResponse around a tbsResponseData, signed by somebody.
pub(crate) fn ocsp_response_by(responder: &Identity, data: &[u8]) -> Vec<u8> {
    let basic = sequence(&[
        data,
        &algorithm(ECDSA_SHA256),
        &bit_string(&responder.sign(data)),
        &context(0, &[&sequence(&[&responder.certificate])]),
    ]);
    sequence(&[
        &tlv(crate::asn1::ENUMERATED, &[&[0]]),
        &context(
            0,
            &[&sequence(&[&oid("1.3.6.1.5.5.7.48.1.1"), &octets(&basic)])],
        ),
    ])
}

/// A TSTInfo over a SHA-256 digest; `nonce` are the octets of its INTEGER.
pub(crate) fn timestamp_info(imprint: &[u8; 32], gen_time: &str, nonce: &[u8]) -> Vec<u8> {
    sequence(&[
        &integer(1),
        &oid("0.4.0.2023.1.1"),
        &sequence(&[&digest_algorithm(SHA256), &octets(imprint)]),
        &integer(9),
        &time(gen_time),
        &sequence(&[&integer(1)]),
        &tlv(crate::asn1::INTEGER, &[nonce]),
    ])
}

impl Identity {
    fn issue(number: u8, common_name: &str, issuer: Option<&Self>, extensions: &[Vec<u8>]) -> Self {
        let key = SigningKey::from_bytes(&[number; 32].into()).expect("a small scalar is a key");
        let name = sequence(&[&set(vec![sequence(&[
            &oid("2.5.4.3"),
            &tlv(UTF8_STRING, &[common_name.as_bytes()]),
        ])])]);
        let mut identity = Self {
            key,
            name,
            serial: number,
            certificate: Vec::new(),
        };
        let authority = issuer.unwrap_or(&identity);
        let key_info = sequence(&[
            &sequence(&[&oid("1.2.840.10045.2.1"), &oid("1.2.840.10045.3.1.7")]),
            &bit_string(&identity.point()),
        ]);
        let tbs = sequence(&[
            &context(0, &[&integer(2)]),
            &integer(number),
            &algorithm(ECDSA_SHA256),
            &authority.name,
            &sequence(&[
                &tlv(UTC_TIME, &[b"200101000000Z"]),
                &tlv(UTC_TIME, &[b"400101000000Z"]),
            ]),
            &identity.name,
            &key_info,
            &context(3, &[&sequence(&[&extensions.concat()])]),
        ]);
        let signature = authority.sign(&tbs);
        identity.certificate = sequence(&[&tbs, &algorithm(ECDSA_SHA256), &bit_string(&signature)]);
        identity
    }

    /// ECDSA over SHA-256.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        let signature: DerSignature = self.key.sign(message);
        signature.as_bytes().to_vec()
    }

    /// The octets of the subjectPublicKey.
    pub(crate) fn point(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_encoded_point(false);
        point.as_bytes().to_vec()
    }
}

fn extension(kind: &str, critical: bool, value: &[u8]) -> Vec<u8> {
    let flag = if critical {
        tlv(BOOLEAN, &[&[0xff]])
    } else {
        Vec::new()
    };
    sequence(&[&oid(kind), &flag, &octets(value)])
}

fn attribute(kind: &str, value: &[u8]) -> Vec<u8> {
    sequence(&[&oid(kind), &set(vec![value.to_vec()])])
}
