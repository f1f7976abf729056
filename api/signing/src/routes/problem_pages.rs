use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};

use crate::problem::{Problem, ProblemKind, page};

/// `GET /problems/{name}`: what the problem means and what to do about it.
pub(super) async fn problem_page(
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let kind = name
        .ok()
        .and_then(|Path(name)| ProblemKind::named(&name))
        .ok_or_else(Problem::not_found)?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ];
    Ok((headers, page(kind)).into_response())
}
