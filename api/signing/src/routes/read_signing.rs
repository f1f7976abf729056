use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::{Http, json};
use crate::api::SigningApi;
use crate::decode::Query;
use crate::edge::Authenticated;
use crate::ids::SigningId;
use crate::problem::Problem;

/// `GET /v1/signings/{signingId}`: 200 with the signing.
pub(super) async fn read_signing<A: SigningApi>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    id: SigningId,
    query: Query,
) -> Result<Response, Problem> {
    http.refuse_query(&caller, id, &query).await?;
    let signing = http.api.read_signing(&caller, id).await?;
    Ok(json(StatusCode::OK, &signing))
}
