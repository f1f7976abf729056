//! Outages of a database or an object store: requests that need it are refused
//! with 503 and a retry time. The server recovers by itself.

use std::thread;
use std::time::{Duration, Instant};

use parafa_test_services::{Behaviour, Postgres, Proxy, S3, Traffic};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::support::demo::{Demo, on_database};

/// Time limit for the recovery.
const BACK: Duration = Duration::from_secs(30);
/// Pause before a request is repeated.
const PAUSE: Duration = Duration::from_millis(200);
/// Time limit for monitoring during an outage.
const SCRAPE: Duration = Duration::from_secs(5);
/// Time for which a starting server waits for an unavailable service.
const START: Duration = Duration::from_secs(60);

/// A host whose database and object store the test can take away.
struct Outage {
    host: Demo,
    database: Proxy,
    /// Name of the database.
    name: String,
    objects: S3,
    http: Client,
}

impl Outage {
    fn prepare() -> Self {
        let postgres = Postgres::shared();
        let database = Proxy::before(postgres.port());
        let name = postgres.database().url;
        let name = name.rsplit('/').next().expect("a name").to_owned();
        let objects = S3::start();
        let url = database.url(&name);
        let bucket = objects.url();
        let variables = objects.variables();
        let mut settings = on_database(&url).to_vec();
        settings.push(("PARAFA_OBJECTS__URL", bucket));
        settings.extend(
            variables
                .iter()
                .map(|(name, value)| (&**name, value.clone())),
        );
        Self {
            host: Demo::start_with(&settings),
            database,
            name,
            objects,
            http: Client::builder()
                .no_proxy()
                .timeout(Duration::from_secs(60))
                .build()
                .expect("a client"),
        }
    }

    async fn ask(&self, method: Method, path: &str, key: &Key<'_>) -> Answer {
        let base = &self.host.world.base_url;
        let mut request = self.http.request(method, base.join(path).expect("a path"));
        request = match key {
            Key::None => request,
            Key::Bearer(key) => request.bearer_auth(key),
            Key::Basic(id, secret) => request.basic_auth(id, Some(secret)),
        };
        let answer = request.send().await.expect("an answer");
        Answer {
            status: answer.status(),
            headers: answer.headers().clone(),
            body: answer.bytes().await.expect("a body").to_vec(),
        }
    }

    /// Returns the answer about readiness.
    async fn readiness(&self) -> (StatusCode, String) {
        let address = self.host.world.operator_url.join("readyz").expect("a path");
        let answer = self.http.get(address).send().await.expect("an answer");
        (answer.status(), answer.text().await.expect("text"))
    }

    /// Asserts that the log has one message for the begin, with a remedy, and
    /// one for the end of an outage.
    #[track_caller]
    fn is_logged_once(&self, (began, remedy): (&str, &str), ended: &str) {
        let log = self.host.log();
        let lines = |told: &str| log.lines().filter(|line| line.contains(told)).count();
        assert_eq!((lines(began), lines(ended)), (1, 1), "{log}");
        let mut begins = log.lines().filter(|line| line.contains(began));
        assert!(begins.all(|line| line.contains(remedy)), "{log}");
        assert_eq!(lines("\"level\":\"ERROR\""), 0, "{log}");
    }

