use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use jiff::Timestamp;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::demo::Persona;

/// Time limit for one call, long polls included.
const CALL: Duration = Duration::from_secs(40);
/// Time limit for an attempt.
const ATTEMPT: Duration = Duration::from_secs(90);
/// Wait of one long poll, in milliseconds.
const POLL_MS: u32 = 5_000;

/// Client of the signing API.
pub(crate) struct SigningClient {
    http: reqwest::Client,
    base: Url,
    key: String,
}

impl SigningClient {
    /// Creates a client with a workspace's key.
    pub(crate) fn new(base: Url, key: &str) -> Self {
        Self {
            http: http(),
            base,
            key: key.to_owned(),
        }
    }

    /// Posts a page for Ona alone to sign.
    pub(crate) async fn create_plain(&self) -> Signing {
        self.create_for_ona(&parafa_fixtures::plain(1)).await
    }

    /// Posts a document for Ona alone to sign.
    pub(crate) async fn create_for_ona(&self, document: &[u8]) -> Signing {
        let signers = json!([{"email": "ona@example.lt"}]);
        self.create(document, signers).await
    }

    /// Creates a signing of one PDF; fails the test if it is refused.
    pub(crate) async fn create(&self, document: &[u8], signers: Value) -> Signing {
        let created = self.try_create("sutartis.pdf", document, signers).await;
        created.expect("the signing is created")
    }

    /// Creates a signing of one PDF that expires after this many days.
    pub(crate) async fn create_for_days(
        &self,
        document: &[u8],
        signers: Value,
        days: u16,
    ) -> Signing {
        let mut body = creation("sutartis.pdf", document, &signers);
        body["expiresInDays"] = days.into();
        let created = read(self.request(Method::POST, "v1/signings").json(&body)).await;
        created.expect("the signing is created")
    }

    /// Creates a signing of one PDF, unless the server dies before it answers.
    pub(crate) async fn create_if_alive(&self, document: &[u8], signers: Value) -> Option<Signing> {
        let body = creation("sutartis.pdf", document, &signers);
        let request = self.request(Method::POST, "v1/signings").json(&body);
        request.send().await.ok()?.json().await.ok()
    }

    /// Creates a signing of one document, or returns the refusal.
    pub(crate) async fn try_create(
        &self,
        name: &str,
        document: &[u8],
        signers: Value,
    ) -> Result<Signing, Refused> {
        let body = creation(name, document, &signers);
        read(self.request(Method::POST, "v1/signings").json(&body)).await
    }

    /// Returns the current state of a signing.
    pub(crate) async fn signing(&self, id: Uuid) -> Signing {
        read(self.request(Method::GET, &format!("v1/signings/{id}")))
            .await
            .expect("the signing exists")
    }

    /// Returns the newest signed output, with the digest in the server's
    /// answer.
    pub(crate) async fn document(&self, id: Uuid) -> (Bytes, String) {
        let request = self.request(Method::GET, &format!("v1/signings/{id}/document"));
        let response = send(request).await;
        assert_eq!(response.status(), StatusCode::OK);
        let digest = response.headers()["x-service-document-sha256"]
            .to_str()
            .expect("hex digits")
            .to_owned();
        (response.bytes().await.expect("the document"), digest)
    }

    /// Makes any call, for tests of refusals.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Refused> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.json(&body);
        }
        read(request).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, self.base.join(path).expect("a path"))
            .bearer_auth(&self.key)
    }
}

/// Client of a signer's link, with the JSON calls of its page.
pub(crate) struct Ceremony {
    http: reqwest::Client,
    link: Url,
}

impl Ceremony {
    /// Creates a client for this link.
    pub(crate) fn new(link: Url) -> Self {
        Self { http: http(), link }
    }

    /// Returns the current state of the page.
    pub(crate) async fn state(&self) -> State {
        self.try_state(0).await.expect("the link is alive")
    }

    /// Returns the state after a change, or after this time.
    pub(crate) async fn try_state(&self, wait_ms: u32) -> Result<State, Refused> {
        let mut url = self.url("state");
        url.query_pairs_mut()
            .append_pair("waitMs", &wait_ms.to_string());
        read(self.http.get(url)).await
    }

    /// Starts a Smart-ID attempt by personal code.
    pub(crate) async fn sign_with_smart_id(&self, person: &Persona) -> Result<State, Refused> {
        let (country, code) = (&person.country, &person.personal_code);
        let body = json!({"method": "smart_id", "country": country, "personalCode": code});
        self.start(&body).await
    }

    /// Starts a Smart-ID attempt; fails the test if it is refused.
    pub(crate) async fn begin(&self, person: &Persona) {
        let started = self.sign_with_smart_id(person).await;
        started.expect("the attempt starts");
    }

