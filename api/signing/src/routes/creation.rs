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

use super::Http;
use super::call::{Asked, Call};
use super::place::Place;
use crate::api::{Created, IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation, SigningApi};
use crate::decode::{Fault, Node};
use crate::problem::{Problem, ProblemKind};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// How a creation begins.
pub(super) enum Begun<A: SigningApi, P, T> {
    /// It is to be carried out.
    Now(Asked<A, P, T>, Creation<A>),
    /// It was carried out before, and this is the answer.
    Before(Response),
}

/// A creation that is being carried out.
pub(super) struct Creation<A: SigningApi> {
    http: Http<A>,
    /// The path that was posted to.
    path: String,
    claim: Option<Held<A>>,
}

/// A claim, given back when it is dropped without an answer: the caller has
/// gone away, and with them the request, which they may make again at once.
struct Held<A: SigningApi> {
    api: Arc<A>,
    /// None once the request is answered.
    claim: Option<A::Claim>,
}

impl<A: SigningApi> Held<A> {
    /// Gives the claim back, whoever waits for that.
    fn release(&mut self) -> Option<JoinHandle<()>> {
        let claim = self.claim.take()?;
        let api = Arc::clone(&self.api);
        let released = async move { api.release(claim).await };
        // Without a runtime the process ends, and the claim runs out.
        let runtime = Handle::try_current().ok()?;
        Some(runtime.spawn(released.in_current_span()))
    }
}

impl<A: SigningApi> Drop for Held<A> {
    fn drop(&mut self) {
        self.release();
    }
}

impl<A: SigningApi, P: Place> Call<A, P> {
    /// Of an operation that creates: its body, and its `Idempotency-Key` if it
    /// has one.
    pub(super) async fn creation<T, F>(self, decode: F) -> Result<Begun<A, P, T>, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&A, &Node<'_>) -> Option<T> + Send + 'static,
    {
        let (key, fault) = match idempotency_key(self.request.headers()) {
            Ok(key) => (key, None),
            Err(fault) => (None, Some(fault)),
        };
        let contract = self.operation.contract();
        let path = self.place.fill(contract.path);
        let (asked, body_sha256) = self
            .with_body_and_digest(fault, decode, |body| Sha256::digest(body).into())
            .await?;
        let mut creation = Creation {
            http: asked.http.clone(),
            path,
            claim: None,
        };
        if let Some(key) = key {
            let request = IdempotentRequest {
                key,
                method: contract.method,
                path: creation.path.clone(),
                body_sha256,
            };
            match reserve(&asked.http.api, &asked.caller, request).await? {
                Reservation::Claimed(held) => creation.claim = Some(held),
                Reservation::Answered(answer) => {
                    return Ok(Begun::Before(creation.replay(answer)));
                }
                Reservation::InProgress {
                    retry_after_seconds,
                } => {
                    return Err(Problem::of(ProblemKind::IdempotencyInProgress)
                        .with_retry_after(retry_after_seconds));
                }
                Reservation::Reused => return Err(Problem::of(ProblemKind::IdempotencyKeyReused)),
            }
        }
        Ok(Begun::Now(asked, creation))
    }
}

/// Claims a request in a task of its own: what a caller who goes away meanwhile
/// has claimed is known all the same, and given back.
async fn reserve<A: SigningApi>(
    api: &Arc<A>,
    caller: &Arc<A::Caller>,
    request: IdempotentRequest,
) -> Result<Reservation<Held<A>>, Problem> {
    let (api, caller) = (Arc::clone(api), Arc::clone(caller));
    let reserving = async move {
        Ok(match api.reserve(&caller, request).await? {
            Reservation::Claimed(claim) => Reservation::Claimed(Held {
                api,
                claim: Some(claim),
            }),
            Reservation::Answered(answer) => Reservation::Answered(answer),
            Reservation::InProgress {
                retry_after_seconds,
            } => Reservation::InProgress {
                retry_after_seconds,
            },
            Reservation::Reused => Reservation::Reused,
        })
    };
    match tokio::spawn(reserving.in_current_span()).await {
        Ok(reserved) => reserved,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

impl<A: SigningApi> Creation<A> {
    pub(super) fn claim(&self) -> Option<&A::Claim> {
        self.claim.as_ref()?.claim.as_ref()
    }

    /// The answer; a refusal gives the key back.
    pub(super) async fn conclude(
        mut self,
        created: Result<impl Created, Problem>,
    ) -> Result<Response, Problem> {
        match created {
            Ok(created) => {
                if let Some(held) = &mut self.claim {
                    held.claim = None;
                }
                Ok(self.answer(KeptAnswer::of(&created)))
            }
            Err(problem) => {
                if let Some(released) = self.claim.as_mut().and_then(Held::release) {
                    // One that panics leaves the claim to run out.
                    let _ = released.await;
                }
                Err(problem)
            }
        }
    }

    fn replay(&self, answer: KeptAnswer) -> Response {
        let mut response = self.answer(answer);
        response
            .headers_mut()
            .insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        response
    }

    fn answer(&self, answer: KeptAnswer) -> Response {
        let id = answer.id();
        let mut response = Response::new(Bytes::from(answer.into_body()).into());
        *response.status_mut() = StatusCode::CREATED;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(id) = id {
            let address = self.http.config.base_url.join(&self.path);
            let location = HeaderValue::try_from(format!("{address}/{id}"))
                .expect("a parsed URL, our own paths and ids are ASCII");
            headers.insert(LOCATION, location);
        }
        response
    }
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
