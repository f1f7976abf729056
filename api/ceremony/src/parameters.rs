//! The queries of the ceremony's pages and calls.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use parafa_api_http::decode::{self, Object, Query};
use parafa_api_http::{FromQuery, Problem, WireName};

use crate::api::CeremonyApi;
use crate::vocabulary::Language;

/// Default language of pages.
const USUAL_LANGUAGE: Language = Language::Lt;

/// Longest wait for a change of the state.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Query of the state.
pub(super) struct StateQuery {
    /// Time limit of the long poll.
    pub(super) wait: Duration,
    /// Language of its texts, if given.
    pub(super) language: Option<Language>,
}

impl FromQuery for StateQuery {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let wait = query.optional("waitMs", |node| {
            node.parsed("^[0-9]+$", "a number of milliseconds", |text| {
                text.parse().ok()
            })
        });
        let wait = wait.map_or(Duration::ZERO, Duration::from_millis);
        Some(Self {
            wait: wait.min(MAX_WAIT),
            language: query.optional("lang", |node| node.one_of()),
        })
    }
}

/// Query of URLs that people open, too.
pub(super) struct PageParameters(pub(super) Query);

impl<S: Send + Sync> FromRequestParts<S> for PageParameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(Query::parse(query)))
    }
}

impl PageParameters {
    /// Requested language of the page.
    pub(super) fn language(&self) -> Result<Option<Language>, Problem> {
        decode::query(&self.0, None, |query| {
            Some(query.optional("lang", |node| node.one_of()))
        })
    }

    /// Like [`Self::language`], but ignores everything else, such as what mail and chat programs
    /// append to links.
    pub(super) fn page_language(&self) -> PageLanguage {
        let tag = self.0.first("lang");
        let mut known = Language::ALL.iter();
        let asked = known.find(|(name, _)| Some(*name) == tag);
        PageLanguage {
            asked: asked.map(|(_, language)| *language),
            signers: None,
        }
    }
}

/// Language of a page: the requested one, otherwise its signer's.
#[derive(Clone, Copy)]
pub(super) struct PageLanguage {
    /// Requested language.
    pub(super) asked: Option<Language>,
    signers: Option<Language>,
}

impl PageLanguage {
    /// The page is one for the signer of a link.
    pub(super) fn of_signer<C: CeremonyApi>(
        &mut self,
        api: &C,
        link: &C::Link,
    ) -> Result<(), Problem> {
        if self.asked.is_none() {
            self.signers = Some(api.language(link)?);
        }
        Ok(())
    }

    /// Language of the page, if it is known.
    pub(super) fn known(self) -> Option<Language> {
        self.asked.or(self.signers)
    }

    /// Language of a page in one language.
    pub(super) fn chosen(self) -> Language {
        self.known().unwrap_or(USUAL_LANGUAGE)
    }
}
