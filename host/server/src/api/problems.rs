//! The one table from what went wrong to what the caller is told.

use parafa_api_signing::requests::{ListQuery, Simulation};
use parafa_api_signing::{Fault, Problem, ProblemKind};

use crate::error::{RefusedDocument, WorkflowError};
use crate::workflow::billing::PaymentCause;

/// The answer to a failure; a fault of our own is logged here, once.
impl From<WorkflowError> for Problem {
    fn from(error: WorkflowError) -> Self {
        answer(&error)
    }
}

fn answer(error: &WorkflowError) -> Problem {
    match error {
        WorkflowError::NotFound => Problem::not_found(),
        WorkflowError::UnknownCursor => Problem::validation(vec![Fault::new(
            ListQuery::STARTING_AFTER_POINTER,
            "is not a signing of this key",
        )]),
        WorkflowError::DocumentsRefused(refused) => documents_refused(refused),
        WorkflowError::FileRefused(refused) => match refusal_kind(&refused.refusal.code) {
            ProblemKind::FlattenRefused => documents_refused(std::slice::from_ref(refused)),
            _ => Problem::at(
                ProblemKind::DocumentRefused,
                refused.pointer.clone(),
                reason(refused),
            ),
        },
        WorkflowError::UnknownFileTokens { pointers } => {
            let faults = pointers.iter();
            let detail = "is not a stored file of this key";
            Problem::validation(
                faults
                    .map(|pointer| Fault::new(pointer.clone(), detail))
                    .collect(),
            )
        }
        WorkflowError::PaymentRequired {
            cause,
            recovery_url,
        } => Problem::payment_required(payment_detail(*cause), recovery_url.as_deref().cloned()),
        WorkflowError::ClaimLost => Problem::of(ProblemKind::IdempotencyInProgress),
        WorkflowError::SigningEnded => Problem::of(ProblemKind::SigningEnded),
        WorkflowError::LastSigner => Problem::of(ProblemKind::LastSigner),
        WorkflowError::TooManySigners => Problem::of(ProblemKind::TooManySigners),
        WorkflowError::KnownEmail => Problem::validation(vec![Fault::new(
            "/email",
            "must not be that of another party",
        )]),
        WorkflowError::NoOpenSigner => Problem::validation(vec![Fault::new(
            Simulation::SIGNER_EMAIL_POINTER,
            "must be that of a signer who can still sign",
        )]),
        WorkflowError::NotRemindable => Problem::of(ProblemKind::NotRemindable),
        WorkflowError::ReminderTooSoon { retry_after } => {
            Problem::of(ProblemKind::ReminderTooSoon).with_retry_after(*retry_after)
        }
        WorkflowError::SandboxOnly => Problem::of(ProblemKind::SandboxOnly),
        WorkflowError::ArchiveNotSupported(why) => {
            Problem::new(ProblemKind::ArchiveNotSupported, *why)
        }
        WorkflowError::NotSetUp(what) => Problem::unavailable(sentence(what)),
        WorkflowError::NotYetSigned => Problem::of(ProblemKind::NotYetSigned),
        WorkflowError::Busy { retry_after } => {
            Problem::of(ProblemKind::SigningInProgress).with_retry_after(*retry_after)
        }
        WorkflowError::SignerNotOpen => Problem::of(ProblemKind::SignerNotOpen),
        WorkflowError::MethodNotAllowed(method) => {
            let detail = format!("must be one of this signer's methods, and {method} is not");
            Problem::validation(vec![Fault::new("/method", detail)])
        }
        WorkflowError::TooManyAttempts { retry_after } => Problem::new(
            ProblemKind::RateLimited,
            "Too many attempts were started within an hour.",
        )
        .with_retry_after(*retry_after),
        WorkflowError::SandboxNeverSigns => Problem::of(ProblemKind::SandboxNeverSigns),
        WorkflowError::DocumentChanged => Problem::of(ProblemKind::DocumentChanged),
        WorkflowError::Plugin(_) => {
            log(error);
            Problem::unavailable("The document could not be processed; nothing was changed.")
        }
        WorkflowError::Store(_)
        | WorkflowError::Files(_)
        | WorkflowError::Keys(_)
        | WorkflowError::Inconsistent(_) => {
            log(error);
            Problem::unavailable("The records cannot be read or written at the moment.")
        }
    }
}

/// All documents that are refused, in one answer.
fn documents_refused(refused: &[RefusedDocument]) -> Problem {
    let kinds = refused.iter().map(|one| refusal_kind(&one.refusal.code));
    let kind = kinds
        .reduce(|one, other| {
            if one == other {
                one
            } else {
                ProblemKind::DocumentRefused
            }
        })
        .unwrap_or(ProblemKind::DocumentRefused);
    if let [one] = refused {
        return Problem::at(kind, one.pointer.clone(), reason(one));
    }
    let faults = refused
        .iter()
        .map(|one| Fault::new(one.pointer.clone(), reason(one)));
    Problem::new(
        kind,
        format!("{} documents are refused, listed in errors.", refused.len()),
    )
    .with_errors(faults.collect())
}

fn reason(refused: &RefusedDocument) -> String {
    format!("{} ({})", refused.refusal.detail, refused.refusal.code)
}

fn payment_detail(cause: PaymentCause) -> &'static str {
    match cause {
        PaymentCause::Ceiling => {
            "The workspace has reached its usage ceiling; nothing was created."
        }
        PaymentCause::NoRail => "The workspace has no way of paying; nothing was created.",
        PaymentCause::Overdue => "The workspace has an overdue invoice; nothing was created.",
    }
}

/// Which problem a plugin's refusal is.
fn refusal_kind(code: &str) -> ProblemKind {
    match code {
        "container-unsigned" => ProblemKind::ContainerUnsigned,
        "container-finalized" => ProblemKind::ContainerFinalized,
        "container-unsound" => ProblemKind::ContainerUnsound,
        "mdoc-not-accepted" => ProblemKind::MdocNotAccepted,
        "flatten-refused" => ProblemKind::FlattenRefused,
        _ => ProblemKind::DocumentRefused,
    }
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

fn log(error: &WorkflowError) {
    tracing::error!(
        error = error as &dyn std::error::Error,
        "a request failed inside"
    );
}
