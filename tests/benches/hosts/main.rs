//! Costs of records, documents and servers shared by several hosts, each with a
//! comparison, measured in turns on one machine:
//!
//! - `records`: durable creates and reads per second of one host and of two,
//!   and pages of a list. For comparison: `pgbench` on the same server, with
//!   its simple update, `-N`, and its select, `-S`;
//! - `documents`: 15 MiB to and from an object store, a database and a folder,
//!   compared with a plain copy;
//! - `signatures`: from the posted document to the signed one, on the embedded
//!   engine and on PostgreSQL, and the list of a caller's signings;
//! - `wakeups`: delay until a page waiting at one host sees a change at
//!   another.
//!
//! PostgreSQL writes through to its disk. An argument selects the measurements
//! whose name contains it. `--quick` shortens all of them, to check that they
//! work.

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

/// Size of a signing's document, in bytes.
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

/// Amount of measurement.
struct Scale {
    /// Duration of one measurement of a row.
    within: Duration,
    /// Number of measurements of each row, in turns with the others, because a
    /// machine's speed varies.
    rounds: usize,
    /// Documents written and read, each time.
    documents: usize,
    /// Number of signings in a list.
    listed: usize,
    /// Number of changes that a page waits for.
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
        // In less time, `pgbench` completes nothing if it has to share the
        // processors.
        within: Duration::from_secs(2),
        rounds: 1,
        documents: 1,
        listed: 60,
        changes: 5,
    };
}
