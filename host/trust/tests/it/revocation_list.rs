//! A publisher of revocation lists, honest unless told otherwise.

use der::Encode;
use der::asn1::Ia5String;
use openssl::hash::MessageDigest;
use openssl::sign::Signer;
use x509_cert::ext::pkix::CrlDistributionPoints;
use x509_cert::ext::pkix::crl::dp::DistributionPoint;
use x509_cert::ext::pkix::name::{DistributionPointName, GeneralName};

use crate::asn1::{INTEGER, algorithm, bit_string, explicit, octets, oid, sequence, time, tlv};
use crate::authority::{Identity, Template};

pub const LIST_URL: &str = "http://lists.example.com/issuing.crl";
const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";

/// A certificate that says where its issuer's list is.
pub fn with_list(template: Template) -> Template {
    let url = Ia5String::new(LIST_URL).expect("ASCII");
    let name = GeneralName::UniformResourceIdentifier(url);
    let point = DistributionPoint {
        distribution_point: Some(DistributionPointName::FullName(vec![name])),
        reasons: None,
        crl_issuer: None,
    };
    template.extension(false, &CrlDistributionPoints(vec![point]))
}

/// A complete list of the issuer, made in the morning.
#[derive(Clone)]
pub struct RevocationList {
    pub issuer: Identity,
    pub signer: Identity,
    pub signed_with: &'static str,
    pub this_update: &'static str,
    pub next_update: &'static str,
    /// Serial numbers.
    pub revoked: Vec<u32>,
    /// OID, criticality, value.
    pub extensions: Vec<(&'static str, bool, Vec<u8>)>,
}

impl RevocationList {
    pub fn new(issuer: &Identity) -> Self {
        Self {
            issuer: issuer.clone(),
            signer: issuer.clone(),
            signed_with: ECDSA_SHA256,
            this_update: "20261121000000Z",
            next_update: "20261128000000Z",
            revoked: Vec::new(),
            extensions: Vec::new(),
        }
    }

    pub fn der(&self) -> Vec<u8> {
        let entry = |serial: &u32| {
            let serial = serial.to_der().expect("DER");
            sequence(&[&serial, &time("20261101120000Z")])
        };
        let entries: Vec<u8> = self.revoked.iter().flat_map(entry).collect();
        let entries = match entries.is_empty() {
            true => Vec::new(),
            false => sequence(&[&entries]),
        };
        let certificate = self.issuer.certificate();
        let list = sequence(&[
            &tlv(INTEGER, &[&[1]]),
            &algorithm(self.signed_with),
            certificate.subject_der(),
            &time(self.this_update),
            &time(self.next_update),
            &entries,
            &self.extensions(),
        ]);
        let mut signer = Signer::new(MessageDigest::sha256(), &self.signer.key).expect("a signer");
        let signature = signer.sign_oneshot_to_vec(&list).expect("a signature");
        sequence(&[&list, &algorithm(self.signed_with), &bit_string(&signature)])
    }

    fn extensions(&self) -> Vec<u8> {
        let extension = |(id, critical, value): &(&str, bool, Vec<u8>)| {
            let critical = match critical {
                true => tlv(0x01, &[&[0xff]]),
                false => Vec::new(),
            };
            sequence(&[&oid(id), &critical, &octets(value)])
        };
        let extensions: Vec<u8> = self.extensions.iter().flat_map(extension).collect();
        match extensions.is_empty() {
            true => Vec::new(),
            false => explicit(0, &[&sequence(&[&extensions])]),
        }
    }
}
