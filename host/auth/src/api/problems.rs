//! Mapping of errors to problems.

use parafa_api_auth::ErrorCode;
use parafa_api_http::Problem;
use parafa_domain::{AuthenticationFailure, CannotAuthenticate};
use parafa_platform::{log_failure, reasons};
use parafa_trust::{CertificateRejection, PurposeFault};

use super::views;
use crate::error::AuthError;

/// Maps an error to the caller's answer; an internal error is logged here,
/// once.
impl From<AuthError> for Problem {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::NotFound => Problem::not_found(),
            AuthError::Cannot(cannot) => cannot_authenticate(cannot),
            AuthError::ForbiddenOrigin(audience) => Problem::new(
                ErrorCode::ForbiddenOrigin,
                format!(
                    "The audience {audience} is not on the provider's allow-list; write it exactly as it is there."
                ),
            ),
            AuthError::ForbiddenMethod(method) => Problem::new(
                ErrorCode::ForbiddenFormat,
                format!(
                    "The provider is not set up for the method {}, or it cannot be used here.",
                    method.as_str()
                ),
            ),
            AuthError::ForbiddenEncoding(encoding) => Problem::new(
                ErrorCode::ForbiddenFormat,
                format!(
                    "The provider is not set up for the signatureEncoding {}.",
                    encoding.name()
                ),
            ),
            AuthError::ForbiddenTenant => Problem::of(ErrorCode::ForbiddenTenant),
            AuthError::MalformedCertificate => Problem::new(
                ErrorCode::CertificateChain,
                "The certificate cannot be read: it is not in DER.",
            ),
            AuthError::OtherMeans => Problem::new(
                ErrorCode::CertificatePurpose,
                "The certificate belongs to Smart-ID or Mobile-ID, not to a card.",
            ),
            AuthError::Certificate(rejection) => rejected(&rejection),
            AuthError::IdentityMismatch => Problem::of(ErrorCode::IdentityMismatch),
            AuthError::UnsupportedAlgorithm(detail) => {
                Problem::new(ErrorCode::UnsupportedAlgorithm, detail)
            }
            AuthError::Failed(failure) => failed(failure),
            AuthError::TooManyRequests { retry_after } => Problem::new(
                ErrorCode::RateLimited,
                "Several requests are waiting for this person's phone already, or too many within an hour ended without an answer.",
            )
            .with_retry_after(retry_after),
            AuthError::ProviderDown(_) => Problem::of(ErrorCode::UpstreamUnavailable),
            AuthError::DeviceLink(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "a device link cannot be read");
                Problem::of(ErrorCode::UpstreamUnavailable)
            }
            AuthError::Platform(error) => {
                log_failure(&error, "an authentication could not be read or written");
                Problem::of(ErrorCode::UpstreamUnavailable)
            }
            AuthError::Assertion(error) => {
                log_failure(&error, "an assertion could not be signed");
                Problem::of(ErrorCode::UpstreamUnavailable)
            }
        }
    }
}

fn cannot_authenticate(cannot: CannotAuthenticate) -> Problem {
    match cannot {
        CannotAuthenticate::Ended(status) => Problem::new(
            ErrorCode::TerminalRequest,
            format!("The request is {}.", views::status(status).as_str()),
        ),
        CannotAuthenticate::IdentitySwap => Problem::of(ErrorCode::IdentitySwap),
        CannotAuthenticate::OperationSpent => Problem::of(ErrorCode::OperationTokenSpent),
        CannotAuthenticate::WrongMethod => Problem::new(
            ErrorCode::ForbiddenFormat,
            "The request's method has no such step.",
        ),
    }
}

fn rejected(rejection: &CertificateRejection) -> Problem {
    let code = match rejection {
        CertificateRejection::Expired { .. } | CertificateRejection::NotYetValid { .. } => {
            ErrorCode::CertificateExpired
        }
        CertificateRejection::Untrusted(_) | CertificateRejection::NoRevocationSource(_) => {
            ErrorCode::CertificateChain
        }
        CertificateRejection::Purpose(PurposeFault::NonRepudiation) => {
            return Problem::new(
                ErrorCode::CertificatePurpose,
                "The certificate is for signatures; submit the one for authentication.",
            );
        }
        CertificateRejection::Purpose(_) | CertificateRejection::NotQualified(_) => {
            ErrorCode::CertificatePurpose
        }
        CertificateRejection::Revoked { .. } | CertificateRejection::UnknownToIssuer => {
            ErrorCode::CertificateRevoked
        }
        CertificateRejection::RevocationUnavailable { .. } => ErrorCode::RevocationUnavailable,
    };
    Problem::new(
        code,
        match rejection {
            // The cause of a failing service of the operator is only logged.
            CertificateRejection::RevocationUnavailable { .. } => sentence(&rejection.to_string()),
            _ => sentence(&reasons(rejection)),
        },
    )
}

fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", first.unwrap_or_default(), rest.as_str())
}

fn failed(failure: AuthenticationFailure) -> Problem {
    let code = match failure {
        AuthenticationFailure::DtbsMismatch => ErrorCode::DtbsMismatch,
        AuthenticationFailure::IdentityMismatch => ErrorCode::IdentityMismatch,
        _ => ErrorCode::BadSignature,
    };
    Problem::of(code)
}
