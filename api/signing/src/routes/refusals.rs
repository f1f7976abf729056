use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, State};

use super::Http;
use super::place;
use crate::api::{Presence, SigningApi};
use crate::edge::Authenticated;
use crate::problem::{Problem, ProblemKind};

/// Every path that is none.
pub(super) async fn not_found() -> Problem {
    Problem::not_found()
}

/// A path of the API with a method that it has not. An id in the path that
/// stands for nothing comes first; the router adds `Allow`.
pub(super) async fn method_not_allowed<A: SigningApi>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    params: Result<RawPathParams, RawPathParamsRejection>,
) -> Problem {
    let Some(Ok(record)) = params.ok().map(|params| place::record(&params)) else {
        return Problem::not_found();
    };
    let Some(record) = record else {
        return Problem::of(ProblemKind::MethodNotAllowed);
    };
    match http.api.presence(&caller, record).await {
        Ok(Presence::Absent) => Problem::not_found(),
        Ok(Presence::Erased | Presence::Present) => Problem::of(ProblemKind::MethodNotAllowed),
        Err(problem) => problem,
    }
}

/// A page with a method that it has not.
pub(super) async fn page_method_not_allowed() -> Problem {
    Problem::of(ProblemKind::MethodNotAllowed)
}
