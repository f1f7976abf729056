//! Certificates of every shape, made with OpenSSL.

use der::Encode;
use der::asn1::{Ia5String, ObjectIdentifier};
use openssl::asn1::{Asn1Object, Asn1OctetString, Asn1Time};
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::{X509, X509Extension, X509NameBuilder};
use parafa_trust::Certificate;
use x509_cert::ext::pkix::certpolicy::{CertificatePolicies, PolicyInformation};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AccessDescription, AuthorityInfoAccessSyntax, BasicConstraints, ExtendedKeyUsage, KeyUsage,
    KeyUsages,
};

use crate::asn1::sequence;

pub const QC_COMPLIANCE: &str = "0.4.0.1862.1.1";
pub const QC_SSCD: &str = "0.4.0.1862.1.4";
pub const OCSP_SIGNING: &str = "1.3.6.1.5.5.7.3.9";
pub const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";

/// A certificate with its key.
#[derive(Clone)]
pub struct Identity {
    pub x509: X509,
    pub key: PKey<Private>,
}

impl Identity {
    pub fn certificate(&self) -> Certificate {
        Certificate::from_der(&self.der()).expect("a certificate")
    }

    pub fn der(&self) -> Vec<u8> {
        self.x509.to_der().expect("DER")
    }

    pub fn pem(&self) -> Vec<u8> {
        self.x509.to_pem().expect("PEM")
    }
}

/// What a certificate shall say.
#[derive(Clone)]
pub struct Template {
    subject: Vec<(&'static str, String)>,
    serial: u32,
    not_before: &'static str,
    not_after: &'static str,
    extensions: Vec<(ObjectIdentifier, bool, Vec<u8>)>,
    key: PKey<Private>,
}

impl Template {
    pub fn new(common_name: &str) -> Self {
        Self {
            subject: vec![("C", "LT".to_owned()), ("CN", common_name.to_owned())],
            serial: 1,
            not_before: "20200101000000Z",
            not_after: "20400101000000Z",
            extensions: Vec::new(),
            key: p256(),
        }
    }

    pub fn authority(common_name: &str) -> Self {
        Self::new(common_name)
            .extension(
                true,
                &BasicConstraints {
                    ca: true,
                    path_len_constraint: None,
                },
            )
            .key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign)
    }

    /// A qualified certificate of a natural person.
    pub fn signer(personal_code: &str) -> Self {
        Self::new("VARDENĖ PAVARDENĖ")
            .attribute("SN", "PAVARDENĖ")
            .attribute("GN", "VARDENĖ")
            .attribute("serialNumber", personal_code)
            .key_usage(KeyUsages::NonRepudiation.into())
            .qc(&[QC_COMPLIANCE, QC_SSCD])
    }

    pub fn attribute(mut self, name: &'static str, value: &str) -> Self {
        self.subject.push((name, value.to_owned()));
        self
    }

    pub fn serial(mut self, serial: u32) -> Self {
        self.serial = serial;
        self
    }

    pub fn validity(mut self, not_before: &'static str, not_after: &'static str) -> Self {
        self.not_before = not_before;
        self.not_after = not_after;
        self
    }

    pub fn key(mut self, key: PKey<Private>) -> Self {
        self.key = key;
        self
    }

    pub fn raw_extension(mut self, oid: &str, critical: bool, value: Vec<u8>) -> Self {
        let oid = ObjectIdentifier::new_unwrap(oid);
        self.extensions.retain(|(present, ..)| *present != oid);
        self.extensions.push((oid, critical, value));
        self
    }

    pub fn without(mut self, oid: &str) -> Self {
        let oid = ObjectIdentifier::new_unwrap(oid);
        self.extensions.retain(|(present, ..)| *present != oid);
        self
    }

    pub fn extension<T>(self, critical: bool, value: &T) -> Self
    where
        T: Encode + const_oid::AssociatedOid,
    {
        self.raw_extension(&T::OID.to_string(), critical, value.to_der().expect("DER"))
    }

