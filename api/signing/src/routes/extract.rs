//! Parts of requests, as handlers take them.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;

use crate::decode::Query;
use crate::ids::{SigningId, parse_uuid};
use crate::problem::Problem;

/// Name of the path parameter of a signing's id.
pub(super) const SIGNING_ID: &str = "signingId";

impl<S: Send + Sync> FromRequestParts<S> for SigningId {
    type Rejection = Problem;

    /// What is no UUID is the id of nothing.
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::not_found())?;
        let segment = params
            .iter()
            .find(|(name, _)| *name == SIGNING_ID)
            .map(|(_, segment)| segment);
        segment
            .and_then(parse_uuid)
            .map(Self)
            .ok_or_else(Problem::not_found)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}
