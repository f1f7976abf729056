//! The product's answers to questions.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, Request, Response};
use parafa_api_diligence::requests::{AnswerOptions, Question};
use parafa_api_diligence::{ASICE, DiligenceApi, router};
use parafa_api_http::{BaseUrl, HttpConfig, Problem, Representation, RequestId};
use tower::ServiceExt;

use crate::orders::{Caller, Product};

impl Product {
    /// Number of questions answered.
    pub(crate) fn count(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }

    /// The answer to a request with a key.
    pub(crate) async fn send(&self, method: Method, path: &str) -> Response<Body> {
        self.send_with(method, path, HeaderMap::new()).await
    }

    /// Sends a request with further headers.
    pub(crate) async fn send_with(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
    ) -> Response<Body> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(AUTHORIZATION, "Bearer key")
            .body(Body::empty());
        let mut request = request.unwrap();
        request.headers_mut().extend(headers);
        let response = self.service().oneshot(request).await;
        response.unwrap()
    }

    /// The whole API.
    pub(crate) fn service(&self) -> Router {
        let base_url = BaseUrl::new(&"https://dd.example".parse().unwrap());
        router(Arc::new(self.clone()), HttpConfig::new(base_url))
    }
}

/// A container that is no text.
pub(crate) fn container() -> Representation {
    Representation {
        media_type: ASICE.into(),
        content: Bytes::from_static(b"PK\xff\x00"),
        file_name: Some("999000009.asice".to_owned()),
    }
}

#[async_trait]
impl DiligenceApi for Product {
    async fn answer(
        &self,
        _: &Caller,
        _: Question,
        _: AnswerOptions,
        _: &RequestId,
    ) -> Result<Representation, Problem> {
        self.answered.fetch_add(1, Ordering::SeqCst);
        Ok(Representation {
            media_type: "application/json".into(),
            content: Bytes::from_static(b"{}"),
            file_name: None,
        })
    }
}
