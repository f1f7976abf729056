//! The queries of the ceremony's calls.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use parafa_api_signing::{Faults, Problem, Query};
use parafa_domain::Language;

/// Longest wait for a change of the state.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// What stands in an address after the question mark.
pub(super) struct Parameters(Query);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(Query::parse(query)))
    }
}

impl Parameters {
    /// For calls that take no parameters and no body.
    pub(super) fn refuse_all(&self) -> Result<(), Problem> {
        self.along_with(Ok(()))
    }

    /// For calls that take no parameters, whose body came to `decoded`: the
    /// faults of both.
    pub(super) fn along_with<T>(&self, decoded: Result<T, Problem>) -> Result<T, Problem> {
        let faults = Faults::default();
        self.0.refuse_all(&faults);
        let mut faults = faults.in_document_order();
        if faults.is_empty() {
            return decoded;
        }
        if let Err(problem) = decoded {
            faults.extend_from_slice(problem.errors());
        }
        Err(Problem::validation(faults))
    }

    /// How long the state is waited for.
    pub(super) fn wait(&self) -> Result<Duration, Problem> {
        let faults = Faults::default();
        let wait = self
            .0
            .optional(&faults, "waitMs", "a number of milliseconds", |text| {
                text.parse().ok()
            });
        self.0.refuse_others(&faults, &["waitMs"]);
        complete(faults)?;
        Ok(wait
            .map_or(Duration::ZERO, Duration::from_millis)
            .min(MAX_WAIT))
    }

    /// In which language the page is wanted, if that is said.
    pub(super) fn language(&self) -> Result<Option<Language>, Problem> {
        let faults = Faults::default();
        let language = self
            .0
            .optional(&faults, "lang", "one of lt, en", language_of);
        self.0.refuse_others(&faults, &["lang"]);
        complete(faults)?;
        Ok(language)
    }

    /// The same where whatever else stands there is somebody else's: what mail
    /// and chat programs append to links.
    pub(super) fn language_among_others(&self) -> Option<Language> {
        self.0.optional(&Faults::default(), "lang", "", language_of)
    }
}

fn language_of(tag: &str) -> Option<Language> {
    match tag {
        "en" => Some(Language::En),
        "lt" => Some(Language::Lt),
        _ => None,
    }
}

fn complete(faults: Faults) -> Result<(), Problem> {
    let faults = faults.in_document_order();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Problem::validation(faults))
    }
}
