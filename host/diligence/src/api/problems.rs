//! The one table from what went wrong to what the caller is told.

use parafa_api_diligence::ProblemKind;
use parafa_api_http::Problem;
use parafa_platform::billing::{PaymentCause, PaymentRequired};
use url::Url;

use crate::Diligence;
use crate::error::{DiligenceError, NotBillable};

impl Diligence {
    /// The answer to a failure, with the address where a person can settle what
    /// is owed; a fault of our own is logged here, once.
    #[must_use]
    pub fn problem(&self, error: DiligenceError) -> Problem {
        match error {
            DiligenceError::PaymentRequired(cause) => {
                not_billable(&cause, self.recovery_url.as_ref())
            }
            error => error.into(),
        }
    }
}

impl From<DiligenceError> for Problem {
    fn from(error: DiligenceError) -> Self {
        let reason: &dyn std::error::Error = &error;
        match &error {
            DiligenceError::PaymentRequired(cause) => not_billable(cause, None),
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

/// The four causes, in words that tell them apart.
fn not_billable(cause: &NotBillable, configured: Option<&Url>) -> Problem {
    let (detail, own) = match cause {
        NotBillable::NoEntity => (
            "No entity that can be billed is linked to the key: the terms of service, the engagement agreement and a linked entity are all needed. Ask the operator to complete them.",
            None,
        ),
        NotBillable::Payment(PaymentRequired {
            cause,
            recovery_url,
        }) => {
            let detail = match cause {
                PaymentCause::NoRail => "The entity has no enrolled payment method: enrol one.",
                PaymentCause::Overdue => {
                    "An invoice is overdue and the account is locked: settle it."
                }
                PaymentCause::Ceiling => {
                    "The usage ceiling is reached while an earlier payment settles: repeat the request once it has."
                }
            };
            (detail, recovery_url.clone())
        }
    };
    Problem::payment_required(detail, own.or_else(|| configured.cloned()))
}
