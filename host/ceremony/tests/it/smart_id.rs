//! A Smart-ID that opens every session, in which no one ever acts.

use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use jiff::SignedDuration;
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_store::ManualClock;
use serde_json::{Value, json};
use uuid::Uuid;

/// Provider that answers every poll at once that no one has acted yet.
pub(crate) struct SmartId {
    clock: Arc<ManualClock>,
    polls: AtomicU32,
    refuses: AtomicBool,
    /// Setback of the clock during the next poll.
    set_back: Mutex<SignedDuration>,
}

impl SmartId {
    pub(crate) fn new(clock: Arc<ManualClock>) -> Self {
        Self {
            clock,
            polls: AtomicU32::default(),
            refuses: AtomicBool::default(),
            set_back: Mutex::default(),
        }
    }

    /// Returns the number of polls.
    pub(crate) fn polls(&self) -> u32 {
        self.polls.load(Ordering::Relaxed)
    }

    /// Sets whether it refuses polls as too many.
    pub(crate) fn refuse(&self, refuses: bool) {
        self.refuses.store(refuses, Ordering::Relaxed);
    }

    /// Sets the clock back during the next poll.
    pub(crate) fn set_clock_back(&self, by: SignedDuration) {
        *self.set_back.lock().unwrap() = by;
    }

    fn poll(&self) -> Response<Bytes> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.clock
            .advance(-take(&mut *self.set_back.lock().unwrap()));
        let mut answer = answer(&json!({"state": "RUNNING"}));
        if self.refuses.load(Ordering::Relaxed) {
            *answer.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        }
        answer
    }
}

#[async_trait]
impl HttpPort for SmartId {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        _: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        if request.uri().path().starts_with("/v3/session/") {
            return Ok(self.poll());
        }
        Ok(answer(&json!({
            "sessionID": Uuid::now_v7(),
            "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
            "sessionSecret": STANDARD.encode([7; 32]),
            "deviceLinkBase": "https://smart-id.com/device-link",
        })))
    }
}

fn answer(value: &Value) -> Response<Bytes> {
    Response::new(value.to_string().into())
}
