//! The queries of the ceremony's calls.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use parafa_api_http::Problem;
use parafa_api_http::decode::{self, Query};

use crate::vocabulary::Language;

/// Longest wait for a change of the state.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// What stands in an address after the question mark.
pub(super) struct Parameters(pub(super) Query);

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
        decode::query(&self.0, None, |_| Some(()))
    }

    /// How long the state is waited for, and in which language it is told, if that
    /// is said.
    pub(super) fn wait(&self) -> Result<(Duration, Option<Language>), Problem> {
        let (wait, language) = decode::query(&self.0, None, |query| {
            let wait = query.optional("waitMs", |node| {
                node.parsed("^[0-9]+$", "a number of milliseconds", |text| {
                    text.parse().ok()
                })
            });
            Some((wait, query.optional("lang", |node| node.one_of())))
        })?;
        let wait = wait.map_or(Duration::ZERO, Duration::from_millis);
        Ok((wait.min(MAX_WAIT), language))
    }

    /// In which language the page is wanted, if that is said.
    pub(super) fn language(&self) -> Result<Option<Language>, Problem> {
        decode::query(&self.0, None, |query| {
            Some(query.optional("lang", |node| node.one_of()))
        })
    }

    /// The same where whatever else stands there is somebody else's: what mail
    /// and chat programs append to links.
    pub(super) fn language_among_others(&self) -> Option<Language> {
        self.0.first("lang").and_then(language_of)
    }
}

fn language_of(tag: &str) -> Option<Language> {
    match tag {
        "en" => Some(Language::En),
        "lt" => Some(Language::Lt),
        _ => None,
    }
}
