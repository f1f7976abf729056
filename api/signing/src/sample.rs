//! A small document to try the API with.

use axum::Router;
use axum::routing::get;
use http::header::CONTENT_TYPE;
use parafa_api_http::Problem;

use crate::problem::ProblemKind;

/// A PDF of one page, for the guide and for demos.
pub const SAMPLE: &[u8] = include_bytes!("contract.pdf");

/// `GET /docs/contract.pdf`.
pub(crate) fn route() -> Router {
    let sample = async || ([(CONTENT_TYPE, "application/pdf")], SAMPLE);
    Router::new()
        .route("/docs/contract.pdf", get(sample))
        .method_not_allowed_fallback(async || Problem::of(ProblemKind::MethodNotAllowed))
}
