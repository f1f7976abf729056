use std::time::Duration;

use const_oid::db::rfc5912::{ECDSA_WITH_SHA_256, ID_EC_PUBLIC_KEY, SECP_256_R_1};
use der::asn1::{BitString, GeneralizedTime, ObjectIdentifier, UtcTime};
use der::{Any, DateTime, Encode};
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{DerSignature, SigningKey};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages};
use x509_cert::ext::{AsExtension, Extension};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::{Time, Validity};
use x509_cert::{Certificate, TbsCertificate, Version};

use super::error::SignerError;

/// Bytes of a serial number.
const SERIAL_BYTES: usize = 16;

/// A P-256 key with its certificate.
pub(super) struct Credential {
    key: SigningKey,
    certificate: Certificate,
}

/// What a certificate is to say.
pub(super) struct Subject {
    pub(super) common_name: &'static str,
    pub(super) key_usage: KeyUsages,
    /// The only, critical, extended purpose.
    pub(super) purpose: Option<ObjectIdentifier>,
    /// From and until, seconds since the Unix epoch.
    pub(super) validity: (i64, i64),
}

impl Credential {
    /// An authority that nobody issued; its key is made of its name.
    pub(super) fn self_issued(
        common_name: &'static str,
        validity: (i64, i64),
    ) -> Result<Self, SignerError> {
        let name = name(common_name)?;
        let key = key_of(common_name.as_bytes())?;
        let extensions = vec![
            extension(
                &BasicConstraints {
                    ca: true,
                    path_len_constraint: Some(0),
                },
                &name,
            )?,
            extension(
                &KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign),
                &name,
            )?,
        ];
        let public_key = public_key(&key)?;
        let certificate = issued(&key, &name, public_key, name.clone(), validity, extensions)?;
        Ok(Self { key, certificate })
    }

    /// A credential that this authority issues; its key is made of `seed`.
    pub(super) fn issue(&self, subject: &Subject, seed: &[u8]) -> Result<Self, SignerError> {
        let key = key_of(seed)?;
        let certificate = self.certify(subject, public_key(&key)?)?;
        Ok(Self { key, certificate })
    }

    /// A certificate that this authority issues for a key.
    pub(super) fn certify(
        &self,
        subject: &Subject,
        public_key: SubjectPublicKeyInfoOwned,
    ) -> Result<Certificate, SignerError> {
        let name = name(subject.common_name)?;
        let mut extensions = vec![extension(&KeyUsage(subject.key_usage.into()), &name)?];
        if let Some(purpose) = subject.purpose {
            let mut purposes = extension(&ExtendedKeyUsage(vec![purpose]), &name)?;
            purposes.critical = true;
            extensions.push(purposes);
        }
        let (issuer, validity) = (self.name(), subject.validity);
        issued(&self.key, issuer, public_key, name, validity, extensions)
    }

    pub(super) fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    pub(super) fn name(&self) -> &Name {
        &self.certificate.tbs_certificate.subject
    }

    pub(super) fn der(&self) -> Result<Vec<u8>, SignerError> {
        encoded(&self.certificate)
    }

    /// ECDSA with SHA-256, deterministic (RFC 6979), in DER.
    pub(super) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, SignerError> {
        let signature: DerSignature = self.key.try_sign(bytes)?;
        Ok(signature.as_bytes().to_vec())
    }

    /// The same over what has this digest.
    pub(super) fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>, SignerError> {
        let signature: DerSignature = self.key.sign_prehash(digest)?;
        Ok(signature.as_bytes().to_vec())
    }

    /// The same over the DER of a value, as certificates have it.
    pub(super) fn sign_der(&self, value: &impl Encode) -> Result<BitString, SignerError> {
        Ok(BitString::from_bytes(&self.sign(&encoded(value)?)?)?)
    }

    pub(super) fn has_issued(&self, certificate: &Certificate) -> bool {
        let signed = certificate.tbs_certificate.to_der();
        let signature = DerSignature::from_bytes(certificate.signature.raw_bytes());
        match (signed, signature) {
            (Ok(signed), Ok(signature)) => {
                self.key.verifying_key().verify(&signed, &signature).is_ok()
            }
            _ => false,
        }
    }
}

