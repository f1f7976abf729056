//! Pages that are the same for everybody.

use std::sync::{Arc, Mutex, PoisonError};

use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use http::HeaderMap;
use maud::Markup;

use super::layout::{MEDIA_TYPE, fields};
use crate::encoded::Encoded;

/// A page that says nothing of whoever asks for it: it is sent compressed to those
/// who take that, and browsers ask whether the one that they have is still it.
#[derive(Clone, Debug)]
pub struct PublicPage(Arc<Encoded>);

impl PublicPage {
    /// The page as it will be.
    #[must_use]
    pub fn new(page: Markup) -> Self {
        Self::of(page.into_string())
    }

    fn of(page: String) -> Self {
        Self(Arc::new(Encoded::new(MEDIA_TYPE, page)))
    }

    /// What answers `GET` with it.
    pub fn route<S: Clone + Send + Sync + 'static>(self) -> MethodRouter<S> {
        get(move |headers: HeaderMap| async move { self.answer(&headers) })
    }

    /// The page, for a request with these headers.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        (fields(), self.0.answer(headers)).into_response()
    }
}

/// A page that changes now and then: how it was last is kept, so that it is not
/// compressed anew for everybody.
#[derive(Debug, Default)]
pub(crate) struct ChangingPage(Mutex<Option<PublicPage>>);

impl ChangingPage {
    /// The page as it is now, for a request with these headers.
    pub(crate) fn answer(&self, page: Markup, headers: &HeaderMap) -> Response {
        let page = page.into_string();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = kept.take().filter(|kept| kept.0.is(&page));
        let latest = kept.insert(same.unwrap_or_else(|| PublicPage::of(page)));
        latest.answer(headers)
    }
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_SECURITY_POLICY, ETAG};
    use maud::html;

    use super::*;

    #[test]
    fn a_page_that_changes_gets_another_tag_and_one_that_does_not_keeps_its_own() {
        let changing = ChangingPage::default();
        let answer = |word: &str| changing.answer(html! { (word) }, &HeaderMap::new());

        let [first, same, other] = ["one", "one", "two"].map(|word| {
            let response = answer(word);
            assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
            response.headers()[ETAG].clone()
        });

        assert_eq!(first, same);
        assert_ne!(first, other);
    }
}
