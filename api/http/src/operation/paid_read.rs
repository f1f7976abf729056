//! Requests for answers that are charged for.

use axum::response::Response;
use sha2::{Digest, Sha256};

use super::call::{AuthorizedRequest, Call};
use super::claim::{Claimed, carry_out, claim, idempotency_key, mark_replayed};
use super::{Input, PathParams, Representation};
use crate::api::Api;
use crate::idempotency::IdempotentRequest;
use crate::problem::Problem;

impl<A: Api, P: PathParams<A::Record>> AuthorizedRequest<A, P> {
    /// Has something answered by `handler`, or answers as before.
    pub(super) async fn answer_in<I, R>(
        self,
        handler: impl FnOnce(Call<A, P, I::Value>) -> R,
    ) -> Result<Response, Problem>
    where
        I: Input<A>,
        R: Future<Output = Result<Representation, Problem>> + Send,
    {
        let (key, fault) = idempotency_key(self.request.headers());
        let query = self.request.uri().query().unwrap_or_default();
        let request = key.map(|key| IdempotentRequest {
            key,
            method: self.contract.method.clone(),
            path: self.path.fill(self.contract.path),
            body_sha256: Sha256::digest(query).into(),
        });
        let mut call = self.call_with_query::<I>(fault).await?;
        let mut held = None;
        if let Some(request) = request {
            match claim(&mut call, request).await? {
                Claimed::Now(claimed) => held = Some(claimed),
                Claimed::Before(kept) => {
                    let given = kept.into_representation().ok_or_else(|| {
                        Problem::unavailable("The answer that was kept cannot be read.")
                    })?;
                    let mut response = given.into_response();
                    mark_replayed(response.headers_mut());
                    return Ok(response);
                }
            }
        }
        let given = carry_out(call, held, handler).await?;
        Ok(given.into_response())
    }
}
