//! A disk that one workspace fills up for all.

use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::PdfBuilder;
use reqwest::Response;
use reqwest::header::RETRY_AFTER;
use serde_json::{Value, json};

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};

/// A small request that names one stored file twenty times.
pub(crate) const BATCH: Attack = Attack {
    name: "quotas-batch",
    needs_files: false,
    run: || Box::pin(batch()),
};
/// The most bytes that a key can send in a minute.
pub(crate) const PACE: Attack = Attack {
    name: "quotas-pace",
    needs_files: false,
    run: || Box::pin(pace()),
};
/// Documents until the disk is full.
pub(crate) const DISK: Attack = Attack {
    name: "quotas-disk",
    needs_files: true,
    run: || Box::pin(disk()),
};

/// The largest document.
const FILE_BYTES: usize = 15 * 1024 * 1024;
/// A person of the demo world who signs.
const SIGNS: &str = "50001029996";
/// Most requests for an attempt's state; each is a long poll of this time.
const LOOKS: usize = 30;
const LOOK_MS: u32 = 1000;
const MEGABYTE: u64 = 1_000_000;

async fn batch() -> Vec<Finding> {
    let server = Server::start(storage(), &[("PARAFA_LIMITS__STORED_MEGABYTES", "100")]);
    let token = answer(store_file(&server)).await["fileToken"].clone();
    let before = stored_bytes(&server);
    let document = json!({"name": "sutartis.pdf", "fileToken": token});
    let body = json!({
        "title": "Sutartys",
        "documents": vec![document; 20],
        "signers": [{"email": "ona@example.lt"}],
    });
    let sent = body.to_string();
    let kilobytes = sent.len() / 1000;
    let refused = send(server.post("v1/batches", sent.into())).await;
    let status = refused.status().as_u16();
    let problem: Value = refused.json().await.unwrap_or_default();
    let is_quota = problem["type"]
        .as_str()
        .is_some_and(|name| name.ends_with("/quota-exceeded"));
    let written = stored_bytes(&server) - before;
    vec![Finding {
        what: "megabytes that a batch of 2 kB wrote, which names one file twenty times",
        before: "300",
        now: format!("{} ({status}, {kilobytes} kB sent)", written / MEGABYTE),
        holds: written == 0 && status == 429 && is_quota,
    }]
}

async fn pace() -> Vec<Finding> {
    let server = Server::start(
        storage(),
        &[("PARAFA_LIMITS__STORED_MEGABYTES_PER_MINUTE", "40")],
    );
    let mut stored = 0;
    let mut refused = None;
    for _ in 0..6 {
        let answered = send(store_file(&server)).await;
        if answered.status().is_success() {
            stored += FILE_BYTES as u64;
        } else {
            refused.get_or_insert((answered.status().as_u16(), retries_after(&answered)));
        }
    }
    vec![Finding {
        what: "megabytes of six files of 15 that were stored at once where 40 a minute may be",
        before: "94",
        now: format!("{}, then {}", stored / MEGABYTE, told(refused)),
        // Budget that returns meanwhile may allow one more.
        holds: stored <= 60 * MEGABYTE && matches!(refused, Some((429, true))),
    }]
}

/// Formats a status, and whether the answer had Retry-After.
fn told(refused: Option<(u16, bool)>) -> String {
    match refused {
        Some((status, true)) => format!("{status} with Retry-After"),
        Some((status, false)) => status.to_string(),
        None => "no refusal".to_owned(),
    }
}

async fn disk() -> Vec<Finding> {
    // Room for only a few files above the reserve.
    let folder = storage().folder();
    let free = free_bytes(folder.path());
    let reserve = (free / MEGABYTE).saturating_sub(100).to_string();
    let server = Server::start(
        storage(),
        &[("PARAFA_LIMITS__FREE_MEGABYTES", reserve.leak())],
    );
    let created = json!({
        "title": "Sutartis",
        "document": {
            "name": "sutartis.pdf",
            "content": BASE64.encode(PdfBuilder::new().build()),
        },
        "signers": [{"email": "ona@example.lt"}],
    });
    let created = created.to_string();
    let signing = answer(server.post("v1/signings", created.clone().into())).await;
    let mut refused = None;
    for _ in 0..30 {
        let answered = send(store_file(&server)).await;
        if !answered.status().is_success() {
            refused = Some((answered.status().as_u16(), retries_after(&answered)));
            break;
        }
    }
    let small = send(server.post("v1/signings", created.into())).await;
    let is_signed = sign(&signing).await;
    vec![
        Finding {
            what: "what a document was answered when the disk was nearly full",
            before: "201, until nothing could be written",
            now: format!("{}, a small one {}", told(refused), small.status().as_u16()),
            holds: refused == Some((503, true)),
        },
        Finding {
            what: "whether what was there could be signed then",
            before: "no: the disk was full",
            now: if is_signed { "yes" } else { "no" }.to_owned(),
            holds: is_signed,
        },
    ]
}

/// Signs in the demo world; returns true if the signing is completed.
async fn sign(signing: &Value) -> bool {
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.expect("a client");
    let link = signing["signers"][0]["ceremonyUrl"].as_str();
    let link = link.expect("a link");
    let start = json!({"method": "smart_id", "personalCode": SIGNS});
    let started = http.post(format!("{link}/attempts")).json(&start).send();
    if !started
        .await
        .expect("the server answers")
        .status()
        .is_success()
    {
        return false;
    }
    for _ in 0..LOOKS {
        let state = http.get(format!("{link}/state?waitMs={LOOK_MS}")).send();
        let state = state.await.expect("the server answers");
        let state: Value = state.json().await.unwrap_or_default();
        match state["attempt"]["phase"].as_str() {
            Some("done") => return true,
            Some("failed") => return false,
            _ => {}
        }
    }
    false
}

/// Returns the disk where files cost the least.
fn storage() -> Disk {
    if Disk::Memory.is_there() {
        Disk::Memory
    } else {
        Disk::Real
    }
}

fn store_file(server: &Server) -> reqwest::RequestBuilder {
    let content = PdfBuilder::new().build_of_size(FILE_BYTES);
    let body = json!({"name": "sutartis.pdf", "content": BASE64.encode(content)});
    server.post("v1/files", body.to_string().into())
}

async fn send(request: reqwest::RequestBuilder) -> Response {
    request.send().await.expect("the server answers")
}

fn retries_after(response: &Response) -> bool {
    response.headers().contains_key(RETRY_AFTER)
}

/// Returns the number of bytes in stored documents.
fn stored_bytes(server: &Server) -> u64 {
    if let Some(database) = &server.database {
        let told = database.psql("SELECT coalesce(sum(length(content)), 0) FROM parafa_blobs");
        return told.trim().parse().expect("a number");
    }
    let files = std::fs::read_dir(server.data().join("bytes")).expect("the byte files");
    let lengths = files.map(|file| {
        file.and_then(|file| file.metadata())
            .map_or(0, |file| file.len())
    });
    lengths.sum()
}

/// Returns the free bytes for all users by `df`.
fn free_bytes(folder: &Path) -> u64 {
    let told = Command::new("df")
        .args(["--output=avail", "-B1"])
        .arg(folder)
        .output();
    let told = told.expect("df runs");
    let told = String::from_utf8_lossy(&told.stdout);
    let last = told.lines().last().map(str::trim);
    last.and_then(|bytes| bytes.parse().ok()).expect("a number")
}
