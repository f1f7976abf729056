use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use der::asn1::{BitString, Uint};
use jiff::Timestamp;
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::{
    Certificate, TbsCertificate, Version,
    crl::{CertificateList, RevokedCert, TbsCertList},
    ext::{
        Extension,
        pkix::{CrlNumber, KeyUsages},
    },
    name::Name,
    serial_number::SerialNumber,
    time::Validity,
};

use super::{Urls, days, extension, name::NameBuilder, years};
use crate::{
    crypto::{KeySpec, SigningKey},
    der_time::x509_time,
    error::WorldError,
    folder::Folder,
    random,
};

/// A certification authority as the table of the hierarchy has it.
pub(super) struct AuthoritySpec {
    pub(super) id: &'static str,
    /// Nothing for a self-signed root.
    pub(super) issuer: Option<&'static str>,
    common_name: &'static str,
    organization: &'static str,
}

impl AuthoritySpec {
    pub(super) const fn root(
        id: &'static str,
        common_name: &'static str,
        organization: &'static str,
    ) -> Self {
        Self {
            id,
            issuer: None,
            common_name,
            organization,
        }
    }

    pub(super) const fn issuing(
        id: &'static str,
        issuer: &'static str,
        common_name: &'static str,
        organization: &'static str,
    ) -> Self {
        Self {
            id,
            issuer: Some(issuer),
            common_name,
            organization,
        }
    }
}

/// A certification authority: its key, its certificate and its OCSP responder.
pub(crate) struct Authority {
    id: &'static str,
    key: SigningKey,
    certificate: Certificate,
    is_root: bool,
    responder_key: SigningKey,
    responder_certificate: Certificate,
    urls: Urls,
}

/// What an authority is asked to certify.
pub(super) struct Template {
    pub(super) subject: Name,
    pub(super) public_key: SubjectPublicKeyInfoOwned,
    pub(super) not_before: Timestamp,
    pub(super) not_after: Timestamp,
    /// The extensions of the profile; key identifiers are added.
    pub(super) extensions: Vec<Extension>,
}

impl Authority {
    pub(super) fn open(
        folder: &Folder,
        spec: &AuthoritySpec,
        issuer: Option<&Self>,
        urls: &Urls,
        now: Timestamp,
    ) -> Result<Self, WorldError> {
        let name = file_name(spec.id);
        let key = folder.key(&name, KeySpec::P384)?;
        let certificate = folder.certificate(&name, &key, || {
            authority_certificate(spec, &key, issuer, now)
        })?;
        let responder_name = format!("ocsp/{}", spec.id);
        let responder_key = folder.key(&responder_name, KeySpec::P256)?;
        let responder_certificate = folder.certificate(&responder_name, &responder_key, || {
            let template = responder_template(spec, &responder_key, now)?;
            sign_certificate(&key, &certificate, template)
        })?;
        Ok(Self {
            id: spec.id,
            key,
            certificate,
            is_root: spec.issuer.is_none(),
            responder_key,
            responder_certificate,
            urls: urls.clone(),
        })
    }

    pub(crate) fn id(&self) -> &'static str {
        self.id
    }

    pub(crate) fn is_root(&self) -> bool {
        self.is_root
    }

    pub(crate) fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The delegated responder's certificate (RFC 6960, 4.2.2.2).
    pub(crate) fn responder_certificate(&self) -> &Certificate {
        &self.responder_certificate
    }

    pub(crate) fn responder_key(&self) -> &SigningKey {
        &self.responder_key
    }

    /// Issues a certificate that says where to ask for its status.
    pub(super) fn issue(&self, mut template: Template) -> Result<Certificate, WorldError> {
        template.extensions.extend([
            extension::authority_information(
                &self.urls.ocsp(self.id),
                &self.urls.certificate(self.id),
            )?,
            extension::revocation_list(&self.urls.revocation_list(self.id))?,
        ]);
        sign_certificate(&self.key, &self.certificate, template)
    }

    /// The revocation list of RFC 5280, 5, good for a week.
    pub(crate) fn revocation_list(
        &self,
        revoked: Vec<(SerialNumber, Timestamp)>,
        now: Timestamp,
    ) -> Result<CertificateList, WorldError> {
        let revoked = revoked
            .into_iter()
            .map(|(serial_number, at)| {
                Ok(RevokedCert {
                    serial_number,
                    revocation_date: x509_time(at)?,
                    crl_entry_extensions: None,
                })
            })
            .collect::<der::Result<Vec<_>>>()?;
        let number = Uint::new(&now.as_second().to_be_bytes())?;
        let tbs_cert_list = TbsCertList {
            version: Version::V2,
            signature: self.key.algorithm(),
            issuer: self.certificate.tbs_certificate.subject.clone(),
            this_update: x509_time(now)?,
            next_update: Some(x509_time(now + days(7))?),
            revoked_certificates: Some(revoked).filter(|revoked| !revoked.is_empty()),
            crl_extensions: Some(vec![
                extension::authority_key_identifier(
                    &self.certificate.tbs_certificate.subject_public_key_info,
                )?,
                extension::extension(false, &CrlNumber(number))?,
            ]),
        };
        let signature = self.key.sign_der(&tbs_cert_list)?;
        Ok(CertificateList {
            tbs_cert_list,
            signature_algorithm: self.key.algorithm(),
            signature,
        })
    }
}

