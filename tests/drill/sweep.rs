//! A store that has lost rows: the daily sweep meets documents and data keys
//! that no row names.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use uuid::{Timestamp, Uuid};

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer, program};

/// Many files and keys that no row names, as after a loss of rows.
pub(crate) const SWEEP_MANY: Attack = Attack {
    name: "sweep-many",
    run: || Box::pin(many()),
};

/// A few of them, as after a crash.
pub(crate) const SWEEP_FEW: Attack = Attack {
    name: "sweep-few",
    run: || Box::pin(few()),
};

/// As many documents, each with its key, as a damaged store loses the rows of.
const MANY: usize = 40;
/// As many as a crash leaves.
const FEW: usize = 3;
/// What it takes for a file to have rested, and more.
const RESTED: Duration = Duration::from_secs(2 * 60 * 60);
/// How long a sweep is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Documents and keys that are nobody's.
struct Planted {
    data: PathBuf,
    ids: Vec<Uuid>,
}

/// Many at once.
async fn many() -> Vec<Finding> {
    let mut server = Server::start(Disk::Real, &[]);
    create_one(&server).await;
    let planted = server.pause(|data| async move { plant(data, MANY) }).await;

    let readiness = sweep_two_days_later(&server, 1).await;

    let kept = planted.places().filter(|place| place.exists()).count();
    let warns = readiness.lines().nth(1).unwrap_or("no warning").to_owned();
    vec![
        Finding {
            what: "of 40 documents and 40 keys without a row, those that a sweep left where they are",
            before: "0: all were unlinked after a day",
            now: kept.to_string(),
            holds: kept == 2 * MANY,
        },
        Finding {
            what: "what `/readyz` says of them",
            before: "ok",
            holds: readiness.starts_with("ok\n") && warns.contains("40 documents and 40 data keys"),
            now: warns,
        },
    ]
}

/// A few, a day and another day later.
async fn few() -> Vec<Finding> {
    let mut server = Server::start(Disk::Real, &[]);
    create_one(&server).await;
    let named = server
        .pause(|data| async move { files_of(&data).len() })
        .await;
    let planted = server.pause(|data| async move { plant(data, FEW) }).await;

    let readiness = sweep_two_days_later(&server, 1).await;
    let waiting = planted.in_quarantine();
    let removed_at_once = planted.places().filter(|place| !place.exists()).count() - waiting;
    sweep_two_days_later(&server, 2).await;
    let left = planted.places().filter(|place| place.exists()).count() + planted.in_quarantine();

    vec![
        Finding {
            what: "of 3 documents and 3 keys that a crash left, those that the first sweep put into quarantine",
            before: "0: all were unlinked after a day",
            now: waiting.to_string(),
            holds: waiting == 2 * FEW && removed_at_once == 0 && readiness == "ok\n",
        },
        Finding {
            what: "of these, still there after the next sweep",
            before: "0",
            now: left.to_string(),
            holds: left == 0,
        },
        Finding {
            what: "documents and keys that rows name, before and after",
            before: "the same",
            now: format!("{named}, {}", files_of(&planted.data).len()),
            holds: files_of(&planted.data).len() == named,
        },
    ]
}

async fn create_one(server: &Server) {
    let content = BASE64.encode(parafa_fixtures::plain(1));
    let body = json!({
        "title": "Sutartis",
        "document": {"name": "sutartis.pdf", "content": content},
        "signers": [{"email": "ona@example.lt"}],
    });
    let body = serde_json::to_vec(&body).expect("JSON");
    answer(server.post("v1/signings", body.into())).await;
}

/// Puts documents and keys into the folders that look as if they had lain there.
fn plant(data: PathBuf, number: usize) -> Planted {
    let ids: Vec<Uuid> = (0..number)
        .map(|_| Uuid::new_v7(Timestamp::now(uuid::NoContext)))
        .collect();
    let planted = Planted { data, ids };
    for place in planted.places() {
        fs::write(&place, "sealed").expect("written");
        let file = File::options().write(true).open(place);
        let rested = SystemTime::now() - RESTED;
        file.and_then(|file| file.set_modified(rested))
            .expect("another time");
    }
    planted
}

impl Planted {
    fn places(&self) -> impl Iterator<Item = PathBuf> {
        self.ids.iter().flat_map(|id| {
            [
                self.data.join("bytes").join(id.to_string()),
                self.data.join("keys").join(format!("{id}.key")),
            ]
        })
    }

    fn in_quarantine(&self) -> usize {
        let waiting = self.places().map(|place| {
            let name = place.file_name().expect("a name").to_owned();
            place.with_file_name("quarantine").join(name)
        });
        waiting.filter(|place| place.exists()).count()
    }
}

/// All documents and keys that are where they belong.
fn files_of(data: &Path) -> Vec<PathBuf> {
    let entries = ["bytes", "keys"].map(|name| fs::read_dir(data.join(name)).expect("a folder"));
    let paths = entries.into_iter().flatten();
    let paths = paths.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.is_file() && !path.ends_with("data-keys"))
        .collect()
}

/// Moves the clock, waits until the server has swept so often since its start,
/// and gives what it says of its readiness then.
async fn sweep_two_days_later(server: &Server, sweeps: usize) -> String {
    let moved = program()
        .args(["demo", "clock", "+2d", "--data"])
        .arg(server.data())
        .output()
        .expect("parafa starts");
    assert!(moved.status.success(), "{moved:?}");
    let done = format!("parafa_jobs_total{{kind=\"sweep\",outcome=\"done\"}} {sweeps}");
    let began = Instant::now();
    while !told(server, "metrics").await.contains(&done) {
        assert!(began.elapsed() < PATIENCE, "no sweep came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    told(server, "readyz").await
}

/// What the operator's listener answers, which is elsewhere after each start.
async fn told(server: &Server, path: &str) -> String {
    let file = fs::read(server.data().join("demo.json")).expect("demo.json");
    let demo: Value = serde_json::from_slice(&file).expect("JSON");
    let address = demo["operatorUrl"].as_str().expect("an address");
    let answer = reqwest::get(format!("{address}/{path}")).await;
    answer.expect("an answer").text().await.expect("text")
}
