//! Results of sessions.

use parafa_eid_protocols::smart_id::end_result::{
    ACCOUNT_UNUSABLE, DOCUMENT_UNUSABLE, EXPECTED_LINKED_SESSION, OK, PROTOCOL_FAILURE,
    REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP, SERVER_ERROR, TIMEOUT, USER_REFUSED,
    USER_REFUSED_CERT_CHOICE, USER_REFUSED_INTERACTION, WRONG_VC,
};

use crate::service::name_only;

use super::SmartIdError;

/// Checks the result of a session.
pub(super) fn check(end_result: &str) -> Result<(), SmartIdError> {
    Err(match end_result {
        OK => return Ok(()),
        USER_REFUSED => SmartIdError::UserRefused,
        USER_REFUSED_CERT_CHOICE => SmartIdError::UserRefusedCertificateChoice,
        USER_REFUSED_INTERACTION => SmartIdError::UserRefusedInteraction,
        TIMEOUT => SmartIdError::TimedOut,
        WRONG_VC => SmartIdError::WrongVerificationCode,
        DOCUMENT_UNUSABLE => SmartIdError::DocumentUnusable,
        ACCOUNT_UNUSABLE => SmartIdError::AccountUnusable,
        REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP => SmartIdError::InteractionNotSupported,
        PROTOCOL_FAILURE => SmartIdError::ProtocolFailure,
        EXPECTED_LINKED_SESSION => SmartIdError::ExpectedLinkedSession,
        SERVER_ERROR => SmartIdError::ServerError,
        unknown => SmartIdError::UnknownEndResult(name_only(unknown)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smart_id::SignerOutcome::{
        self, DeviceError, ProviderUnavailable, Timeout, UserRefused, WrongCode,
    };

    #[test]
    fn every_end_result_tells_the_person_something() {
        let outcomes: [(&str, SignerOutcome); 12] = [
            ("USER_REFUSED", UserRefused),
            ("USER_REFUSED_CERT_CHOICE", UserRefused),
            ("USER_REFUSED_INTERACTION", UserRefused),
            ("TIMEOUT", Timeout),
            ("WRONG_VC", WrongCode),
            ("DOCUMENT_UNUSABLE", DeviceError),
            ("ACCOUNT_UNUSABLE", DeviceError),
            ("REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP", DeviceError),
            ("PROTOCOL_FAILURE", DeviceError),
            ("EXPECTED_LINKED_SESSION", DeviceError),
            ("SERVER_ERROR", ProviderUnavailable),
            ("SOMETHING_NEW", ProviderUnavailable),
        ];
        for (end_result, outcome) in outcomes {
            assert_eq!(
                check(end_result).unwrap_err().signer_outcome(),
                outcome,
                "{end_result}"
            );
        }
        assert!(check("OK").is_ok());
    }

    #[test]
    fn nothing_but_the_name_of_an_unknown_result_is_shown() {
        let error = check("NEW_RESULT for 40504040001 Ona").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the session ended with the unknown result \"NEW_RESULTO\""
        );
    }
}
