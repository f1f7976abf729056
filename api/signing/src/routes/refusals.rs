use axum::Extension;
use axum::extract::{FromRequestParts, RawPathParams, Request, State};

use super::Http;
use super::extract::SIGNING_ID;
use crate::api::{Presence, Record, SigningApi};
use crate::edge::Authenticated;
use crate::ids::SigningId;
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
    request: Request,
) -> Problem {
    match names_nothing(&http, &caller, request).await {
        Ok(false) => Problem::of(ProblemKind::MethodNotAllowed),
        Ok(true) => Problem::not_found(),
        Err(problem) => problem,
    }
}

/// A page with a method that it has not.
pub(super) async fn page_method_not_allowed() -> Problem {
    Problem::of(ProblemKind::MethodNotAllowed)
}

async fn names_nothing<A: SigningApi>(
    http: &Http<A>,
    caller: &A::Caller,
    request: Request,
) -> Result<bool, Problem> {
    let (mut parts, _) = request.into_parts();
    let params = RawPathParams::from_request_parts(&mut parts, http)
        .await
        .map_err(|_| Problem::not_found())?;
    if params.iter().all(|(name, _)| name != SIGNING_ID) {
        return Ok(false);
    }
    let id = SigningId::from_request_parts(&mut parts, http).await?;
    let presence = http.api.presence(caller, Record::Signing(id)).await?;
    Ok(presence == Presence::Absent)
}
