use parafa_api_auth as api;
use parafa_api_auth::{AuthenticationId, ErrorBody};
use parafa_domain::{AuthenticationMethod, AuthenticationStatus};

use crate::records::{Proof, RequestRow};

pub(crate) fn method(method: AuthenticationMethod) -> api::AuthenticationMethod {
    match method {
        AuthenticationMethod::Physical => api::AuthenticationMethod::Physical,
        AuthenticationMethod::Nfc => api::AuthenticationMethod::Nfc,
        AuthenticationMethod::SmartId => api::AuthenticationMethod::SmartId,
        AuthenticationMethod::MobileId => api::AuthenticationMethod::MobileId,
    }
}

pub(crate) fn domain_method(method: api::AuthenticationMethod) -> AuthenticationMethod {
    match method {
        api::AuthenticationMethod::Physical => AuthenticationMethod::Physical,
        api::AuthenticationMethod::Nfc => AuthenticationMethod::Nfc,
        api::AuthenticationMethod::SmartId => AuthenticationMethod::SmartId,
        api::AuthenticationMethod::MobileId => AuthenticationMethod::MobileId,
    }
}

pub(crate) fn status(status: AuthenticationStatus) -> api::AuthenticationStatus {
    match status {
        AuthenticationStatus::Pending => api::AuthenticationStatus::Pending,
        AuthenticationStatus::CertificateReceived => api::AuthenticationStatus::CertificateReceived,
        AuthenticationStatus::InProgress => api::AuthenticationStatus::InProgress,
        AuthenticationStatus::Completed => api::AuthenticationStatus::Completed,
        AuthenticationStatus::Failed => api::AuthenticationStatus::Failed,
        AuthenticationStatus::Expired => api::AuthenticationStatus::Expired,
        AuthenticationStatus::Cancelled => api::AuthenticationStatus::Cancelled,
    }
}

/// Further content of a request's view.
pub(crate) struct Shown {
    pub(crate) proof: Option<Proof>,
    pub(crate) device_link: Option<api::views::DeviceLink>,
    pub(crate) return_code: Option<String>,
}

pub(crate) fn authentication(
    row: &RequestRow,
    stands: AuthenticationStatus,
    shown: Shown,
) -> api::views::Authentication {
    let (sig, cert, assertion) = match shown.proof {
        Some(proof) => (Some(proof.sig), Some(proof.cert), proof.assertion),
        None => (None, None, None),
    };
    api::views::Authentication {
        request_id: AuthenticationId(row.id),
        status: status(stands),
        method: method(row.state.method()),
        expires_at: row.state.expires_at(),
        verification_code: row.verification_code.clone(),
        device_link: shown.device_link,
        return_code: shown.return_code,
        sig,
        cert,
        assertion,
        error: row.state.failure().map(|failure| ErrorBody {
            code: failure.code(),
            message: failure.sentence().to_owned(),
            request_id: row.id,
            retryable: false,
        }),
    }
}
