//! Clients that request a long document and read nothing of it.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::{LARGE, PdfBuilder};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{RequestBuilder, Url};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};

/// Time that the clients stay silent. By then, those that wait for a place are refused; connected
/// ones are not closed yet.
const HOLD: Duration = Duration::from_secs(8);
/// Time for the memory to return to normal.
const REST: Duration = Duration::from_secs(3);
/// Most memory for all of them.
const MOST_MIB: f64 = 128.0;
/// Longest wait of another caller, in seconds.
const LONGEST_WAIT: f64 = 3.0;
/// Most times as long as usual that another download may take.
const SLOWER: f64 = 4.0;
const SIGNING: &str = "v1/signings";

/// Many connections over one link, more over one link, and many with one key.
pub(crate) const UNREAD: Attack = Attack {
    name: "downloads",
    needs_files: false,
    run: || Box::pin(unread()),
};

async fn unread() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let document = BASE64.encode(PdfBuilder::new().build_of_size(LARGE));
    let signing = created(&server, &document, "/signing/live").await;
    let [link, other] = [0, 1].map(|signer| document_behind(&signing["signers"][signer]));
    let simulated = created(&server, &document, "/signing/test").await;
    let simulated = format!("{SIGNING}/{}", text(&simulated["signingId"]));
    let complete = json!({"action": "complete"}).to_string();
    let complete = server.post(&format!("{simulated}/simulate"), complete.into());
    answer(with(complete, server.demo("/signing/test"))).await;
    let with_key = server.get(&format!("{simulated}/document"));
    let with_key = with_key.build().expect("a request").url().clone();
    let key = format!("authorization: Bearer {}\r\n", server.demo("/signing/test"));
    // The first download has costs of its own that the attack does not cause.
    read(&server, &other).await;
    let alone = read(&server, &other).await;

    let few = attack(&server, &link, "", 300, &other).await;
    let many = attack(&server, &link, "", 900, &other).await;
    let keyed = attack(&server, &with_key, &key, 300, &other).await;
    [
        few.findings(
            alone,
            [
                ("memory for 300 who do not read, one link", "4.7 GB"),
                ("of it kept once they are gone", "most"),
                ("another signer's 15 MiB meanwhile", "-"),
                ("another caller's list meanwhile", "-"),
            ],
        ),
        many.findings(
            alone,
            [
                ("memory for 900 who do not read, one link", "13 GB"),
                ("of it kept once they are gone", "most"),
                ("another signer's 15 MiB meanwhile", "-"),
                ("another caller's list meanwhile", "-"),
            ],
        ),
        keyed.findings(
            alone,
            [
                ("memory for 300 who do not read, one key", "4.7 GB"),
                ("of it kept once they are gone", "most"),
                ("another signer's 15 MiB meanwhile", "-"),
                ("another caller's list meanwhile", "-"),
            ],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The cost of an attack.
struct Cost {
    /// Memory above that before it, in MiB: the peak, and the rest afterwards.
    more: f64,
    left: f64,
    /// Duration of another download, in seconds, and of the slowest list.
    download: f64,
    list: f64,
}

impl Cost {
    /// Judges the costs. `alone` is the duration of another download without an attack, in seconds.
    fn findings(&self, alone: f64, told: [(&'static str, &'static str); 4]) -> [Finding; 4] {
        let longest = LONGEST_WAIT.max(SLOWER * alone);
        let values = [
            (format!("{:.0} MiB", self.more), self.more <= MOST_MIB),
            (format!("{:.0} MiB", self.left), self.left <= MOST_MIB / 2.0),
            (
                format!("{:.1} s, alone {alone:.1} s", self.download),
                self.download <= longest,
            ),
            (format!("{:.2} s", self.list), self.list <= LONGEST_WAIT),
        ];
        let mut values = values.into_iter();
        told.map(|(what, before)| {
            let (now, holds) = values.next().expect("as many");
            Finding {
                what,
                before,
                now,
                holds,
            }
        })
    }
}

async fn attack(server: &Server, target: &Url, header: &str, count: usize, other: &Url) -> Cost {
    server.forget_peak();
    let before = mebibytes(server.resident());
    let request = format!(
        "GET {} HTTP/1.1\r\nhost: localhost\r\n{header}\r\n",
        target.path()
    );
    let address = (
        target.host_str().expect("a host").to_owned(),
        target.port().expect("a port"),
    );
    let mut connecting = JoinSet::new();
    for _ in 0..count {
        let (address, request) = (address.clone(), request.clone());
        connecting.spawn(async move {
            let mut client = TcpStream::connect(address).await?;
            client.write_all(request.as_bytes()).await?;
            Ok::<_, std::io::Error>(client)
        });
    }
    let begun = Instant::now();
    // Some may be refused, which is no fault of the server's.
    let deaf: Vec<_> = connecting.join_all().await;
    let (mut download, mut list) = (0.0_f64, 0.0_f64);
    while begun.elapsed() < HOLD {
        let asked = Instant::now();
        answer(server.get(SIGNING)).await;
        list = list.max(asked.elapsed().as_secs_f64());
        if download == 0.0 {
            download = read(server, other).await;
        }
        sleep(Duration::from_millis(100)).await;
    }
    let peak = mebibytes(server.peak());
    drop(deaf);
    sleep(REST).await;
    Cost {
        more: peak - before,
        left: mebibytes(server.resident()) - before,
        download,
        list,
    }
}

/// Reads a document to its end; returns the duration in seconds.
async fn read(server: &Server, document: &Url) -> f64 {
    let begun = Instant::now();
    let response = server.get(document.path().trim_start_matches('/'));
    let response = response.send().await.expect("the server answers");
    let read = response.bytes().await.expect("the document");
    assert_eq!(read.len(), LARGE);
    begun.elapsed().as_secs_f64()
}

async fn created(server: &Server, document: &str, key: &str) -> Value {
    let body = json!({
        "title": "Paslaugų sutartis",
        "delivery": "link",
        "document": {"name": "sutartis.pdf", "content": document},
        "signers": [{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}],
    });
    let request = server.post(SIGNING, body.to_string().into());
    answer(with(request, server.demo(key))).await
}

/// Returns the request with this key instead of the live one.
fn with(request: RequestBuilder, key: &str) -> RequestBuilder {
    let key = format!("Bearer {key}").parse().expect("a key is ASCII");
    request.headers(HeaderMap::from_iter([(AUTHORIZATION, key)]))
}

/// Returns the URL of the document behind a signer's link.
fn document_behind(signer: &Value) -> Url {
    let address = format!("{}/document", text(&signer["ceremonyUrl"]));
    address.parse().expect("an address")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a byte more or less does not show"
)]
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