    /// Waits until the attempt has ended with a signature.
    pub(crate) async fn finish(&self) {
        let attempt = self.ended_attempt().await;
        assert_eq!(attempt.phase, "done", "{:?}", attempt.error);
    }

    /// Signs as a person, with Smart-ID.
    pub(crate) async fn sign(&self, person: &Persona) {
        self.begin(person).await;
        self.finish().await;
    }

    pub(crate) async fn start(&self, body: &Value) -> Result<State, Refused> {
        read(self.http.post(self.url("attempts")).json(body)).await
    }

    /// Starts a Mobile-ID attempt.
    pub(crate) async fn sign_with_mobile_id(&self, persona: &Persona) -> Result<State, Refused> {
        let body = json!({
            "method": "mobile_id",
            "country": persona.country,
            "personalCode": persona.personal_code,
            "phoneNumber": persona.phone_number,
        });
        self.start(&body).await
    }

    /// Starts a Smart-ID attempt by device link, and waits for the link.
    pub(crate) async fn open_device_link(&self) -> DeviceLink {
        let body = json!({"method": "smart_id"});
        self.start(&body).await.expect("the attempt starts");
        let opened = self.awaits(|attempt| attempt.device_link.is_some()).await;
        opened.device_link.expect("a device link")
    }

    /// Returns the picture of the scannable code.
    pub(crate) async fn code_to_scan(&self) -> (StatusCode, String) {
        let response = send(self.http.get(self.url("attempts/current/qr.svg"))).await;
        (response.status(), response.text().await.expect("a picture"))
    }

    /// Calls the callback, like the app.
    pub(crate) async fn come_back(&self, value: &str, digest: &str) -> StatusCode {
        let mut url = self.url("callback");
        url.query_pairs_mut()
            .append_pair("value", value)
            .append_pair("sessionSecretDigest", digest);
        send(self.http.get(url)).await.status()
    }

    /// Waits for the code that the signer compares.
    pub(crate) async fn verification_code(&self) -> String {
        let shown = self.awaits(|attempt| attempt.verification_code.is_some());
        shown.await.verification_code.expect("a code")
    }

    /// Waits until the attempt has ended, and returns it.
    pub(crate) async fn ended_attempt(&self) -> Attempt {
        let has_ended = |attempt: &Attempt| matches!(attempt.phase.as_str(), "done" | "failed");
        self.awaits(has_ended).await
    }

    /// Waits until the attempt reaches a condition, and returns it.
    pub(crate) async fn awaits(&self, has_come: impl Fn(&Attempt) -> bool) -> Attempt {
        let comes = async {
            loop {
                let state = self.try_state(POLL_MS).await.expect("the link is alive");
                if let Some(attempt) = state.attempt.filter(&has_come) {
                    return attempt;
                }
            }
        };
        let came = tokio::time::timeout(ATTEMPT, comes).await;
        came.expect("the attempt comes so far")
    }

    pub(crate) async fn decline(&self, reason: &str) -> State {
        let request = self
            .http
            .post(self.url("decline"))
            .json(&json!({"reason": reason}));
        read(request).await.expect("the signer declines")
    }

    /// Makes a GET call; returns status and body.
    pub(crate) async fn get(&self, call: &str) -> (StatusCode, Bytes) {
        let response = send(self.http.get(self.url(call))).await;
        let status = response.status();
        (status, response.bytes().await.expect("a body"))
    }

    /// Returns the version to sign, or the signed one.
    pub(crate) async fn document(&self) -> Bytes {
        let response = send(self.http.get(self.url("document"))).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.bytes().await.expect("the document")
    }

    fn url(&self, call: &str) -> Url {
        let mut url = self.link.clone();
        let calls = call.split('/');
        url.path_segments_mut()
            .expect("http has paths")
            .extend(calls);
        url
    }
}

/// A problem document (RFC 9457) and its status.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) problem: Problem,
    /// `Retry-After`, in seconds.
    pub(crate) retry_after: Option<u64>,
}

/// Problem document (RFC 9457) with the members of the signing API.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    pub(crate) kind: Url,
    #[serde(rename = "title")]
    _title: String,
    pub(crate) status: u16,
    pub(crate) detail: String,
    #[serde(default)]
    pub(crate) errors: Vec<Fault>,
    #[serde(rename = "recoveryUrl")]
    pub(crate) recovery_url: Option<Url>,
}

impl Problem {
    /// Returns the name at the end of its type.
    pub(crate) fn name(&self) -> &str {
        self.kind.path().rsplit('/').next().unwrap_or_default()
    }
}

/// A fault of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    pub(crate) pointer: String,
    pub(crate) detail: String,
}

