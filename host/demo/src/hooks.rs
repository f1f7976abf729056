//! A receiver of webhooks: accepts posts under any name, shows them unchanged, and fails on
//! request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, Query, State},
    http::{HeaderMap, StatusCode},
    routing::{get, post, put},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    arrivals::{Arrivals, Awaited},
    clock::WorldClock,
    newest::Newest,
};

/// Approximate memory for a header beside its text, in bytes.
const HEADER_BYTES: usize = 64;
/// Longest body of a delivery, in bytes.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Longest delay of an answer.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// One delivery, as received.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Delivery {
    /// Names in lower case; a value that is not text is left out.
    headers: HashMap<String, String>,
    /// The raw body.
    body: String,
    #[serde(serialize_with = "crate::date_time::serialize")]
    received_at: Timestamp,
}

/// Answer to posts under a name.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    /// The HTTP status.
    status: u16,
    /// Delay of the answer, in milliseconds.
    #[serde(default)]
    delay_ms: u64,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            status: 200,
            delay_ms: 0,
        }
    }
}

/// Posts under all names.
#[derive(Default)]
struct Posted {
    /// Names with a configured answer.
    answers: HashMap<String, Answer>,
    /// Deliveries with the names that they came under.
    deliveries: Newest<(String, Delivery)>,
}

#[derive(Clone)]
struct Hooks {
    clock: WorldClock,
    posted: Arc<Mutex<Posted>>,
    arrivals: Arrivals,
}

/// Everything below `/hooks`.
pub(crate) fn router(clock: WorldClock) -> Router {
    let hooks = Hooks {
        clock,
        posted: Arc::default(),
        arrivals: Arrivals::default(),
    };
    Router::new()
        .route("/hooks/{name}", post(take))
        .route("/hooks/{name}/deliveries", get(list))
        .route("/hooks/{name}/answer", put(plan))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(hooks)
}

impl Hooks {
    fn with<T>(&self, action: impl FnOnce(&mut Posted) -> T) -> T {
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        action(&mut posted)
    }
}

impl Posted {
    fn under<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Delivery> {
        let deliveries = self.deliveries.iter();
        let deliveries = deliveries.filter(move |(under, _)| under == name);
        deliveries.map(|(_, delivery)| delivery)
    }
}

impl Delivery {
    /// Approximate memory used, in bytes.
    fn bytes(&self) -> usize {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| name.len() + value.len() + HEADER_BYTES);
        self.body.len() + headers.sum::<usize>()
    }
}

async fn take(
    State(hooks): State<Hooks>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let delivery = Delivery {
        headers: headers
            .iter()
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
            .collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
        received_at: hooks.clock.now(),
    };
    let answer = hooks.with(|posted| {
        let answer = posted.answers.get(&name).copied();
        posted.deliveries.push(delivery.bytes(), (name, delivery));
        answer.unwrap_or_default()
    });
    hooks.arrivals.note();
    tokio::time::sleep(Duration::from_millis(answer.delay_ms).min(MAX_DELAY)).await;
    StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK)
}

/// Answers at once, or when the awaited number has arrived.
async fn list(
    State(hooks): State<Hooks>,
    Path(name): Path<String>,
    Query(awaited): Query<Awaited>,
) -> Json<Vec<Delivery>> {
    let count = || hooks.with(|posted| posted.under(&name).count());
    hooks.arrivals.wait(awaited, count).await;
    Json(hooks.with(|posted| posted.under(&name).cloned().collect()))
}

async fn plan(
    State(hooks): State<Hooks>,
    Path(name): Path<String>,
    Json(answer): Json<Answer>,
) -> Result<StatusCode, (StatusCode, &'static str)> {
    if !(200..600).contains(&answer.status) {
        return Err((StatusCode::BAD_REQUEST, "status must be from 200 to 599"));
    }
    hooks.with(|posted| posted.answers.insert(name, answer));
    Ok(StatusCode::NO_CONTENT)
}
