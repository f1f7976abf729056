use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use parafa_api_signing::requests::{CreateSigning, ListQuery};
use parafa_api_signing::{
    Access, ApiKey, BaseUrl, CallerRole, Delivery, DocumentDownload, HttpConfig, Language,
    PartyRole, Principal, Problem, ProblemKind, SignerId, SignerStatus, SigningApi, SigningId,
    SigningMethod, SigningOrder, SigningStatus, router, views,
};
use serde_json::{Value, json};
use tower::ServiceExt;
use url::Url;
use uuid::Uuid;

pub(crate) const BASE: &str = "https://sign.example";
pub(crate) const KNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f";
pub(crate) const UNKNOWN: &str = "0190b5a8-7c3e-7d7b-8f6e-000000000000";
/// A title that makes the stand-in panic.
pub(crate) const PANICS: &str = "panics";
/// A title that the stand-in refuses with 402.
pub(crate) const UNPAID: &str = "unpaid";

/// Remembers what it was asked; knows one signing.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) created: Mutex<Vec<CreateSigning>>,
    pub(crate) listed: Mutex<Vec<ListQuery>>,
}

pub(crate) struct Caller {
    role: CallerRole,
    exhausted: bool,
}

impl Principal for Caller {
    fn role(&self) -> CallerRole {
        self.role
    }
}

#[async_trait]
impl SigningApi for Fake {
    type Caller = Caller;

    async fn authenticate(&self, key: &ApiKey) -> Result<Caller, Problem> {
        let (role, exhausted) = match key.expose() {
            "owner" => (CallerRole::Owner, false),
            "member" => (CallerRole::Member, false),
            "viewer" => (CallerRole::Viewer, false),
            "exhausted" => (CallerRole::Owner, true),
            "exhausted-viewer" => (CallerRole::Viewer, true),
            _ => return Err(Problem::unauthorized()),
        };
        Ok(Caller { role, exhausted })
    }

    async fn admit(&self, caller: &Caller, access: Access) -> Result<(), Problem> {
        let policy = match access {
            Access::Read => "\"reads\";r=0;t=7",
            Access::Write => "\"writes\";r=0;t=7",
        };
        match caller.exhausted {
            false => Ok(()),
            true => Err(Problem::of(ProblemKind::RateLimited)
                .with_retry_after(7)
                .with_header("ratelimit", policy)),
        }
    }

    async fn signing_exists(&self, _: &Caller, id: SigningId) -> Result<bool, Problem> {
        Ok(id.to_string() == KNOWN)
    }

    fn webhook_target(&self, target: &Url) -> Result<(), String> {
        match target.scheme() {
            "https" => Ok(()),
            _ => Err("must be an https URL".to_owned()),
        }
    }

    async fn create_signing(
        &self,
        _: &Caller,
        request: CreateSigning,
    ) -> Result<views::Signing, Problem> {
        match request.title.as_str() {
            PANICS => panic!("as told"),
            UNPAID => {
                let recovery_url = Url::parse("https://pay.example/invoices").unwrap();
                Err(Problem::payment_required(
                    "An invoice is overdue.",
                    Some(recovery_url),
                ))
            }
            _ => {
                self.created.lock().unwrap().push(request);
                Ok(signing())
            }
        }
    }

    async fn list_signings(
        &self,
        _: &Caller,
        query: ListQuery,
    ) -> Result<views::SigningList, Problem> {
        self.listed.lock().unwrap().push(query);
        Ok(views::SigningList {
            data: vec![signing()],
            has_more: true,
            next_cursor: Some(id(KNOWN).into()),
        })
    }

    async fn read_signing(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<views::Signing, Problem> {
        match self.signing_exists(caller, id).await? {
            true => Ok(signing()),
            false => Err(Problem::not_found()),
        }
    }

    async fn download_document(
        &self,
        caller: &Caller,
        id: SigningId,
    ) -> Result<DocumentDownload, Problem> {
        match self.signing_exists(caller, id).await? {
            true => Ok(DocumentDownload {
                bytes: Bytes::from_static(b"%PDF-1.7"),
                file_name: "Nuomos sutartis ž.pdf".to_owned(),
                sha256: [0xAB; 32],
                simulated: false,
            }),
            false => Err(Problem::not_found()),
        }
    }
}

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
        detail: None,
        signers: vec![signer()],
        document: None,
    }
}

pub(crate) fn signer() -> views::Signer {
    views::Signer {
        signer_id: SignerId(id("0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e70")),
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

/// The service with its usual limits, or with some that a test can reach.
pub(crate) struct Service {
    pub(crate) fake: Arc<Fake>,
    router: Router,
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

    /// Pointers alone.
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

    /// The kind of a problem document, whose form is checked on the way.
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

    /// What `validation-failed` lists.
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
