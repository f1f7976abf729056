use serde::{Deserialize, Serialize};

/// Reason why a person was not authenticated.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationFailure {
    /// The signature does not verify with the certificate's key.
    BadSignature,
    /// The signature covers data other than the data to be signed.
    DtbsMismatch,
    /// The device or the account needs the person's attention.
    DeviceError,
    /// Another person authenticated than the one asked.
    IdentityMismatch,
    /// The person has no account.
    NoAccount,
    /// The level of the account or certificate is too low.
    NotQualified,
    /// The provider failed.
    ProviderUnavailable,
    /// The person took too long.
    Timeout,
    /// The person refused.
    UserRefused,
    /// The person chose a wrong verification code.
    WrongCode,
}

impl AuthenticationFailure {
    /// All failures, for tables of texts.
    pub const ALL: [Self; 10] = [
        Self::BadSignature,
        Self::DtbsMismatch,
        Self::DeviceError,
        Self::IdentityMismatch,
        Self::NoAccount,
        Self::NotQualified,
        Self::ProviderUnavailable,
        Self::Timeout,
        Self::UserRefused,
        Self::WrongCode,
    ];

    /// The code at the interface.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::BadSignature => "bad_signature",
            Self::DtbsMismatch => "dtbs_mismatch",
            Self::DeviceError => "device_error",
            Self::IdentityMismatch => "identity_mismatch",
            Self::NoAccount => "no_account",
            Self::NotQualified => "not_qualified",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::Timeout => "timeout",
            Self::UserRefused => "user_refused",
            Self::WrongCode => "wrong_code",
        }
    }

    /// The reason as a sentence for a person who reads the answer.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::BadSignature => "The signature does not verify with the certificate's key.",
            Self::DtbsMismatch => "The signature covers other data than the data to be signed.",
            Self::DeviceError => "The person's device or account needs their attention.",
            Self::IdentityMismatch => {
                "A different person authenticated from the one who was asked."
            }
            Self::NoAccount => "The person has no account with this method.",
            Self::NotQualified => "The person's account or certificate is not qualified for this.",
            Self::ProviderUnavailable => "The provider does not answer as it should.",
            Self::Timeout => "The person did not answer in time.",
            Self::UserRefused => "The person refused.",
            Self::WrongCode => "The person chose another verification code.",
        }
    }
}
