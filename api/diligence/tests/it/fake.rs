//! A product that answers every question with the same text, and counts them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{Method, Request, Response};
use parafa_api_diligence::kyc::{CreateKycPackage, KycApi, KycOrder, OrderId, SimulateKycPackage};
use parafa_api_diligence::requests::{AnswerOptions, Question};
use parafa_api_diligence::{DiligenceApi, router};
use parafa_api_http::{
    Api, BaseUrl, Credentials, Download, HttpConfig, IdempotentRequest, Presence, Problem,
    Representation, RequestId, Reservation,
};
use tower::ServiceExt;
use url::Url;

use crate::orders::Caller;

/// Answers, and counts how often.
#[derive(Clone, Default)]
pub(crate) struct Answers(Arc<AtomicUsize>);

impl Answers {
    /// How many questions were answered.
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// The answer to a request with a key.
    pub(crate) async fn send(&self, method: Method, path: &str) -> Response<Body> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(AUTHORIZATION, "Bearer key")
            .body(Body::empty());
        let response = self.service().oneshot(request.unwrap()).await;
        response.unwrap()
    }

    fn service(&self) -> Router {
        let base_url = BaseUrl::new(&"https://dd.example".parse().unwrap());
        router(Arc::new(self.clone()), HttpConfig::new(base_url))
    }
}

#[async_trait]
impl Api for Answers {
    type Caller = Caller;
    type Record = OrderId;

    async fn authenticate(&self, _: &Credentials) -> Result<Caller, Problem> {
        Ok(Caller { live: true })
    }

    async fn presence(&self, _: &Caller, _: OrderId) -> Result<Presence, Problem> {
        Ok(Presence::Absent)
    }

    async fn reserve(
        &self,
        caller: &Caller,
        _: IdempotentRequest,
    ) -> Result<Reservation<Caller>, Problem> {
        Ok(Reservation::Claimed(*caller))
    }

    async fn release(&self, _: &Caller) {}
}

#[async_trait]
impl DiligenceApi for Answers {
    async fn answer(
        &self,
        _: &Caller,
        _: Question,
        _: AnswerOptions,
        _: &RequestId,
    ) -> Result<Representation, Problem> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Representation {
            media_type: "application/json",
            content: Bytes::from_static(b"{}"),
            file_name: None,
        })
    }
}

#[async_trait]
impl KycApi for Answers {
    fn callback_target(&self, _: &Url) -> Result<(), String> {
        Ok(())
    }

    fn only_in_the_sandbox(_: &Caller) -> Result<(), Problem> {
        Ok(())
    }

    async fn create_kyc_package(
        &self,
        _: &Caller,
        _: CreateKycPackage,
        _: &RequestId,
    ) -> Result<KycOrder, Problem> {
        Err(Problem::not_found())
    }

    async fn read_kyc_package(&self, _: &Caller, _: OrderId) -> Result<KycOrder, Problem> {
        Err(Problem::not_found())
    }

    async fn download_kyc_artifact(&self, _: &Caller, _: OrderId) -> Result<Download, Problem> {
        Err(Problem::not_found())
    }

    async fn simulate_kyc_package(
        &self,
        _: &Caller,
        _: OrderId,
        _: SimulateKycPackage,
    ) -> Result<KycOrder, Problem> {
        Err(Problem::not_found())
    }
}
