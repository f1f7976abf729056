//! Requests that create.

use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};

use super::call::{AuthorizedRequest, Call};
use super::claim::{once, repeatable};
use super::{Input, PathParams};
use crate::api::Api;
use crate::idempotency::{Created, KeptAnswer};
use crate::problem::Problem;

impl<A: Api, P: PathParams<A::Record>> AuthorizedRequest<A, P> {
    /// Creates by `handler`, or repeats the earlier answer.
    pub(super) async fn create<I, V, R>(
        self,
        handler: impl FnOnce(Call<A, P, I::Value>) -> R,
    ) -> Result<Response, Problem>
    where
        I: Input<A>,
        V: Created + Send,
        R: Future<Output = Result<V, Problem>> + Send,
    {
        let path = self.path.fill(self.contract.path);
        let address = self.http.config.base_url.join(&path);
        let method = self.contract.method.clone();
        let (request, fault) = repeatable(self.request.headers(), method, path);
        let (call, request) = self.call_with_body::<I, _>(fault, request).await?;
        let answer = |kept| answer(&address, V::STATUS, kept);
        let created = |created: V| answer(KeptAnswer::of(&created));
        once(call, request, handler, created, |kept| Ok(answer(kept))).await
    }
}

/// `address` is the path that was posted to.
fn answer(address: &str, status: StatusCode, kept: KeptAnswer) -> Response {
    let id = kept.id();
    let mut response = Response::new(Bytes::from(kept.into_body()).into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(id) = id {
        let location = HeaderValue::try_from(format!("{address}/{id}"))
            .expect("a parsed URL, our own paths and ids are ASCII");
        headers.insert(LOCATION, location);
    }
    response
}
