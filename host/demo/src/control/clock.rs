use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use uuid::Uuid;

use super::{WaitMs, followers::Followers};
use crate::{clock::WorldClock, error::WorldError, folder::Folder, shutdown::Shutdown};

/// State of the world's clock.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClockState {
    /// The time now.
    #[serde(serialize_with = "crate::date_time::serialize")]
    pub now: Timestamp,
    /// Offset from the operating system's clock, in seconds.
    pub offset_seconds: i64,
}

impl ClockState {
    /// Offset from the operating system's clock.
    pub fn offset(&self) -> SignedDuration {
        SignedDuration::from_secs(self.offset_seconds)
    }

    fn of(clock: &WorldClock) -> Self {
        Self {
            now: clock.now(),
            offset_seconds: clock.offset().as_secs(),
        }
    }
}

/// `POST /control/clock`: moves the clock on.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Advance {
    pub(super) advance_seconds: u32,
}

/// `GET /control/clock`: waits for an offset other than the known one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Known {
    /// Id of the caller, if it is a host that will poll again.
    follower: Option<Uuid>,
    known_offset_seconds: Option<i64>,
    #[serde(default)]
    wait_ms: WaitMs,
}

#[derive(Clone)]
struct ClockControl {
    clock: WorldClock,
    folder: Folder,
    followers: Followers,
    shutdown: Shutdown,
    /// One move at a time.
    moving: Arc<Mutex<()>>,
}

/// `GET`, `POST` and `DELETE /clock`: read, advance, reset.
pub(super) fn router(clock: WorldClock, folder: Folder, shutdown: Shutdown) -> Router {
    let control = ClockControl {
        clock,
        folder,
        followers: Followers::default(),
        shutdown,
        moving: Arc::default(),
    };
    Router::new()
        .route("/clock", get(read).post(advance).delete(reset))
        .with_state(control)
}

async fn read(State(control): State<ClockControl>, Query(known): Query<Known>) -> Json<ClockState> {
    if let Some(seconds) = known.known_offset_seconds {
        let offset = SignedDuration::from_secs(seconds);
        let waiting = known
            .follower
            .map(|host| control.followers.arrive(host, offset));
        control.other_than(offset, known.wait_ms).await;
        if let Some(waiting) = waiting {
            waiting.answered();
        }
    }
    Json(ClockState::of(&control.clock))
}

async fn advance(State(control): State<ClockControl>, Json(by): Json<Advance>) -> Response {
    let by = SignedDuration::from_secs(i64::from(by.advance_seconds));
    control.shift(|offset| offset.saturating_add(by)).await
}

async fn reset(State(control): State<ClockControl>) -> Response {
    control.shift(|_| SignedDuration::ZERO).await
}

impl ClockControl {
    async fn other_than(&self, offset: SignedDuration, wait: WaitMs) {
        let mut moves = self.clock.moves();
        tokio::select! {
            // The clock is there as long as its control is.
            _ = moves.wait_for(|now| *now != offset) => {}
            () = tokio::time::sleep(wait.duration()) => {}
            () = self.shutdown.begun() => {}
        }
    }

    /// Stores the new offset, moves the clock, and answers once every host that follows it has
    /// moved as well.
    async fn shift(&self, to: impl FnOnce(SignedDuration) -> SignedDuration) -> Response {
        let _moving = self.moving.lock().await;
        let offset = to(self.clock.offset());
        if let Err(error) = self.keep(offset).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the clock's offset cannot be kept"
            );
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        self.clock.set_offset(offset);
        self.followers.settle(offset).await;
        Json(ClockState::of(&self.clock)).into_response()
    }

    async fn keep(&self, offset: SignedDuration) -> Result<(), WorldError> {
        let folder = self.folder.clone();
        match tokio::task::spawn_blocking(move || folder.keep_offset(offset)).await {
            Ok(kept) => kept,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}
