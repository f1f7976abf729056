//! Request bodies, refused as early as can be.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::accept::declares;
use crate::decode::Fault;
use crate::operation::BodyKind;
use crate::problem::{Problem, ProblemType};

/// The one media type of bodies.
const JSON: &str = "application/json";
/// Unit in which the budget is counted, in bytes.
const BUDGET_UNIT: usize = 1024;
/// `Retry-After` while the budget is exhausted, in seconds.
const BUSY_RETRY_SECONDS: u32 = 5;

/// Length from which a body must wait to be decoded, in bytes.
const LONG_BODY: usize = 1024 * 1024;
/// Number of long bodies decoded at once. Beside its body, a decoder holds the document in it, and
/// copies of texts with escapes and line breaks. These can be almost three times the body's length.
const LONG_BODIES_DECODED: usize = 4;

/// Maximum ratio of buffer to received bytes for a body of a declared length: a client that sends
/// little takes little of the budget.
const ROOM_OF_DECLARED: usize = 8;

/// Limit on bytes of request bodies held at once by all requests, and on long bodies decoded at
/// once.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget {
    bytes: Arc<Semaphore>,
    decoding: Arc<Semaphore>,
}

impl BodyBudget {
    /// A budget of `bytes`, rounded down to whole KiB.
    pub(crate) fn new(bytes: usize) -> Self {
        let units = (bytes / BUDGET_UNIT).min(Semaphore::MAX_PERMITS);
        Self {
            bytes: Arc::new(Semaphore::new(units)),
            decoding: Arc::new(Semaphore::new(LONG_BODIES_DECODED)),
        }
    }

    /// Waits until a body of this length may be decoded. Returns `None` for short ones, which need
    /// no permit.
    pub(crate) async fn turn_to_decode(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        if bytes < LONG_BODY {
            return None;
        }
        // The semaphore is never closed.
        Arc::clone(&self.decoding).acquire_owned().await.ok()
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let exhausted = || {
            Problem::unavailable(
                "The service is busy with other large requests; nothing was changed.",
            )
            .with_retry_after(BUSY_RETRY_SECONDS)
        };
        let units = u32::try_from(bytes.div_ceil(BUDGET_UNIT)).map_err(|_| exhausted())?;
        Arc::clone(&self.bytes)
            .try_acquire_many_owned(units)
            .map_err(|_| exhausted())
    }
}

/// Share of the budget taken by a request; given back when it is dropped.
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

/// Minimum pace of a body, sent or received.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BodyPace {
    /// Time limit of an empty body.
    pub grace: Duration,
    /// Number of bytes that extends the limit by one second.
    pub least_bytes_per_second: NonZeroU32,
}

impl Default for BodyPace {
    /// 20 seconds, and 32 KiB in each further one.
    fn default() -> Self {
        const SLOWEST: NonZeroU32 = NonZeroU32::new(32 * 1024).expect("it is not zero");

        Self {
            grace: Duration::from_secs(20),
            least_bytes_per_second: SLOWEST,
        }
    }
}

impl BodyPace {
    /// Time after the start by which this many bytes of a body must have passed.
    #[must_use]
    pub fn time_for(self, bytes: usize) -> Duration {
        let seconds = bytes / self.least_bytes_per_second.get() as usize;
        self.grace + Duration::from_secs(seconds as u64)
    }
}

/// Limits on bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Maximum length in bytes.
    pub(crate) longest: usize,
    /// Advice instead of a longer one.
    pub(crate) advice: &'static str,
    pub(crate) pace: BodyPace,
}

/// An admitted body. Its bytes count as in flight until it is dropped.
#[derive(Default)]
pub struct AdmittedBody {
    /// Bytes as received.
    pub bytes: Bytes,
    pub(crate) share: BudgetShare,
}

