//! Many signings for one person; each rings the phone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::PdfBuilder;
use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;
use serde_json::json;
use tokio::task::JoinSet;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};

/// One person, and any number of signings.
pub(crate) const PROMPTS: Attack = Attack {
    name: "prompts",
    needs_files: false,
    run: || Box::pin(run()),
};

/// A person of the demo world who never answers.
const SILENT: &str = "30403039983";
const SIGNINGS: usize = 30;

async fn run() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let body = json!({
        "title": "Sutartis",
        "document": {
            "name": "sutartis.pdf",
            "content": BASE64.encode(PdfBuilder::new().build()),
        },
        "signers": [{"email": "ona@example.lt"}],
    });
    let mut links = Vec::with_capacity(SIGNINGS);
    for _ in 0..SIGNINGS {
        let created = answer(server.post("v1/signings", body.to_string().into())).await;
        let link = created["signers"][0]["ceremonyUrl"].as_str();
        links.push(link.expect("a link").to_owned());
    }
    let mut starts = JoinSet::new();
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.expect("a client");
    for link in links {
        let start = json!({"method": "smart_id", "personalCode": SILENT});
        let sent = http.post(format!("{link}/attempts")).json(&start).send();
        starts.spawn(async move { sent.await.expect("the server answers") });
    }
    let (mut begun, mut told_when) = (0, 0);
    for started in starts.join_all().await {
        if started.status().is_success() {
            begun += 1;
        } else if started.status() == StatusCode::TOO_MANY_REQUESTS
            && started.headers().contains_key(RETRY_AFTER)
        {
            told_when += 1;
        }
    }
    vec![
        Finding {
            what: "prompts that thirty signings sent one person at once",
            before: "30",
            now: begun.to_string(),
            holds: begun == 4,
        },
        Finding {
            what: "attempts beyond that which were told when to come again",
            before: "0",
            now: told_when.to_string(),
            holds: begun + told_when == SIGNINGS,
        },
    ]
}
