//! Mapping of ceremonies' errors to problems.

use parafa_api_ceremony::{Circumstances, SigningMethod, problems};
use parafa_api_http::{Fault, Problem, ProblemType, WireName};
use parafa_domain::{ATTEMPTS_PER_HOUR, AttemptFailure, CeremonyStatus, MAX_PARTIES, SignerStatus};
use parafa_platform::{PlatformError, log_failure};

use crate::plugin_failure::words;
use crate::prompts::{UNSIGNED, WAITING};
use crate::quota::{NoRoom, Quota, QuotaExceeded};
use crate::{AttemptsOf, BUSY_RETRY_SECONDS, CeremonyError};

/// Maps an error to the caller's answer; an internal error is logged here,
/// once.
impl From<CeremonyError> for Problem {
    fn from(error: CeremonyError) -> Self {
        problem(&error)
    }
}

/// Maps an error to the caller's answer.
pub fn problem(error: &CeremonyError) -> Problem {
    match error {
        CeremonyError::NotFound => Problem::not_found(),
        CeremonyError::Platform(PlatformError::ClaimLost) => Problem::new(
            ProblemType::IDEMPOTENCY_IN_PROGRESS,
            "Another request with the same Idempotency-Key began while this one was still running; this one changed nothing.",
        )
        .with_retry_after(BUSY_RETRY_SECONDS),
        CeremonyError::SigningEnded(status) => {
            Problem::new(problems::SIGNING_ENDED, format!("{}.", ended(*status)))
        }
        CeremonyError::LastSigner => Problem::new(
            problems::LAST_SIGNER,
            "This is the only party of role signer in the signing.",
        ),
        CeremonyError::TooManySigners => Problem::new(
            problems::TOO_MANY_SIGNERS,
            format!("The signing has {MAX_PARTIES} parties, and no more can be added."),
        ),
        CeremonyError::NotRemindable(status) => {
            Problem::new(problems::NOT_REMINDABLE, not_remindable(*status))
        }
        CeremonyError::ReminderTooSoon { retry_after } => {
            let detail = format!(
                "A reminder went to this signer less than an hour ago; the next one may go in {retry_after} seconds."
            );
            Problem::new(problems::REMINDER_TOO_SOON, detail).with_retry_after(*retry_after)
        }
        CeremonyError::NoDocuments
        | CeremonyError::OutOfUse { .. }
        | CeremonyError::ServiceDown(_) => Problem::unavailable(sentence(&error.to_string())),
        CeremonyError::NotYetSigned(CeremonyStatus::Pending) => Problem::new(
            problems::NOT_YET_SIGNED,
            "The signing is pending, and nobody has signed yet.",
        ),
        CeremonyError::NotYetSigned(status) => Problem::new(
            problems::NOT_YET_SIGNED,
            format!("The signing is {status}, and nobody had signed."),
        ),
        CeremonyError::Busy => {
            Problem::of(problems::SIGNING_IN_PROGRESS).with_retry_after(BUSY_RETRY_SECONDS)
        }
        CeremonyError::SignerNotOpen(Some(status)) => Problem::new(
            problems::SIGNER_NOT_OPEN,
            format!("The signer is {status}, which this call does not change."),
        ),
        CeremonyError::SignerNotOpen(None) => Problem::of(problems::SIGNER_NOT_OPEN),
        CeremonyError::MethodNotAllowed(method) => {
            let detail = format!("must be one of this signer's methods, and {method} is not");
            Problem::validation(vec![Fault::new("/method", detail)])
        }
        CeremonyError::MethodNotSetUp(method) => {
            let detail = format!("must be a method that is set up here, and {method} is not");
            Problem::validation(vec![Fault::new("/method", detail)])
        }
        CeremonyError::CardRefused { member, detail } => card_refused(member, detail),
        CeremonyError::AttemptFailed { failure, is_locked } => attempt_failed(*failure, *is_locked),
        CeremonyError::TooManyAttempts { of, retry_after } => {
            let told = match of {
                AttemptsOf::Link => format!(
                    "{ATTEMPTS_PER_HOUR} attempts were started on this link within an hour, which is the limit."
                ),
                AttemptsOf::Person => format!(
                    "This person has {WAITING} attempts waiting, or {UNSIGNED} within an hour that ended without a signature, which is the limit."
                ),
            };
            Problem::new(ProblemType::RATE_LIMITED, told).with_retry_after(*retry_after)
        }
        CeremonyError::TooManyWaiting => Problem::new(
            ProblemType::RATE_LIMITED,
            "Too many calls are waiting on this link.",
        )
        .with_retry_after(BUSY_RETRY_SECONDS),
        CeremonyError::SandboxNeverSigns => Problem::of(problems::SANDBOX_NEVER_SIGNS),
        CeremonyError::DocumentChanged => Problem::of(problems::DOCUMENT_CHANGED),
        CeremonyError::TooManyDownloads => Problem::new(
            ProblemType::RATE_LIMITED,
            "Too many documents are being downloaded at the same time.",
        )
        .with_retry_after(BUSY_RETRY_SECONDS),
        CeremonyError::MemberTooLarge { bytes, limit } => Problem::new(
            ProblemType::PAYLOAD_TOO_LARGE,
            format!(
                "The member has {bytes} bytes, and at most {limit} can be fetched on its own: download the whole document instead."
            ),
        ),
        CeremonyError::NoPlaceToDownload => {
            Problem::unavailable("The service is busy with other downloads.")
                .with_retry_after(BUSY_RETRY_SECONDS)
        }
        CeremonyError::NoTurnToLook => {
            Problem::unavailable("The service is busy with other pages.")
                .with_retry_after(BUSY_RETRY_SECONDS)
        }
        CeremonyError::Plugin(fault) => {
            tracing::error!(
                plugin.id = fault.plugin,
                plugin.digest = %fault.digest,
                failure = words(&(**fault).clone().into()),
                "a plugin failed on a document"
            );
            Problem::unavailable(format!(
                "The plugin {} failed on the document; nothing was changed.",
                fault.plugin
            ))
        }
        CeremonyError::PluginAway(_)
        | CeremonyError::Platform(_)
        | CeremonyError::Inconsistent(_) => {
            log(error);
            Problem::unavailable("The records cannot be read or written at the moment.")
        }
    }
}

