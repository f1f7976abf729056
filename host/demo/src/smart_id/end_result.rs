use parafa_eid_protocols::smart_id::end_result;

use super::interactions::InteractionType;

/// End of a Smart-ID session without a certificate or a signature.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndResult {
    /// The person's account can no longer be used.
    AccountUnusable,
    /// The person's document can no longer be used.
    DocumentUnusable,
    /// The app received a transaction other than the linked one.
    ExpectedLinkedSession,
    /// A protocol failure between app and service.
    ProtocolFailure,
    /// The app supports none of the interactions.
    RequiredInteractionNotSupportedByApp,
    /// The service failed.
    ServerError,
    /// No answer came in time.
    Timeout,
    /// The person refused.
    UserRefused,
    /// The person refused to choose a certificate.
    UserRefusedCertChoice,
    /// The person refused at this interaction.
    UserRefusedInteraction(InteractionType),
    /// The person chose a wrong verification code.
    WrongVerificationCode,
}

impl EndResult {
    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::AccountUnusable => end_result::ACCOUNT_UNUSABLE,
            Self::DocumentUnusable => end_result::DOCUMENT_UNUSABLE,
            Self::ExpectedLinkedSession => end_result::EXPECTED_LINKED_SESSION,
            Self::ProtocolFailure => end_result::PROTOCOL_FAILURE,
            Self::RequiredInteractionNotSupportedByApp => {
                end_result::REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP
            }
            Self::ServerError => end_result::SERVER_ERROR,
            Self::Timeout => end_result::TIMEOUT,
            Self::UserRefused => end_result::USER_REFUSED,
            Self::UserRefusedCertChoice => end_result::USER_REFUSED_CERT_CHOICE,
            Self::UserRefusedInteraction(_) => end_result::USER_REFUSED_INTERACTION,
            Self::WrongVerificationCode => end_result::WRONG_VC,
        }
    }
}
