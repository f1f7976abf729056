//! The routes.

mod batches;
mod call;
mod comments;
mod creation;
mod download;
mod files;
mod pages;
mod place;
mod refusals;
mod signers;
mod signings;
mod validator;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde::Serialize;

use self::call::route;
pub(crate) use self::download::SIMULATED;
use crate::api::SigningApi;
use crate::config::HttpConfig;
use crate::edge::{BodyBudget, RateLimiter, edge, gate};
use crate::operation::Operation;

/// The API under `/v1`, its description under `/openapi.json` and
/// `/openapi.yaml`, the pages `/docs` and those under `/problems`, complete
/// with its edge and an answer for every other path.
pub fn router<A: SigningApi>(api: Arc<A>, config: HttpConfig) -> Router {
    let base_url = config.base_url.clone();
    let pages = pages::pages(&config);
    let http = Http {
        api,
        budget: BodyBudget::new(config.max_bytes_in_flight),
        rates: Arc::new(RateLimiter::new(config.rates)),
        config: Arc::new(config),
    };
    let v1 = Operation::ALL
        .into_iter()
        .fold(Router::new(), |router, operation| {
            router.route(operation.contract().path, handler::<A>(operation))
        })
        .method_not_allowed_fallback(refusals::method_not_allowed::<A>)
        .route("/v1", any(refusals::not_found))
        .route("/v1/", any(refusals::not_found))
        .route("/v1/{*unknown}", any(refusals::not_found))
        .layer(from_fn_with_state(http.clone(), gate::<A>))
        .with_state(http);
    edge(v1.merge(pages).fallback(refusals::not_found), base_url)
}

fn handler<A: SigningApi>(operation: Operation) -> MethodRouter<Http<A>> {
    match operation {
        Operation::ListSignings => route(operation, signings::list::<A>),
        Operation::CreateSigning => route(operation, signings::create::<A>),
        Operation::ReadSigning => route(operation, signings::read::<A>),
        Operation::UpdateDeadline => route(operation, signings::update_deadline::<A>),
        Operation::EraseSigning => route(operation, signings::erase::<A>),
        Operation::EraseEndedSignings => route(operation, signings::erase_ended::<A>),
        Operation::CancelSigning => route(operation, signings::cancel::<A>),
        Operation::DownloadDocument => route(operation, download::download::<A>),
        Operation::ArchiveSigning => route(operation, signings::archive::<A>),
        Operation::SimulateOutcome => route(operation, signings::simulate::<A>),
        Operation::AddSigner => route(operation, signers::add::<A>),
        Operation::UpdateSigner => route(operation, signers::update::<A>),
        Operation::RemoveSigner => route(operation, signers::remove::<A>),
        Operation::RemindSigner => route(operation, signers::remind::<A>),
        Operation::CreateBatch => route(operation, batches::create::<A>),
        Operation::ReadBatch => route(operation, batches::read::<A>),
        Operation::StoreFile => route(operation, files::store::<A>),
        Operation::ReadFile => route(operation, files::read::<A>),
        Operation::DeleteFile => route(operation, files::delete::<A>),
        Operation::ListComments => route(operation, comments::list::<A>),
        Operation::AddComment => route(operation, comments::add::<A>),
    }
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
            rates: Arc::clone(&self.rates),
            config: Arc::clone(&self.config),
            budget: self.budget.clone(),
        }
    }
}

fn json(status: StatusCode, view: &impl Serialize) -> Response {
    let body =
        serde_json::to_vec(view).expect("a view of strings, numbers and lists always serialises");
    (
        status,
        [(CONTENT_TYPE, "application/json")],
        Bytes::from(body),
    )
        .into_response()
}
