use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::{Http, json};
use crate::api::SigningApi;
use crate::decode::{self, Query};
use crate::edge::Authenticated;
use crate::problem::Problem;
use crate::requests::ListQuery;

/// `GET /v1/signings`: 200 with a page.
pub(super) async fn list_signings<A: SigningApi>(
    State(http): State<Http<A>>,
    Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
    query: Query,
) -> Result<Response, Problem> {
    let query = decode::query(&query, |query, faults| {
        Some(ListQuery::decode(query, faults))
    })?;
    let page = http.api.list_signings(&caller, query).await?;
    Ok(json(StatusCode::OK, &page))
}