/// A signing, with exactly the documented members.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Signing {
    pub(crate) signing_id: Uuid,
    pub(crate) status: String,
    pub(crate) title: String,
    #[serde(rename = "delivery")]
    _delivery: String,
    #[serde(rename = "signingOrder")]
    _signing_order: String,
    #[serde(rename = "softDeadlineAt")]
    _soft_deadline_at: Option<Timestamp>,
    #[serde(rename = "externalId")]
    _external_id: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) completion_mode: Option<String>,
    #[serde(rename = "erasedAt")]
    _erased_at: Option<Timestamp>,
    #[serde(rename = "detail")]
    _detail: Option<String>,
    pub(crate) signers: Vec<Signer>,
    pub(crate) document: Option<SignedDocument>,
}

/// A signer, with exactly the documented members.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Signer {
    #[serde(rename = "signerId")]
    _signer_id: Uuid,
    #[serde(rename = "role")]
    _role: String,
    #[serde(rename = "email")]
    _email: Option<String>,
    #[serde(rename = "name")]
    _name: Option<String>,
    #[serde(rename = "language")]
    _language: String,
    pub(crate) status: String,
    pub(crate) ceremony_url: Option<Url>,
    pub(crate) signed_at: Option<Timestamp>,
    #[serde(rename = "declinedAt")]
    _declined_at: Option<Timestamp>,
    pub(crate) decline_reason: Option<String>,
    #[serde(rename = "methodsAllowed")]
    _methods_allowed: Vec<String>,
    pub(crate) actual_method: Option<String>,
    #[serde(rename = "identityLocked")]
    _identity_locked: bool,
    pub(crate) identity_matched: Option<bool>,
    #[serde(rename = "simulatedAt")]
    _simulated_at: Option<Timestamp>,
}

impl Signer {
    /// Returns the link; fails the test if there is none.
    pub(crate) fn link(&self) -> &Url {
        self.ceremony_url.as_ref().expect("the signer has a link")
    }
}

/// The newest signed output.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignedDocument {
    pub(crate) sha256: String,
    pub(crate) bytes: usize,
    pub(crate) mime_type: String,
}

/// State of a ceremony's page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct State {
    pub(crate) signer: StateOfSigner,
    pub(crate) document: StateOfDocument,
    pub(crate) attempt: Option<Attempt>,
    #[serde(default)]
    pub(crate) busy: bool,
    #[serde(default)]
    pub(crate) busy_until: Option<Timestamp>,
}

/// Signer of a ceremony.
#[derive(Debug, Deserialize)]
pub(crate) struct StateOfSigner {
    pub(crate) status: String,
}

/// Document of a ceremony.
#[derive(Debug, Deserialize)]
pub(crate) struct StateOfDocument {
    pub(crate) sha256: String,
}

/// An attempt to sign.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    pub(crate) method: String,
    pub(crate) phase: String,
    pub(crate) device_link: Option<DeviceLink>,
    pub(crate) verification_code: Option<String>,
    pub(crate) pairing: Option<Pairing>,
    pub(crate) error: Option<AttemptError>,
}

/// Links to the signer's app.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceLink {
    pub(crate) qr: String,
    pub(crate) same_device: Option<String>,
}

/// Code and link that pair a card's app with an attempt.
#[derive(Debug, Deserialize)]
pub(crate) struct Pairing {
    pub(crate) code: String,
    pub(crate) uri: Url,
}

/// Reason why an attempt failed.
#[derive(Debug, Deserialize)]
pub(crate) struct AttemptError {
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Returns the body that creates a signing.
fn creation(name: &str, document: &[u8], signers: &Value) -> Value {
    json!({
        "title": "Paslaugų sutartis",
        "document": {"name": name, "content": BASE64.encode(document)},
        "signers": signers,
    })
}

fn http() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        // The next call may be to a restarted server.
        .pool_max_idle_per_host(0)
        .timeout(CALL)
        .build()
        .expect("an HTTP client")
}

async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("the server answers")
}

async fn read<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, Refused> {
    let response = send(request).await;
    let status = response.status();
    let media_type = response.headers().get("content-type").cloned();
    let retry_after = response.headers().get("retry-after").cloned();
    let body = response.bytes().await.expect("the body");
    let shown = || String::from_utf8_lossy(&body).into_owned();
    if status.is_success() {
        return Ok(
            serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{error}: {}", shown()))
        );
    }
    assert!(
        media_type.is_some_and(|media_type| media_type == "application/problem+json"),
        "{status} without a problem document: {}",
        shown()
    );
    let problem: Problem =
        serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{error}: {}", shown()));
    assert_eq!(problem.status, status.as_u16());
    Err(Refused {
        status,
        problem,
        retry_after: retry_after.and_then(|value| value.to_str().ok()?.parse().ok()),
    })
}
