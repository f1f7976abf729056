//! A store that has lost rows: the daily sweep finds documents and data keys without rows.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use uuid::{Timestamp, Uuid};

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer, program};

/// Many files and keys without rows, as after a loss of rows.
pub(crate) const SWEEP_MANY: Attack = Attack {
    name: "sweep-many",
    needs_files: false,
    run: || Box::pin(many()),
};

/// A few of them, as after a crash.
pub(crate) const SWEEP_FEW: Attack = Attack {
    name: "sweep-few",
    needs_files: false,
    run: || Box::pin(few()),
};

/// The kinds by which a database distinguishes documents from data keys.
const DOCUMENT: i16 = 1;
const DATA_KEY: i16 = 2;
/// Documents, each with its key, whose rows a damaged store loses.
const MANY: usize = 40;
/// Documents that a crash leaves without rows.
const FEW: usize = 3;
/// More than the age at which a file is swept.
const RESTED: Duration = Duration::from_secs(2 * 60 * 60);
/// Time limit for a sweep.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs a sweep of many at once.
async fn many() -> Vec<Finding> {
    let mut server = Server::start(Disk::Real, &[]);
    create_one(&server).await;
    server.pause(|_| async {}).await;
    let planted = Planted::at(&server, MANY);

    let readiness = sweep_two_days_later(&server, 1).await;

    let kept = planted.in_place();
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

/// Runs sweeps of a few, after one day and after another.
async fn few() -> Vec<Finding> {
    let mut server = Server::start(Disk::Real, &[]);
    create_one(&server).await;
    server.pause(|_| async {}).await;
    let named = kept(&server);
    let planted = Planted::at(&server, FEW);

    let readiness = sweep_two_days_later(&server, 1).await;
    let waiting = planted.in_quarantine();
    let left_alone = planted.in_place();
    sweep_two_days_later(&server, 2).await;
    let left = planted.in_place() + planted.in_quarantine();
    let named_still = kept(&server);

    vec![
        Finding {
            what: "of 3 documents and 3 keys that a crash left, those that the first sweep put into quarantine",
            before: "0: all were unlinked after a day",
            now: waiting.to_string(),
            holds: waiting == 2 * FEW && left_alone == 0 && readiness == "ok\n",
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
            now: format!("{named}, {named_still}"),
            holds: named == named_still,
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

/// Unreferenced documents and keys.
struct Planted<'s> {
    server: &'s Server,
    ids: Vec<Uuid>,
}

impl<'s> Planted<'s> {
    /// Puts this many of each where a server keeps them, as if they had been left there.
    fn at(server: &'s Server, number: usize) -> Self {
        let ids = (0..number).map(|_| Uuid::new_v7(Timestamp::now(uuid::NoContext)));
        let planted = Self {
            server,
            ids: ids.collect(),
        };
        if let Some(database) = &server.database {
            database.psql(&format!(
                "INSERT INTO parafa_blobs (kind, id, piece, bytes, content, since) \
                 SELECT kind, id, 0, 6, 'sealed', now() - interval '{} seconds' \
                 FROM unnest('{{{DOCUMENT}, {DATA_KEY}}}'::int[]) kind, unnest({}) id",
                RESTED.as_secs(),
                planted.names()
            ));
            return planted;
        }
        for file in planted.files() {
            fs::write(&file, "sealed").expect("written");
            let file = File::options().write(true).open(file);
            let rested = SystemTime::now() - RESTED;
            file.and_then(|file| file.set_modified(rested))
                .expect("another time");
        }
        planted
    }

    /// Counts those that are still in place.
    fn in_place(&self) -> usize {
        match self.server.database {
            Some(_) => self.rows("parafa_blobs") - self.rows("parafa_quarantine"),
            None => self.files().filter(|file| file.exists()).count(),
        }
    }

    fn in_quarantine(&self) -> usize {
        if self.server.database.is_some() {
            return self.rows("parafa_quarantine");
        }
        let waiting = self.files().map(|file| {
            let name = file.file_name().expect("a name").to_owned();
            file.with_file_name("quarantine").join(name)
        });
        waiting.filter(|file| file.exists()).count()
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let data = self.server.data();
        self.ids.iter().flat_map(move |id| {
            [
                data.join("bytes").join(id.to_string()),
                data.join("keys").join(format!("{id}.key")),
            ]
        })
    }

    fn rows(&self, table: &str) -> usize {
        let names = self.names();
        count(
            self.server,
            &format!("FROM {table} WHERE id = ANY ({names})"),
        )
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.ids.iter().map(Uuid::to_string).collect();
        format!("'{{{}}}'::uuid[]", names.join(","))
    }
}

/// Counts the documents and keys in place.
fn kept(server: &Server) -> usize {
    if server.database.is_some() {
        return count(server, "FROM parafa_blobs WHERE piece = 0");
    }
    let folders = ["bytes", "keys"].map(|name| fs::read_dir(server.data().join(name)));
    let entries = folders
        .into_iter()
        .flat_map(|folder| folder.expect("a folder"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    files
        .filter(|path| path.is_file() && !path.ends_with("data-keys"))
        .count()
}

fn count(server: &Server, rows: &str) -> usize {
    let database = server.database.as_ref().expect("a database");
    let told = database.psql(&format!("SELECT count(*) {rows}"));
    told.trim().parse().expect("a number")
}

/// Moves the clock, waits for this many sweeps since the start, and returns the server's readiness.
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

/// Returns an answer of the operator's listener, whose address changes with each start.
async fn told(server: &Server, path: &str) -> String {
    let file = fs::read(server.data().join("demo.json")).expect("demo.json");
    let demo: Value = serde_json::from_slice(&file).expect("JSON");
    let address = demo["operatorUrl"].as_str().expect("an address");
    let answer = reqwest::get(format!("{address}/{path}")).await;
    answer.expect("an answer").text().await.expect("text")
}
