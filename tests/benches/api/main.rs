//! Costs of the APIs over HTTP, on the built server:
//!
//! - durable creates, compared with the same server without group commit, with
//!   a file system without syncs, and with the disk's own sync rate
//! - authentications with a card, compared with the bare verification of a
//!   signature
//! - reads, and pages of long lists
//! - creates beside deliveries that no receiver accepts
//! - memory for the largest document
//! - a thousand signers who were prompted and do not answer
//!
//! An argument selects the measurements whose name contains it:
//! `authentications`, `creates`, `reads`, `lists`, `deliveries`, `memory`,
//! `waiting`. `--quick` shortens all of them, to check that they work.

mod authentications;
mod creates;
mod deliveries;
mod lists;
mod load;
mod memory;
mod reads;
mod rows;
#[allow(dead_code, reason = "another bench needs more of it")]
mod server;
mod waiting;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Size of the usual document, in bytes.
const DOCUMENT: usize = 10 * 1024;

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scale = match arguments.iter().any(|argument| argument == "--quick") {
        true => Scale::QUICK,
        false => Scale::FULL,
    };
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let is_picked = |name: &str| filter.is_none_or(|part| name.contains(part.as_str()));

    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        if is_picked("authentications") {
            authentications::measure(&scale).await;
        }
        if is_picked("creates") {
            creates::measure(&scale).await;
        }
        if is_picked("reads") {
            reads::measure(&scale).await;
        }
        if is_picked("lists") {
            lists::measure(&scale).await;
        }
        if is_picked("deliveries") {
            deliveries::measure(&scale).await;
        }
        if is_picked("memory") {
            memory::measure().await;
        }
        if is_picked("waiting") {
            waiting::measure(&scale).await;
        }
    });
}

/// Amount of measurement.
struct Scale {
    /// Duration of one measurement.
    time: Duration,
    /// Number of alternating rounds of compared measurements.
    rounds: usize,
    /// Numbers of signings in a list.
    listed: [usize; 3],
    /// Number of waiting deliveries.
    pending: usize,
    /// Number of prompted signers.
    waiting: usize,
    /// Time for which they are observed; shorter than their apps' time limit.
    watched: Duration,
}

impl Scale {
    const FULL: Self = Self {
        time: Duration::from_secs(5),
        rounds: 3,
        listed: [1_000, 100_000, 1_000_000],
        pending: 10_000,
        waiting: 1_000,
        watched: Duration::from_secs(60),
    };
    const QUICK: Self = Self {
        time: Duration::from_secs(1),
        rounds: 1,
        listed: [100, 1_000, 10_000],
        pending: 200,
        waiting: 50,
        watched: Duration::from_secs(6),
    };
}

/// Returns the body that creates a signing of a document of this size.
fn creation(document: usize) -> Value {
    let document = PdfBuilder::new().build_of_size(document);
    json!({
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(document)},
        "signers": [{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}],
    })
}

fn to_bytes(body: &Value) -> Bytes {
    body.to_string().into()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the verdict on an aim.
fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a byte more or less does not show"
)]
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
