//! The one table from what went wrong to what the caller is told.

use parafa_api_signing::requests::ListQuery;
use parafa_api_signing::{Fault, Problem, ProblemKind};

use crate::error::WorkflowError;

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
        WorkflowError::DocumentRefused { pointer, refusal } => {
            let kind = refusal_kind(&refusal.code);
            Problem::at(
                kind,
                pointer.clone(),
                format!("{} ({})", refusal.detail, refusal.code),
            )
        }
        WorkflowError::UnknownFileToken => Problem::validation(vec![Fault::new(
            "/document/fileToken",
            "is not a stored file of this key",
        )]),
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
