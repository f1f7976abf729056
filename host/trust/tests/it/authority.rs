//! Certificates of every shape.

use der::flagset::FlagSet;
use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::X509;
use parafa_issuing::oids::rfc4519::{COMMON_NAME, COUNTRY_NAME, GIVEN_NAME, SERIAL_NUMBER, SN};
use parafa_issuing::{
    Credential, Extension, Key, KeyUsages, ObjectIdentifier, Profile, Time, name, statement,
};
use parafa_trust::Certificate;

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
    /// The credential for issuing.
    pub fn credential(&self) -> Credential {
        Credential::new(self.key.clone().into(), &self.der()).expect("a certificate")
    }

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

/// Content of a certificate to issue.
#[derive(Clone)]
pub struct Template {
    subject: Vec<(ObjectIdentifier, String)>,
    serial: u32,
    validity: [&'static str; 2],
    extensions: Vec<Extension>,
    key: PKey<Private>,
}

impl Template {
    pub fn new(common_name: &str) -> Self {
        Self {
            subject: vec![
                (COUNTRY_NAME, "LT".to_owned()),
                (COMMON_NAME, common_name.to_owned()),
            ],
            serial: 1,
            validity: ["20200101000000Z", "20400101000000Z"],
            extensions: Vec::new(),
            key: p256(),
        }
    }

    pub fn authority(common_name: &str) -> Self {
        Self::new(common_name)
            .with(Extension::authority(None))
            .key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign)
    }

    /// A qualified certificate of a natural person.
    pub fn signer(personal_code: &str) -> Self {
        Self::new("VARDENĖ PAVARDENĖ")
            .attribute(SN, "PAVARDENĖ")
            .attribute(GIVEN_NAME, "VARDENĖ")
            .attribute(SERIAL_NUMBER, personal_code)
            .key_usage(KeyUsages::NonRepudiation.into())
            .qc(&[QC_COMPLIANCE, QC_SSCD])
    }

    pub fn attribute(mut self, name: ObjectIdentifier, value: &str) -> Self {
        self.subject.push((name, value.to_owned()));
        self
    }

    pub fn serial(mut self, serial: u32) -> Self {
        self.serial = serial;
        self
    }

    pub fn validity(mut self, not_before: &'static str, not_after: &'static str) -> Self {
        self.validity = [not_before, not_after];
        self
    }

    pub fn key(mut self, key: PKey<Private>) -> Self {
        self.key = key;
        self
    }

    /// The template with an extension, which replaces one with the same id.
    pub fn with(mut self, extension: Extension) -> Self {
        self.extensions.retain(|present| present.id != extension.id);
        self.extensions.push(extension);
        self
    }

    pub fn raw_extension(self, oid: &str, critical: bool, value: Vec<u8>) -> Self {
        let id = ObjectIdentifier::new_unwrap(oid);
        self.with(Extension {
            id,
            critical,
            value,
        })
    }

    pub fn without(mut self, oid: &str) -> Self {
        let oid = ObjectIdentifier::new_unwrap(oid);
        self.extensions.retain(|present| present.id != oid);
        self
    }

    pub fn key_usage(self, usages: FlagSet<KeyUsages>) -> Self {
        self.with(Extension::key_usage(usages))
    }

    pub fn extended_key_usage(self, critical: bool, purposes: &[&str]) -> Self {
        self.with(Extension {
            critical,
            ..Extension::purposes(&oids(purposes))
        })
    }

    pub fn policies(self, policies: &[&str]) -> Self {
        self.with(Extension::policies(&oids(policies)))
    }

    /// QC statements without further information.
    pub fn qc(self, statements: &[&str]) -> Self {
        let statements = oids(statements).into_iter();
        let encoded: Vec<_> = statements.map(|id| statement(id, &[])).collect();
        self.raw_qc(&encoded)
    }

    pub fn raw_qc(self, statements: &[Vec<u8>]) -> Self {
        self.with(Extension::qualified(statements))
    }

    pub fn ocsp_url(self, url: &str) -> Self {
        self.with(Extension::access(url, None))
    }

    pub fn issued_by(self, issuer: &Identity) -> Identity {
        self.build(Some(issuer))
    }

    pub fn self_signed(self) -> Identity {
        self.build(None)
    }

    fn build(self, issuer: Option<&Identity>) -> Identity {
        let subject = self.subject.iter();
        let subject: Vec<_> = subject.map(|(id, value)| (*id, value.as_str())).collect();
        let profile = Profile {
            subject: name(&subject),
            serial: self.serial.to_be_bytes().to_vec(),
            validity: self.validity.map(Time::from),
            extensions: self.extensions,
        };
        let key = Key::from(self.key);
        let issued = match issuer {
            Some(issuer) => issuer.credential().issue(&profile, key),
            None => Credential::self_signed(&profile, key),
        };
        let issued = issued.expect("a certificate");
        Identity {
            x509: issued.x509(),
            key: issued.key.pkey().clone(),
        }
    }
}

fn oids(texts: &[&str]) -> Vec<ObjectIdentifier> {
    let texts = texts.iter().copied();
    texts.map(ObjectIdentifier::new_unwrap).collect()
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
