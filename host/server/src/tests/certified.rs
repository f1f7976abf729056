//! Certificates that the world's authorities issue here and at none of its
//! services.

use openssl::asn1::{Asn1Object, Asn1OctetString, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{HasPublic, PKey, PKeyRef};
use openssl::x509::extension::KeyUsage;
use openssl::x509::{X509, X509Builder, X509Extension, X509NameBuilder};

use super::deployment::Site;

/// The policy of qualified certificates of Smart-ID.
pub(super) const SMART_ID: &str = "1.3.6.1.4.1.10015.17.2";
/// The policy of certificates of Mobile-ID.
pub(super) const MOBILE_ID: &str = "1.3.6.1.4.1.10015.18.1";

/// The purpose of Smart-ID's certificates for authentication.
const SMART_ID_AUTHENTICATION: &str = "1.3.6.1.4.1.62306.5.7.0";
/// `extKeyUsage` (RFC 5280, 4.2.1.12).
const EXTENDED_KEY_USAGE: &str = "2.5.29.37";
/// `certificatePolicies` (RFC 5280, 4.2.1.4).
const CERTIFICATE_POLICIES: &str = "2.5.29.32";
/// `qcStatements` (RFC 3739, 3.2.6).
const QUALIFIED_CERTIFICATE_STATEMENTS: &str = "1.3.6.1.5.5.7.1.3";
/// QcCompliance and QcSSCD (ETSI EN 319 412-5).
const STATEMENTS: [&[u8]; 2] = [
    b"\x30\x08\x06\x06\x04\x00\x8e\x46\x01\x01",
    b"\x30\x08\x06\x06\x04\x00\x8e\x46\x01\x04",
];

/// What a certificate says. It names nobody who could be asked whether it is
/// revoked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Certified<'c> {
    /// The issuing authority.
    pub(super) by: &'c str,
    pub(super) key_use: KeyUse,
    pub(super) policies: &'c [&'c str],
    /// Whether it states that it is qualified.
    pub(super) is_qualified: bool,
}

/// What the key is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum KeyUse {
    Authentication,
    Signing,
}

impl Certified<'_> {
    /// The certificate of a person's key, in DER.
    pub(super) fn issue<K: HasPublic>(
        self,
        site: &Site,
        serial_number: &str,
        key: &PKeyRef<K>,
    ) -> Vec<u8> {
        let file = |folder| site.world_file(&format!("{folder}/authority/{}.pem", self.by));
        let issuer = X509::from_pem(&file("certificates")).unwrap();
        let issuer_key = PKey::private_key_from_pem(&file("keys")).unwrap();
        let mut subject = X509NameBuilder::new().unwrap();
        for (attribute, value) in [("C", "LT"), ("CN", "X"), ("serialNumber", serial_number)] {
            subject.append_entry_by_text(attribute, value).unwrap();
        }
        let time = |text| Asn1Time::from_str(text).unwrap();
        let mut builder = X509Builder::new().unwrap();
        builder.set_version(2).unwrap();
        let serial = BigNum::from_u32(4711).unwrap().to_asn1_integer().unwrap();
        builder.set_serial_number(&serial).unwrap();
        builder.set_subject_name(&subject.build()).unwrap();
        builder.set_issuer_name(issuer.subject_name()).unwrap();
        builder.set_not_before(&time("20260101000000Z")).unwrap();
        builder.set_not_after(&time("20280101000000Z")).unwrap();
        builder.set_pubkey(key).unwrap();
        for extension in self.extensions() {
            builder.append_extension(extension).unwrap();
        }
        builder.sign(&issuer_key, MessageDigest::sha384()).unwrap();
        builder.build().to_der().unwrap()
    }

    /// One of a key on a curve that no card of ours has.
    pub(super) fn on_another_curve(site: &Site, key_use: KeyUse) -> Vec<u8> {
        let curve = EcGroup::from_curve_name(Nid::SECP256K1).unwrap();
        let key = PKey::from_ec_key(EcKey::generate(&curve).unwrap()).unwrap();
        let certified = Certified {
            by: "card-ca",
            key_use,
            policies: &[],
            is_qualified: true,
        };
        certified.issue(site, "48706189911", &key)
    }

    fn extensions(&self) -> Vec<X509Extension> {
        let mut usage = KeyUsage::new();
        match self.key_use {
            KeyUse::Authentication => usage.critical().digital_signature(),
            KeyUse::Signing => usage.critical().non_repudiation(),
        };
        let mut extensions = vec![usage.build().unwrap()];
        if self.key_use == KeyUse::Authentication && self.policies.contains(&SMART_ID) {
            let purpose = Asn1Object::from_str(SMART_ID_AUTHENTICATION).unwrap();
            let purpose = tagged(0x06, purpose.as_slice());
            extensions.push(extension(EXTENDED_KEY_USAGE, &purpose));
        }
        if !self.policies.is_empty() {
            let policies = self.policies.iter().map(|policy| {
                let policy = Asn1Object::from_str(policy).unwrap();
                tagged(0x30, &tagged(0x06, policy.as_slice()))
            });
            let policies = policies.collect::<Vec<_>>().concat();
            extensions.push(extension(CERTIFICATE_POLICIES, &policies));
        }
        if self.is_qualified {
            let statements = STATEMENTS.concat();
            extensions.push(extension(QUALIFIED_CERTIFICATE_STATEMENTS, &statements));
        }
        extensions
    }
}

/// An extension whose value is a `SEQUENCE` of these.
fn extension(name: &str, members: &[u8]) -> X509Extension {
    let value = Asn1OctetString::new_from_bytes(&tagged(0x30, members)).unwrap();
    let name = Asn1Object::from_str(name).unwrap();
    X509Extension::new_from_der(&name, false, &value).unwrap()
}

fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    [&[tag, length], content].concat()
}
