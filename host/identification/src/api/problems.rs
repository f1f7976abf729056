//! The one table from what went wrong to what the caller is told.

use parafa_api_diligence::kyc::problems;
use parafa_api_http::{Fault, Problem, ProblemType};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::api::{no_room, problem};
use parafa_platform::agreement::NotBillable;
use parafa_platform::billing::{PaymentCause, PaymentRequired};
use parafa_register_data::Register;
use url::Url;

use crate::{IdentificationError, Identifications};

/// What is told of an answer that will be too long the next time too.
pub const ANSWER_TOO_LONG: &str = "A register's answer is longer than is taken here, so that asking again does not help; nothing was charged. Turn to the operator.";

/// 422: no source that is set up here has such answers of a register.
#[must_use]
pub fn not_offered(register: Register) -> Problem {
    let detail = format!(
        "No source is set up here that has this of the register {} ({}): it was not asked, and nothing was charged. Asking again does not help: turn to the operator.",
        register.code(),
        register.name()
    );
    Problem::new(problems::REGISTER_NOT_OFFERED, detail)
}

/// The answer to a failure; a fault of our own is logged here, once.
impl From<IdentificationError> for Problem {
    fn from(error: IdentificationError) -> Self {
        match error {
            IdentificationError::NotFound => Self::not_found(),
            IdentificationError::RoleNotHeld => Self::of(problems::ROLE_NOT_HELD),
            IdentificationError::NotOffered(register) => not_offered(register),
            IdentificationError::RegisterUnavailable => Self::of(problems::UPSTREAM_UNAVAILABLE),
            IdentificationError::RegisterAnswerTooLong => {
                Self::new(problems::UPSTREAM_UNAVAILABLE, ANSWER_TOO_LONG)
            }
            IdentificationError::PaymentRequired(cause) => payment_required(&cause, None),
            IdentificationError::NoMail => Self::validation(vec![Fault::new(
                "/delivery",
                "must be link: mail is not set up here",
            )]),
            IdentificationError::NoSigner | IdentificationError::SignerOutOfService => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "an order is refused");
                Self::of(problems::SIGNATURE_UNAVAILABLE)
            }
            IdentificationError::ArtifactNotReady => Self::of(problems::ARTIFACT_NOT_READY),
            IdentificationError::SandboxOnly => Self::of(ProblemType::SANDBOX_ONLY),
            IdentificationError::OrderEnded => Self::of(problems::ORDER_ENDED),
            IdentificationError::BeingVerified => Self::new(
                problems::ARTIFACT_NOT_READY,
                "The subject has signed, and the order is being verified: it ends by itself.",
            ),
            IdentificationError::NoDocuments => {
                Self::unavailable("Dossiers cannot be made at the moment; nothing was created.")
            }
            IdentificationError::NoRoom(why) => no_room(&why),
            IdentificationError::Ceremony(error) => problem(&error),
            IdentificationError::Platform(error) => problem(&CeremonyError::from(error)),
        }
    }
}

impl Identifications {
    /// The answer to a failure, with the address where a person can settle what
    /// is owed.
    pub(super) fn problem(&self, error: IdentificationError) -> Problem {
        match error {
            IdentificationError::PaymentRequired(cause) => {
                payment_required(&cause, self.recovery_url.as_ref())
            }
            error => error.into(),
        }
    }
}

/// A 402 whose detail tells the four causes apart. `configured` is where a person
/// can settle what is owed, unless the workspace has an address of its own.
#[must_use]
pub fn payment_required(cause: &NotBillable, configured: Option<&Url>) -> Problem {
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
