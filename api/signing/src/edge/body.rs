//! Request bodies, refused as early as can be.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::decode::Fault;
use crate::problem::{Problem, ProblemKind};

/// Unit in which the budget is counted, in bytes.
const BUDGET_UNIT: usize = 1024;
/// After how many seconds a request that met an exhausted budget may come
/// again.
const BUSY_RETRY_SECONDS: u32 = 5;

/// How many bytes of request bodies are held at one time by all requests.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget(Arc<Semaphore>);

impl BodyBudget {
    /// Of `bytes`, rounded down to whole KiB.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(
            (bytes / BUDGET_UNIT).min(Semaphore::MAX_PERMITS),
        )))
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let exhausted = || {
            Problem::unavailable(
                "The service is busy with other large requests; nothing was changed.",
            )
            .with_retry_after(BUSY_RETRY_SECONDS)
        };
        let units = u32::try_from(bytes.div_ceil(BUDGET_UNIT)).map_err(|_| exhausted())?;
        Arc::clone(&self.0)
            .try_acquire_many_owned(units)
            .map_err(|_| exhausted())
    }
}

/// What a request took out of the budget; given back when it is dropped.
#[derive(Default)]
pub(crate) struct BudgetShare(Option<OwnedSemaphorePermit>);

impl BudgetShare {
    fn grow_to(&mut self, bytes: usize, budget: &BodyBudget) -> Result<(), Problem> {
        let held = self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) * BUDGET_UNIT;
        if bytes > held {
            let more = budget.take(bytes - held)?;
            match &mut self.0 {
                Some(share) => share.merge(more),
                None => self.0 = Some(more),
            }
        }
        Ok(())
    }
}

/// A body that was declared as JSON, and its share of the budget.
pub(crate) struct JsonBody {
    pub(crate) bytes: Bytes,
    pub(crate) share: BudgetShare,
}

impl JsonBody {
    /// Reads the body of `request`.
    ///
    /// # Errors
    /// 415 and 413, before anything is read where the headers tell; 503 when
    /// the budget is exhausted; 400 when the caller stops in the middle.
    pub(crate) async fn read(
        request: Request,
        longest: usize,
        budget: &BodyBudget,
    ) -> Result<Self, Problem> {
        let headers = request.headers();
        if !is_plain_json(headers) {
            return Err(Problem::of(ProblemKind::UnsupportedMediaType));
        }
        if declared_length(headers).is_some_and(|length| length > longest) {
            return Err(too_large(longest));
        }
        collect(request.into_body(), longest, budget).await
    }
}

async fn collect(mut body: Body, longest: usize, budget: &BodyBudget) -> Result<JsonBody, Problem> {
    let mut bytes = BytesMut::new();
    let mut share = BudgetShare::default();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Problem::validation(vec![Fault::new(
                "",
                "ended before it was complete",
            )]));
        };
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        if bytes.len() + chunk.len() > longest {
            return Err(too_large(longest));
        }
        bytes.extend_from_slice(&chunk);
        share.grow_to(bytes.len(), budget)?;
    }
    Ok(JsonBody {
        bytes: bytes.freeze(),
        share,
    })
}

/// `application/json` (RFC 8259, 11), whatever its parameters, not encoded.
fn is_plain_json(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        && headers
            .get_all(CONTENT_ENCODING)
            .iter()
            .all(|encoding| encoding.as_bytes() == b"identity")
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(longest: usize) -> Problem {
    let detail = format!(
        "The body is longer than {longest} bytes. Store documents with POST /v1/files first and name them by their fileToken."
    );
    Problem::new(ProblemKind::PayloadTooLarge, detail)
}
