//! Documents that are stored once and used in several signings.

use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::creation::Begun;
use super::json;
use crate::api::SigningApi;
use crate::ids::FileToken;
use crate::problem::Problem;
use crate::requests::NewFile;

pub(super) async fn store<A: SigningApi>(call: Call<A, ()>) -> Result<Response, Problem> {
    let begun = call.creation(|_, node| NewFile::decode(node)).await?;
    let (asked, creation) = match begun {
        Begun::Now(asked, creation) => (asked, creation),
        Begun::Before(answer) => return Ok(answer),
    };
    let api = &asked.http.api;
    let file = api
        .store_file(&asked.caller, asked.request, creation.claim())
        .await;
    creation.conclude(file).await
}

pub(super) async fn read<A: SigningApi>(call: Call<A, FileToken>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let file = api.read_file(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &file))
}

pub(super) async fn delete<A: SigningApi>(call: Call<A, FileToken>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let api = &asked.http.api;
    let file = api.delete_file(&asked.caller, asked.place).await?;
    Ok(json(StatusCode::OK, &file))
}
