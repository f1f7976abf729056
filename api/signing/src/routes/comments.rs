//! The caller's own audit trail.

use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::creation::Begun;
use super::json;
use crate::api::SigningApi;
use crate::ids::SigningId;
use crate::problem::Problem;
use crate::requests::NewComment;

pub(super) async fn list<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let comments = api.list_comments(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &comments))
}

pub(super) async fn add<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let begun = call.creation(|_, node| NewComment::decode(node)).await?;
    let (asked, creation) = match begun {
        Begun::Now(asked, creation) => (asked, creation),
        Begun::Before(answer) => return Ok(answer),
    };
    let api = &asked.http.api;
    let comment = api
        .add_comment(&asked.caller, asked.place, asked.request, creation.claim())
        .await;
    creation.conclude(comment).await
}
