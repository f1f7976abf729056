//! Contracts: input and answer of an operation, as documented.

use std::cell::RefCell;

use axum::extract::RawPathParams;
use http::{Method, StatusCode};
use serde_json::Value;

use super::path::PathParameter;
use super::representation::AnswerForm;
use crate::api::Api;
use crate::edge::OriginRule;
use crate::openapi::Schemas;
use crate::principal::{Access, Credential};
use crate::problem::{Problem, ProblemType};

/// Input and answer of an operation.
pub(crate) struct Contract<A: Api> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) path_parameters: Vec<PathParameter>,
    /// The record named by a path, if its template has ids; inner `None` if an id is invalid.
    pub(crate) record: fn(&RawPathParams) -> Option<Option<A::Record>>,
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) body: BodyKind,
    /// The schema of the body, if there is one, and the parameters of the query.
    pub(crate) input: fn(&A, &RefCell<Schemas>) -> InputSchemas,
    /// Refusals beside those of every operation.
    pub(crate) refusals: Vec<ProblemType>,
    pub(crate) answers_on_erased: bool,
    pub(crate) takes_batches: bool,
    /// True if `HEAD` is served like `GET`.
    pub(crate) has_head: bool,
    /// Refusal of callers by their kind, whatever they ask.
    pub(crate) admission: fn(&A::Caller) -> Result<(), Problem>,
    /// Authentication of its callers.
    pub(crate) entry: Entry<A>,
    /// Rule for pages that may make it, if any may.
    pub(crate) origins: Option<OriginRule>,
    /// Time for which a client may cache its answer, in seconds.
    pub(crate) fresh_for: Option<u32>,
    /// Media type of the download.
    pub(crate) download_type: &'static str,
    pub(crate) answer: Answer,
    /// The schema of the answer.
    pub(crate) view: fn(&mut Schemas) -> Option<Value>,
    /// Ids in the answer of a creation.
    pub(crate) ids: &'static [(&'static str, &'static str)],
}

/// Authentication of an operation's callers.
pub(crate) enum Entry<A: Api> {
    /// The API's usual credentials.
    Usual,
    /// Credentials of any API of the service.
    AnyKey,
    /// Credentials of its own.
    By(Credential),
    /// None: it is public, and this is the caller.
    Anybody(fn() -> A::Caller),
}

/// The schema of a body, if there is one, and the parameters of a query.
pub(crate) type InputSchemas = (Option<Value>, Vec<Value>);

/// Presence of a request body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BodyKind {
    /// The method has no body.
    None,
    /// The body is optional.
    Optional,
    /// The body is required.
    Required,
}

/// The answer to a request that was carried out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Answer {
    /// 200 with a view, or with bytes of one of these media types.
    Json(&'static [AnswerForm]),
    /// 201 or 202 with a view; repetitions with the same `Idempotency-Key` get the same answer.
    Created(StatusCode),
    /// 200 with a view, or with bytes of one of these media types; repetitions
    /// with the same `Idempotency-Key` get the same answer.
    Forms(&'static [AnswerForm]),
    /// 200 with bytes.
    Download,
    /// 204.
    Empty,
}

impl Answer {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Json(_) | Self::Forms(_) | Self::Download => StatusCode::OK,
            Self::Created(status) => status,
            Self::Empty => StatusCode::NO_CONTENT,
        }
    }

    /// Returns true if the operation creates or charges, so that a repetition with the same
    /// `Idempotency-Key` must not do it again.
    pub(crate) fn is_kept(self) -> bool {
        matches!(self, Self::Created(_) | Self::Forms(_))
    }
}

impl<A: Api> Contract<A> {
    pub(crate) fn access(&self) -> Access {
        Access::of(&self.method)
    }

    /// The problems that it may answer.
    pub(crate) fn problems(&self) -> Vec<ProblemType> {
        let mut problems = vec![
            ProblemType::VALIDATION_FAILED,
            ProblemType::RATE_LIMITED,
            ProblemType::UNAVAILABLE,
        ];
        match &self.entry {
            Entry::Usual | Entry::AnyKey => problems.push(ProblemType::UNAUTHORIZED),
            Entry::By(credential) => problems.push(credential.refusal),
            Entry::Anybody(_) => {}
        }
        problems.extend(self.origins.map(|rule| rule.refusal));
        if self.access() == Access::Write {
            problems.push(ProblemType::FORBIDDEN);
        }
        if self.path_parameters.iter().any(|parameter| parameter.is_id) {
            problems.push(ProblemType::NOT_FOUND);
        }
        if self.body != BodyKind::None {
            problems.extend([
                ProblemType::REQUEST_TIMEOUT,
                ProblemType::PAYLOAD_TOO_LARGE,
                ProblemType::UNSUPPORTED_MEDIA_TYPE,
            ]);
        }
        if self.answer.is_kept() {
            problems.extend([
                ProblemType::IDEMPOTENCY_IN_PROGRESS,
                ProblemType::IDEMPOTENCY_KEY_REUSED,
            ]);
        }
        problems.extend(&self.refusals);
        problems
    }
}
