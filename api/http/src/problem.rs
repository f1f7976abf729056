//! Refusals, and how they are written.

mod document;
mod format;
mod page;
mod problem_type;

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use url::Url;
use uuid::Uuid;

pub use self::document::{ProblemDocument, ProblemDocuments};
pub use self::format::ProblemFormat;
pub(crate) use self::format::write;
pub(crate) use self::page::page;
pub use self::problem_type::ProblemType;
use crate::decode::Fault;

/// Default `Retry-After`, in seconds.
const UNAVAILABLE_SECONDS: u32 = 30;

/// A refusal, still in no format; the answer to the caller is written at the
/// edge.
#[derive(Clone, Debug)]
pub struct Problem(Box<Content>);

#[derive(Clone, Debug)]
struct Content {
    kind: ProblemType,
    detail: String,
    errors: Vec<Fault>,
    recovery_url: Option<Url>,
    retry_after_seconds: Option<u32>,
    headers: Vec<(&'static str, String)>,
    about: Option<Uuid>,
}

impl Problem {
    /// `detail` is a sentence about this occurrence, for the caller. Every 503 has a `Retry-After`.
    #[must_use]
    pub fn new(kind: impl Into<ProblemType>, detail: impl Into<String>) -> Self {
        let kind = kind.into();
        let is_unavailable = kind.status == StatusCode::SERVICE_UNAVAILABLE;
        Self(Box::new(Content {
            kind,
            detail: detail.into(),
            errors: Vec::new(),
            recovery_url: None,
            retry_after_seconds: is_unavailable.then_some(UNAVAILABLE_SECONDS),
            headers: Vec::new(),
            about: None,
        }))
    }

    /// A problem whose general meaning needs no detail.
    #[must_use]
    pub fn of(kind: impl Into<ProblemType>) -> Self {
        let kind = kind.into();
        Self::new(kind, kind.meaning)
    }

    /// A problem with one member of the body or one query parameter: `pointer` as in RFC 6901,
    /// `detail` the sentence for both places.
    #[must_use]
    pub fn at(
        kind: impl Into<ProblemType>,
        pointer: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let detail = detail.into();
        Self::new(kind, detail.clone()).with_errors(vec![Fault::new(pointer, detail)])
    }

    /// Everything that is wrong with a request.
    #[must_use]
    pub fn validation(faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [one] if one.pointer.is_empty() => {
                format!("The request is not valid: it {}.", one.detail)
            }
            [one] => format!("The request is not valid: {} {}.", one.pointer, one.detail),
            several => format!(
                "The request is not valid: it has {} faults, listed in errors.",
                several.len()
            ),
        };
        Self::new(ProblemType::VALIDATION_FAILED, detail).with_errors(faults)
    }

    /// 401: the key is invalid, whatever the reason.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::of(ProblemType::UNAUTHORIZED)
    }

    /// 403: the caller's role allows only reading, and `what` does more.
    #[must_use]
    pub fn forbidden(what: &str) -> Self {
        let detail = format!(
            "The workspace user behind the key may only read; {what} needs the role member or owner."
        );
        Self::new(ProblemType::FORBIDDEN, detail)
    }

    /// 404: no such path, or no such record for this caller.
    #[must_use]
    pub fn not_found() -> Self {
        Self::of(ProblemType::NOT_FOUND)
    }

    /// 402: `recovery_url` is a page that lets a person fix it.
    #[must_use]
    pub fn payment_required(detail: impl Into<String>, recovery_url: Option<Url>) -> Self {
        let mut problem = Self::new(ProblemType::PAYMENT_REQUIRED, detail);
        problem.0.recovery_url = recovery_url;
        problem
    }

    /// 415: names the header, and the accepted value `taken`.
    #[must_use]
    pub fn unsupported_media_type(headers: &HeaderMap, taken: &str) -> Self {
        let value = |name| {
            headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let encoding = value(CONTENT_ENCODING).filter(|encoding| *encoding != "identity");
        let what = match (value(CONTENT_TYPE), encoding) {
            (_, Some(encoding)) => {
                format!("Content-Encoding is {encoding}; send the body without one, as {taken}.")
            }
            _ if headers.get_all(CONTENT_TYPE).iter().count() > 1 => {
                format!("There is more than one Content-Type; send {taken} alone.")
            }
            (Some(given), None) => format!("Content-Type is {given}; send {taken}."),
            (None, None) => format!("Content-Type is missing; send {taken}."),
        };
        Self::new(ProblemType::UNSUPPORTED_MEDIA_TYPE, what)
    }

    /// 503: nothing changed, and trying again later may help.
    #[must_use]
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::UNAVAILABLE, detail)
    }

    /// Names the members concerned.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<Fault>) -> Self {
        self.0.errors = errors;
        self
    }

    /// Sets `Retry-After` (RFC 9110, 10.2.3).
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after_seconds = Some(seconds);
        self
    }

    /// Adds a header to the answer, such as `ratelimit`; `name` is in lower
    /// case. A value that no header can carry is left out.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.headers.push((name, value.into()));
        self
    }

    /// Replaces a detail that only repeats the type's meaning.
    #[must_use]
    pub fn told_instead(mut self, detail: impl FnOnce() -> String) -> Self {
        if self.0.detail == self.0.kind.meaning {
            self.0.detail = detail();
        }
        self
    }

    /// Adds the record concerned.
    #[must_use]
    pub fn about(mut self, record: Uuid) -> Self {
        self.0.about = Some(record);
        self
    }

    /// The problem in the terms of an API that writes in `format`. A detail that only repeats the
    /// type's meaning becomes that of the other type.
    pub(crate) fn translated(&self, format: &impl ProblemFormat) -> Self {
        let mut translated = self.clone();
        let kind = format.translated(self.kind());
        if self.detail() == self.kind().meaning {
            kind.meaning.clone_into(&mut translated.0.detail);
        }
        translated.0.kind = kind;
        translated
    }

    /// The id of the record that it is about, if it is about one.
    #[must_use]
    pub fn record(&self) -> Option<Uuid> {
        self.0.about
    }

    /// Type of the problem.
    #[must_use]
    pub fn kind(&self) -> ProblemType {
        self.0.kind
    }

    /// The status of its answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.kind.status
    }

    /// The sentence about this occurrence.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// After how many seconds trying again can help, if that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<u32> {
        self.0.retry_after_seconds
    }

    /// The members concerned.
    #[must_use]
    pub fn errors(&self) -> &[Fault] {
        &self.0.errors
    }
}
