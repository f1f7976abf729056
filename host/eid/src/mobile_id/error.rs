use crate::service::ServiceError;

use super::SignerOutcome;

/// Reason for the lack of a certificate or signature. `Display` is for operators and names no
/// person.
#[derive(Debug, thiserror::Error)]
pub enum MobileIdError {
    /// The person refused.
    #[error("the person refused")]
    UserCancelled,
    /// The person did not answer in time.
    #[error("the person did not decide in time")]
    TimedOut,
    /// Number and code are unknown, or do not belong to one person with Mobile-ID.
    #[error("there is no such Mobile-ID")]
    NotClient,
    /// The phone signed something else: its SIM has keys other than the service expects.
    #[error("the phone signed something else than it was asked to")]
    HashMismatch,
    /// The phone is off or out of coverage.
    #[error("the phone cannot be reached")]
    PhoneAbsent,
    /// The message could not be delivered to the phone.
    #[error("the message could not be delivered to the phone")]
    Delivery,
    /// The SIM failed.
    #[error("the phone's SIM failed")]
    Sim,
    /// The result is unknown to this client.
    #[error("the service ended with the unknown result {0:?}")]
    UnknownResult(String),

    /// The session is unknown or has expired.
    #[error("the session is unknown or has expired")]
    SessionNotFound,
    /// The request did not satisfy the service, which knows it by this id.
    #[error("the service found the request wrong (trace {0:?})")]
    BadRequest(String),
    /// The service gave no answer of the protocol.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The answer violates the protocol.
    #[error(transparent)]
    InvalidAnswer(#[from] InvalidAnswer),
}

/// A fault of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidAnswer {
    /// Not JSON, or of another shape.
    #[error("the service's answer is malformed")]
    Malformed,
    /// A member is missing, cannot be read, or is longer than any should be.
    #[error("the service's answer has no readable {0}")]
    Member(&'static str),
    /// The algorithm is neither ECDSA nor RSA with SHA-256.
    #[error("the service's answer is not signed with the requested algorithm")]
    Algorithm,
}

impl MobileIdError {
    /// Outcome to show to the person.
    #[must_use]
    pub fn signer_outcome(&self) -> SignerOutcome {
        match self {
            Self::UserCancelled => SignerOutcome::UserRefused,
            Self::TimedOut | Self::SessionNotFound => SignerOutcome::Timeout,
            Self::NotClient => SignerOutcome::NoAccount,
            Self::HashMismatch | Self::PhoneAbsent | Self::Delivery | Self::Sim => {
                SignerOutcome::DeviceError
            }
            Self::UnknownResult(_)
            | Self::BadRequest(_)
            | Self::Service(_)
            | Self::InvalidAnswer(_) => SignerOutcome::ProviderUnavailable,
        }
    }

    /// Returns true if the session ended before it reached a phone.
    pub(super) fn is_undelivered(&self) -> bool {
        matches!(self, Self::NotClient | Self::PhoneAbsent | Self::Delivery)
    }

    /// The HTTP status with which the service refused, if it did.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::BadRequest(_) => Some(400),
            Self::Service(error) => error.status(),
            _ => None,
        }
    }

    /// Returns true if the same poll may succeed a little later: the session itself is not known to
    /// have ended.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Service(error) if error.is_transient())
    }
}
