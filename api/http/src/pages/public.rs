//! Pages that are the same for everybody.

use std::sync::Arc;

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
        Self(Arc::new(Encoded::new(MEDIA_TYPE, page.into_string())))
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