/// The name under which an authority's files are kept.
pub(super) fn file_name(id: &str) -> String {
    format!("authority/{id}")
}

fn authority_certificate(
    spec: &AuthoritySpec,
    key: &SigningKey,
    issuer: Option<&Authority>,
    now: Timestamp,
) -> Result<Certificate, WorldError> {
    let (age, life, path_length) = if issuer.is_some() {
        (years(5), years(15), Some(0))
    } else {
        (years(6), years(25), None)
    };
    let template = Template {
        subject: authority_name(spec)?,
        public_key: key.public_key()?,
        not_before: now - age,
        not_after: now - age + life,
        extensions: vec![
            extension::certification_authority(path_length)?,
            extension::key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign)?,
        ],
    };
    match issuer {
        Some(issuer) => issuer.issue(template),
        None => self_sign(key, template),
    }
}

fn authority_name(spec: &AuthoritySpec) -> der::Result<Name> {
    NameBuilder::default()
        .country("LT")
        .organization(spec.organization)
        .organization_identifier("NTRLT-999000000")
        .common_name(spec.common_name)
        .build()
}

fn responder_template(
    spec: &AuthoritySpec,
    key: &SigningKey,
    now: Timestamp,
) -> Result<Template, WorldError> {
    let subject = NameBuilder::default()
        .country("LT")
        .organization(spec.organization)
        .common_name(&format!("OCSP for {}", spec.common_name))
        .build()?;
    Ok(Template {
        subject,
        public_key: key.public_key()?,
        not_before: now - years(4),
        not_after: now + years(9),
        extensions: vec![
            extension::end_entity()?,
            extension::key_usage(KeyUsages::DigitalSignature)?,
            extension::extended_key_usage(false, ID_KP_OCSP_SIGNING)?,
            extension::ocsp_no_check()?,
        ],
    })
}

fn self_sign(key: &SigningKey, mut template: Template) -> Result<Certificate, WorldError> {
    let identifier = extension::subject_key_identifier(&template.public_key)?;
    template.extensions.push(identifier);
    let issuer = template.subject.clone();
    sign(key, issuer, template)
}

fn sign_certificate(
    key: &SigningKey,
    issuer: &Certificate,
    mut template: Template,
) -> Result<Certificate, WorldError> {
    let issuer = &issuer.tbs_certificate;
    template.extensions.extend([
        extension::subject_key_identifier(&template.public_key)?,
        extension::authority_key_identifier(&issuer.subject_public_key_info)?,
    ]);
    sign(key, issuer.subject.clone(), template)
}

fn sign(key: &SigningKey, issuer: Name, template: Template) -> Result<Certificate, WorldError> {
    let algorithm: AlgorithmIdentifierOwned = key.algorithm();
    let tbs_certificate = TbsCertificate {
        version: Version::V3,
        serial_number: serial_number()?,
        signature: algorithm.clone(),
        issuer,
        validity: Validity {
            not_before: x509_time(template.not_before)?,
            not_after: x509_time(template.not_after)?,
        },
        subject: template.subject,
        subject_public_key_info: template.public_key,
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(template.extensions),
    };
    let signature: BitString = key.sign_der(&tbs_certificate)?;
    Ok(Certificate {
        tbs_certificate,
        signature_algorithm: algorithm,
        signature,
    })
}

/// 126 random bits: positive, and always of the same length.
fn serial_number() -> der::Result<SerialNumber> {
    let mut bytes: [u8; 16] = random::bytes();
    bytes[0] = bytes[0] & 0x3f | 0x40;
    SerialNumber::new(&bytes)
}
