//! Results of requests and sessions.

use crate::service::name_only;

use super::MobileIdError;

/// Checks a result.
pub(super) fn check(result: &str) -> Result<(), MobileIdError> {
    Err(match result {
        "OK" => return Ok(()),
        "TIMEOUT" | "EXPIRED_TRANSACTION" => MobileIdError::TimedOut,
        "NOT_MID_CLIENT" | "NOT_FOUND" | "NOT_ACTIVE" => MobileIdError::NotClient,
        "USER_CANCELLED" => MobileIdError::UserCancelled,
        "SIGNATURE_HASH_MISMATCH" => MobileIdError::HashMismatch,
        "PHONE_ABSENT" => MobileIdError::PhoneAbsent,
        "DELIVERY_ERROR" => MobileIdError::Delivery,
        "SIM_ERROR" => MobileIdError::Sim,
        unknown => MobileIdError::UnknownResult(name_only(unknown)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobile_id::SignerOutcome::{
        self, DeviceError, NoAccount, ProviderUnavailable, Timeout, UserRefused,
    };

    #[test]
    fn every_result_tells_the_person_something() {
        let outcomes: [(&str, SignerOutcome); 11] = [
            ("TIMEOUT", Timeout),
            ("EXPIRED_TRANSACTION", Timeout),
            ("NOT_MID_CLIENT", NoAccount),
            ("NOT_FOUND", NoAccount),
            ("NOT_ACTIVE", NoAccount),
            ("USER_CANCELLED", UserRefused),
            ("SIGNATURE_HASH_MISMATCH", DeviceError),
            ("PHONE_ABSENT", DeviceError),
            ("DELIVERY_ERROR", DeviceError),
            ("SIM_ERROR", DeviceError),
            ("SOMETHING_NEW", ProviderUnavailable),
        ];
        for (result, outcome) in outcomes {
            let error = check(result).unwrap_err();
            assert_eq!(error.signer_outcome(), outcome, "{result}");
            assert!(!error.is_transient(), "{result}");
        }
        assert!(check("OK").is_ok());
    }

    #[test]
    fn nothing_but_the_name_of_an_unknown_result_is_shown() {
        let error = check("NEW_RESULT for 40504040001").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the service ended with the unknown result \"NEW_RESULT\""
        );
    }
}
