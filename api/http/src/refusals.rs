use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{MatchedPath, RawPathParams, State};

use crate::api::{Api, Presence};
use crate::edge::Authenticated;
use crate::problem::{Problem, ProblemType};
use crate::router::Http;

/// Every path that is none.
pub(crate) async fn not_found() -> Problem {
    Problem::not_found()
}

/// A path of the API with a method that it has not. An id in the path that
/// stands for nothing comes first; the router adds `Allow`.
pub(crate) async fn method_not_allowed<A: Api>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    path: MatchedPath,
    params: Result<RawPathParams, RawPathParamsRejection>,
) -> Problem {
    let record = params
        .ok()
        .and_then(|params| http.record(path.as_str(), &params));
    let Some(record) = record else {
        return Problem::not_found();
    };
    let Some(record) = record else {
        return Problem::of(ProblemType::METHOD_NOT_ALLOWED);
    };
    match http.api.presence(&caller, record).await {
        Ok(Presence::Absent) => Problem::not_found(),
        Ok(Presence::Erased | Presence::Present) => Problem::of(ProblemType::METHOD_NOT_ALLOWED),
        Err(problem) => problem,
    }
}

/// A page with a method that it has not.
pub(crate) async fn page_method_not_allowed() -> Problem {
    Problem::of(ProblemType::METHOD_NOT_ALLOWED)
}