    /// Waits until the host is ready again; asserts the time limit.
    async fn is_back(&self) {
        let begun = Instant::now();
        loop {
            let (status, told) = self.readiness().await;
            if status == StatusCode::OK {
                return;
            }
            assert!(begun.elapsed() < BACK, "{told}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

enum Key<'k> {
    None,
    Bearer(&'k str),
    Basic(&'k str, &'k str),
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    /// Asserts that a refusal is the one for an outage.
    #[track_caller]
    fn assert_away(&self) -> Value {
        let told = String::from_utf8_lossy(&self.body).into_owned();
        assert_eq!(self.status, StatusCode::SERVICE_UNAVAILABLE, "{told}");
        let seconds = self
            .headers
            .get("retry-after")
            .expect("a time to come back");
        let seconds: u64 = seconds.to_str().expect("ASCII").parse().expect("seconds");
        assert!((1..=300).contains(&seconds), "{seconds}");
        serde_json::from_str(&told).expect("a refusal in JSON")
    }
}

#[tokio::test]
async fn every_api_says_that_the_database_is_away_and_goes_on_when_it_is_back() {
    let outage = Outage::prepare();
    let world = &outage.host.world;
    let signing = outage.host.signing().create_plain().await;
    let link = signing.signers[0].link().path().trim_matches('/');
    let signing_key = Key::Bearer(&world.signing.live);
    let diligence_key = Key::Bearer(&world.diligence.live);
    let auth_key = Key::Basic(&world.auth.key_id, &world.auth.key_secret);
    let signings = format!("v1/signings/{}", signing.signing_id);
    let state = format!("{link}/state");
    let calls = [
        (&*signings, &signing_key),
        (&*state, &Key::None),
        ("v1/entities/999000009", &diligence_key),
        (
            "v1/auth/requests/01a22638-c280-7000-9a5d-cd4cab2be3f0",
            &auth_key,
        ),
    ];

    outage.database.set(Traffic::Refused);
    outage.database.cut();

    for (path, key) in calls {
        let refused = outage.ask(Method::GET, path, key).await.assert_away();
        let kind = match refused["type"].as_str() {
            Some(kind) => kind.rsplit('/').next().unwrap_or_default().to_owned(),
            None => refused["error"]["code"]
                .as_str()
                .expect("a code")
                .to_owned(),
        };
        let known = ["unavailable", "upstream_unavailable"];
        assert!(known.contains(&&*kind), "{path}: {refused}");
    }
    let (status, told) = outage.readiness().await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(told.starts_with("database: "), "{told}");
    let begun = Instant::now();
    let metrics = outage.host.metrics().await;
    assert!(begun.elapsed() < SCRAPE, "{:?}", begun.elapsed());
    let is_up = |name| metrics.sum("parafa_dependency_up", &[("dependency", name)]) > 0.5;
    assert!(is_up("plugins") && !is_up("database"));

    outage.database.set(Traffic::Passed);
    outage.is_back().await;
    outage.is_logged_once(
        (
            "the database cannot be reached",
            "check that the database runs",
        ),
        "the database can be reached again",
    );
    let answer = outage.ask(Method::GET, &signings, &signing_key).await;
    assert_eq!(answer.status, StatusCode::OK);
    outage.host.sign(&signing, 0).await;
}

#[tokio::test]
async fn a_host_whose_database_takes_no_writes_is_not_ready_until_one_succeeds() {
    let outage = Outage::prepare();
    let signers = json!([{"email": "ona@example.lt"}]);
    let document = parafa_fixtures::plain(1);
    let api = outage.host.signing();
    Postgres::shared().set_full(&outage.name, true);

    let refused = api.try_create("b.pdf", &document, signers.clone()).await;
    let refused = refused.expect_err("there is no room for it");
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    let (status, told) = outage.readiness().await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(told.starts_with("database: "), "{told}");
    assert!(told.contains("No space left on device"), "{told}");

    Postgres::shared().set_full(&outage.name, false);
    api.create(&document, signers).await;
    outage.is_back().await;
}

#[tokio::test]
async fn a_host_tells_how_much_is_free_only_of_a_disk_that_it_keeps_data_on() {
    let outage = Outage::prepare();
    let embedded = Demo::start();

    assert!(!outage.host.metrics().await.has("parafa_free_bytes"));
    assert!(embedded.metrics().await.sum("parafa_free_bytes", &[]) > 0.0);
}

#[tokio::test]
async fn a_document_waits_for_an_object_store_that_is_away() {
    let outage = Outage::prepare();
    let signers = json!([{"email": "ona@example.lt"}]);
    let document = parafa_fixtures::plain(1);
    let api = outage.host.signing();
    let signing = api.create(&document, signers.clone()).await;

    outage.objects.behave(Behaviour::Away);

    let refused = api.try_create("b.pdf", &document, signers.clone()).await;
    let refused = refused.expect_err("there is no place for it");
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.problem.name(), "unavailable");
    let (status, told) = outage.readiness().await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(told.starts_with("objects: "), "{told}");

    outage.objects.behave(Behaviour::Well);
    outage.is_back().await;
    outage.is_logged_once(
        (
            "the object store is unavailable",
            "check that the object store runs",
        ),
        "the object store answers again",
    );
    outage.host.sign(&signing, 0).await;
    api.create(&document, signers).await;
}

#[tokio::test]
async fn a_host_that_is_started_waits_for_an_object_store_that_is_away() {
    let mut outage = Outage::prepare();
    let (host, objects) = (&mut outage.host, &outage.objects);
    host.stop();
    objects.behave(Behaviour::Away);
    let begun = Instant::now();
    let log = host.data().with_file_name("log");
    let is_waiting = || {
        let told = std::fs::read_to_string(&log).expect("a log");
        told.contains("shared storage is unavailable; waiting for it")
    };

    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_waiting() && begun.elapsed() < START {
                thread::sleep(PAUSE);
            }
            objects.behave(Behaviour::Well);
        });
        host.start_again();
    });

    assert!(is_waiting());
    host.signing().create_plain().await;
}
