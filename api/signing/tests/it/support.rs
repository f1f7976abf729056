use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use parafa_api_http::deliveries::{WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus};
use parafa_api_signing::{
    ArchiveLevel, BaseUrl, CommentAuthor, Delivery, HttpConfig, Language, PartyRole, ProblemKind,
    SignerStatus, SigningMethod, SigningOrder, SigningStatus, router, views,
};
use serde_json::{Value, json};
use tower::ServiceExt;
use url::Url;
use uuid::Uuid;

use crate::fake::Fake;

pub(crate) const BASE: &str = "https://sign.example";
pub(crate) const KNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
pub(crate) const UNKNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-000000000000";
/// A signing that was erased.
pub(crate) const ERASED: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e60";
/// A party of the known signing.
pub(crate) const SIGNER: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70";
/// A known batch.
pub(crate) const BATCH: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e71";
/// A known file.
pub(crate) const FILE: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e72";
/// A known delivery.
pub(crate) const DELIVERY: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e74";
/// A delivery under way.
pub(crate) const UNDER_WAY: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e75";

pub(crate) fn id(text: &str) -> Uuid {
    Uuid::try_parse(text).unwrap()
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn signing() -> views::Signing {
    views::Signing {
        signing_id: id(KNOWN).into(),
        status: SigningStatus::Pending,
        title: "Nuomos sutartis".to_owned(),
        delivery: Delivery::Link,
        signing_order: SigningOrder::Parallel,
        soft_deadline_at: None,
        external_id: None,
        created_at: time("2026-03-01T08:00:00Z"),
        expires_at: Some(time("2026-03-15T08:00:00.1239Z")),
        completed_at: None,
        completion_mode: None,
        erased_at: None,
        erases_at: None,
        detail: None,
        signers: vec![signer()],
        document: None,
    }
}

pub(crate) fn signer() -> views::Signer {
    views::Signer {
        signer_id: id(SIGNER).into(),
        role: PartyRole::Signer,
        email: Some("jonas@example.lt".to_owned()),
        name: None,
        language: Language::Lt,
        status: SignerStatus::Pending,
        ceremony_url: Some("https://sign.example/c/abc".to_owned()),
        signed_at: None,
        declined_at: None,
        decline_reason: None,
        methods_allowed: SigningMethod::EVERY.to_vec(),
        actual_method: None,
        identity_locked: false,
        identity_matched: None,
        simulated_at: None,
    }
}

pub(crate) fn document() -> views::SignedDocument {
    views::SignedDocument::signed(&[0xAB; 32], 8, "application/pdf")
}

pub(crate) fn archived() -> views::ArchivedSigning {
    views::ArchivedSigning {
        signing_id: id(KNOWN).into(),
        level: ArchiveLevel::PadesBaselineLt,
        upgraded: true,
        document: document(),
    }
}

pub(crate) fn evidence() -> views::SigningEvidence {
    let signing = signing();
    views::SigningEvidence {
        signing_id: signing.signing_id,
        status: signing.status,
        created_at: signing.created_at,
        completed_at: None,
        signers: Vec::new(),
        documents: Vec::new(),
        audit: views::AuditTrail {
            chain: id(KNOWN),
            events: Vec::new(),
            head: views::AuditHead {
                sequence: 1,
                hash: "ab".repeat(32),
            },
            sealed: None,
        },
    }
}

pub(crate) fn batch() -> views::Batch {
    views::Batch {
        batch_id: id(BATCH).into(),
        title: "Nuomos sutartys".to_owned(),
        external_id: None,
        created_at: time("2026-03-01T08:00:00Z"),
        signings: vec![signing()],
    }
}

pub(crate) fn stored_file() -> views::StoredFile {
    views::StoredFile {
        file_token: id(FILE).into(),
        name: "sutartis.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        sha256: [0xCD; 32],
        bytes: 8,
        created_at: time("2026-03-01T08:00:00Z"),
        expires_at: time("2026-03-08T08:00:00Z"),
        used_count: 0,
    }
}

pub(crate) fn comment() -> views::Comment {
    views::Comment {
        comment_id: id("0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e73").into(),
        author: CommentAuthor::Client,
        author_label: None,
        body: "Laukiame.".to_owned(),
        created_at: time("2026-03-01T09:00:00Z"),
    }
}

pub(crate) fn delivery() -> WebhookDelivery {
    WebhookDelivery {
        delivery_id: id(DELIVERY).into(),
        event: "signing.completed".to_owned(),
        subject_id: Some(id(KNOWN)),
        occurred_at: time("2026-03-01T09:00:00Z"),
        status: WebhookDeliveryStatus::Failed,
        attempts: vec![WebhookAttempt {
            at: time("2026-03-01T09:00:01Z"),
            outcome: "410".to_owned(),
        }],
    }
}

/// The service with its usual limits, or with some that a test can reach.
pub(crate) struct Service {
    pub(crate) fake: Arc<Fake>,
    pub(crate) router: Router,
}

impl Service {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut HttpConfig)) -> Self {
        let mut config = HttpConfig::new(BaseUrl::new(&Url::parse(BASE).unwrap()));
        change(&mut config);
        let fake = Arc::new(Fake::default());
        Self {
            router: router(Arc::clone(&fake), config),
            fake,
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        Answer::of(self.router.clone().oneshot(request).await.unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(request("GET", path, "owner").body(Body::empty()).unwrap())
            .await
    }

    pub(crate) async fn create(&self, body: &Value) -> Answer {
        self.create_raw(body.to_string()).await
    }

    pub(crate) async fn create_raw(&self, body: impl Into<Body>) -> Answer {
        self.send(json_request("POST", "/v1/signings", "owner", body))
            .await
    }

    /// Pointers and details of the faults of a creation.
    pub(crate) async fn faults(&self, body: &Value) -> Vec<(String, String)> {
        self.create(body).await.faults()
    }

    /// Only the pointers.
    pub(crate) async fn pointers(&self, body: &Value) -> Vec<String> {
        self.faults(body)
            .await
            .into_iter()
            .map(|(pointer, _)| pointer)
            .collect()
    }
}

pub(crate) fn request(method: &str, path: &str, key: &str) -> http::request::Builder {
    Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {key}"))
}

pub(crate) fn json_request(
    method: &str,
    path: &str,
    key: &str,
    body: impl Into<Body>,
) -> Request<Body> {
    request(method, path, key)
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Kind of a problem document, whose form is also checked.
    pub(crate) fn problem(&self) -> ProblemKind {
        assert_eq!(self.header("content-type"), "application/problem+json");
        let members = self.json();
        let name = members["type"]
            .as_str()
            .unwrap()
            .strip_prefix("https://sign.example/problems/")
            .unwrap();
        let kind = ProblemKind::named(name).unwrap();
        assert_eq!(self.status, kind.status());
        assert_eq!(members["status"], kind.status().as_u16());
        assert_eq!(members["title"], kind.title());
        assert!(members["detail"].is_string());
        let known = ["type", "title", "status", "detail", "errors", "recoveryUrl"];
        assert!(
            members
                .as_object()
                .unwrap()
                .keys()
                .all(|name| known.contains(&name.as_str()))
        );
        kind
    }

    /// Faults listed by `validation-failed`.
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        assert_eq!(self.problem(), ProblemKind::ValidationFailed);
        let members = self.json();
        let text = |fault: &Value, member: &str| fault[member].as_str().unwrap().to_owned();
        members["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| (text(fault, "pointer"), text(fault, "detail")))
            .collect()
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A request that is complete and correct, with as little as possible.
pub(crate) fn minimal() -> Value {
    json!({
        "title": "Nuomos sutartis",
        "document": {"name": "sutartis.pdf", "content": base64(b"%PDF-1.7")},
        "signers": [{"email": "jonas@example.lt"}],
    })
}

/// [`minimal`] with the value at `pointer` set; the parent must exist.
pub(crate) fn with(pointer: &str, value: Value) -> Value {
    let mut body = minimal();
    set(&mut body, pointer, value);
    body
}

pub(crate) fn set(body: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match body.pointer_mut(parent).unwrap() {
        Value::Object(members) => {
            members.insert(name.to_owned(), value);
        }
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        _ => panic!("{parent} has no members"),
    }
}

/// [`minimal`] without the member at `pointer`.
pub(crate) fn without(pointer: &str) -> Value {
    let mut body = minimal();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .shift_remove(name)
        .unwrap();
    body
}
