//! Identity of a certificate's holder.

use parafa_api_auth::views;
use parafa_store::MasterKey;
use parafa_trust::Certificate;
use uuid::Uuid;

use crate::error::AuthError;

/// Returns the holder's normalised national identifier, which must equal the
/// expected one, if given.
pub(crate) fn identifier(
    certificate: &Certificate,
    expected: Option<&str>,
) -> Result<String, AuthError> {
    let found = certificate.national_identifier();
    let found = found.ok_or(AuthError::IdentityMismatch)?.as_str();
    match expected {
        Some(expected) if expected != found => Err(AuthError::IdentityMismatch),
        _ => Ok(found.to_owned()),
    }
}

/// Returns the digest by which a request remembers its holder.
pub(crate) fn digest(master: &MasterKey, request: Uuid, identifier: &str) -> String {
    let value = format!("{request}/{identifier}");
    master.index("authentication-identity", &value).to_string()
}

/// Returns the subject as written in the certificate.
pub(crate) fn subject(certificate: &Certificate) -> views::Subject {
    let subject = certificate.subject();
    let own = |value: Option<&str>| value.map(str::to_owned);
    views::Subject {
        serial_number: own(subject.serial_number()),
        given_name: own(subject.given_name()),
        sn: own(subject.surname()),
        cn: own(subject.common_name()),
        c: own(subject.country()),
    }
}
