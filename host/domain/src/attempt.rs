use serde::{Deserialize, Serialize};

/// Progress of an attempt, as the signer sees it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The signer's certificate is being fetched and checked.
    Certificate,
    /// The document is being prepared for this certificate.
    Signing,
    /// The signer's device waits for the signer.
    WaitingForUser,
    /// The device has signed; time-stamp and completion follow.
    Completing,
    /// The signature is in the document.
    Done,
    /// The attempt has ended without a signature.
    Failed,
}

impl Phase {
    /// The name at the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Signing => "signing",
            Self::WaitingForUser => "waiting_for_user",
            Self::Completing => "completing",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Returns true if the phase is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }

    /// Returns true if an attempt may move from this phase to `next`. A phase may be repeated, and
    /// any but the terminal ones may fail.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        let rank = |phase: Self| match phase {
            Self::Certificate => 0,
            Self::Signing => 1,
            Self::WaitingForUser => 2,
            Self::Completing => 3,
            Self::Done => 4,
            Self::Failed => 5,
        };
        !self.is_terminal()
            && match next {
                Self::Failed => true,
                Self::Done => self == Self::Completing,
                _ => rank(next) == rank(self) || rank(next) == rank(self) + 1,
            }
    }
}

/// Reason why an attempt ended without a signature.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptFailure {
    /// The device's signature does not verify over the data to be signed.
    BadSignature,
    /// Cancelled by the signer or by the caller.
    Cancelled,
    /// The certificate's validity has ended.
    CertificateExpired,
    /// The certificate is not one for signing.
    CertificatePurpose,
    /// The certificate is revoked.
    CertificateRevoked,
    /// The certificate has no path to a configured trust anchor, or is that of a card without a
    /// Lithuanian personal code.
    CertificateUntrusted,
    /// The device or the signer's account cannot be used.
    DeviceError,
    /// The document differs from the one shown.
    DocumentChanged,
    /// The certificate is another person's than the ceremony, the signer's input or the card read
    /// first says.
    IdentityMismatch,
    /// The provider does not know the person.
    NoAccount,
    /// The account or certificate makes no qualified signatures.
    NotQualified,
    /// The plugin of the document's format failed, or is not available.
    PluginFailed,
    /// The provider failed.
    ProviderUnavailable,
    /// Another signer had the turn for too long.
    SigningInProgress,
    /// No answer came in time.
    Timeout,
    /// No time-stamp could be had.
    TimestampUnavailable,
    /// Too many attempts ask the person already.
    TooManyAttempts,
    /// The signer refused on the device.
    UserRefused,
    /// The signer chose a wrong verification code.
    WrongCode,
}

impl AttemptFailure {
    /// All failures, for tables of texts.
    pub const ALL: [Self; 19] = [
        Self::BadSignature,
        Self::Cancelled,
        Self::CertificateExpired,
        Self::CertificatePurpose,
        Self::CertificateRevoked,
        Self::CertificateUntrusted,
        Self::DeviceError,
        Self::DocumentChanged,
        Self::IdentityMismatch,
        Self::NoAccount,
        Self::NotQualified,
        Self::PluginFailed,
        Self::ProviderUnavailable,
        Self::SigningInProgress,
        Self::Timeout,
        Self::TimestampUnavailable,
        Self::TooManyAttempts,
        Self::UserRefused,
        Self::WrongCode,
    ];

    /// The code at the interface.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::BadSignature => "bad_signature",
            Self::Cancelled => "cancelled",
            Self::CertificateExpired => "certificate_expired",
            Self::CertificatePurpose => "certificate_purpose",
            Self::CertificateRevoked => "certificate_revoked",
            Self::CertificateUntrusted => "certificate_untrusted",
            Self::DeviceError => "device_error",
            Self::DocumentChanged => "document_changed",
            Self::IdentityMismatch => "identity_mismatch",
            Self::NoAccount => "no_account",
            Self::NotQualified => "not_qualified",
            Self::PluginFailed => "plugin_failed",
            Self::ProviderUnavailable => "provider_unavailable",
            Self::SigningInProgress => "signing_in_progress",
            Self::Timeout => "timeout",
            Self::TimestampUnavailable => "timestamp_unavailable",
            Self::TooManyAttempts => "too_many_attempts",
            Self::UserRefused => "user_refused",
            Self::WrongCode => "wrong_code",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_goes_forward_only_and_a_signature_is_never_skipped() {
        assert!(Phase::Certificate.may_become(Phase::Signing));
        assert!(Phase::WaitingForUser.may_become(Phase::Completing));
        assert!(Phase::Completing.may_become(Phase::Done));
        assert!(!Phase::Certificate.may_become(Phase::WaitingForUser));
        assert!(!Phase::WaitingForUser.may_become(Phase::Done));
        assert!(!Phase::Completing.may_become(Phase::WaitingForUser));
    }

    #[test]
    fn an_ended_attempt_stays_ended() {
        for next in [
            Phase::Certificate,
            Phase::Completing,
            Phase::Done,
            Phase::Failed,
        ] {
            assert!(!Phase::Done.may_become(next));
            assert!(!Phase::Failed.may_become(next));
        }
    }
}
