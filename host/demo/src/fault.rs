use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::{self, Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::stream;
use serde::{Deserialize, Serialize};

use crate::shutdown::Shutdown;

/// A fault instead of an answer.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// Status 503 and nothing else, as a gateway before a dead service says.
    Down,
    /// No answer until the world ends.
    Hang,
    /// Status 200 and bytes that are of no format.
    Garbage,
    /// The first half of the right answer, then the connection breaks.
    Half,
    /// Status 200 and JSON that never ends.
    Endless,
    /// An empty answer with this HTTP status, 580 for instance.
    Status {
        /// The status code.
        status: u16,
    },
    /// The right answer, late.
    Delay {
        /// Delay, in milliseconds of real time.
        milliseconds: u64,
    },
}

/// Planned faults of one service. Clones share one plan.
#[derive(Clone, Debug, Default)]
pub struct FaultPlan(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    next: VecDeque<Fault>,
    standing: Option<Fault>,
}

impl FaultPlan {
    /// Plans a fault of the next request without one.
    pub fn next(&self, fault: Fault) {
        self.plan().next.push_back(fault);
    }

    /// Lets every request fail until [`FaultPlan::clear`].
    pub fn until_cleared(&self, fault: Fault) {
        self.plan().standing = Some(fault);
    }

    /// Forgets all planned faults.
    pub fn clear(&self) {
        *self.plan() = Plan::default();
    }

    /// Returns true if a planned fault has not occurred yet.
    pub fn is_pending(&self) -> bool {
        !self.plan().next.is_empty()
    }

    fn take(&self) -> Option<Fault> {
        let mut plan = self.plan();
        plan.next.pop_front().or(plan.standing)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Middleware that applies planned faults before the service.
pub(crate) async fn inject(
    State((plan, shutdown)): State<(FaultPlan, Shutdown)>,
    request: Request,
    next: Next,
) -> Response {
    match plan.take() {
        None => next.run(request).await,
        Some(Fault::Down) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Some(Fault::Status { status }) => StatusCode::from_u16(status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            .into_response(),
        Some(Fault::Hang) => {
            shutdown.begun().await;
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        Some(Fault::Garbage) => b"\x00\xff not what you asked for \xfe".into_response(),
        Some(Fault::Half) => half(next.run(request).await).await,
        Some(Fault::Endless) => {
            let blank = || Ok::<_, Infallible>(Bytes::from_static(&[b' '; 64 * 1024]));
            let body = Body::from_stream(stream::repeat_with(blank));
            ([(CONTENT_TYPE, "application/json")], body).into_response()
        }
        Some(Fault::Delay { milliseconds }) => {
            let response = next.run(request).await;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(milliseconds)) => {}
                () = shutdown.begun() => {}
            }
            response
        }
    }
}

async fn half(response: Response) -> Response {
    let (head, whole) = response.into_parts();
    let whole = body::to_bytes(whole, usize::MAX).await.unwrap_or_default();
    let half = whole.slice(..whole.len() / 2);
    let parts: [io::Result<_>; 2] = [Ok(half), Err(io::ErrorKind::ConnectionReset.into())];
    Response::from_parts(head, Body::from_stream(stream::iter(parts)))
}
