//! A relying party and its clients, for the authentication API.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::demo::{Demo, RelyingParty};
use super::operator::done;

/// Backend of a relying party.
pub(crate) struct Provider {
    http: Client,
    /// Base URL of the server, without a trailing slash.
    pub(crate) base: String,
    cards: String,
    pub(crate) key: RelyingParty,
}

/// A request with a card, including the credentials for the client's calls.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CardRequest {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// Status and JSON body of an answer.
pub(crate) type Answer = (StatusCode, Value);

impl Provider {
    /// Returns the demo's relying party.
    pub(crate) fn of(demo: &Demo) -> Self {
        Self::with(demo, demo.world.auth.clone())
    }

    /// Returns another relying party of the same server.
    pub(crate) fn with(demo: &Demo, key: RelyingParty) -> Self {
        Self {
            http: Client::builder().no_proxy().build().expect("a client"),
            base: demo
                .world
                .base_url
                .as_str()
                .trim_end_matches('/')
                .to_owned(),
            cards: demo.world.world.cards.clone(),
            key,
        }
    }

    /// Creates a relying party by the command line, for this audience.
    pub(crate) fn made(demo: &Demo, audience: &str, words: &[&str]) -> Self {
        let create = ["provider", "create", "Kita", "--audience", audience];
        let made = done(&demo.data(), &[&create[..], words].concat());
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        let key = RelyingParty {
            key_id: text("keyId"),
            key_secret: text("keySecret"),
            audience: audience.to_owned(),
        };
        Self::with(demo, key)
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    pub(crate) fn by_key(&self, method: Method, path: &str) -> RequestBuilder {
        let RelyingParty {
            key_id, key_secret, ..
        } = &self.key;
        self.request(method, path)
            .basic_auth(key_id, Some(key_secret))
    }

    /// Creates a request for a method, with further members.
    pub(crate) async fn create(&self, method: &str, members: Value) -> Answer {
        let mut body = json!({"audience": self.key.audience, "method": method});
        for (name, value) in members.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let request = self.by_key(Method::POST, "/v1/auth/requests").json(&body);
        send(request).await
    }

    /// Creates a request for a card in a reader.
    pub(crate) async fn card_request(&self) -> CardRequest {
        let (status, created) = self.create("physical", json!({})).await;
        assert_eq!(status, StatusCode::CREATED, "{created}");
        CardRequest::of(&created)
    }

    /// Waits for a change of a request's status; returns the status.
    pub(crate) async fn poll(&self, id: &str) -> Answer {
        let path = format!("/v1/auth/requests/{id}?waitMs=20000");
        send(self.by_key(Method::GET, &path)).await
    }

    /// Returns the current status of a request.
    pub(crate) async fn poll_at_once(&self, id: &str) -> Answer {
        send(self.by_key(Method::GET, &format!("/v1/auth/requests/{id}"))).await
    }

    /// Waits for the end of a request; returns its status.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        for _ in 0..20 {
            let (status, answer) = self.poll(id).await;
            assert_eq!(status, StatusCode::OK, "{answer}");
            let stands = answer["status"].as_str().expect("a status");
            if !["pending", "certificate_received", "in_progress"].contains(&stands) {
                return answer;
            }
        }
        panic!("the request does not end");
    }

    /// Starts a client's call.
    pub(crate) fn step(&self, request: &CardRequest, step: &str, body: &Value) -> RequestBuilder {
        let path = format!("/v1/auth/{}/{step}", request.id);
        let call = self.request(Method::POST, &path);
        call.bearer_auth(&request.token).json(body)
    }

    /// Returns a card's certificate for `authentication` or `signing`, in
    /// base64.
    pub(crate) async fn certificate(&self, persona: &str, key_use: &str) -> String {
        let address = format!("{}/{persona}/{key_use}", self.cards);
        let (status, answer) = send(self.http.get(address)).await;
        assert_eq!(status, StatusCode::OK);
        answer["certificate"].as_str().expect("base64").to_owned()
    }

    /// Submits a card's certificate.
    pub(crate) async fn submit(&self, request: &CardRequest, persona: &str) -> Answer {
        let certificate = self.certificate(persona, "authentication").await;
        let body = json!({"certificate": certificate});
        send(self.step(request, "certificate", &body)).await
    }

    /// Signs bytes with a card; returns a completion without its token.
    pub(crate) async fn signed(&self, persona: &str, bytes: &[u8]) -> Value {
        self.signed_with(persona, "authentication", bytes).await
    }

    async fn signed_with(&self, persona: &str, key_use: &str, bytes: &[u8]) -> Value {
        let address = format!("{}/{persona}/{key_use}/sign", self.cards);
        let digest = STANDARD.encode(Sha256::digest(bytes));
        let request = self.http.post(address).json(&json!({"sha256": digest}));
        let (status, answer) = send(request).await;
        assert_eq!(status, StatusCode::OK);
        answer
    }

    /// Returns the completion for an answer of the certificate step.
    pub(crate) async fn completion(&self, persona: &str, submitted: &Value) -> Value {
        let key_use = "authentication";
        self.completion_with(persona, key_use, submitted).await
    }

    /// Like `completion`, by a card's key for `authentication` or `signing`.
    pub(crate) async fn completion_with(
        &self,
        persona: &str,
        key_use: &str,
        submitted: &Value,
    ) -> Value {
        let dtbs = submitted["dtbs"].as_str().expect("base64");
        let dtbs = STANDARD.decode(dtbs).expect("base64");
        let mut completion = self.signed_with(persona, key_use, &dtbs).await;
        completion["operationToken"] = submitted["operationToken"].clone();
        completion
    }

    pub(crate) async fn complete(&self, request: &CardRequest, completion: &Value) -> Answer {
        send(self.step(request, "complete", completion)).await
    }

    /// Authenticates a persona with a card.
    pub(crate) async fn authenticate(&self, request: &CardRequest, persona: &str) -> Answer {
        let (status, submitted) = self.submit(request, persona).await;
        if status != StatusCode::OK {
            return (status, submitted);
        }
        let completion = self.completion(persona, &submitted).await;
        self.complete(request, &completion).await
    }
}

impl CardRequest {
    pub(crate) fn of(created: &Value) -> Self {
        Self {
            id: created["requestId"].as_str().expect("an id").to_owned(),
            token: created["clientToken"].as_str().expect("a token").to_owned(),
        }
    }
}

pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let body = answer.bytes().await.expect("a body");
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// Asserts the status, the code and the form of a refusal.
#[track_caller]
pub(crate) fn assert_refused((status, body): &Answer, expected: u16, code: &str) {
    let error = &body["error"];
    assert_eq!(
        (status.as_u16(), error["code"].as_str()),
        (expected, Some(code)),
        "{body}"
    );
    let retryable = [
        "rate_limited",
        "upstream_unavailable",
        "revocation_unavailable",
    ];
    assert_eq!(error["retryable"], retryable.contains(&code), "{body}");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.len() > 10),
        "{body}"
    );
    let id = error["requestId"].as_str().expect("an id");
    assert!(uuid::Uuid::try_parse(id).is_ok(), "{body}");
}
