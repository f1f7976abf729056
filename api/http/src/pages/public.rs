//! Pages that are the same for all visitors.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use http::HeaderMap;
use maud::Markup;

use super::layout::{MEDIA_TYPE, fields};
use crate::encoded::Encoded;

/// A page that is the same for all visitors: compressed for clients that accept it, and revalidated
/// by its entity tag.
#[derive(Clone, Debug)]
pub struct PublicPage(Arc<Encoded>);

impl PublicPage {
    /// The page as it will be.
    #[must_use]
    pub fn new(page: Markup) -> Self {
        Self(Arc::new(Encoded::new(MEDIA_TYPE, page.into_string())))
    }

    /// Handler of `GET`.
    pub fn route<S: Clone + Send + Sync + 'static>(self) -> MethodRouter<S> {
        get(move |headers: HeaderMap| async move { self.answer(&headers) })
    }

    /// The page, for a request with these headers.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        (fields(), self.0.answer(headers)).into_response()
    }
}
