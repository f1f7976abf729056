//! The parties of a signing.

use axum::response::{IntoResponse, Response};
use http::StatusCode;

use super::call::Call;
use super::creation::Begun;
use super::json;
use crate::api::SigningApi;
use crate::ids::{SignerId, SigningId};
use crate::problem::Problem;
use crate::requests::{NewSigner, UpdateSigner};

type Place = (SigningId, SignerId);

pub(super) async fn add<A: SigningApi>(call: Call<A, SigningId>) -> Result<Response, Problem> {
    let begun = call
        .creation(|_, node| NewSigner::decode_alone(node))
        .await?;
    let (asked, creation) = match begun {
        Begun::Now(asked, creation) => (asked, creation),
        Begun::Before(answer) => return Ok(answer),
    };
    let api = &asked.http.api;
    let signer = api
        .add_signer(&asked.caller, asked.place, asked.request, creation.claim())
        .await;
    creation.conclude(signer).await
}

pub(super) async fn update<A: SigningApi>(call: Call<A, Place>) -> Result<Response, Problem> {
    let asked = call.with_body(|_, node| UpdateSigner::decode(node)).await?;
    let (signing, signer) = asked.place;
    let api = &asked.http.api;
    let signer = api
        .update_signer(&asked.caller, signing, signer, asked.request)
        .await?;
    Ok(json(StatusCode::OK, &signer))
}

pub(super) async fn remove<A: SigningApi>(call: Call<A, Place>) -> Result<Response, Problem> {
    let asked = call.bare().await?;
    let (signing, signer) = asked.place;
    let api = &asked.http.api;
    api.remove_signer(&asked.caller, signing, signer).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn remind<A: SigningApi>(call: Call<A, Place>) -> Result<Response, Problem> {
    let asked = call.with_empty_body().await?;
    let (signing, signer) = asked.place;
    let api = &asked.http.api;
    let signer = api.remind_signer(&asked.caller, signing, signer).await?;
    Ok(json(StatusCode::OK, &signer))
}
