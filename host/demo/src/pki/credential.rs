use jiff::Timestamp;
use parafa_issuing::{self as issuing, Certificate, Key, KeyKind};

use super::{
    Authority, CertificateStatus, Profile, authority::any_serial_number, days, time, years,
};
use crate::{error::WorldError, folder::Folder};

/// An end entity's key with its certificate.
pub(crate) struct Credential {
    own: issuing::Credential,
    issuer: &'static str,
    status: CertificateStatus,
}

/// Key and certificate of an end entity.
pub(crate) struct CredentialSpec<'a> {
    /// Name of the files in the world's folder.
    pub(crate) name: &'a str,
    /// Id of the issuing authority.
    pub(crate) issuer: &'static str,
    pub(crate) key: KeyKind,
    pub(crate) profile: Profile<'a>,
    pub(crate) validity: Validity,
}

/// Validity of a certificate at the world's first start.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Validity {
    /// Issued a month before, valid for three years.
    Current,
    /// As `Current`, and revoked ten days after its issue.
    Revoked,
    /// Ended a month before.
    Expired,
}

impl Credential {
    pub(super) fn open(
        folder: &Folder,
        issuer: &Authority,
        spec: &CredentialSpec<'_>,
        now: Timestamp,
    ) -> Result<Self, WorldError> {
        let key = folder.key(spec.name, spec.key)?;
        let certificate = folder.certificate(spec.name, &key, || {
            let (not_before, not_after) = match spec.validity {
                Validity::Current | Validity::Revoked => (now - days(30), now + years(3)),
                Validity::Expired => (now - years(3) - days(30), now - days(30)),
            };
            let profile = issuing::Profile {
                subject: spec.profile.subject(),
                serial: any_serial_number(),
                validity: [time(not_before)?, time(not_after)?],
                extensions: spec.profile.extensions(),
            };
            issuer.issue(profile, &key)
        })?;
        let status = match spec.validity {
            Validity::Current | Validity::Expired => CertificateStatus::Good,
            Validity::Revoked => CertificateStatus::Revoked {
                at: issued_at(&certificate) + days(10),
            },
        };
        Ok(Self {
            own: issuing::Credential { key, certificate },
            issuer: issuer.id(),
            status,
        })
    }

    /// Key and certificate, to issue with.
    pub(crate) fn own(&self) -> &issuing::Credential {
        &self.own
    }

    pub(crate) fn key(&self) -> &Key {
        &self.own.key
    }

    pub(crate) fn certificate(&self) -> &Certificate {
        &self.own.certificate
    }

    /// Id of the authority that issued the certificate.
    pub(crate) fn issuer(&self) -> &'static str {
        self.issuer
    }

    pub(super) fn status(&self) -> CertificateStatus {
        self.status
    }
}

fn issued_at(certificate: &Certificate) -> Timestamp {
    let validity = &certificate.tbs_certificate.validity;
    let seconds = validity.not_before.to_unix_duration().as_secs();
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .expect("notBefore was written from a timestamp")
}
