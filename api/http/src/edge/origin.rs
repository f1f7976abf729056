//! Calls from pages of other origins (the Fetch standard, 3.3, "CORS protocol").

use axum::response::{IntoResponse, Response};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::problem::{Problem, ProblemType};

/// Request headers allowed to pages beside those that every page may send.
const HEADERS: &str = "authorization, content-type, x-request-id";
/// Response headers that pages may read.
const EXPOSED: &str = "x-request-id, retry-after, ratelimit, ratelimit-policy";
/// Time for which a browser may cache a preflight answer, in seconds.
const KEPT_SECONDS: &str = "300";

/// Pages of one origin may make a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct OriginRule {
    /// Refusal of pages of other origins.
    pub(crate) refusal: ProblemType,
}

/// Origin of a call about a record.
pub(super) enum Origin {
    /// No page, or one of the same server that sends no origin.
    None,
    /// The admitted page's origin.
    Admitted(HeaderValue),
    /// Another origin, as sent.
    Foreign(String),
}

impl Origin {
    /// Origin of a request; pages of the origin `admitted` may make it.
    pub(super) fn of(headers: &HeaderMap, admitted: Option<&str>) -> Self {
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next(), admitted) {
            (None, ..) => Self::None,
            (Some(origin), None, Some(admitted)) if origin.as_bytes() == admitted.as_bytes() => {
                Self::Admitted(origin.clone())
            }
            (Some(origin), ..) => {
                Self::Foreign(String::from_utf8_lossy(origin.as_bytes()).into_owned())
            }
        }
    }

    /// # Errors
    /// The refusal of pages of other origins.
    pub(super) fn check(&self, rule: OriginRule) -> Result<(), Problem> {
        match self {
            Self::None | Self::Admitted(_) => Ok(()),
            Self::Foreign(origin) => {
                let detail = format!(
                    "Pages of {origin} may not make this call: it is for those of the request's audience."
                );
                Err(Problem::new(rule.refusal, detail))
            }
        }
    }

    /// Allows the page to read the answer, if it is admitted.
    pub(super) fn describe(&self, headers: &mut HeaderMap) {
        headers.append(VARY, HeaderValue::from_static("origin"));
        if let Self::Admitted(origin) = self {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(
                ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static(EXPOSED),
            );
        }
    }

    /// Answer to a preflight request.
    pub(super) fn preflight(&self, rule: OriginRule, method: &Method) -> Response {
        let mut response = match self.check(rule) {
            Ok(()) => StatusCode::NO_CONTENT.into_response(),
            Err(problem) => problem.into_response(),
        };
        let headers = response.headers_mut();
        if let Self::Admitted(_) = self {
            let method = HeaderValue::from_str(method.as_str());
            let method = method.expect("methods are tokens");
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, method);
            headers.insert(
                ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static(HEADERS),
            );
            headers.insert(
                ACCESS_CONTROL_MAX_AGE,
                HeaderValue::from_static(KEPT_SECONDS),
            );
        }
        response
    }
}
