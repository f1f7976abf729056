use crate::service::ServiceError;

use super::{CertificateLevel, FlowType, SignatureAlgorithm, SignerOutcome};

/// Reason for the lack of a certificate or signature. `Display` is for operators and names no
/// person.
#[derive(Debug, thiserror::Error)]
pub enum SmartIdError {
    /// The person refused.
    #[error("the person refused")]
    UserRefused,
    /// The person refused to choose a certificate.
    #[error("the person refused to choose a certificate")]
    UserRefusedCertificateChoice,
    /// The person refused an interaction.
    #[error("the person refused an interaction")]
    UserRefusedInteraction,
    /// The person did not answer in time.
    #[error("the person did not decide in time")]
    TimedOut,
    /// The person chose a wrong verification code.
    #[error("the person chose a wrong verification code")]
    WrongVerificationCode,
    /// The document can no longer be used.
    #[error("the person's document is unusable")]
    DocumentUnusable,
    /// The account can no longer be used.
    #[error("the person's account is unusable")]
    AccountUnusable,
    /// The app is too old for every interaction that was offered.
    #[error("the person's app supports none of the interactions")]
    InteractionNotSupported,
    /// A protocol failure between app and service.
    #[error("the app and the service disagreed on the protocol")]
    ProtocolFailure,
    /// The app received a transaction other than the linked one.
    #[error("the app was given another transaction before the linked one")]
    ExpectedLinkedSession,
    /// The service failed on a session.
    #[error("the service failed on the session")]
    ServerError,
    /// The end result is unknown to this client.
    #[error("the session ended with the unknown result {0:?}")]
    UnknownEndResult(String),

    /// The account or document does not exist.
    #[error("there is no such account")]
    AccountNotFound,
    /// The person has accounts, but none of the requested level.
    #[error("the person has no account of the level asked for")]
    NoSuitableAccount,
    /// The person must open the app or the provider's portal.
    #[error("the person has to look into the app or the provider's portal")]
    SeeApp,
    /// The session is unknown or has expired.
    #[error("the session is unknown or has expired")]
    SessionNotFound,
    /// The request did not satisfy the service.
    #[error("the service found the request wrong: {0}")]
    BadRequest(String),
    /// The contract does not include the request.
    #[error("the service does not permit this to this relying party")]
    Forbidden,
    /// The service no longer speaks this version of the protocol.
    #[error("the service no longer supports this client")]
    ClientTooOld,
    /// The service is under maintenance.
    #[error("the service is under maintenance")]
    Maintenance,
    /// The service gave no answer of the protocol.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The answer violates the protocol.
    #[error(transparent)]
    InvalidAnswer(#[from] InvalidAnswer),
    /// The certificate is of a lower level than requested.
    #[error("the certificate is {answered:?} where {requested:?} was asked for")]
    LevelTooLow {
        /// Requested level.
        requested: CertificateLevel,
        /// Answered.
        answered: CertificateLevel,
    },
    /// A choice of codes was offered in a session without a notification.
    #[error("a choice among verification codes cannot be offered in a linked session")]
    CodeChoiceInLinkedSession,
}

/// A fault of an answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidAnswer {
    /// Not JSON, or of another shape.
    #[error("the service's answer is malformed")]
    Malformed,
    /// A member is missing, cannot be read, or is longer than any should be.
    #[error("the service's answer has no readable {0}")]
    Member(&'static str),
    /// The signature uses another protocol.
    #[error("the service's answer is of another signature protocol")]
    Protocol,
    /// The signature uses another algorithm.
    #[error("the service's answer is not signed with {requested}")]
    Algorithm {
        /// Requested algorithm.
        requested: SignatureAlgorithm,
    },
    /// The session went a way that was not offered.
    #[error("the session used the flow {answered:?}, which was not offered")]
    Flow {
        /// The way it went.
        answered: FlowType,
    },
    /// The interaction used was not offered.
    #[error("the person was asked by an interaction that was not offered")]
    Interaction,
    /// Another document answered.
    #[error("another document answered than the one asked")]
    Document,
    /// The signature comes with another certificate than requested.
    #[error("the signature comes with another certificate than the chosen one")]
    Certificate,
}

impl SmartIdError {
    /// Outcome to show to the person.
    #[must_use]
    pub fn signer_outcome(&self) -> SignerOutcome {
        match self {
            Self::UserRefused
            | Self::UserRefusedCertificateChoice
            | Self::UserRefusedInteraction => SignerOutcome::UserRefused,
            Self::TimedOut | Self::SessionNotFound => SignerOutcome::Timeout,
            Self::WrongVerificationCode => SignerOutcome::WrongCode,
            Self::AccountNotFound => SignerOutcome::NoAccount,
            Self::NoSuitableAccount | Self::LevelTooLow { .. } => SignerOutcome::NotQualified,
            Self::DocumentUnusable
            | Self::AccountUnusable
            | Self::InteractionNotSupported
            | Self::ProtocolFailure
            | Self::ExpectedLinkedSession
            | Self::SeeApp
            | Self::InvalidAnswer(InvalidAnswer::Document | InvalidAnswer::Certificate) => {
                SignerOutcome::DeviceError
            }
            Self::ServerError
            | Self::UnknownEndResult(_)
            | Self::BadRequest(_)
            | Self::Forbidden
            | Self::ClientTooOld
            | Self::Maintenance
            | Self::Service(_)
            | Self::InvalidAnswer(_)
            | Self::CodeChoiceInLinkedSession => SignerOutcome::ProviderUnavailable,
        }
    }

    /// The HTTP status with which the service refused, if it was one of a fault.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::BadRequest(_) => Some(400),
            Self::Forbidden => Some(403),
            Self::ClientTooOld => Some(480),
            Self::Maintenance => Some(580),
            Self::Service(error) => error.status(),
            _ => None,
        }
    }

    /// Returns true if the same poll may succeed a little later: the session itself is not known to
    /// have ended.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Maintenance => true,
            Self::Service(error) => error.is_transient(),
            _ => false,
        }
    }
}
