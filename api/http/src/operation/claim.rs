//! Requests that a caller may repeat safely: only the first with a key is carried out.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::Instrument;

use super::call::Call;
use crate::api::Api;
use crate::decode::Fault;
use crate::idempotency::{
    IDEMPOTENCY_HOURS, IdempotencyKey, IdempotentRequest, KeptAnswer, Reservation,
};
use crate::problem::{Problem, ProblemType};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A claim, released when it is dropped without an answer: the caller has disconnected, and may
/// repeat the request at once.
struct Held<A: Api> {
    api: Arc<A>,
    /// Caller with the claim.
    caller: Arc<A::Caller>,
    /// True once the request is answered, or the claim released.
    is_settled: bool,
}

impl<A: Api> Held<A> {
    /// Releases the claim, whether or not the result is awaited.
    fn release(&mut self) -> Option<JoinHandle<()>> {
        if std::mem::replace(&mut self.is_settled, true) {
            return None;
        }
        let (api, caller) = (Arc::clone(&self.api), Arc::clone(&self.caller));
        let released = async move { api.release(&caller).await };
        // Without a runtime the process ends, and the claim expires.
        let runtime = Handle::try_current().ok()?;
        Some(runtime.spawn(released.in_current_span()))
    }
}

impl<A: Api> Drop for Held<A> {
    fn drop(&mut self) {
        self.release();
    }
}

/// Carries out a call by `handler`. Of requests with the same key only the first is carried out;
/// the others get its stored answer.
pub(super) async fn once<A, P, T, V, R>(
    mut call: Call<A, P, T>,
    request: Option<IdempotentRequest>,
    handler: impl FnOnce(Call<A, P, T>) -> R,
    answer: impl FnOnce(V) -> Response,
    replay: impl FnOnce(KeptAnswer) -> Result<Response, Problem>,
) -> Result<Response, Problem>
where
    A: Api,
    V: Send,
    R: Future<Output = Result<V, Problem>> + Send,
{
    let mut held = None;
    if let Some(request) = request {
        let of = format!("{} {}", request.method, request.path);
        match reserve(&call.api, &call.caller, request).await? {
            Reservation::Claimed(claimed) => {
                call.caller = Arc::clone(&claimed.caller);
                held = Some(claimed);
            }
            Reservation::Answered(kept) => {
                let mut response = replay(kept)?;
                let replayed = HeaderValue::from_static("true");
                response.headers_mut().insert(IDEMPOTENT_REPLAYED, replayed);
                return Ok(response);
            }
            Reservation::InProgress {
                retry_after_seconds,
            } => {
                let detail = format!(
                    "An earlier {of} with this Idempotency-Key is still running; repeat the request in {retry_after_seconds} s."
                );
                return Err(Problem::new(ProblemType::IDEMPOTENCY_IN_PROGRESS, detail)
                    .with_retry_after(retry_after_seconds));
            }
            Reservation::Reused => {
                let detail = format!(
                    "This Idempotency-Key was used with another body or query of {of} within the last {IDEMPOTENCY_HOURS} hours."
                );
                return Err(Problem::new(ProblemType::IDEMPOTENCY_KEY_REUSED, detail));
            }
        }
    }
    carry_out(call, held, handler).await.map(answer)
}

/// Claims a request in a task of its own, so that a claim is known and released even if the caller
/// disconnects meanwhile.
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

/// Carries out a call, and keeps its claim meanwhile if there is one. A refusal releases the key.
async fn carry_out<A, P, T, V, R>(
    call: Call<A, P, T>,
    mut held: Option<Held<A>>,
    handler: impl FnOnce(Call<A, P, T>) -> R,
) -> Result<V, Problem>
where
    A: Api,
    V: Send,
    R: Future<Output = Result<V, Problem>> + Send,
{
    let (api, caller) = (Arc::clone(&call.api), Arc::clone(&call.caller));
    let done = tokio::select! {
        done = handler(call) => done,
        never = api.hold(&caller) => match never {},
    };
    match done {
        Ok(done) => {
            if let Some(held) = &mut held {
                held.is_settled = true;
            }
            Ok(done)
        }
        Err(problem) => {
            if let Some(released) = held.as_mut().and_then(Held::release) {
                // If the release panics, the claim expires.
                let _ = released.await;
            }
            Err(problem)
        }
    }
}

/// Identity of a request with a key, computed from its body or query, and the fault of the key if
/// it is invalid.
pub(super) fn repeatable(
    headers: &HeaderMap,
    method: Method,
    path: String,
) -> (
    impl FnOnce(&[u8]) -> Option<IdempotentRequest> + Send + 'static + use<>,
    Option<Fault>,
) {
    let (key, fault) = idempotency_key(headers);
    let request = move |content: &[u8]| {
        Some(IdempotentRequest {
            key: key?,
            method,
            path,
            body_sha256: Sha256::digest(content).into(),
        })
    };
    (request, fault)
}

/// The key of a request, if it has one, and its fault.
fn idempotency_key(headers: &HeaderMap) -> (Option<IdempotencyKey>, Option<Fault>) {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return (None, None);
    };
    let key = IdempotencyKey::parse(value.as_bytes()).filter(|_| values.next().is_none());
    if key.is_some() {
        return (key, None);
    }
    let detail = format!(
        "must have one Idempotency-Key header of 1 to {} visible ASCII characters",
        IdempotencyKey::LONGEST
    );
    (None, Some(Fault::new("", detail)))
}
