//! Requests for answers that are charged for.

use axum::response::Response;

use super::call::{AuthorizedRequest, Call};
use super::claim::{once, repeatable};
use super::{Input, PathParams, Representation};
use crate::api::Api;
use crate::idempotency::KeptAnswer;
use crate::problem::Problem;

impl<A: Api, P: PathParams<A::Record>> AuthorizedRequest<A, P> {
    /// Answers by `handler`, or repeats the earlier answer.
    pub(super) async fn answer_in<I, R>(
        self,
        handler: impl FnOnce(Call<A, P, I::Value>) -> R,
    ) -> Result<Response, Problem>
    where
        I: Input<A>,
        R: Future<Output = Result<Representation, Problem>> + Send,
    {
        let path = self.path.fill(self.contract.path);
        let method = self.contract.method.clone();
        let (request, fault) = repeatable(self.request.headers(), method, path);
        let query = self.request.uri().query().unwrap_or_default();
        let request = request(query.as_bytes());
        let call = self.call_with_query::<I>(fault).await?;
        let answer = Representation::into_response;
        let replay = |kept: KeptAnswer| match kept.into_representation() {
            Some(given) => Ok(answer(given)),
            None => Err(Problem::unavailable(
                "The answer that was kept cannot be read.",
            )),
        };
        once(call, request, handler, answer, replay).await
    }
}
