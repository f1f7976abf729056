//! A workspace whose receiver hangs. Neither another one with events to the same host nor callers
//! who create signings may be delayed.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::PdfBuilder;
use reqwest::Client;
use serde_json::json;
use tokio::task::JoinSet;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};
use crate::workspace::{Workspace, p99};

/// A receiver that hangs, and a long queue.
pub(crate) const WEBHOOKS: Attack = Attack {
    name: "webhooks",
    needs_files: false,
    run: || Box::pin(attack()),
};

/// Events for the receiver that hangs.
const EVENTS: usize = 10_000;
/// Signings of one batch.
const BATCH: usize = 20;
/// Concurrent callers who cancel.
const CALLERS: usize = 8;
/// Measured creates, with and without the queue.
const CREATES: usize = 200;
/// Time that the receiver hangs: longer than the server waits.
const SILENCE: Duration = Duration::from_secs(60);
/// Longest delay of another workspace's events.
const SOON: Duration = Duration::from_secs(5);

async fn attack() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let ours = Workspace::with_key(&server, "/signing/live");
    let theirs = Workspace::with_key(&server, "/other/live");
    let hooks = server.demo("/world/hooks").to_owned();
    let document = BASE64.encode(PdfBuilder::new().build_of_size(10 * 1024));
    hang(&format!("{hooks}/silent")).await;
    let quiet = p99(&theirs.create_times(&document, CREATES).await);

    end_many(&ours, &document, &format!("{hooks}/silent")).await;
    let delay = told_after(&theirs, &document, &format!("{hooks}/other")).await;
    let busy = p99(&theirs.create_times(&document, CREATES).await);

    vec![
        Finding {
            what: "an event to the same host, behind another workspace's line",
            before: "756 s",
            now: format!("{:.2} s", delay.as_secs_f64()),
            holds: delay < SOON,
        },
        Finding {
            what: "creates of one caller without and with a line of 10,000, p99",
            before: "27 → 610 ms",
            now: format!("{} → {} ms", quiet.as_millis(), busy.as_millis()),
            holds: busy < quiet * 2,
        },
    ]
}

/// Makes the receiver accept events without answering.
async fn hang(hook: &str) {
    let silent = json!({"status": 200, "delayMs": SILENCE.as_millis()});
    let told = Client::new()
        .put(format!("{hook}/answer"))
        .json(&silent)
        .send();
    assert!(told.await.expect("the world answers").status().is_success());
}

/// Creates and cancels signings; each causes an event to the hook.
async fn end_many(workspace: &Workspace, document: &str, hook: &str) {
    let mut created = Vec::new();
    for _ in 0..EVENTS.div_ceil(BATCH) {
        created.extend(workspace.create_batch(document, BATCH, hook).await);
    }
    let mut cancelling = JoinSet::new();
    for part in created.chunks(created.len().div_ceil(CALLERS)) {
        let (workspace, part) = (workspace.clone(), part.to_vec());
        cancelling.spawn(async move {
            for signing in part {
                workspace.cancel(&signing).await;
            }
        });
    }
    cancelling.join_all().await;
}

/// Returns the time until a hook has received an event.
async fn told_after(workspace: &Workspace, document: &str, hook: &str) -> Duration {
    let signing = workspace.create(document, Some(hook)).await;
    let begun = Instant::now();
    workspace.cancel(&signing).await;
    let told = answer(Client::new().get(format!("{hook}/deliveries?atLeast=1&waitMs=60000")));
    let told = told.await;
    if told.as_array().is_some_and(|told| !told.is_empty()) {
        begun.elapsed()
    } else {
        Duration::MAX
    }
}
