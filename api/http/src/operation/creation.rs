//! Requests that create, which a caller may repeat without harm.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::Instrument;

use super::call::{AuthorizedRequest, Call};
use super::{Input, PathParams};
use crate::api::Api;
use crate::decode::Fault;
use crate::idempotency::{
    Created, IDEMPOTENCY_HOURS, IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation,
};
use crate::problem::{Problem, ProblemType};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A claim, given back when it is dropped without an answer: the caller has
/// gone away, and with them the request, which they may make again at once.
struct Held<A: Api> {
    api: Arc<A>,
    /// Who has it.
    caller: Arc<A::Caller>,
    /// Whether the request is answered, or the claim given back.
    is_settled: bool,
}

impl<A: Api> Held<A> {
    /// Gives the claim back, whoever waits for that.
    fn release(&mut self) -> Option<JoinHandle<()>> {
        if std::mem::replace(&mut self.is_settled, true) {
            return None;
        }
        let (api, caller) = (Arc::clone(&self.api), Arc::clone(&self.caller));
        let released = async move { api.release(&caller).await };
        // Without a runtime the process ends, and the claim runs out.
        let runtime = Handle::try_current().ok()?;
        Some(runtime.spawn(released.in_current_span()))
    }
}

impl<A: Api> Drop for Held<A> {
    fn drop(&mut self) {
        self.release();
    }
}

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
        let (key, fault) = match idempotency_key(self.request.headers()) {
            Ok(key) => (key, None),
            Err(fault) => (None, Some(fault)),
        };
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
            let of = format!("{method} {path}");
            let request = IdempotentRequest {
                key,
                method,
                path,
                body_sha256,
            };
            match reserve(&call.api, &call.caller, request).await? {
                Reservation::Claimed(claimed) => {
                    call.caller = Arc::clone(&claimed.caller);
                    held = Some(claimed);
                }
                Reservation::Answered(kept) => return Ok(replay(&address, V::STATUS, kept)),
                Reservation::InProgress {
                    retry_after_seconds,
                } => {
                    let detail = format!(
                        "An earlier {of} with this Idempotency-Key is still running; come again in {retry_after_seconds} s."
                    );
                    return Err(Problem::new(ProblemType::IDEMPOTENCY_IN_PROGRESS, detail)
                        .with_retry_after(retry_after_seconds));
                }
                Reservation::Reused => {
                    let detail = format!(
                        "This Idempotency-Key came with another body of {of} within the last {IDEMPOTENCY_HOURS} hours."
                    );
                    return Err(Problem::new(ProblemType::IDEMPOTENCY_KEY_REUSED, detail));
                }
            }
        }
        let (api, caller) = (Arc::clone(&call.api), Arc::clone(&call.caller));
        let created = tokio::select! {
            created = handler(call) => created,
            never = api.hold(&caller) => match never {},
        };
        conclude(&address, held, created).await
    }
}

/// Claims a request in a task of its own: what a caller who goes away meanwhile
/// has claimed is known all the same, and given back.
async fn reserve<A: Api>(
    api: &Arc<A>,
    caller: &Arc<A::Caller>,
    request: IdempotentRequest,
) -> Result<Reservation<Held<A>>, Problem> {
    let (api, caller) = (Arc::clone(api), Arc::clone(caller));
    let reserving = async move {
        let reserved = api.reserve(&caller, request).await?;
        Ok(reserved.map(|caller| Held {
            api,
            caller: Arc::new(caller),
            is_settled: false,
        }))
    };
    match tokio::spawn(reserving.in_current_span()).await {
        Ok(reserved) => reserved,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// The answer; a refusal gives the key back.
async fn conclude<A: Api, V: Created + Send>(
    address: &str,
    mut held: Option<Held<A>>,
    created: Result<V, Problem>,
) -> Result<Response, Problem> {
    match created {
        Ok(created) => {
            if let Some(held) = &mut held {
                held.is_settled = true;
            }
            Ok(answer(address, V::STATUS, KeptAnswer::of(&created)))
        }
        Err(problem) => {
            if let Some(released) = held.as_mut().and_then(Held::release) {
                // One that panics leaves the claim to run out.
                let _ = released.await;
            }
            Err(problem)
        }
    }
}

fn replay(address: &str, status: StatusCode, kept: KeptAnswer) -> Response {
    let mut response = answer(address, status, kept);
    let replayed = HeaderValue::from_static("true");
    response.headers_mut().insert(IDEMPOTENT_REPLAYED, replayed);
    response
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

/// None without the header.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Fault> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let key = IdempotencyKey::parse(value.as_bytes()).filter(|_| values.next().is_none());
    key.map(Some).ok_or_else(|| {
        let detail = format!(
            "comes with an Idempotency-Key header that is not one of 1 to {} visible ASCII characters",
            IdempotencyKey::LONGEST
        );
        Fault::new("", detail)
    })
}
