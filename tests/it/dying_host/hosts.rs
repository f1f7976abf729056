use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, StatusCode};
use serde_json::Value;
use url::Url;

use crate::support::demo::Demo;

/// For how long a host lives, and for how long it is dead.
const LIFE: Duration = Duration::from_secs(4);
const DEATH: Duration = Duration::from_secs(1);
/// How often the hosts' keeper looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);
/// How long one call may take, long polls included.
const CALL: Duration = Duration::from_secs(20);
/// For how long a caller repeats a call before they complain: several hosts may die of it, and each
/// time it is a minute until another takes it over.
const PATIENCE: Duration = Duration::from_secs(400);
/// Before a call is repeated.
const PAUSE: Duration = Duration::from_millis(400);

/// Two hosts, one of which is killed and started again after the other.
pub(super) struct LifeAndDeath {
    keeper: JoinHandle<[Demo; 2]>,
    ends: Arc<AtomicBool>,
    deaths: Arc<AtomicUsize>,
    addresses: [Url; 2],
}

impl LifeAndDeath {
    pub(super) fn begin(mut hosts: [Demo; 2]) -> Self {
        let addresses = [0, 1].map(|host: usize| hosts[host].world.base_url.clone());
        let (ends, deaths) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (end, died) = (ends.clone(), deaths.clone());
        let keeper = thread::spawn(move || {
            let mut next = 0;
            while lasts(LIFE, &end) {
                hosts[next].kill();
                died.fetch_add(1, Ordering::Relaxed);
                lasts(DEATH, &end);
                hosts[next].start_again();
                next = 1 - next;
            }
            hosts
        });
        Self {
            keeper,
            ends,
            deaths,
            addresses,
        }
    }

    /// Both hosts, for whoever calls either of them.
    pub(super) fn hosts(&self) -> Hosts {
        Hosts {
            http: Client::builder()
                .no_proxy()
                .pool_max_idle_per_host(0)
                .timeout(CALL)
                .build()
                .expect("an HTTP client"),
            addresses: self.addresses.clone(),
            credentials: Credentials::None,
            next: Arc::default(),
        }
    }

    /// Ends it with both hosts alive; tells how often one has died.
    pub(super) fn end(self) -> usize {
        self.ends.store(true, Ordering::Relaxed);
        drop(self.keeper.join().expect("the hosts' keeper"));
        self.deaths.load(Ordering::Relaxed)
    }
}

/// Waits, unless it is to end; tells whether it goes on.
fn lasts(time: Duration, ends: &AtomicBool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if ends.load(Ordering::Relaxed) {
            return false;
        }
        thread::sleep(LOOK);
    }
    !ends.load(Ordering::Relaxed)
}

/// Hosts behind a balancer that knows nothing of them.
#[derive(Clone)]
pub(super) struct Hosts {
    http: Client,
    addresses: [Url; 2],
    credentials: Credentials,
    next: Arc<AtomicUsize>,
}

#[derive(Clone)]
enum Credentials {
    None,
    Key(String),
    Password(String, String),
}

/// How a call was answered in the end.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    /// The id of the request that was answered so.
    pub(super) request: String,
    /// The ids of those before it that were not answered at all.
    pub(super) unanswered: Vec<String>,
}

impl Hosts {
    /// The same for whoever has this key or token.
    pub(super) fn with_key(&self, key: &str) -> Self {
        self.with(Credentials::Key(key.to_owned()))
    }

    /// The same for whoever has this name and password.
    pub(super) fn with_password(&self, name: &str, password: &str) -> Self {
        self.with(Credentials::Password(name.to_owned(), password.to_owned()))
    }

    fn with(&self, credentials: Credentials) -> Self {
        Self {
            credentials,
            ..self.clone()
        }
    }

    /// Any of them.
    pub(super) fn any(&self) -> &Url {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        &self.addresses[next % self.addresses.len()]
    }

    /// A call that is repeated at either host until it is answered with a success or one of
    /// `known`.
    pub(super) async fn insist(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        known: &[StatusCode],
    ) -> Answer {
        let begun = Instant::now();
        // The same for all repetitions: the first may have been carried out.
        let key = uuid::Uuid::new_v4().to_string();
        let mut unanswered = Vec::new();
        let mut last = String::new();
        for number in 0.. {
            if begun.elapsed() > PATIENCE {
                break;
            }
            let id = format!("{key}/{number}");
            let address = self.any().join(path).expect("a path");
            let request = self.http.request(method.clone(), address);
            let request = match &self.credentials {
                Credentials::None => request,
                Credentials::Key(key) => request.bearer_auth(key),
                Credentials::Password(name, password) => request.basic_auth(name, Some(password)),
            };
            let request = request
                .header("Idempotency-Key", &key)
                .header("X-Request-Id", &id);
            let request = match body {
                Some(body) => request.json(body),
                None => request,
            };
            match answered(request).await {
                Ok((status, body)) if status.is_success() || known.contains(&status) => {
                    return Answer {
                        status,
                        body,
                        request: id,
                        unanswered,
                    };
                }
                Ok((status, body)) => {
                    last = format!("{status} {}", String::from_utf8_lossy(&body));
                    let passes = [
                        StatusCode::SERVICE_UNAVAILABLE,
                        StatusCode::CONFLICT,
                        StatusCode::TOO_MANY_REQUESTS,
                    ];
                    assert!(passes.contains(&status), "{method} {path}: {last}");
                }
                Err(error) => {
                    last = error.to_string();
                    unanswered.push(id);
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{method} {path}: {last}");
    }

    /// The same, for an answer in JSON.
    pub(super) async fn insist_on_json(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Value {
        let answer = self.insist(method, path, body, &[]).await;
        serde_json::from_slice(&answer.body).expect("JSON")
    }
}

async fn answered(request: reqwest::RequestBuilder) -> reqwest::Result<(StatusCode, Vec<u8>)> {
    let answer = request.send().await?;
    let status = answer.status();
    Ok((status, answer.bytes().await?.to_vec()))
}
