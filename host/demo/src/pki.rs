//! The certificate hierarchy: own names, the shapes of the real ones.
//!
//! ```text
//! Parafa Demo Root E ─┬─ Parafa Demo EID-Q E   qualified certificates of Smart-ID
//!                     ├─ Parafa Demo EID-NQ E  non-qualified ones
//!                     ├─ Parafa Demo EID-M E   qualified ones of Mobile-ID
//!                     ├─ Parafa Demo Card CA   those of identity cards
//!                     ├─ Parafa Demo Sign CA   qualified ones of signature devices
//!                     └─ Parafa Demo TSA CA    time-stamping
//! Elsewhere Root ─────── Elsewhere EID         nobody trusts these
//! ```

mod authority;
mod credential;
mod profile;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use parafa_issuing::{Certificate, IssuingError, Time};
use x509_cert::serial_number::SerialNumber;

use self::authority::AuthoritySpec;
pub(crate) use self::{
    authority::Authority,
    credential::{Credential, CredentialSpec, Validity},
    profile::{Person, Profile},
};
use crate::{error::WorldError, folder::Folder};

/// The trusted root, with which validators are configured.
pub(crate) const ROOT: &str = "root-e";
/// Issues qualified signing certificates for Smart-ID.
pub(crate) const EID_Q: &str = "eid-q-e";
/// Issues non-qualified signing certificates for Smart-ID.
pub(crate) const EID_NQ: &str = "eid-nq-e";
/// Issues qualified signing certificates for Mobile-ID.
pub(crate) const EID_M: &str = "eid-m-e";
/// Issues the certificates of identity cards.
pub(crate) const CARD_CA: &str = "card-ca";
/// Issues qualified signing certificates for devices that are neither phones
/// nor identity cards.
pub(crate) const SIGN_CA: &str = "sign-ca";
/// Issues time-stamping certificates.
pub(crate) const TSA_CA: &str = "tsa-ca";
/// An untrusted root.
pub(crate) const ELSEWHERE_ROOT: &str = "elsewhere-root";
/// Issues signing certificates under the untrusted root.
pub(crate) const ELSEWHERE_EID: &str = "elsewhere-eid";

const AUTHORITIES: [AuthoritySpec; 9] = [
    AuthoritySpec::root(ROOT, "Parafa Demo Root E", "Parafa Demo Trust Services"),
    AuthoritySpec::issuing(
        EID_Q,
        ROOT,
        "Parafa Demo EID-Q E",
        "Parafa Demo Trust Services",
    ),
    AuthoritySpec::issuing(
        EID_NQ,
        ROOT,
        "Parafa Demo EID-NQ E",
        "Parafa Demo Trust Services",
    ),
    AuthoritySpec::issuing(
        EID_M,
        ROOT,
        "Parafa Demo EID-M E",
        "Parafa Demo Trust Services",
    ),
    AuthoritySpec::issuing(
        CARD_CA,
        ROOT,
        "Parafa Demo Card CA",
        "Parafa Demo Documents Office",
    ),
    AuthoritySpec::issuing(
        SIGN_CA,
        ROOT,
        "Parafa Demo Sign CA",
        "Parafa Demo Trust Services",
    ),
    AuthoritySpec::issuing(
        TSA_CA,
        ROOT,
        "Parafa Demo TSA CA",
        "Parafa Demo Trust Services",
    ),
    AuthoritySpec::root(ELSEWHERE_ROOT, "Elsewhere Root", "Elsewhere"),
    AuthoritySpec::issuing(ELSEWHERE_EID, ELSEWHERE_ROOT, "Elsewhere EID", "Elsewhere"),
];

/// All authorities of the world, and the status of the certificates that they issued.
pub(crate) struct Pki {
    authorities: Vec<Authority>,
    register: Mutex<Register>,
}

/// Everything issued, by issuer and the octets of the serial number.
type Register = BTreeMap<(&'static str, Vec<u8>), (SerialNumber, CertificateStatus)>;

/// Status of a certificate by its issuer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CertificateStatus {
    Good,
    Revoked { at: Timestamp },
}

/// URLs of the issuer's services in certificates.
#[derive(Clone, Debug)]
pub(crate) struct Urls {
    base: String,
}

impl Urls {
    /// Addresses below `base`, which has no slash at its end.
    pub(crate) fn new(base: &str) -> Self {
        Self { base: base.into() }
    }

