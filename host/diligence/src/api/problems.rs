//! The one table from what went wrong to what the caller is told.

use parafa_api_diligence::ProblemKind;
use parafa_api_http::Problem;
use parafa_identification::payment_required;

use crate::Diligence;
use crate::error::DiligenceError;

impl Diligence {
    /// The answer to a failure, with the address where a person can settle what
    /// is owed; a fault of our own is logged here, once.
    #[must_use]
    pub fn problem(&self, error: DiligenceError) -> Problem {
        match error {
            DiligenceError::PaymentRequired(cause) => {
                payment_required(&cause, self.recovery_url.as_ref())
            }
            error => error.into(),
        }
    }
}

impl From<DiligenceError> for Problem {
    fn from(error: DiligenceError) -> Self {
        let reason: &dyn std::error::Error = &error;
        match &error {
            DiligenceError::PaymentRequired(cause) => payment_required(cause, None),
            DiligenceError::NoData => Self::of(ProblemKind::NoData),
            DiligenceError::Register(_) => {
                tracing::warn!(error = reason, "a register does not answer");
                Self::of(ProblemKind::UpstreamUnavailable)
            }
            DiligenceError::Unsigned(_) | DiligenceError::NoSigner => {
                tracing::error!(error = reason, "an answer cannot be signed");
                Self::of(ProblemKind::SignatureUnavailable)
            }
            DiligenceError::Platform(_) => {
                tracing::error!(error = reason, "an answer could not be accounted for");
                Self::of(ProblemKind::Unavailable)
            }
        }
    }
}
