use parafa_organisation_signature::SignatureUnavailable;
use parafa_platform::PlatformError;
use parafa_platform::agreement::NotBillable;
use parafa_platform::register_calls::CallOutcome;
use parafa_register_data::Register;
use parafa_registers::{Absence, RegisterAnswer, Unavailable};
use parafa_store::StoreError;

/// Reason why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum DiligenceError {
    /// The workspace cannot be billed.
    #[error("the workspace cannot be billed")]
    PaymentRequired(Box<NotBillable>),
    /// A live key requests the interpretation, which is not reviewed by a lawyer.
    #[error("the interpretation is not reviewed")]
    NotReviewed,
    /// The register has no data.
    #[error("the register holds nothing")]
    NoData(Box<RegisterAnswer<Absence>>),
    /// No configured source has such answers of the register.
    #[error("no source is set up for {}", .0.code())]
    NotOffered(Register),
    /// A register did not answer.
    #[error("{} did not answer", register.code())]
    Register {
        /// The register.
        register: Register,
        /// The cause.
        #[source]
        why: Unavailable,
    },
    /// The answer could not be signed.
    #[error(transparent)]
    Unsigned(#[from] SignatureUnavailable),
    /// There is no key to sign answers with.
    #[error("no key is set up that answers are signed with")]
    NoSigner,
    /// The caller was gone before the answer was ready.
    #[error("the caller has disconnected")]
    Abandoned,
    /// There is an answer, but it is unknown whether it was logged and charged.
    #[error("it is unknown whether an answer was recorded for billing")]
    Unaccounted(#[source] PlatformError),
    /// The store failed, or stored data are inconsistent.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl DiligenceError {
    /// Returns whether it is known that nothing was logged or charged.
    pub(crate) fn proves_nothing_stored(&self) -> bool {
        match self {
            Self::Platform(error) => error.proves_nothing_stored(),
            Self::Unaccounted(_) => false,
            _ => true,
        }
    }

    /// Returns the outcome for the call log.
    pub(crate) fn outcome(&self) -> CallOutcome {
        match self {
            Self::NoData(_) => CallOutcome::NoData,
            Self::NotOffered(_) => CallOutcome::NotOffered,
            Self::Register { .. } => CallOutcome::UpstreamUnavailable,
            Self::Unsigned(_) | Self::NoSigner => CallOutcome::SignatureUnavailable,
            Self::PaymentRequired(_) => CallOutcome::PaymentRequired,
            Self::Abandoned => CallOutcome::Abandoned,
            Self::NotReviewed | Self::Unaccounted(_) | Self::Platform(_) => CallOutcome::Failed,
        }
    }
}

impl From<StoreError> for DiligenceError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}