/// ecdsa-with-SHA256 (RFC 5758 clause 3.2).
pub(super) fn algorithm() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned {
        oid: ECDSA_WITH_SHA_256,
        parameters: None,
    }
}

fn issued(
    issuer_key: &SigningKey,
    issuer: &Name,
    public_key: SubjectPublicKeyInfoOwned,
    subject: Name,
    (from, until): (i64, i64),
    extensions: Vec<Extension>,
) -> Result<Certificate, SignerError> {
    let tbs_certificate = TbsCertificate {
        version: Version::V3,
        serial_number: serial_number(&public_key)?,
        signature: algorithm(),
        issuer: issuer.clone(),
        validity: Validity {
            not_before: time(from)?,
            not_after: time(until)?,
        },
        subject,
        subject_public_key_info: public_key,
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(extensions),
    };
    let signature: DerSignature = issuer_key.try_sign(&tbs_certificate.to_der()?)?;
    Ok(Certificate {
        tbs_certificate,
        signature_algorithm: algorithm(),
        signature: BitString::from_bytes(signature.as_bytes())?,
    })
}

/// A point of P-256 (RFC 5480 clause 2).
fn public_key(key: &SigningKey) -> Result<SubjectPublicKeyInfoOwned, SignerError> {
    let point = key.verifying_key().to_encoded_point(false);
    Ok(SubjectPublicKeyInfoOwned {
        algorithm: AlgorithmIdentifierOwned {
            oid: ID_EC_PUBLIC_KEY,
            parameters: Some(Any::encode_from(&SECP_256_R_1)?),
        },
        subject_public_key: BitString::from_bytes(point.as_bytes())?,
    })
}

/// A number that tells keys apart: positive, and always of the same length.
fn serial_number(key: &SubjectPublicKeyInfoOwned) -> Result<SerialNumber, SignerError> {
    let mut bytes: Vec<u8> = Sha256::digest(key.to_der()?)
        .into_iter()
        .take(SERIAL_BYTES)
        .collect();
    if let Some(first) = bytes.first_mut() {
        *first = *first & 0x3f | 0x40;
    }
    Ok(SerialNumber::new(&bytes)?)
}

fn key_of(seed: &[u8]) -> Result<SigningKey, SignerError> {
    let digest = Sha256::new()
        .chain_update(b"parafa-conformance key\n")
        .chain_update(seed)
        .finalize();
    Ok(SigningKey::from_bytes(&digest)?)
}

fn name(common_name: &str) -> Result<Name, SignerError> {
    Ok(format!("CN={common_name}").parse()?)
}

fn extension(value: &impl AsExtension, subject: &Name) -> Result<Extension, SignerError> {
    Ok(value.to_extension(subject, &[])?)
}

/// UTCTime through 2049, GeneralizedTime after (RFC 5280 clause 4.1.2.5).
fn time(seconds: i64) -> der::Result<Time> {
    let date = date_time(seconds)?;
    Ok(if date.year() <= UtcTime::MAX_YEAR {
        Time::UtcTime(UtcTime::from_date_time(date)?)
    } else {
        Time::GeneralTime(GeneralizedTime::from_date_time(date))
    })
}

/// Seconds since the Unix epoch as DER has dates.
pub(super) fn date_time(seconds: i64) -> der::Result<DateTime> {
    let seconds = u64::try_from(seconds).map_err(|_| der::ErrorKind::DateTime)?;
    DateTime::from_unix_duration(Duration::from_secs(seconds))
}

pub(super) fn encoded(value: &impl Encode) -> Result<Vec<u8>, SignerError> {
    Ok(value.to_der()?)
}
