//! What the APIs cost, over HTTP on the built server: durable creates beside the
//! same server without grouping of commits, on a file system that has nothing to
//! sync, and the disk's own rate of syncs; authentications with a card beside the
//! bare verification of a signature; reads; pages of long lists; creates beside
//! deliveries that nobody takes; the memory of the largest document; a thousand
//! signers who have been asked and do not answer.
//!
//! An argument picks the measurements whose name contains it: `authentications`,
//! `creates`, `reads`, `lists`, `deliveries`, `memory`, `waiting`. `--quick` makes
//! all of them short, to see that they work.

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

/// How much is measured.
struct Scale {
    /// How long one measurement takes.
    time: Duration,
    /// How often measurements that are compared take turns.
    rounds: usize,
    /// Signings in a list.
    listed: [usize; 3],
    /// Deliveries that wait.
    pending: usize,
    /// Signers who have been asked.
    waiting: usize,
    /// For how long they are watched; shorter than their apps' patience.
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

/// The body that creates a signing of a document of this size.
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

/// The middle one.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Whether an aim is met.
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
