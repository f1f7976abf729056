//! Signings as a whole.

use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::creation::Begun;
use super::json;
use crate::api::SigningApi;
use crate::decode;
use crate::ids::SigningId;
use crate::problem::Problem;
use crate::requests::{BulkErasure, CreateSigning, ListQuery, Simulation, UpdateDeadline};

pub(super) async fn list<A: SigningApi>(call: Call<A, ()>) -> Result<Response, Problem> {
    let query = decode::query(&call.query(), |query, faults| {
        Some(ListQuery::decode(query, faults))
    })?;
    let page = call.http.api.list_signings(&call.caller, query).await?;
    Ok(json(StatusCode::OK, &page))
}

pub(super) async fn create<A: SigningApi>(call: Call<A, ()>) -> Result<Response, Problem> {
    let begun = call
        .creation(|api: &A, node| CreateSigning::decode(node, |target| api.webhook_target(target)))
        .await?;
    let (asked, creation) = match begun {
        Begun::Now(asked, creation) => (asked, creation),
        Begun::Before(answer) => return Ok(answer),
    };
    let api = &asked.http.api;
    let signing = api
        .create_signing(&asked.caller, asked.request, creation.claim())
        .await;
    creation.conclude(signing).await
}

pub(super) async fn read<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let signing = api.read_signing(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &signing))
}

pub(super) async fn update_deadline<A: SigningApi>(
    call: Call<A, SigningId>,
) -> Result<Response, Problem> {
    let asked = call
        .with_body(|_, node| UpdateDeadline::decode(node))
        .await?;
    let api = &asked.http.api;
    let signing = api
        .update_deadline(&asked.caller, asked.place, asked.request)
        .await?;
    Ok(json(StatusCode::OK, &signing))
}

pub(super) async fn erase<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let erased = api.erase_signing(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &erased))
}

pub(super) async fn erase_ended<A: SigningApi>(call: Call<A, ()>) -> Result<Response, Problem> {
    let asked = call.with_body(|_, node| BulkErasure::decode(node)).await?;
    let api = &asked.http.api;
    let count = api
        .erase_ended_signings(&asked.caller, asked.request)
        .await?;
    Ok(json(StatusCode::OK, &count))
}

pub(super) async fn cancel<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.with_empty_body().await?;
    let api = &asked.http.api;
    let signing = api.cancel_signing(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &signing))
}

pub(super) async fn archive<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.with_empty_body().await?;
    let api = &asked.http.api;
    let archived = api.archive_signing(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &archived))
}

pub(super) async fn simulate<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.with_body(|_, node| Simulation::decode(node)).await?;
    let api = &asked.http.api;
    let signing = api
        .simulate_outcome(&asked.caller, asked.place, asked.request)
        .await?;
    Ok(json(StatusCode::OK, &signing))
}
