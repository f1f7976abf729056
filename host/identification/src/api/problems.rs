//! Mapping of errors to problems.

use parafa_api_diligence::kyc::problems;
use parafa_api_http::{Fault, Problem, ProblemType};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::api::{no_room, problem};
use parafa_platform::agreement::NotBillable;
use parafa_platform::billing::{CURRENCY, PaymentCause, PaymentRequired};
use parafa_register_data::Register;
use url::Url;

use super::views::status as told;
use crate::{IdentificationError, Identifications};

/// Returns 502 for an answer that is too long, and will be the next time.
#[must_use]
pub fn answer_too_long(register: Register) -> Problem {
    let detail = format!(
        "The answer of the register {} is longer than this service accepts, so asking again does not help; nothing was charged. Contact the operator.",
        named(register)
    );
    Problem::new(problems::UPSTREAM_UNAVAILABLE, detail)
}

/// Returns 502 for a register that is down or answers nonsense.
#[must_use]
pub fn no_answer(register: Register) -> Problem {
    let detail = format!(
        "The register {} is down, or its answer cannot be used; nothing was charged.",
        named(register)
    );
    Problem::new(problems::UPSTREAM_UNAVAILABLE, detail)
}

/// Returns 503 for a missing signature of the attorney; says what is missing, but
/// not the causes.
#[must_use]
pub fn unsigned(error: &dyn std::error::Error) -> Problem {
    let detail = format!("The answer cannot be signed: {error}. Nothing was charged.");
    Problem::new(problems::SIGNATURE_UNAVAILABLE, detail)
}

fn named(register: Register) -> String {
    format!("{} ({})", register.code(), register.name())
}

/// Returns 422 for answers of a register that no configured source has.
#[must_use]
pub fn not_offered(register: Register) -> Problem {
    let detail = format!(
        "No source for this data of the register {} is set up here: it was not asked, and nothing was charged. Asking again does not help; contact the operator.",
        named(register)
    );
    Problem::new(problems::REGISTER_NOT_OFFERED, detail)
}

/// Maps an error to the caller's answer; an internal error is logged here, once.
impl From<IdentificationError> for Problem {
    fn from(error: IdentificationError) -> Self {
        match error {
            IdentificationError::NotFound => Self::not_found(),
            IdentificationError::RoleNotHeld { role, entity } => Self::new(
                problems::ROLE_NOT_HELD,
                format!(
                    "According to the register, nobody holds the role {} in the entity {entity}; nothing was created or charged.",
                    role.name()
                ),
            ),
            IdentificationError::NotOffered(register) => not_offered(register),
            IdentificationError::RegisterUnavailable(register) => no_answer(register),
            IdentificationError::RegisterAnswerTooLong(register) => answer_too_long(register),
            IdentificationError::PaymentRequired(cause) => payment_required(&cause, None),
            IdentificationError::NoMail => Self::validation(vec![Fault::new(
                "/delivery",
                "must be link: mail is not set up here",
            )]),
            IdentificationError::NoSigner | IdentificationError::SignerOutOfService => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, "an order is refused");
                unsigned(error)
            }
            IdentificationError::ArtifactNotReady(status) => Self::new(
                problems::ARTIFACT_NOT_READY,
                format!(
                    "The order is {}, and not delivered yet.",
                    told(status).as_str()
                ),
            ),
            IdentificationError::NeverDelivered(status) => Self::new(
                ProblemType::NOT_FOUND,
                format!("The order is {}; it has no package.", told(status).as_str()),
            ),
            IdentificationError::SandboxOnly => Self::of(ProblemType::SANDBOX_ONLY),
            IdentificationError::OrderEnded(status) => Self::new(
                problems::ORDER_ENDED,
                format!("The order is {}.", told(status).as_str()),
            ),
            IdentificationError::NotEnded(status) => Self::new(
                problems::ORDER_NOT_ENDED,
                format!(
                    "The order is {}; only ended orders can be erased.",
                    told(status).as_str()
                ),
            ),
            IdentificationError::BeingVerified => Self::new(
                problems::ORDER_NOT_ENDED,
                "The subject has signed, and the order is being verified: wait for the callback, or read the order until it has ended.",
            ),
            IdentificationError::Away(_) => {
                Self::unavailable("The order cannot be verified at the moment.")
            }
            IdentificationError::NoRoom(why) => no_room(&why),
            IdentificationError::Ceremony(error) => problem(&error),
            IdentificationError::Platform(error) => problem(&CeremonyError::from(error)),
        }
    }
}

impl Identifications {
    /// Maps an error to the answer, with the address where a person can settle
    /// the debt.
    pub(super) fn problem(&self, error: IdentificationError) -> Problem {
        match error {
            IdentificationError::PaymentRequired(cause) => {
                payment_required(&cause, self.recovery_url.as_ref())
            }
            error => error.into(),
        }
    }
}

/// Returns a 402 whose detail distinguishes the four causes. `configured` is
/// where a person can settle the debt, unless the workspace has an address of its
/// own.
#[must_use]
pub fn payment_required(cause: &NotBillable, configured: Option<&Url>) -> Problem {
    let (detail, own) = match cause {
        NotBillable::NoEntity => (
            "No entity that can be billed is linked to the key: the terms of service, the engagement agreement and a linked entity are all needed. Ask the operator to complete them.".to_owned(),
            None,
        ),
        NotBillable::Payment(PaymentRequired {
            cause,
            recovery_url,
        }) => {
            let detail = match cause {
                PaymentCause::NoRail => {
                    "The entity has no enrolled payment method: enrol one.".to_owned()
                }
                PaymentCause::Overdue => {
                    "An invoice is overdue and the account is locked: settle it.".to_owned()
                }
                PaymentCause::Ceiling(ceiling) => format!(
                    "The usage ceiling of {ceiling} {CURRENCY} is reached, counting what is owed and what is in progress, while an earlier payment settles: repeat the request once that payment has settled, or once something in progress has ended."
                ),
            };
            (detail, recovery_url.clone())
        }
    };
    Problem::payment_required(detail, own.or_else(|| configured.cloned()))
}
