//! Methods that a path has not.

use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{MatchedPath, RawPathParams, State};
use axum::response::{IntoResponse, Response};
use http::header::ALLOW;

use crate::api::{Api, Presence};
use crate::edge::Authenticated;
use crate::problem::{Problem, ProblemType};
use crate::served::Http;

/// A path of the API with an unsupported method. An unknown id in the path is reported first.
pub(crate) async fn method_not_allowed<A: Api>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    path: MatchedPath,
    params: Result<RawPathParams, RawPathParamsRejection>,
) -> Response {
    let record = params
        .ok()
        .and_then(|params| http.record(path.as_str(), &params));
    let presence = match record {
        None => Ok(Presence::Absent),
        Some(None) => Ok(Presence::Present),
        Some(Some(record)) => http.api.presence(&caller, record).await,
    };
    match presence {
        Ok(Presence::Absent) => Problem::not_found().into_response(),
        Ok(Presence::Erased | Presence::Present) => {
            let mut response = Problem::of(ProblemType::METHOD_NOT_ALLOWED).into_response();
            let allowed = http.allowed(path.as_str());
            response.headers_mut().insert(ALLOW, allowed);
            response
        }
        Err(problem) => problem.into_response(),
    }
}