/// Describes the end of a ceremony. One that is pending is over by its deadline
/// only.
fn ended(status: CeremonyStatus) -> String {
    match status {
        CeremonyStatus::Pending => "The deadline of the signing has passed".to_owned(),
        ended => format!("The signing is {ended}"),
    }
}

fn not_remindable(status: Option<SignerStatus>) -> String {
    match status {
        None => "The delivery of the signing is link, so nobody was invited by email.".to_owned(),
        Some(SignerStatus::Pending) => format!("{}.", ended(CeremonyStatus::Pending)),
        Some(SignerStatus::Recorded) => "The party is a viewer.".to_owned(),
        Some(status) => {
            format!("The signer is {status}, and only a pending signer can be reminded.")
        }
    }
}

/// Returns the answer where documents exceed the quota.
pub fn no_room(why: &NoRoom) -> Problem {
    match why {
        NoRoom::QuotaExceeded(exceeded) => {
            Problem::new(problems::QUOTA_EXCEEDED, quota_detail(exceeded))
        }
        NoRoom::TooManyBytes { retry_after } => Problem::new(
            ProblemType::RATE_LIMITED,
            "The workspace has stored more bytes of documents within a minute than its limit allows.",
        )
        .with_retry_after(*retry_after),
        NoRoom::DiskFull { retry_after } => Problem::unavailable(
            "There is no room for more documents at the moment; nothing was changed. Documents \
             already stored can still be signed.",
        )
        .with_retry_after(*retry_after),
        NoRoom::NotCounted { retry_after } => {
            Problem::unavailable("The records cannot be read or written at the moment.")
                .with_retry_after(*retry_after)
        }
    }
}

/// Describes the usage, the limit and the remedy.
fn quota_detail(exceeded: &QuotaExceeded) -> String {
    let QuotaExceeded {
        quota,
        used,
        wanted,
        allowed,
    } = exceeded;
    match quota {
        Quota::StoredBytes => format!(
            "The workspace's documents in this mode take {used} of at most {allowed} bytes, and \
             this request would add {wanted}. Erase signings that have ended, delete stored files \
             or wait until they expire, or ask the operator for a larger quota."
        ),
        Quota::OpenSignings => format!(
            "{used} of at most {allowed} signings of the workspace, including orders of identification \
             packages, are open in this mode, and this request would add {wanted}. Wait until some \
             have ended, cancel or erase signings that are no longer needed, or ask the operator \
             for a larger quota."
        ),
    }
}

fn card_refused(member: &str, detail: &str) -> Problem {
    let fault = Fault::new(member, detail);
    let told = format!("{member} {detail}.");
    Problem::new(problems::CARD_REFUSED, told).with_errors(vec![fault])
}

/// Returns the answer to an attempt that ended because of a card's certificate
/// or signature, or otherwise.
fn attempt_failed(failure: AttemptFailure, is_locked: bool) -> Problem {
    use AttemptFailure as F;

    let member = match failure {
        F::CertificateExpired
        | F::CertificatePurpose
        | F::CertificateRevoked
        | F::CertificateUntrusted
        | F::IdentityMismatch
        | F::NotQualified
        | F::DeviceError => "/certificate",
        F::BadSignature => "/signature",
        F::DocumentChanged => return Problem::of(problems::DOCUMENT_CHANGED),
        F::Cancelled | F::Timeout => return Problem::not_found(),
        _ => {
            let told = format!(
                "The attempt has ended ({}): start another one.",
                failure.code()
            );
            return Problem::unavailable(told);
        }
    };
    let circumstances = Circumstances {
        method: SigningMethod::Nfc,
        is_locked,
    };
    let told = wire_failure(failure);
    let told = told.map_or("is refused", |failure| failure.sentence(circumstances));
    let fault = Fault::new(member, format!("{}: {told}", failure.code()));
    Problem::new(problems::CARD_REFUSED, told).with_errors(vec![fault])
}

fn wire_failure(failure: AttemptFailure) -> Option<parafa_api_ceremony::AttemptFailure> {
    let mut known = parafa_api_ceremony::AttemptFailure::ALL.iter();
    let (_, known) = known.find(|(name, _)| *name == failure.code())?;
    Some(*known)
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

fn log(error: &CeremonyError) {
    log_failure(error, "a request failed inside");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_attempts_are_told_of_the_link_or_of_the_person() {
        let told = |of| {
            let problem = problem(&CeremonyError::TooManyAttempts {
                of,
                retry_after: 1800,
            });
            assert_eq!(problem.retry_after(), Some(1800));
            problem.detail().to_owned()
        };

        assert!(told(AttemptsOf::Link).contains("link"));
        assert!(told(AttemptsOf::Person).contains("person"));
    }
}
