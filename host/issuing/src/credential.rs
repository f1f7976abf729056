use const_oid::ObjectIdentifier;
use const_oid::db::rfc4519::{COMMON_NAME, COUNTRY_NAME, SERIAL_NUMBER};
use der::Decode;
use openssl::x509::X509;
use sha2::{Digest, Sha256};
use x509_cert::Certificate;

use crate::der::{
    PRINTABLE_STRING, UTF8_STRING, bit_string, context, encoded, integer, oid, optional, sequence,
    sequence_of, set, tlv,
};
use crate::{Extension, IssuingError, Key, Time};

/// Content of a certificate (RFC 5280, 4.1.2).
#[derive(Clone, Debug)]
pub struct Profile {
    /// A [`name`], DER.
    pub subject: Vec<u8>,
    /// The octets of the serial number, such as [`serial_number`] makes.
    pub serial: Vec<u8>,
    /// `notBefore` and `notAfter`.
    pub validity: [Time; 2],
    /// Extensions in order; the key identifiers are extensions like others.
    pub extensions: Vec<Extension>,
}

/// A key with its certificate. It can act as an authority.
#[derive(Clone, Debug)]
pub struct Credential {
    /// The private key.
    pub key: Key,
    /// The certificate.
    pub certificate: Certificate,
}

impl Profile {
    /// A profile with a common name, valid from 2020 to 2049, and nothing else.
    #[must_use]
    pub fn named(common_name: &str) -> Self {
        Self {
            subject: name(&[(COMMON_NAME, common_name)]),
            serial: serial_number(common_name.as_bytes()),
            validity: ["20200101000000Z".into(), "20491231235959Z".into()],
            extensions: Vec::new(),
        }
    }

    /// The profile with one more extension.
    #[must_use]
    pub fn with(mut self, extension: Extension) -> Self {
        self.extensions.push(extension);
        self
    }

    /// The certificate that a key issues to itself.
    ///
    /// # Errors
    ///
    /// When the key cannot be used.
    pub fn self_signed(&self, key: &Key) -> Result<Certificate, IssuingError> {
        self.signed(key, &self.subject, &key.public_key()?)
    }

    /// The certificate that `issuer` issues for a key (SubjectPublicKeyInfo, DER).
    ///
    /// # Errors
    ///
    /// When the issuer's key cannot be used.
    pub fn issued_by(
        &self,
        issuer: &Credential,
        public_key: &[u8],
    ) -> Result<Certificate, IssuingError> {
        self.signed(&issuer.key, &issuer.name(), public_key)
    }

    fn signed(
        &self,
        key: &Key,
        issuer: &[u8],
        public_key: &[u8],
    ) -> Result<Certificate, IssuingError> {
        const VERSION_3: u8 = 2;

        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        let [not_before, not_after] = self.validity.each_ref().map(Time::x509);
        let tbs = sequence(&[
            &context(0, &[&integer(&[VERSION_3])]),
            &integer(&self.serial),
            &key.algorithm(),
            issuer,
            &sequence(&[&not_before, &not_after]),
            &self.subject,
            public_key,
            &optional(3, &extensions),
        ]);
        Ok(Certificate::from_der(&signed(key, &tbs)?)?)
    }
}

impl Credential {
    /// A key with the certificate, DER, that was issued for it before.
    ///
    /// # Errors
    ///
    /// When it is no certificate.
    pub fn new(key: Key, certificate: &[u8]) -> Result<Self, IssuingError> {
        let certificate = Certificate::from_der(certificate)?;
        Ok(Self { key, certificate })
    }

    /// Issues a self-signed certificate.
    ///
    /// # Errors
    ///
    /// The key cannot be used.
    pub fn self_signed(profile: &Profile, key: Key) -> Result<Self, IssuingError> {
        let certificate = profile.self_signed(&key)?;
        Ok(Self { key, certificate })
    }

    /// The credential of a key that this authority certifies.
    ///
    /// # Errors
    ///
    /// When a key cannot be used.
    pub fn issue(&self, profile: &Profile, key: Key) -> Result<Self, IssuingError> {
        let certificate = profile.issued_by(self, &key.public_key()?)?;
        Ok(Self { key, certificate })
    }

    /// The subject's name, DER.
    #[must_use]
    pub fn name(&self) -> Vec<u8> {
        encoded(&self.certificate.tbs_certificate.subject)
    }

    /// The certificate as an OpenSSL value.
    ///
    /// # Panics
    ///
    /// OpenSSL cannot read the certificate.
    #[must_use]
    pub fn x509(&self) -> X509 {
        X509::from_der(&self.der()).expect("a certificate")
    }

    /// The certificate, DER.
    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        encoded(&self.certificate)
    }
}

/// A name (RFC 5280, 4.1.2.4) with one attribute in each of its parts.
#[must_use]
pub fn name(attributes: &[(ObjectIdentifier, &str)]) -> Vec<u8> {
    let part = |(attribute, value): &(ObjectIdentifier, &str)| {
        let tag = match *attribute {
            COUNTRY_NAME | SERIAL_NUMBER => PRINTABLE_STRING,
            _ => UTF8_STRING,
        };
        set(vec![sequence(&[
            &oid(*attribute),
            &tlv(tag, &[value.as_bytes()]),
        ])])
    };
    sequence_of(&attributes.iter().map(part).collect::<Vec<_>>())
}

/// Serial number derived from a seed: positive, and always of the same length.
#[must_use]
pub fn serial_number(seed: &[u8]) -> Vec<u8> {
    const OCTETS: usize = 16;

    let mut octets = Sha256::digest(seed)[..OCTETS].to_vec();
    octets[0] = octets[0] & 0x3F | 0x40;
    octets
}

/// The data to be signed, followed by the key's algorithm and signature (RFC 5280, 4.1.1 and
/// 5.1.1).
pub(crate) fn signed(key: &Key, tbs: &[u8]) -> Result<Vec<u8>, IssuingError> {
    let signature = bit_string(&key.sign(tbs)?);
    Ok(sequence(&[tbs, &key.algorithm(), &signature]))
}