impl AdmittedBody {
    /// Reads the body of `request`, whatever its Content-Type.
    ///
    /// # Errors
    /// 413, before reading if the headers show it. 503 if the budget is exhausted. 408 if the body
    /// comes too slowly. 400 if the caller stops before the end.
    pub(crate) async fn of_any_type(
        request: Request,
        limits: BodyLimits,
        budget: &BodyBudget,
    ) -> Result<Self, Problem> {
        let declared = declared_length(request.headers());
        if declared.is_some_and(|length| length > limits.longest) {
            return Err(too_large(limits));
        }
        let mut incoming = Incoming::new(request, limits.pace);
        let mut bytes = Vec::<u8>::new();
        let mut share = BudgetShare::default();
        while let Some(chunk) = incoming.chunk(bytes.len()).await? {
            let received = bytes.len() + chunk.len();
            if received > limits.longest {
                return Err(too_large(limits));
            }
            if received > bytes.capacity() {
                let room = room_for(received, declared, limits.longest);
                share.grow_to(room, budget)?;
                bytes.reserve_exact(room - bytes.len());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Self {
            bytes: bytes.into(),
            share,
        })
    }

    /// Reads the body of `request`, which is to be JSON.
    ///
    /// # Errors
    /// 415 before anything is read; then as [`of_any_type`](Self::of_any_type).
    pub(crate) async fn json(
        request: Request,
        limits: BodyLimits,
        budget: &BodyBudget,
    ) -> Result<Self, Problem> {
        let headers = request.headers();
        if !is_plain_json(headers) {
            return Err(Problem::unsupported_media_type(headers, JSON));
        }
        Self::of_any_type(request, limits, budget).await
    }

    /// Reads the JSON body of a call that takes one; an empty optional body is an object without
    /// members. The refusal of a missing body lists its missing members, not its missing
    /// Content-Type.
    ///
    /// # Errors
    /// As [`json`](Self::json).
    pub(crate) async fn asked(
        kind: BodyKind,
        request: Request,
        limits: BodyLimits,
        budget: &BodyBudget,
    ) -> Result<Self, Problem> {
        let headers = request.headers();
        if kind == BodyKind::Required && headers.contains_key(CONTENT_TYPE) {
            return Self::json(request, limits, budget).await;
        }
        let mut body = match is_plain_json(headers) {
            true => Self::json(request, limits, budget).await?,
            false => {
                let refusal = Problem::unsupported_media_type(headers, JSON);
                match Incoming::new(request, limits.pace).chunk(0).await? {
                    None => Self::default(),
                    Some(_) => return Err(refusal),
                }
            }
        };
        if body.bytes.trim_ascii().is_empty() {
            body.bytes = Bytes::from_static(b"{}");
        }
        Ok(body)
    }
}

/// A body that is being read, with the time that it has.
struct Incoming {
    body: Body,
    begun: Instant,
    pace: BodyPace,
}

impl Incoming {
    fn new(request: Request, pace: BodyPace) -> Self {
        Self {
            body: request.into_body(),
            begun: Instant::now(),
            pace,
        }
    }

    /// The next non-empty chunk, after this many bytes.
    async fn chunk(&mut self, received: usize) -> Result<Option<Bytes>, Problem> {
        let time = self.pace.time_for(received);
        let until = self.begun + time;
        loop {
            let frame = tokio::time::timeout_at(until, self.body.frame())
                .await
                .map_err(|_| too_slow(received, time))?;
            let data = match frame {
                None => return Ok(None),
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
                Some(Err(_)) => {
                    let fault = Fault::new("", "ended before it was complete");
                    return Err(Problem::validation(vec![fault]));
                }
            };
            if !data.is_empty() {
                return Ok(Some(data));
            }
        }
    }
}

/// Buffer size after this many bytes were received: the declared length, once a good part is there.
/// So a body is moved a few times at most, and has no unneeded memory.
fn room_for(received: usize, declared: Option<usize>, longest: usize) -> usize {
    let (times, most) = match declared {
        Some(declared) => (ROOM_OF_DECLARED, declared),
        None => (2, longest),
    };
    received.saturating_mul(times).min(most).max(received)
}

fn too_slow(received: usize, time: Duration) -> Problem {
    let seconds = time.as_secs();
    let detail = format!("Only {received} bytes of the body had arrived after {seconds} seconds.");
    Problem::new(ProblemType::REQUEST_TIMEOUT, detail)
}

/// `application/json` (RFC 8259, 11), whatever its parameters, not encoded.
fn is_plain_json(headers: &HeaderMap) -> bool {
    declares(headers, JSON)
        && headers
            .get_all(CONTENT_ENCODING)
            .iter()
            .all(|encoding| encoding.as_bytes() == b"identity")
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(limits: BodyLimits) -> Problem {
    let BodyLimits {
        longest, advice, ..
    } = limits;
    let detail = format!("The body is longer than {longest} bytes. {advice}");
    Problem::new(ProblemType::PAYLOAD_TOO_LARGE, detail.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_body_has_all_of_its_room_once_an_eighth_is_there_and_none_beside() {
        const KIB: usize = 1024;
        const LONGEST: usize = 100 * KIB;

        for (received, declared, room) in [
            (KIB, Some(KIB), KIB),
            (KIB, Some(8 * KIB), 8 * KIB),
            (KIB, Some(80 * KIB), 8 * KIB),
            (10 * KIB, Some(80 * KIB), 80 * KIB),
            (KIB, None, 2 * KIB),
            (60 * KIB, None, LONGEST),
            // More than was declared.
            (2 * KIB, Some(KIB), 2 * KIB),
        ] {
            let is = room_for(received, declared, LONGEST);
            assert_eq!(is, room, "{received} of {declared:?}");
        }
    }

    #[tokio::test]
    async fn few_long_bodies_are_decoded_at_one_time_and_short_ones_do_not_wait_for_them() {
        let budget = BodyBudget::new(LONG_BODY);
        let mut turns = Vec::new();
        for _ in 0..LONG_BODIES_DECODED {
            turns.push(budget.turn_to_decode(LONG_BODY).await);
        }
        assert!(turns.iter().all(Option::is_some));

        assert!(budget.turn_to_decode(LONG_BODY - 1).await.is_none());
        tokio::select! {
            biased;
            _ = budget.turn_to_decode(LONG_BODY) => panic!("it is nobody's turn"),
            () = std::future::ready(()) => {}
        }
        turns.pop();
        assert!(budget.turn_to_decode(LONG_BODY).await.is_some());
    }
}
