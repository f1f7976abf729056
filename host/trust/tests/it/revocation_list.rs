//! A publisher of revocation lists, honest by default.

use parafa_issuing::der::bit_string;
use parafa_issuing::{self as issuing, Extension};

use crate::asn1::{algorithm, sequence};
use crate::authority::{Identity, Template};

pub const LIST_URL: &str = "http://lists.example.com/issuing.crl";
const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";

/// A certificate with the URL of its issuer's list.
pub fn with_list(template: Template) -> Template {
    template.with(Extension::revocation_list(LIST_URL))
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
    pub extensions: Vec<Extension>,
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
        let entry = |serial: &u32| (serial.to_be_bytes().to_vec(), "20261101120000Z".into());
        let list = issuing::RevocationList {
            issuer: self.issuer.credential().name(),
            this_update: self.this_update.into(),
            next_update: Some(self.next_update.into()),
            revoked: self.revoked.iter().map(entry).collect(),
            extensions: self.extensions.clone(),
        };
        let algorithm = algorithm(self.signed_with);
        let list = list.to_be_signed(&algorithm);
        let signature = self.signer.credential().key.sign(&list);
        let signature = bit_string(&signature.expect("a signature"));
        sequence(&[&list, &algorithm, &signature])
    }
}
