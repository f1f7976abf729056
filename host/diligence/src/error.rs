use parafa_organisation_signature::SignatureUnavailable;
use parafa_platform::PlatformError;
use parafa_platform::agreement::NotBillable;
use parafa_platform::register_calls::CallOutcome;
use parafa_registers::Unavailable;
use parafa_store::StoreError;


/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum DiligenceError {
    /// The workspace cannot be billed.
    #[error("the workspace cannot be billed")]
    PaymentRequired(Box<NotBillable>),
    /// The register holds nothing.
    #[error("the register holds nothing")]
    NoData,
    /// A register did not answer.
    #[error(transparent)]
    Register(#[from] Unavailable),
    /// The answer could not be signed.
    #[error(transparent)]
    Unsigned(#[from] SignatureUnavailable),
    /// There is no key to sign answers with.
    #[error("no key is set up that answers are signed with")]
    NoSigner,
    /// The store failed, or what is stored contradicts itself.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl DiligenceError {
    /// What the call log says of it; none where nothing was asked.
    pub(crate) fn outcome(&self) -> Option<CallOutcome> {
        match self {
            Self::NoData => Some(CallOutcome::NoData),
            Self::Register(_) => Some(CallOutcome::UpstreamUnavailable),
            Self::Unsigned(_) | Self::NoSigner => Some(CallOutcome::SignatureUnavailable),
            Self::PaymentRequired(_) | Self::Platform(_) => None,
        }
    }
}

impl From<StoreError> for DiligenceError {
    fn from(error: StoreError) -> Self {
        Self::Platform(error.into())
    }
}
