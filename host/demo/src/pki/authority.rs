use const_oid::db::{
    rfc4519::{COMMON_NAME, COUNTRY_NAME, ORGANIZATION_NAME},
    rfc5280::{ID_CE_CRL_NUMBER, ID_KP_OCSP_SIGNING},
};
use jiff::Timestamp;
use parafa_issuing::{
    Certificate, Credential, Extension, IssuingError, Key, KeyKind, KeyUsages, Profile,
    RevocationList, der::integer, name, serial_number,
};
use x509_cert::serial_number::SerialNumber;

use super::profile::ORGANIZATION_IDENTIFIER;
use super::{Urls, days, time, years};
use crate::{error::WorldError, folder::Folder, random};

/// A certification authority in the table of the hierarchy.
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
    own: Credential,
    is_root: bool,
    responder: Credential,
    urls: Urls,
}

impl Authority {
    pub(super) fn open(
        folder: &Folder,
        spec: &AuthoritySpec,
        issuer: Option<&Self>,
        urls: &Urls,
        now: Timestamp,
    ) -> Result<Self, WorldError> {
        let file = file_name(spec.id);
        let key = folder.key(&file, KeyKind::P384)?;
        let certificate = folder.certificate(&file, &key, || {
            authority_certificate(spec, &key, issuer, now)
        })?;
        let own = Credential { key, certificate };
        let file = format!("ocsp/{}", spec.id);
        let key = folder.key(&file, KeyKind::P256)?;
        let certificate = folder.certificate(&file, &key, || {
            certify(&own, responder_profile(spec, now)?, &key)
        })?;
        Ok(Self {
            id: spec.id,
            own,
            is_root: spec.issuer.is_none(),
            responder: Credential { key, certificate },
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
        &self.own.certificate
    }

    /// The delegated responder (RFC 6960, 4.2.2.2).
    pub(crate) fn responder(&self) -> &Credential {
        &self.responder
    }

    /// Issues a certificate with the URLs of its status services.
    pub(super) fn issue(
        &self,
        mut profile: Profile,
        key: &Key,
    ) -> Result<Certificate, IssuingError> {
        let (responder, certificate) = (self.urls.ocsp(self.id), self.urls.certificate(self.id));
        profile.extensions.extend([
            Extension::access(&responder, Some(&certificate)),
            Extension::revocation_list(&self.urls.revocation_list(self.id)),
        ]);
        certify(&self.own, profile, key)
    }

    /// The revocation list of RFC 5280, 5, good for a week, in DER.
    pub(crate) fn revocation_list(
        &self,
        revoked: Vec<(SerialNumber, Timestamp)>,
        now: Timestamp,
    ) -> Result<Vec<u8>, IssuingError> {
        let entry = |(serial, at): (SerialNumber, _)| Ok((serial.as_bytes().to_vec(), time(at)?));
        let number = integer(&now.as_second().to_be_bytes());
        let list = RevocationList {
            issuer: self.own.name(),
            this_update: time(now)?,
            next_update: Some(time(now + days(7))?),
            revoked: revoked
                .into_iter()
                .map(entry)
                .collect::<Result<_, IssuingError>>()?,
            extensions: vec![
                Extension::authority_key(&self.own.key.public_key()?)?,
                Extension::plain(ID_CE_CRL_NUMBER, number),
            ],
        };
        list.signed_by(&self.own.key)
    }
}

/// Name of an authority's files.
pub(super) fn file_name(id: &str) -> String {
    format!("authority/{id}")
}

/// A random serial number, independent of the key.
pub(super) fn any_serial_number() -> Vec<u8> {
    serial_number(&random::bytes::<16>())
}

fn authority_certificate(
    spec: &AuthoritySpec,
    key: &Key,
    issuer: Option<&Authority>,
    now: Timestamp,
) -> Result<Certificate, IssuingError> {
    let (age, life, path_length) = if issuer.is_some() {
        (years(5), years(15), Some(0))
    } else {
        (years(6), years(25), None)
    };
    let mut profile = Profile {
        subject: name(&[
            (COUNTRY_NAME, "LT"),
            (ORGANIZATION_NAME, spec.organization),
            (ORGANIZATION_IDENTIFIER, "NTRLT-999000000"),
            (COMMON_NAME, spec.common_name),
        ]),
        serial: any_serial_number(),
        validity: [time(now - age)?, time(now - age + life)?],
        extensions: vec![
            Extension::authority(path_length),
            Extension::key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign),
        ],
    };
    match issuer {
        Some(issuer) => issuer.issue(profile, key),
        None => {
            let identifier = Extension::subject_key(&key.public_key()?)?;
            profile.extensions.push(identifier);
            profile.self_signed(key)
        }
    }
}

fn responder_profile(spec: &AuthoritySpec, now: Timestamp) -> Result<Profile, IssuingError> {
    Ok(Profile {
        subject: name(&[
            (COUNTRY_NAME, "LT"),
            (ORGANIZATION_NAME, spec.organization),
            (COMMON_NAME, &format!("OCSP for {}", spec.common_name)),
        ]),
        serial: any_serial_number(),
        validity: [time(now - years(4))?, time(now + years(9))?],
        extensions: vec![
            Extension::end_entity(),
            Extension::key_usage(KeyUsages::DigitalSignature),
            Extension::purposes(&[ID_KP_OCSP_SIGNING]),
            Extension::ocsp_no_check(),
        ],
    })
}

/// A certificate that identifies both keys.
fn certify(
    issuer: &Credential,
    mut profile: Profile,
    key: &Key,
) -> Result<Certificate, IssuingError> {
    let public_key = key.public_key()?;
    profile.extensions.extend([
        Extension::subject_key(&public_key)?,
        Extension::authority_key(&issuer.key.public_key()?)?,
    ]);
    profile.issued_by(issuer, &public_key)
}