    pub fn key_usage(self, usages: der::flagset::FlagSet<KeyUsages>) -> Self {
        self.extension(true, &KeyUsage(usages))
    }

    pub fn extended_key_usage(self, critical: bool, purposes: &[&str]) -> Self {
        let purposes = purposes.iter().copied().map(ObjectIdentifier::new_unwrap);
        self.extension(critical, &ExtendedKeyUsage(purposes.collect()))
    }

    pub fn policies(self, policies: &[&str]) -> Self {
        let information = |oid: &&str| PolicyInformation {
            policy_identifier: ObjectIdentifier::new_unwrap(oid),
            policy_qualifiers: None,
        };
        self.extension(
            false,
            &CertificatePolicies(policies.iter().map(information).collect()),
        )
    }

    /// QC statements without further information.
    pub fn qc(self, statements: &[&str]) -> Self {
        let encoded: Vec<Vec<u8>> = statements
            .iter()
            .map(|oid| sequence(&[&crate::asn1::oid(oid)]))
            .collect();
        self.raw_qc(&encoded)
    }

    pub fn raw_qc(self, statements: &[Vec<u8>]) -> Self {
        let parts: Vec<&[u8]> = statements.iter().map(Vec::as_slice).collect();
        self.raw_extension("1.3.6.1.5.5.7.1.3", false, sequence(&parts))
    }

    pub fn ocsp_url(self, url: &str) -> Self {
        let location = GeneralName::UniformResourceIdentifier(Ia5String::new(url).expect("ASCII"));
        let description = AccessDescription {
            access_method: ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1"),
            access_location: location,
        };
        self.extension(false, &AuthorityInfoAccessSyntax(vec![description]))
    }

    pub fn issued_by(self, issuer: &Identity) -> Identity {
        self.build(Some(issuer))
    }

    pub fn self_signed(self) -> Identity {
        self.build(None)
    }

    fn build(self, issuer: Option<&Identity>) -> Identity {
        let mut name = X509NameBuilder::new().expect("a name");
        for (attribute, value) in &self.subject {
            name.append_entry_by_text(attribute, value)
                .expect("an attribute");
        }
        let name = name.build();
        let mut builder = X509::builder().expect("a builder");
        let serial = BigNum::from_u32(self.serial).and_then(|serial| serial.to_asn1_integer());
        let time = |text| Asn1Time::from_str(text).expect("a time");
        builder.set_version(2).expect("a version");
        builder
            .set_serial_number(&serial.expect("a serial"))
            .expect("a serial");
        builder
            .set_not_before(&time(self.not_before))
            .expect("a time");
        builder
            .set_not_after(&time(self.not_after))
            .expect("a time");
        builder.set_subject_name(&name).expect("a subject");
        let issuer_name = issuer.map_or(name.as_ref(), |issuer| issuer.x509.subject_name());
        builder.set_issuer_name(issuer_name).expect("an issuer");
        builder.set_pubkey(&self.key).expect("a key");
        for (oid, critical, value) in &self.extensions {
            let oid = Asn1Object::from_str(&oid.to_string()).expect("an OID");
            let value = Asn1OctetString::new_from_bytes(value).expect("octets");
            let extension = X509Extension::new_from_der(&oid, *critical, &value);
            builder
                .append_extension2(&extension.expect("an extension"))
                .expect("an extension");
        }
        let key = issuer.map_or(&self.key, |issuer| &issuer.key);
        builder
            .sign(key, MessageDigest::sha256())
            .expect("a signature");
        Identity {
            x509: builder.build(),
            key: self.key,
        }
    }
}

pub fn p256() -> PKey<Private> {
    on_curve(Nid::X9_62_PRIME256V1)
}

pub fn on_curve(curve: Nid) -> PKey<Private> {
    let group = EcGroup::from_curve_name(curve).expect("a curve");
    let key = EcKey::generate(&group).expect("a key");
    PKey::from_ec_key(key).expect("a key")
}

pub fn rsa(bits: u32) -> PKey<Private> {
    let key = Rsa::generate(bits).expect("a key");
    PKey::from_rsa(key).expect("a key")
}
