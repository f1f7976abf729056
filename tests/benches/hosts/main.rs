//! What records, documents and servers cost that are shared by several hosts, each beside
//! something to compare it with, measured in turns on one machine:
//!
//! - `records`: durable creates and reads a second of one host and of two, and pages of a list,
//!   beside what `pgbench` does on the same server: its simple update, `-N`, and its select, `-S`;
//! - `documents`: 15 MiB in and out of an object store, of a database and of a folder, beside a
//!   plain copy;
//! - `signatures`: from the posted document to the signed one, on the embedded engine and on
//!   PostgreSQL, and the list of a caller's signings;
//! - `wakeups`: how soon a page that waits at one host hears of what happened at another.
//!
//! PostgreSQL writes through to its disk. An argument picks the measurements whose name contains
//! it. `--quick` makes all of them short, to see that they work.

mod callers;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../whole/ceremony.rs"]
mod ceremony;
mod documents;
mod hosts;
mod pgbench;
mod records;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../api/server.rs"]
mod server;
mod signatures;
mod wakeups;

use std::time::Duration;

use parafa_test_services::{Durability, Postgres};
use tokio::runtime::Runtime;

/// Size of the document of a signing, in bytes.
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

    let server = Postgres::start(Durability::Full, &[]);
    let runtime = Runtime::new().expect("a runtime");
    if is_picked("records") {
        records::measure(&server, &runtime, &scale);
    }
    if is_picked("documents") {
        runtime.block_on(documents::measure(&server, &scale));
    }
    if is_picked("signatures") {
        runtime.block_on(signatures::measure(&server, &scale));
    }
    if is_picked("wakeups") {
        runtime.block_on(wakeups::measure(&server, &scale));
    }
}

/// How much is measured.
struct Scale {
    /// For how long each row is measured at a time.
    within: Duration,
    /// How often each row is measured, in turns with the others, because a machine has moods.
    rounds: usize,
    /// Documents in and out, each time.
    documents: usize,
    /// Signings in a list.
    listed: usize,
    /// Changes that somebody waits for.
    changes: usize,
}

impl Scale {
    const FULL: Self = Self {
        within: Duration::from_secs(5),
        rounds: 5,
        documents: 5,
        listed: 500,
        changes: 100,
    };
    const QUICK: Self = Self {
        // Less is none where `pgbench` has to share the processors.
        within: Duration::from_secs(2),
        rounds: 1,
        documents: 1,
        listed: 60,
        changes: 5,
    };
}
