//! Format of the API's refusals.

use parafa_api_http::{Problem, ProblemFormat, ProblemType, RequestId};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::problem::ErrorCode;

/// `{"error": {…}}`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorEnvelope;

/// A refusal.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "ErrorEnvelope")]
pub struct Envelope {
    /// The refusal.
    error: ErrorBody,
}

/// The refusal.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Error")]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// The kind of refusal, for programs.
    pub code: &'static str,
    /// The fault, for people.
    pub message: String,
    /// The id of the authentication request in the path; otherwise of this HTTP
    /// request: its X-Request-Id, or a UUID derived from it.
    pub request_id: Uuid,
    /// True if the same request may succeed later.
    pub retryable: bool,
}

impl ProblemFormat for ErrorEnvelope {
    const MEDIA_TYPE: &'static str = "application/json";

    type Body = Envelope;

    fn translated(&self, kind: ProblemType) -> ProblemType {
        ErrorCode::in_place_of(kind).map_or(kind, ErrorCode::problem_type)
    }

    fn body(&self, problem: &Problem, request: &RequestId) -> Envelope {
        let code = problem.kind().name;
        Envelope {
            error: ErrorBody {
                code,
                message: message(problem),
                request_id: problem.record().unwrap_or_else(|| request.to_uuid()),
                retryable: ErrorCode::named(code).is_some_and(ErrorCode::is_retryable),
            },
        }
    }
}

/// The whole text of a problem: the envelope has one member for it.
fn message(problem: &Problem) -> String {
    let mut message = problem.detail().to_owned();
    if let several @ [_, _, ..] = problem.errors() {
        let faults = several.iter().map(|fault| match fault.pointer.as_str() {
            "" => format!("it {}", fault.detail),
            pointer => format!("{pointer} {}", fault.detail),
        });
        message = format!(
            "The request is not valid: {}.",
            faults.collect::<Vec<_>>().join("; ")
        );
    }
    message
}
