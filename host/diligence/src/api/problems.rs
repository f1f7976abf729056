//! Mapping of errors to problems.

use parafa_api_diligence::ProblemKind;
use parafa_api_http::views::date_time;
use parafa_api_http::{Fault, Problem};
use parafa_identification::{answer_too_long, no_answer, not_offered, payment_required, unsigned};
use parafa_platform::log_failure;
use parafa_register_data::Query;
use parafa_registers::{Absence, RegisterAnswer, Unavailable};

use crate::Diligence;
use crate::error::DiligenceError;

/// Refusal of the interpretation to live keys, if it is not reviewed.
const NOT_REVIEWED: &str =
    "is not offered to live keys here: no lawyer has reviewed the interpretation for this service";

impl Diligence {
    /// Maps an error to the answer, with the address where a person can settle
    /// the debt; an internal error is logged here, once.
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
            DiligenceError::NotReviewed => {
                Self::validation(vec![Fault::new("/interpret", NOT_REVIEWED)])
            }
            DiligenceError::NoData(absent) => Self::new(ProblemKind::NoData, nothing(absent)),
            DiligenceError::NotOffered(register) => {
                tracing::warn!(
                    provider = register.code(),
                    remedy = parafa_identification::NO_SOURCE,
                    error = reason,
                    "a register cannot be asked here"
                );
                not_offered(*register)
            }
            DiligenceError::Register { register, why } => match why {
                Unavailable::TooLong { .. } => answer_too_long(*register),
                _ => no_answer(*register),
            },
            DiligenceError::Unsigned(_) | DiligenceError::NoSigner => {
                tracing::error!(error = reason, "an answer cannot be signed");
                unsigned(&error)
            }
            DiligenceError::Abandoned => Self::unavailable(
                "The caller disconnected before the answer was ready; nothing was charged.",
            ),
            DiligenceError::Unaccounted(_) => {
                log_failure(
                    &error,
                    "it is unknown whether an answer was recorded for billing",
                );
                Self::unavailable(
                    "The answer could not be recorded for billing, so it is withheld. It is unknown whether it was charged: the operator can look it up by the X-Request-Id.",
                )
            }
            DiligenceError::Platform(_) => {
                log_failure(&error, "an answer could not be recorded for billing");
                Self::unavailable(
                    "The answer could not be recorded for billing, so it is withheld; nothing was charged.",
                )
            }
        }
    }
}

/// Describes the register without data, its subject, and the time of that
/// answer.
fn nothing(absent: &RegisterAnswer<Absence>) -> String {
    let Absence {
        query,
        subject_is_unknown,
    } = &absent.data;
    let subject = match query {
        Query::PropertyExtract(_) => "object",
        _ => "entity",
    };
    let does = match subject_is_unknown {
        true => "knows no",
        false => "holds nothing of this kind on the",
    };
    format!(
        "{} ({}) {does} {subject} {}, as it answered at {}. Nothing was charged.",
        absent.register.code(),
        absent.register.name(),
        query.subject(),
        date_time(absent.retrieved_at),
    )
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use parafa_register_data::{Register, SourceMode};

    use super::*;

    #[test]
    fn a_register_without_a_source_is_no_outage_to_wait_for() {
        let problem = Problem::from(DiligenceError::NotOffered(Register::Taar));

        assert_eq!(problem.kind(), ProblemKind::RegisterNotOffered);
        assert_eq!(problem.retry_after(), None);
        for words in ["TAAR", "Asking again does not help"] {
            assert!(problem.detail().contains(words), "{}", problem.detail());
        }
    }

    #[test]
    fn nothing_held_names_register_subject_and_time_and_is_told_from_an_unknown_subject() {
        let detail = |query: Query, subject_is_unknown| {
            let register = query.register();
            let absence = Absence {
                query,
                subject_is_unknown,
            };
            let absent = RegisterAnswer {
                data: absence,
                raw: Vec::new().into(),
                media_type: "application/problem+json",
                raw_sha256: [0; 32],
                register,
                mode: SourceMode::Synthetic,
                reference: String::new(),
                retrieved_at: Timestamp::UNIX_EPOCH,
                parts: Vec::new(),
            };
            let error = DiligenceError::NoData(Box::new(absent));
            Problem::from(error).detail().to_owned()
        };
        let seizures = || Query::Seizures("999000088".parse().unwrap());
        assert_eq!(
            detail(seizures(), false),
            "TAAR (Turto arešto aktų registras) holds nothing of this kind on the entity 999000088, \
             as it answered at 1970-01-01T00:00:00.000Z. Nothing was charged."
        );
        let unknown = detail(seizures(), true);
        assert!(unknown.contains("knows no entity 999000088"), "{unknown}");
        let object = Query::PropertyExtract("4400-9990-0002".parse().unwrap());
        let object = detail(object, false);
        assert!(object.contains("on the object 4400-9990-0002"), "{object}");
    }

    #[test]
    fn an_answer_that_is_too_long_is_told_from_a_register_that_is_down() {
        let told = |why| {
            Problem::from(DiligenceError::Register {
                register: Register::Jar,
                why,
            })
        };
        let too_long = told(Unavailable::TooLong { limit: 8 });
        let down = told(Unavailable::Status(503));

        assert_eq!(too_long.kind(), down.kind());
        assert_ne!(too_long.detail(), down.detail());
        assert!(
            too_long.detail().contains("longer"),
            "{}",
            too_long.detail()
        );
        for told in [too_long, down] {
            assert!(told.detail().contains("JAR"), "{}", told.detail());
            assert!(told.detail().contains("nothing was charged"));
        }
    }
}