    fn ocsp(&self, authority: &str) -> String {
        format!("{}/ocsp/{authority}", self.base)
    }

    fn certificate(&self, authority: &str) -> String {
        format!("{}/aia/{authority}.crt", self.base)
    }

    fn revocation_list(&self, authority: &str) -> String {
        format!("{}/crl/{authority}.crl", self.base)
    }
}

impl Pki {
    /// Loads the hierarchy from the folder, and makes what is missing.
    pub(crate) fn open(folder: &Folder, urls: &Urls, now: Timestamp) -> Result<Self, WorldError> {
        let mut authorities: Vec<Authority> = Vec::with_capacity(AUTHORITIES.len());
        for spec in &AUTHORITIES {
            let issuer = spec
                .issuer
                .and_then(|id| authorities.iter().find(|authority| authority.id() == id));
            let authority = Authority::open(folder, spec, issuer, urls, now)?;
            authorities.push(authority);
        }
        let pki = Self {
            authorities,
            register: Mutex::default(),
        };
        for (authority, spec) in pki.authorities.iter().zip(&AUTHORITIES) {
            pki.enter(
                authority.id(),
                &authority.responder().certificate,
                CertificateStatus::Good,
            );
            let issuer = spec.issuer.unwrap_or(authority.id());
            pki.enter(issuer, authority.certificate(), CertificateStatus::Good);
        }
        Ok(pki)
    }

    pub(crate) fn authorities(&self) -> &[Authority] {
        &self.authorities
    }

    pub(crate) fn authority(&self, id: &str) -> Option<&Authority> {
        self.authorities
            .iter()
            .find(|authority| authority.id() == id)
    }

    /// The certificate from `authority` up to, and without, its root.
    pub(crate) fn chain(&self, authority: &str) -> Vec<&Certificate> {
        self.authority(authority)
            .filter(|authority| !authority.is_root())
            .map(Authority::certificate)
            .into_iter()
            .collect()
    }

    /// The PEM files of the roots that validators are to trust.
    pub(crate) fn root_files(folder: &Folder) -> Vec<PathBuf> {
        vec![folder.certificate_path(&authority::file_name(ROOT))]
    }

    /// Loads or issues an end entity's key and certificate and enters its status.
    pub(crate) fn credential(
        &self,
        folder: &Folder,
        spec: &CredentialSpec<'_>,
        now: Timestamp,
    ) -> Result<Credential, WorldError> {
        let authority = self
            .authority(spec.issuer)
            .expect("credentials name authorities of the table above");
        let credential = Credential::open(folder, authority, spec, now)?;
        self.enter(
            authority.id(),
            credential.certificate(),
            credential.status(),
        );
        Ok(credential)
    }

    /// Status of a serial number by `authority`; `None` if it did not issue it.
    pub(crate) fn status(
        &self,
        authority: &Authority,
        serial: &SerialNumber,
    ) -> Option<CertificateStatus> {
        let register = self.register.lock().unwrap_or_else(PoisonError::into_inner);
        register
            .get(&(authority.id(), serial.as_bytes().to_vec()))
            .map(|(_, status)| *status)
    }

    /// The serial numbers that `authority` revoked, with the times.
    pub(crate) fn revoked(&self, authority: &Authority) -> Vec<(SerialNumber, Timestamp)> {
        let register = self.register.lock().unwrap_or_else(PoisonError::into_inner);
        register
            .iter()
            .filter(|((issuer, _), _)| *issuer == authority.id())
            .filter_map(|(_, (serial, status))| match status {
                CertificateStatus::Revoked { at } => Some((serial.clone(), *at)),
                CertificateStatus::Good => None,
            })
            .collect()
    }

    fn enter(&self, issuer: &'static str, certificate: &Certificate, status: CertificateStatus) {
        let serial = certificate.tbs_certificate.serial_number.clone();
        let mut register = self.register.lock().unwrap_or_else(PoisonError::into_inner);
        register.insert((issuer, serial.as_bytes().to_vec()), (serial, status));
    }
}

/// A time in the form of DER, without fractions of a second.
pub(crate) fn time(at: Timestamp) -> Result<Time, IssuingError> {
    Time::from_unix(at.as_second())
}

/// Whole days; leap seconds and years do not matter to validities.
fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// Years of 365 days.
fn years(count: i64) -> SignedDuration {
    days(365 * count)
}
