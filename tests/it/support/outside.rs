//! Outgoing messages, as the demo world received them: webhooks and mail.

use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::demo::Demo;

/// Maximum wait for a message, in milliseconds.
const WAIT_MS: u32 = 30_000;
/// Delay of a late answer, in milliseconds: the server waits longer.
const LATE_MS: u32 = 10_000;

/// One endpoint of the demo world's webhook receiver.
pub(crate) struct Hook {
    http: reqwest::Client,
    /// URL to post events to.
    pub(crate) address: String,
}

impl Hook {
    /// Creates an endpoint with this name.
    pub(crate) fn new(demo: &Demo, name: &str) -> Self {
        Self {
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("an HTTP client"),
            address: format!("{}/{name}", demo.world.world.hooks),
        }
    }

    /// Answers with this status from now on.
    pub(crate) async fn answer_with(&self, status: u16) {
        self.plan(&json!({"status": status})).await;
    }

    /// Answers late from now on.
    pub(crate) async fn answer_late(&self) {
        self.plan(&json!({"status": 200, "delayMs": LATE_MS})).await;
    }

    async fn plan(&self, answer: &Value) {
        let request = self.http.put(format!("{}/answer", self.address));
        let answer = request.json(answer).send().await;
        assert!(answer.expect("the world answers").status().is_success());
    }

    /// Returns all deliveries, once there are at least this many.
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

/// A received webhook.
#[derive(Debug)]
pub(crate) struct Delivery(Value);

impl Delivery {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.header_if_any(name).expect("the header")
    }

    /// Returns the value of a header, if present.
    pub(crate) fn header_if_any(&self, name: &str) -> Option<&str> {
        self.0["headers"][name].as_str()
    }

    /// Returns the raw body.
    pub(crate) fn raw(&self) -> &str {
        self.0["body"].as_str().expect("the body")
    }

    /// Returns the parsed body.
    pub(crate) fn event(&self) -> Value {
        serde_json::from_str(self.raw()).expect("JSON")
    }

    /// Verifies the signature like a receiver, with an external library.
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
        self.assert_keyed_with(secret);
        let id = self.header("x-service-idempotency-key");
        assert_eq!(id, self.header("webhook-id"));
    }

    /// Verifies the signature that one secret alone makes, at any time.
    pub(crate) fn assert_keyed_with(&self, secret: &str) {
        let key = PKey::hmac(secret.as_bytes()).expect("a key");
        let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
        let mac = signer.sign_oneshot_to_vec(self.raw().as_bytes());
        let own = format!("sha256={}", hex::encode(mac.expect("a MAC")));
        assert_eq!(self.header("x-service-signature"), own);
    }

    /// Returns the names of the body's members.
    pub(crate) fn members(&self) -> Vec<String> {
        members(&self.event())
    }
}

/// Returns the names of an object's members.
pub(crate) fn members(value: &Value) -> Vec<String> {
    let members = value.as_object().expect("an object");
    members.keys().cloned().collect()
}

/// Returns the letters at the demo's mail server, once there are at least this
/// many.
pub(crate) async fn letters(demo: &Demo, at_least: usize) -> Vec<Value> {
    let mail = &demo.world.world.mail;
    let address = format!("{mail}/messages?atLeast={at_least}&waitMs={WAIT_MS}");
    let answer = reqwest::get(address).await.expect("the world answers");
    let letters: Vec<Value> = answer.json().await.expect("letters");
    assert!(letters.len() >= at_least, "{letters:?}");
    letters
}
