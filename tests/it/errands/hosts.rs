use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, StatusCode};
use serde_json::Value;
use url::Url;

use super::times::Times;

/// Time limit of one call, long polls included.
const CALL: Duration = Duration::from_secs(20);
/// Time in which a caller repeats a call before failing. Several hosts may die from it, and each
/// time another takes a minute to take over.
const PATIENCE: Duration = Duration::from_secs(400);
/// Pause before a call is repeated.
const PAUSE: Duration = Duration::from_millis(200);
/// An impatient caller hangs up on one of this many calls.
const HUNG_UP: usize = 11;
/// Most time until it hangs up, in milliseconds.
const HANGS_UP_WITHIN: u64 = 200;

/// Hosts behind a load balancer without health checks.
#[derive(Clone)]
pub(crate) struct Hosts {
    http: Client,
    addresses: Vec<Url>,
    credentials: Credentials,
    next: Arc<AtomicUsize>,
    conditions: Conditions,
    times: Arc<Times>,
}

/// The faults that callers have to expect.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Conditions {
    /// Hosts die.
    Deaths,
    /// Disks and connections fail as well, and callers hang up.
    Faults,
}

#[derive(Clone)]
enum Credentials {
    None,
    Key(String),
    Password(String, String),
}

/// The final answer to a call.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    /// The id of the answered request.
    pub(super) request: String,
    /// The request ids of earlier attempts, which were refused or not answered at all.
    pub(super) earlier: Vec<String>,
}

impl Hosts {
    /// Returns the hosts at these addresses, for callers without a key.
    pub(crate) fn at(addresses: impl IntoIterator<Item = Url>) -> Self {
        Self {
            http: Client::builder()
                .no_proxy()
                .pool_max_idle_per_host(0)
                .timeout(CALL)
                .build()
                .expect("an HTTP client"),
            addresses: addresses.into_iter().collect(),
            credentials: Credentials::None,
            next: Arc::default(),
            conditions: Conditions::Deaths,
            times: Arc::default(),
        }
    }

    /// Returns the hosts under other conditions.
    pub(crate) fn in_conditions(&self, conditions: Conditions) -> Self {
        Self {
            conditions,
            ..self.clone()
        }
    }

    /// Returns the hosts for callers with this key or token.
    pub(super) fn with_key(&self, key: &str) -> Self {
        self.with(Credentials::Key(key.to_owned()))
    }

    /// Returns the hosts for callers with this name and password.
    pub(super) fn with_password(&self, name: &str, password: &str) -> Self {
        self.with(Credentials::Password(name.to_owned(), password.to_owned()))
    }

    fn with(&self, credentials: Credentials) -> Self {
        Self {
            credentials,
            ..self.clone()
        }
    }

    /// Returns the address of any host.
    fn any(&self) -> &Url {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        &self.addresses[next % self.addresses.len()]
    }

    /// Returns true if attempts may fail because more than a host has failed.
    pub(super) fn are_faulty(&self) -> bool {
        self.conditions == Conditions::Faults
    }

    /// Returns the durations of calls that were answered at once.
    pub(super) fn times(&self) -> &Times {
        &self.times
    }

    /// Repeats a call at any host until the answer is a success or one of `known`.
    pub(super) async fn insist(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        known: &[StatusCode],
    ) -> Answer {
        let begun = Instant::now();
        // The key is the same for all repetitions: the first may have been carried out.
        let key = uuid::Uuid::new_v4().to_string();
        let mut earlier = Vec::new();
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
            let request = match self.hangs_up() {
                Some(after) => request.timeout(after),
                None => request,
            };
            let sent = Instant::now();
            last = match answered(request).await {
                Ok((status, body)) if status.is_success() || known.contains(&status) => {
                    self.times.note(&method, path, sent.elapsed());
                    return Answer {
                        status,
                        body,
                        request: id,
                        earlier,
                    };
                }
                Ok((status, body)) => {
                    let told = format!("{status} {}", String::from_utf8_lossy(&body));
                    let passes = [
                        StatusCode::SERVICE_UNAVAILABLE,
                        StatusCode::CONFLICT,
                        StatusCode::TOO_MANY_REQUESTS,
                    ];
                    assert!(passes.contains(&status), "{method} {path}: {told}");
                    told
                }
                Err(error) => error.to_string(),
            };
            earlier.push(id);
            tokio::time::sleep(PAUSE).await;
        }
        panic!("{method} {path}: {last}");
    }

    /// Returns the time until an impatient caller hangs up on the next call, if it does.
    fn hangs_up(&self) -> Option<Duration> {
        let number = self.next.load(Ordering::Relaxed);
        let is_impatient = self.are_faulty() && number.is_multiple_of(HUNG_UP);
        let within = u64::try_from(number).unwrap_or_default() % HANGS_UP_WITHIN;
        is_impatient.then(|| Duration::from_millis(within))
    }

    /// Calls `insist` for an answer in JSON.
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
