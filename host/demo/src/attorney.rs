//! The attorney responsible for answers and packages. Their key is in a file; a real attorney's is
//! in a device.

use std::path::PathBuf;

use parafa_issuing::KeyKind;
use serde::{Deserialize, Serialize};

use crate::clock::DemoClock;
use crate::error::WorldError;
use crate::folder::Folder;
use crate::pki::{self, CredentialSpec, Person, Pki, Profile, Validity};

const NAME: &str = "attorney";

/// Paths of the attorney's key and certificate, in PEM.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct AttorneyFiles {
    /// PKCS #8, not encrypted.
    pub key: PathBuf,
    /// The certificate, and no issuer's.
    pub certificate: PathBuf,
}

/// Enrols the attorney, unless an earlier start did. Their key is RSA, or on P-256 if the folder
/// has one.
pub(crate) fn enrol(
    folder: &Folder,
    pki: &Pki,
    clock: &dyn DemoClock,
) -> Result<AttorneyFiles, WorldError> {
    let key = match folder.has_key(NAME, KeyKind::P256) {
        true => KeyKind::P256,
        false => KeyKind::Rsa(2048),
    };
    let spec = CredentialSpec {
        name: NAME,
        issuer: pki::SIGN_CA,
        key,
        profile: Profile::Attorney(Person {
            given_name: "Testas",
            surname: "Advokatas",
            country: "LT",
            personal_code: "37506150439",
        }),
        validity: Validity::Current,
    };
    pki.credential(folder, &spec, clock.now())?;
    Ok(AttorneyFiles {
        key: folder.key_path(NAME),
        certificate: folder.certificate_path(NAME),
    })
}
