//! Calls with one key, and their answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use url::Url;

use crate::support::client::Ceremony;
use crate::support::demo::Demo;

/// Id without any object.
pub(crate) const NOBODY: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";

/// A key of a demo workspace.
pub(crate) struct Account {
    http: reqwest::Client,
    base: Url,
    key: String,
}

/// Answer to a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Account {
    /// Returns the key at this place of `demo.json`, such as `/signing/test`.
    pub(crate) fn of(demo: &Demo, place: &str) -> Self {
        let json = std::fs::read(demo.data().join("demo.json")).expect("demo.json");
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let key = json.pointer(place).and_then(Value::as_str);
        Self {
            http: reqwest::Client::builder()
                .no_proxy()
                // The next call may be to a restarted server.
                .pool_max_idle_per_host(0)
                .build()
                .expect("an HTTP client"),
            base: demo.world.base_url.clone(),
            key: key.expect("a key").to_owned(),
        }
    }

    /// Returns the live key of the demo's first workspace.
    pub(crate) fn live(demo: &Demo) -> Self {
        Self::of(demo, "/signing/live")
    }

    /// Returns the sandbox key of the demo's first workspace.
    pub(crate) fn sandbox(demo: &Demo) -> Self {
        Self::of(demo, "/signing/test")
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body), None).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body), None).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None, None).await
    }

    /// Posts with an idempotency key.
    pub(crate) async fn post_once(&self, path: &str, body: Value, key: &str) -> Answer {
        self.send(Method::POST, path, Some(body), Some(key)).await
    }

    pub(crate) async fn create(&self, body: Value) -> Value {
        self.post("v1/signings", body).await.expect(201)
    }

    /// Starts a request that the test completes.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, self.base.join(path).expect("a path"))
            .bearer_auth(&self.key)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        idempotency_key: Option<&str>,
    ) -> Answer {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.json(&body);
        }
        if let Some(key) = idempotency_key {
            request = request.header("idempotency-key", key);
        }
        Answer::to(request).await
    }
}

impl Answer {
    /// Sends a request and returns the answer.
    pub(crate) async fn to(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            bytes: response.bytes().await.expect("the body"),
        }
    }

    /// Asserts the status; returns the body.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        if self.bytes.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    /// Asserts that it is this problem with these pointers; returns the body.
    #[track_caller]
    pub(crate) fn expect_problem(&self, status: u16, name: &str, pointers: &[&str]) -> Value {
        let problem = self.expect(status);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let kind = problem["type"].as_str().unwrap_or_default();
        assert!(kind.ends_with(&format!("/problems/{name}")), "{problem}");
        assert_eq!(problem["status"], status);
        let errors = problem["errors"].as_array().cloned().unwrap_or_default();
        let named: Vec<&str> = errors
            .iter()
            .filter_map(|fault| fault["pointer"].as_str())
            .collect();
        assert_eq!(named, pointers, "{problem}");
        problem
    }

    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Returns a plain PDF in base64.
pub(crate) fn pdf() -> String {
    BASE64.encode(parafa_fixtures::plain(1))
}

/// Returns the body that creates a signing with these signers.
#[expect(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
pub(crate) fn signing_of(signers: Value) -> Value {
    json!({
        "title": "Nuomos sutartis",
        "document": {"name": "nuoma.pdf", "content": pdf()},
        "signers": signers,
    })
}

/// Adds or replaces members of a body.
pub(crate) fn with(mut body: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("an object");
    };
    for (name, value) in members {
        body[name] = value;
    }
    body
}

/// Returns two signers.
pub(crate) fn two() -> Value {
    json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}])
}

/// Returns the text of a member.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("{member} of {value}"))
}

/// Returns a member of each signer; all must have it.
#[track_caller]
pub(crate) fn of_signers(signing: &Value, member: &str) -> Vec<Value> {
    let signers = signing["signers"].as_array().expect("signers");
    signers
        .iter()
        .map(|signer| signer.get(member).expect("the member is there").clone())
        .collect()
}

/// Returns whether no signer has a member.
pub(crate) fn no_signer_has(signing: &Value, member: &str) -> bool {
    let signers = signing["signers"].as_array().expect("signers");
    signers.iter().all(|signer| signer.get(member).is_none())
}

/// Returns the page of a signer.
pub(crate) fn ceremony_of(signer: &Value) -> Ceremony {
    let link = text(signer, "ceremonyUrl");
    Demo::ceremony(&link.parse().expect("a link"))
}

/// Signs as the first signer, with Smart-ID.
pub(crate) async fn sign_first(demo: &Demo, signing: &Value) {
    let ceremony = ceremony_of(&signing["signers"][0]);
    let personas = demo.smart_id_personas("signs");
    let persona = personas.first().expect("somebody who signs");
    ceremony.sign(persona).await;
}
