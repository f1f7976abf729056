//! The routes, one operation a file.

mod create_signing;
mod download_document;
mod extract;
mod list_signings;
mod problem_pages;
mod read_signing;
mod refusals;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;

use crate::api::{Presence, Record, SigningApi};
use crate::config::HttpConfig;
use crate::decode::{self, Node, Query};
use crate::edge::{BodyBudget, BudgetShare, JsonBody, RateLimiter, edge, gate};
use crate::ids::SigningId;
use crate::problem::Problem;

/// The API under `/v1` and the pages under `/problems`, complete with its edge
/// and an answer for every other path.
pub fn router<A: SigningApi>(api: Arc<A>, config: HttpConfig) -> Router {
    let base_url = config.base_url.clone();
    let http = Http {
        api,
        budget: BodyBudget::new(config.max_bytes_in_flight),
        rates: Arc::new(RateLimiter::new(config.rates)),
        config: Arc::new(config),
    };
    let v1 = Router::new()
        .route(
            "/v1/signings",
            post(create_signing::create_signing::<A>).get(list_signings::list_signings::<A>),
        )
        .route(
            "/v1/signings/{signingId}",
            get(read_signing::read_signing::<A>),
        )
        .route(
            "/v1/signings/{signingId}/document",
            get(download_document::download_document::<A>),
        )
        .method_not_allowed_fallback(refusals::method_not_allowed::<A>)
        .route("/v1", any(refusals::not_found))
        .route("/v1/", any(refusals::not_found))
        .route("/v1/{*unknown}", any(refusals::not_found))
        .layer(from_fn_with_state(http.clone(), gate::<A>))
        .with_state(http);
    let pages = Router::new()
        .route("/problems/{name}", get(problem_pages::problem_page))
        .method_not_allowed_fallback(refusals::page_method_not_allowed);
    edge(v1.merge(pages).fallback(refusals::not_found), base_url)
}

/// What every operation works with.
pub(crate) struct Http<A> {
    pub(crate) api: Arc<A>,
    pub(crate) rates: Arc<RateLimiter>,
    config: Arc<HttpConfig>,
    budget: BodyBudget,
}

impl<A> Clone for Http<A> {
    fn clone(&self) -> Self {
        Self {
            api: Arc::clone(&self.api),
            config: Arc::clone(&self.config),
            budget: self.budget.clone(),
            rates: Arc::clone(&self.rates),
        }
    }
}

impl<A: SigningApi> Http<A> {
    /// Reads a body and decodes it, away from the threads that serve sockets:
    /// documents of many megabytes come this way. The share of the budget is
    /// to be kept as long as what was decoded.
    async fn decode<T, F>(&self, request: Request, decode: F) -> Result<(T, BudgetShare), Problem>
    where
        T: Send + 'static,
        F: FnOnce(&A, &Node<'_>) -> Option<T> + Send + 'static,
    {
        let query = Query::parse(request.uri().query().unwrap_or_default());
        let JsonBody { bytes, share } =
            JsonBody::read(request, self.config.max_body_bytes, &self.budget).await?;
        let api = Arc::clone(&self.api);
        let decoding = move || decode::body(&bytes, &query, |node| decode(&api, node));
        match tokio::task::spawn_blocking(decoding).await {
            Ok(decoded) => decoded.map(|value| (value, share)),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Refuses a query of a call on one signing that takes none; the id counts
    /// first.
    async fn refuse_query(
        &self,
        caller: &A::Caller,
        id: SigningId,
        query: &Query,
    ) -> Result<(), Problem> {
        if query.is_empty() {
            return Ok(());
        }
        if self.api.presence(caller, Record::Signing(id)).await? == Presence::Absent {
            return Err(Problem::not_found());
        }
        decode::query(query, |query, faults| {
            query.refuse_all(faults);
            Some(())
        })
    }
}

fn json(status: StatusCode, view: &impl Serialize) -> Response {
    let body =
        serde_json::to_vec(view).expect("a view of strings, numbers and lists always serialises");
    (
        status,
        [(http::header::CONTENT_TYPE, "application/json")],
        Bytes::from(body),
    )
        .into_response()
}
