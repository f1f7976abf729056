//! A small document to try the API with.

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

/// A PDF of one page, for the guide and for demos.
pub const SAMPLE: &[u8] = include_bytes!("contract.pdf");

/// `GET /docs/contract.pdf`.
pub(crate) fn route() -> Router {
    let sample = async || {
        let headers = [
            (CONTENT_TYPE, "application/pdf"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (headers, SAMPLE).into_response()
    };
    Router::new().route("/docs/contract.pdf", get(sample))
}
