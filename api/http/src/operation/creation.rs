//! Requests that create.

use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::call::{AuthorizedRequest, Call};
use super::claim::{Claimed, carry_out, claim, idempotency_key, mark_replayed};
use super::{Input, PathParams};
use crate::api::Api;
use crate::idempotency::{Created, IdempotentRequest, KeptAnswer};
use crate::problem::Problem;

impl<A: Api, P: PathParams<A::Record>> AuthorizedRequest<A, P> {
    /// Has something created by `handler`, or answers as before.
    pub(super) async fn create<I, V, R>(
        self,
        handler: impl FnOnce(Call<A, P, I::Value>) -> R,
    ) -> Result<Response, Problem>
    where
        I: Input<A>,
        V: Created + Send,
        R: Future<Output = Result<V, Problem>> + Send,
    {
        let (key, fault) = idempotency_key(self.request.headers());
        let method = self.contract.method.clone();
        let path = self.path.fill(self.contract.path);
        let address = self.http.config.base_url.join(&path);
        let is_keyed = key.is_some();
        let digest = move |body: &[u8]| -> Option<[u8; 32]> {
            is_keyed.then(|| Sha256::digest(body).into())
        };
        let (mut call, body_sha256) = self.call_with_body::<I, _>(fault, digest).await?;
        let mut held = None;
        if let (Some(key), Some(body_sha256)) = (key, body_sha256) {
            let request = IdempotentRequest {
                key,
                method,
                path,
                body_sha256,
            };
            match claim(&mut call, request).await? {
                Claimed::Now(claimed) => held = Some(claimed),
                Claimed::Before(kept) => {
                    let mut response = answer(&address, V::STATUS, kept);
                    mark_replayed(response.headers_mut());
                    return Ok(response);
                }
            }
        }
        let created = carry_out(call, held, handler).await?;
        Ok(answer(&address, V::STATUS, KeptAnswer::of(&created)))
    }
}

/// `address` is what was posted to.
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
