use axum::extract::RawPathParams;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};

use crate::problem::{Problem, ProblemKind, page};

/// `GET /problems/{name}`: what the problem means and what to do about it.
pub(super) async fn problem_page(params: RawPathParams) -> Result<Response, Problem> {
    let name = params.iter().next().map(|(_, name)| name);
    let kind = name
        .and_then(ProblemKind::named)
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
