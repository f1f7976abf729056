//! The one table from what went wrong to what the caller is told.

use parafa_api_diligence::kyc::problems;
use parafa_api_http::{Fault, Problem};
use parafa_ceremony::{CeremonyError, api::problem};
use parafa_platform::billing::PaymentCause;

use crate::{IdentificationError, NotBillable};

/// The answer to a failure; a fault of our own is logged here, once.
impl From<IdentificationError> for Problem {
    fn from(error: IdentificationError) -> Self {
        match error {
            IdentificationError::NotFound => Self::not_found(),
            IdentificationError::RoleNotHeld => Self::of(problems::ROLE_NOT_HELD),
            IdentificationError::RegisterUnavailable => Self::of(problems::UPSTREAM_UNAVAILABLE),
            IdentificationError::PaymentRequired(cause) => payment_required(*cause),
            IdentificationError::NoMail => Self::validation(vec![Fault::new(
                "/delivery",
                "must be link: mail is not set up here",
            )]),
            IdentificationError::ArtifactNotReady => Self::of(problems::ARTIFACT_NOT_READY),
            IdentificationError::SandboxOnly => Self::of(problems::SANDBOX_ONLY),
            IdentificationError::OrderEnded => Self::of(problems::ORDER_ENDED),
            IdentificationError::NoDocuments => {
                Self::unavailable("Dossiers cannot be made at the moment; nothing was created.")
            }
            IdentificationError::Ceremony(error) => problem(&error),
            IdentificationError::Platform(error) => problem(&CeremonyError::from(error)),
        }
    }
}

fn payment_required(cause: NotBillable) -> Problem {
    match cause {
        NotBillable::NoEntity => {
            Problem::payment_required("No entity that can be billed is linked to the key.", None)
        }
        NotBillable::Payment(required) => {
            let detail = match required.cause {
                PaymentCause::NoRail => "The entity has no enrolled payment method.",
                PaymentCause::Overdue => "An invoice is overdue and the account is locked.",
                PaymentCause::Ceiling => {
                    "The usage ceiling is reached while an earlier payment settles; retry after it clears."
                }
            };
            Problem::payment_required(detail, required.recovery_url)
        }
    }
}
