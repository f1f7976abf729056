//! Many callers who post long documents at the same time.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::{LARGE, PdfBuilder};
use reqwest::StatusCode;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};

/// Callers at the same time.
const CALLERS: usize = 200;
/// Number of waves of all callers.
const WAVES: usize = 5;
/// Time for the memory to return to normal.
const REST: Duration = Duration::from_secs(3);
/// Most memory of bodies and documents together, in MiB: 256 of bodies, and three quarters of that
/// for the documents in them.
const DOCUMENTS_MIB: f64 = 448.0;
/// Most memory of the plugin in three quarters of 16 calls, each a little more than its document.
const PLUGIN_MIB: f64 = 12.0 * 17.0;
/// Read buffers of 200 connections, and all else.
const OTHER_MIB: f64 = 48.0;
/// Memory of four bodies that are decoded at the same time, each counted twice.
const LINE_BREAKS_MIB: f64 = 4.0 * 2.0 * 24.0;
const SIGNING: &str = "v1/signings";

/// Waves of uploads; most are refused for now.
pub(crate) const UPLOADS: Attack = Attack {
    name: "uploads",
    needs_files: false,
    run: || Box::pin(uploads()),
};

async fn uploads() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let plain = BASE64.encode(PdfBuilder::new().build_of_size(LARGE));
    let lines: Vec<_> = plain.as_bytes().chunks(76).collect();
    let in_lines = String::from_utf8(lines.join(&b"\r\n"[..])).expect("base64 is ASCII");
    let [plain, in_lines] = [plain, in_lines].map(|document| body(&document));
    // The first upload has costs of its own that the attack does not cause.
    answer(server.post(SIGNING, plain.clone())).await;

    let plain = attack(&server, &plain).await;
    let in_lines = attack(&server, &in_lines).await;
    [
        plain.findings(
            "memory for 200 uploads of 15 MiB at once, five times",
            "1.24 GB",
            0.0,
        ),
        in_lines.findings("the same in base64 with line breaks", "-", LINE_BREAKS_MIB),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The cost and the yield of an attack.
struct Cost {
    /// Memory above that before it, in MiB: the peak, and the rest afterwards.
    more: f64,
    left: f64,
    taken: usize,
}

impl Cost {
    /// Judges the costs. These uploads may use `beside` MiB in addition to the common limit.
    fn findings(&self, what: &'static str, before: &'static str, beside: f64) -> [Finding; 3] {
        [
            Finding {
                what,
                before,
                now: format!("{:.0} MiB", self.more),
                holds: self.more <= DOCUMENTS_MIB + PLUGIN_MIB + OTHER_MIB + beside,
            },
            Finding {
                what: "of it kept afterwards",
                before: "-",
                now: format!("{:.0} MiB", self.left),
                // The allocator keeps the memory for later use; only growth beyond the peak counts.
                holds: self.left <= self.more,
            },
            Finding {
                what: "of the uploads, those that were taken",
                before: "-",
                now: format!("{} of {}", self.taken, CALLERS * WAVES),
                holds: self.taken > 0,
            },
        ]
    }
}

async fn attack(server: &Server, body: &Bytes) -> Cost {
    server.forget_peak();
    let before = mebibytes(server.resident());
    let mut taken = 0;
    for _ in 0..WAVES {
        let mut posting = JoinSet::new();
        for _ in 0..CALLERS {
            let request = server.post(SIGNING, body.clone());
            posting.spawn(async move { request.send().await.ok().map(|told| told.status()) });
        }
        // A refusal that comes before the body is sent may break the connection.
        let told = posting.join_all().await;
        let created = told.iter().flatten();
        taken += created
            .filter(|status| **status == StatusCode::CREATED)
            .count();
    }
    let peak = mebibytes(server.peak());
    sleep(REST).await;
    Cost {
        more: peak - before,
        left: mebibytes(server.resident()) - before,
        taken,
    }
}

fn body(document: &str) -> Bytes {
    let body = json!({
        "title": "Paslaugų sutartis",
        "delivery": "link",
        "document": {"name": "sutartis.pdf", "content": document},
        "signers": [{"email": "ona@example.lt"}],
    });
    body.to_string().into()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a byte more or less does not show"
)]
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
