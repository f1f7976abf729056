//! Several documents for one set of parties.

use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::creation::Begun;
use super::json;
use crate::api::SigningApi;
use crate::ids::BatchId;
use crate::problem::Problem;
use crate::requests::CreateBatch;

pub(super) async fn create<A: SigningApi>(call: Call<A, ()>) -> Result<Response, Problem> {
    let begun = call
        .creation(|api: &A, node| CreateBatch::decode(node, |target| api.webhook_target(target)))
        .await?;
    let (asked, creation) = match begun {
        Begun::Now(asked, creation) => (asked, creation),
        Begun::Before(answer) => return Ok(answer),
    };
    let api = &asked.http.api;
    let batch = api
        .create_batch(&asked.caller, asked.request, creation.claim())
        .await;
    creation.conclude(batch).await
}

pub(super) async fn read<A: SigningApi>(call: Call<A, BatchId>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let batch = api.read_batch(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &batch))
}
