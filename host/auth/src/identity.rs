//! Who a certificate is about.

use parafa_api_auth::views;
use parafa_store::MasterKey;
use parafa_trust::Certificate;
use uuid::Uuid;

use crate::error::AuthError;

/// The holder's national identifier, normalised; it has to be the expected one,
/// if one is.
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

/// What a request remembers of who its holder is.
pub(crate) fn digest(master: &MasterKey, request: Uuid, identifier: &str) -> String {
    let value = format!("{request}/{identifier}");
    master.index("authentication-identity", &value).to_string()
}

/// The subject, as it stands in the certificate.
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
