//! Cost of a call and of a whole signature to the server: the CPU time of its
//! process, divided by the number of operations. This is reliable on a machine
//! with other load, unlike answers per second. The demo world's services are in
//! another process, and the callers in this one. For comparison: the time of
//! pyHanko and DSS for a signature, and the cost of waiting pages.
//!
//! An argument selects the rows whose name contains it; `--quick` shortens all
//! of them, to check that they work. With `cargo xtask profile`, `perf` samples
//! the server during a row.

#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../hosts/callers.rs"]
mod callers;
mod ceremony;
mod peers;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../signing/pki.rs"]
mod pki;
mod recording;
#[allow(dead_code, reason = "another bench needs more of it")]
#[path = "../api/server.rs"]
mod server;
mod spent;
mod waiting;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::PdfBuilder;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use callers::Times;
use ceremony::{APPS, CARDS, creation, sign_with_app, sign_with_card};
use recording::Recording;
use server::{Disk, Server, answer};
use spent::Spent;

/// Sizes of documents, in bytes.
const SMALL: usize = 10 * 1024;
const MEDIUM: usize = 1024 * 1024;
/// Duration of the uncounted work at the beginning.
const WARM_UP: Duration = Duration::from_millis(200);
/// Concurrent callers.
const CALLERS: usize = 4;
/// Number of signings on the listed page.
const LISTED: usize = 50;
/// Entity in the answers.
const ENTITY: &str = "v1/entities/999000009";
/// Further columns.
const TIMES: &str = "a second | median ms | p99 ms";
const WAITING: &str = "pages that wait";

/// Measured work; it gets the number of the caller.
type Work = fn(Arc<Server>, usize, Bytes) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Row of the table.
struct Row {
    name: &'static str,
    /// Body posted by every call.
    body: Bytes,
    work: Work,
}

/// Amount of measurement.
struct Scale {
    /// Duration of a row's measurement.
    within: Duration,
    /// Counted signatures of other programs.
    runs: usize,
    /// Wait of pages, in seconds.
    waiting: u32,
}

impl Scale {
    const FULL: Self = Self {
        within: Duration::from_secs(5),
        runs: 200,
        waiting: 20,
    };
    const QUICK: Self = Self {
        within: Duration::from_millis(500),
        runs: 2,
        waiting: 2,
    };
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scale = match arguments.iter().any(|argument| argument == "--quick") {
        true => Scale::QUICK,
        false => Scale::FULL,
    };
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let is_picked = |name: &str| filter.is_none_or(|part| name.contains(part.as_str()));

    let (heads, rule) = Spent::heads();
    println!("| work | {heads} | {TIMES} |\n|---|{rule}---|---|---|");
    for (peer, command) in peers::PEERS {
        for (size, bytes) in [("10 KiB", SMALL), ("1 MiB", MEDIUM)] {
            let name = format!("{peer}, B-B, PDF {size}");
            if is_picked(&name) {
                let taken = peers::measure(command, bytes, scale.runs);
                println!("| {name} | {} | | |", Spent::of_another(taken));
            }
        }
    }
    let world = Server::start(Disk::Real, &[]);
    let server = Arc::new(Server::join(&world, Disk::Real));
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        fill(&server).await;
        for row in rows().iter().filter(|row| is_picked(row.name)) {
            measure(&server, row, scale.within).await;
        }
        if is_picked(WAITING) {
            waiting::measure(&server, scale.waiting).await;
        }
    });
}

/// Creates as many signings as are listed.
async fn fill(server: &Server) {
    let body = Bytes::from(creation(SMALL).to_string());
    for _ in 0..LISTED {
        answer(server.post("v1/signings", body.clone())).await;
    }
}

fn rows() -> Vec<Row> {
    let small = creation(SMALL);
    let medium = creation(MEDIUM);
    let row = |name, body: &Value, work| Row {
        name,
        body: body.to_string().into(),
        work,
    };
    vec![
        row("create, PDF 10 KiB", &small, create),
        row("create, PDF 1 MiB", &medium, create),
        row("create, ASiC-E of 10 KiB", &composition(), create),
        row("list of 50", &Value::Null, |server, _, _| {
            Box::pin(async move {
                let page = format!("v1/signings?limit={LISTED}");
                drop(answer(server.get(&page)).await);
            })
        }),
        row("signature by card, PDF 10 KiB", &small, by_card),
        row("signature by card, PDF 1 MiB", &medium, by_card),
        row(
            "signature by card, ASiC-E of 10 KiB",
            &composition(),
            by_card,
        ),
        row("signature by Smart-ID, PDF 10 KiB", &small, by_app),
        row("answer, JSON", &Value::Null, |server, _, _| {
            Box::pin(async move { entity(&server, "").await })
        }),
        row("answer, JAdES-T", &Value::Null, |server, _, _| {
            Box::pin(async move { entity(&server, "?sign=jades-t").await })
        }),
        row("answer, ASiC-E", &Value::Null, |server, _, _| {
            Box::pin(async move { entity(&server, "?format=asice").await })
        }),
    ]
}

fn create(server: Arc<Server>, _: usize, body: Bytes) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { drop(answer(server.post("v1/signings", body)).await) })
}

fn by_card(
    server: Arc<Server>,
    caller: usize,
    body: Bytes,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { sign_with_card(&server, CARDS[caller % CARDS.len()], body).await })
}

fn by_app(
    server: Arc<Server>,
    caller: usize,
    body: Bytes,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { sign_with_app(&server, APPS[caller % APPS.len()], body).await })
}

async fn entity(server: &Server, query: &str) {
    let path = format!("{ENTITY}{query}");
    let response = server.request_by("/diligence/live", Method::GET, &path);
    let response = response.send().await.expect("an answer");
    assert!(response.status().is_success(), "{}", response.status());
    response.bytes().await.expect("the body");
}

/// Waits until the server has no work of its own left: a new one compiles
/// plugins.
fn settle(server: &Server) {
    const WATCHED: Duration = Duration::from_secs(1);
    const IDLE: Duration = Duration::from_millis(50);

    loop {
        let before = server.processor();
        std::thread::sleep(WATCHED);
        if server.processor() - before <= IDLE {
            return;
        }
    }
}

/// Runs the work once for each caller, then repeatedly for this time.
async fn measure(server: &Arc<Server>, row: &Row, within: Duration) {
    let work = row.work;
    let once = {
        let (server, body) = (server.clone(), row.body.clone());
        move |caller| work(server.clone(), caller, body.clone())
    };
    Times::of(CALLERS, WARM_UP, once.clone()).await;
    settle(server);
    let recording = Recording::begin(server, row.name);
    let before = Spent::by(server).await;
    let times = Times::of(CALLERS, within, once).await;
    let spent = Spent::by(server).await;
    if let Some(recording) = recording {
        recording.end();
    }
    println!(
        "| {} | {} | {:.0} | {:.2} | {:.2} |",
        row.name,
        spent.cells(&before, times.count()),
        times.rate(),
        times.percentile(50),
        times.percentile(99),
    );
}

/// Returns the body of a signing with one signer, of a container with one small
/// document.
fn composition() -> Value {
    let file = PdfBuilder::new().build_of_size(SMALL);
    json!({
        "title": "Paslaugų sutartis",
        "container": {
            "format": "asice",
            "files": [{"name": "sutartis.pdf", "content": BASE64.encode(file)}],
        },
        "signers": [{"email": "ona@example.lt"}],
    })
}
