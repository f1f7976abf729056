//! What the outside is told: webhooks and mail, as the demo world received them.

use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::demo::Demo;

/// Longest wait for something to arrive, in milliseconds.
const WAIT_MS: u32 = 30_000;
/// How long a late answer takes, in milliseconds: the server waits longer.
const LATE_MS: u32 = 10_000;

/// One place in the demo world's receiver of webhooks.
pub(crate) struct Hook {
    http: reqwest::Client,
    /// Where events are to be posted.
    pub(crate) address: String,
}

impl Hook {
    /// Under a name of its own.
    pub(crate) fn new(demo: &Demo, name: &str) -> Self {
        Self {
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("an HTTP client"),
            address: format!("{}/{name}", demo.world.world.hooks),
        }
    }

    /// What it answers from now on.
    pub(crate) async fn answer_with(&self, status: u16) {
        self.plan(&json!({"status": status})).await;
    }

    /// It takes its time from now on.
    pub(crate) async fn answer_late(&self) {
        self.plan(&json!({"status": 200, "delayMs": LATE_MS})).await;
    }

    async fn plan(&self, answer: &Value) {
        let request = self.http.put(format!("{}/answer", self.address));
        let answer = request.json(answer).send().await;
        assert!(answer.expect("the world answers").status().is_success());
    }

    /// All deliveries, once there are as many.
    pub(crate) async fn deliveries(&self, at_least: usize) -> Vec<Delivery> {
        let query = format!("deliveries?atLeast={at_least}&waitMs={WAIT_MS}");
        let answer = self
            .http
            .get(format!("{}/{query}", self.address))
            .send()
            .await;
        let listed: Vec<Value> = answer
            .expect("the world answers")
            .json()
            .await
            .expect("deliveries");
        assert!(listed.len() >= at_least, "{listed:?}");
        listed.into_iter().map(Delivery).collect()
    }
}

/// A webhook as it was received.
#[derive(Debug)]
pub(crate) struct Delivery(Value);

impl Delivery {
    /// One header's text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.header_if_any(name).expect("the header")
    }

    /// The same, where it has it.
    pub(crate) fn header_if_any(&self, name: &str) -> Option<&str> {
        self.0["headers"][name].as_str()
    }

    /// The body as it came.
    pub(crate) fn raw(&self) -> &str {
        self.0["body"].as_str().expect("the body")
    }

    /// The body.
    pub(crate) fn event(&self) -> Value {
        serde_json::from_str(self.raw()).expect("JSON")
    }

    /// Verified as a receiver would, with a library that others made.
    pub(crate) fn assert_signed_with(&self, secret: &str) {
        let headers = self.0["headers"].as_object().expect("headers");
        let headers = headers
            .iter()
            .map(|(name, value)| {
                let name = name.parse::<http::HeaderName>().expect("a name");
                let value = value.as_str().expect("text").parse().expect("a value");
                (name, value)
            })
            .collect::<http::HeaderMap>();
        let webhook = Webhook::new(secret).expect("a secret");
        webhook
            .verify(self.raw().as_bytes(), &headers)
            .expect("the signature is good");
        let key = PKey::hmac(secret.as_bytes()).expect("a key");
        let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
        let mac = signer.sign_oneshot_to_vec(self.raw().as_bytes());
        let own = format!("sha256={}", hex::encode(mac.expect("a MAC")));
        assert_eq!(self.header("x-service-signature"), own);
        let id = self.header("x-service-idempotency-key");
        assert_eq!(id, self.header("webhook-id"));
    }

    /// The names of the body's members.
    pub(crate) fn members(&self) -> Vec<String> {
        members(&self.event())
    }
}

/// The names of an object's members.
pub(crate) fn members(value: &Value) -> Vec<String> {
    let members = value.as_object().expect("an object");
    members.keys().cloned().collect()
}

/// The letters that the demo's mail server has, once there are as many.
pub(crate) async fn letters(demo: &Demo, at_least: usize) -> Vec<Value> {
    let mail = &demo.world.world.mail;
    let address = format!("{mail}/messages?atLeast={at_least}&waitMs={WAIT_MS}");
    let answer = reqwest::get(address).await.expect("the world answers");
    let letters: Vec<Value> = answer.json().await.expect("letters");
    assert!(letters.len() >= at_least, "{letters:?}");
    letters
}
