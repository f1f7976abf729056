//! A registry that implements the OCI Distribution Specification 1.1 strictly, and records all
//! other requests.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LINK, LOCATION, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use url::form_urlencoded;

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// The only repository.
pub(crate) const NAME: &str = "acme/pdf";
const LONGEST: usize = 128 * 1024 * 1024;

/// The behaviour of a registry.
#[derive(Clone, Default)]
pub(crate) struct Rules {
    /// The account with access.
    pub(crate) account: Option<Account>,
    /// True if it lacks the API for referrers.
    pub(crate) has_no_referrers: bool,
    /// True if it redirects reads of contents to another host.
    pub(crate) has_contents_elsewhere: bool,
}

/// A name and a password, and the form of their use.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) name: &'static str,
    pub(crate) password: &'static str,
    /// True if they are exchanged for a token; otherwise every call has them.
    pub(crate) gets_token: bool,
}

/// A running registry.
pub(crate) struct TestRegistry {
    address: SocketAddr,
    elsewhere: SocketAddr,
    shared: Shared,
}

type Shared = Arc<Mutex<Kept>>;

#[derive(Default)]
struct Kept {
    rules: Rules,
    address: String,
    elsewhere: String,
    blobs: BTreeMap<String, Bytes>,
    /// By digest: media type and bytes.
    manifests: BTreeMap<String, (String, Bytes)>,
    tags: BTreeMap<String, String>,
    uploads: usize,
    /// The scopes of the tokens that it gave.
    scopes: Vec<String>,
    /// Requests that no client may make.
    faults: Vec<String>,
}

impl TestRegistry {
    pub(crate) fn start(rules: Rules) -> Self {
        let shared = Shared::default();
        let [address, elsewhere] = [(); 2].map(|()| serve(&shared));
        {
            let mut kept = lock(&shared);
            kept.rules = rules;
            kept.address = address.to_string();
            kept.elsewhere = elsewhere.to_string();
        }
        Self {
            address,
            elsewhere,
            shared,
        }
    }

    /// Returns the repository's reference on the command line.
    pub(crate) fn repository(&self) -> String {
        format!("oci://{}/{NAME}", self.address)
    }

    pub(crate) fn elsewhere(&self) -> String {
        self.elsewhere.to_string()
    }

    /// Returns the manifest under a tag, and its digest.
    pub(crate) fn tagged(&self, tag: &str) -> (String, Value) {
        let kept = lock(&self.shared);
        let digest = kept.tags.get(tag).expect("a tag").clone();
        let (_, bytes) = &kept.manifests[&digest];
        (digest, serde_json::from_slice(bytes).expect("JSON"))
    }

    pub(crate) fn blob(&self, digest: &str) -> Bytes {
        lock(&self.shared).blobs[digest].clone()
    }

    pub(crate) fn tags(&self) -> Vec<String> {
        lock(&self.shared).tags.keys().cloned().collect()
    }

    pub(crate) fn scopes(&self) -> Vec<String> {
        lock(&self.shared).scopes.clone()
    }

    /// Turns one bit of a content over.
    pub(crate) fn tamper_with(&self, digest: &str) {
        let mut kept = lock(&self.shared);
        let content = kept.blobs.get_mut(digest).expect("a content");
        let mut changed = content.to_vec();
        changed[0] ^= 1;
        *content = changed.into();
    }

    /// Deletes all referrers.
    pub(crate) fn lose_referrers(&self) {
        let mut kept = lock(&self.shared);
        kept.manifests
            .retain(|_, (_, bytes)| subject_of(bytes).is_none());
    }

    #[track_caller]
    pub(crate) fn assert_sound(&self) {
        let faults = &lock(&self.shared).faults;
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Kept> {
    shared.lock().expect("no handler has panicked")
}

/// Serves until the process ends, on a separate thread: tests block on commands.
fn serve(shared: &Shared) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    let address = listener.local_addr().expect("a bound address");
    let router = Router::new().fallback(take).with_state(shared.clone());
    std::thread::spawn(move || {
        let runtime = Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            axum::serve(listener, router).await
        })
    });
    address
}

async fn take(State(shared): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, LONGEST).await.expect("a body");
    lock(&shared).answer(&parts, &body)
}

impl Kept {
    fn answer(&mut self, parts: &Parts, body: &Bytes) -> Response {
        let path = parts.uri.path();
        if let Some(digest) = path.strip_prefix("/blobs/") {
            if parts.headers.contains_key(AUTHORIZATION) {
                return self.fault(parts, "a credential came to another host");
            }
            return self.content(digest);
        }
        if path == "/token" {
            return self.token(parts);
        }
        if let Some(refusal) = self.stranger(parts) {
            return refusal;
        }
        let Some(rest) = path.strip_prefix(&format!("/v2/{NAME}/")) else {
            return self.fault(parts, "there is no such path");
        };
        let (kind, what) = rest.split_once('/').unwrap_or((rest, ""));
        match (&parts.method, kind, what) {
            (&Method::POST, "blobs", "uploads/") => self.begin_upload(parts, body),
            (&Method::PUT, "blobs", _) => self.upload(parts, body),
            (&Method::GET | &Method::HEAD, "blobs", digest) => self.find_blob(parts, digest),
            (&Method::GET, "manifests", reference) => self.manifest(parts, reference),
            (&Method::PUT, "manifests", reference) => self.put_manifest(parts, reference, body),
            (&Method::GET, "referrers", digest) => self.referrers(parts, digest),
            (&Method::GET, "tags", "list") => self.list_tags(parts),
            _ => self.fault(parts, "there is no such call"),
        }
    }

    /// Records and refuses a request that no client may make.
    fn fault(&mut self, parts: &Parts, why: &str) -> Response {
        let Parts { method, uri, .. } = parts;
        self.faults.push(format!("{method} {uri}: {why}"));
        refuse(StatusCode::BAD_REQUEST, "UNSUPPORTED", why)
    }

    fn token(&mut self, parts: &Parts) -> Response {
        let Some(scope) = query(parts, "scope") else {
            return self.fault(parts, "a token is asked for without its scope");
        };
        if query(parts, "service").as_deref() != Some("test") {
            return self.fault(parts, "a token is asked for of another service");
        }
        let account = self.rules.account.clone().expect("there is an account");
        if header(parts, &AUTHORIZATION) != Some(&*account.basic()) {
            return refuse(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "who are you");
        }
        let actions = scope
            .rsplit(':')
            .next()
            .unwrap_or_default()
            .replace(',', "-");
        self.scopes.push(scope);
        axum::Json(json!({"token": format!("may-{actions}")})).into_response()
    }

    /// Refuses a caller without the required credentials.
    fn stranger(&mut self, parts: &Parts) -> Option<Response> {
        let shown = header(parts, &AUTHORIZATION);
        let Some(account) = self.rules.account.clone() else {
            return shown.map(|_| self.fault(parts, "a credential that nobody asked for"));
        };
        let (is_known, challenge) = if account.gets_token {
            let action = match parts.method {
                Method::GET | Method::HEAD => "pull",
                _ => "push",
            };
            let token = shown.and_then(|shown| shown.strip_prefix("Bearer may-"));
            let may = token.is_some_and(|token| token.split('-').any(|one| one == action));
            let realm = format!("http://{}/token", self.address);
            let scope = format!("repository:{NAME}:{action}");
            (
                may,
                format!(r#"Bearer realm="{realm}",service="test",scope="{scope}""#),
            )
        } else {
            let is_known = shown == Some(&*account.basic());
            (is_known, r#"Basic realm="test""#.to_owned())
        };
        if is_known {
            return None;
        }
        let mut refusal = refuse(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "who are you");
        let challenge = challenge.parse().expect("a header");
        refusal.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        Some(refusal)
    }

    fn begin_upload(&mut self, parts: &Parts, body: &Bytes) -> Response {
        if header(parts, &CONTENT_LENGTH) != Some("0") || !body.is_empty() {
            return self.fault(parts, "an upload begins with a Content-Length of 0");
        }
        self.uploads += 1;
        let location = format!("/v2/{NAME}/blobs/uploads/{}?state=a%2Fb", self.uploads);
        (StatusCode::ACCEPTED, [(LOCATION, location)]).into_response()
    }

    fn upload(&mut self, parts: &Parts, body: &Bytes) -> Response {
        if query(parts, "state").as_deref() != Some("a/b") {
            return self.fault(parts, "the query of the location was not kept");
        }
        if header(parts, &CONTENT_TYPE) != Some("application/octet-stream") {
            return self.fault(parts, "a content is of the type octet-stream");
        }
        if header(parts, &CONTENT_LENGTH) != Some(&*body.len().to_string()) {
            return self.fault(parts, "a content has its Content-Length");
        }
        let digest = digest_of(body);
        if query(parts, "digest").as_deref() != Some(&*digest) {
            return self.fault(parts, "the digest is not that of the content");
        }
        self.blobs.insert(digest.clone(), body.clone());
        let location = format!("/v2/{NAME}/blobs/{digest}");
        (StatusCode::CREATED, [(LOCATION, location)]).into_response()
    }

    fn find_blob(&self, parts: &Parts, digest: &str) -> Response {
        if !self.blobs.contains_key(digest) {
            return refuse(StatusCode::NOT_FOUND, "BLOB_UNKNOWN", "no such blob");
        }
        if parts.method == Method::GET && self.rules.has_contents_elsewhere {
            let location = format!("http://{}/blobs/{digest}", self.elsewhere);
            return (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, location)]).into_response();
        }
        self.content(digest)
    }

    fn content(&self, digest: &str) -> Response {
        Body::from(self.blobs[digest].clone()).into_response()
    }

    fn manifest(&mut self, parts: &Parts, reference: &str) -> Response {
        let Some(accepted) = header(parts, &ACCEPT).map(str::to_owned) else {
            return self.fault(parts, "a manifest is read without Accept");
        };
        let digest = self.tags.get(reference).map_or(reference, String::as_str);
        let Some((media_type, bytes)) = self.manifests.get(digest) else {
            return refuse(
                StatusCode::NOT_FOUND,
                "MANIFEST_UNKNOWN",
                "no such manifest",
            );
        };
        if !accepted.split(',').any(|one| one.trim() == media_type) {
            return self.fault(parts, "the type of the manifest is not accepted");
        }
        let headers = [
            (CONTENT_TYPE, media_type.clone()),
            (content_digest(), digest.to_owned()),
        ];
        (headers, bytes.clone()).into_response()
    }

    fn put_manifest(&mut self, parts: &Parts, reference: &str, body: &Bytes) -> Response {
        let Ok(manifest) = serde_json::from_slice::<Value>(body) else {
            return self.fault(parts, "a manifest is JSON");
        };
        let media_type = manifest["mediaType"].as_str().unwrap_or_default();
        if ![MANIFEST, INDEX].contains(&media_type)
            || header(parts, &CONTENT_TYPE) != Some(media_type)
        {
            return self.fault(parts, "the Content-Type is that of the manifest");
        }
        if header(parts, &CONTENT_LENGTH) != Some(&*body.len().to_string()) {
            return self.fault(parts, "a manifest has its Content-Length");
        }
        let layers = manifest["layers"].as_array().into_iter().flatten();
        let contents = layers.chain(manifest.get("config"));
        for content in contents {
            let digest = content["digest"].as_str().unwrap_or_default();
            let size = self.blobs.get(digest).map(Bytes::len);
            if size.map(|size| json!(size)).as_ref() != content.get("size") {
                return self.fault(parts, "a content of the manifest was not pushed");
            }
        }
        if subject_of(body).is_some_and(|subject| !self.manifests.contains_key(&subject)) {
            return self.fault(parts, "the subject of the manifest was not pushed");
        }
        let digest = digest_of(body);
        if reference.starts_with("sha256:") {
            if reference != digest {
                return self.fault(parts, "the digest is not that of the manifest");
            }
        } else {
            self.tags.insert(reference.to_owned(), digest.clone());
        }
        let kept = (media_type.to_owned(), body.clone());
        self.manifests.insert(digest.clone(), kept);
        let location = format!("/v2/{NAME}/manifests/{digest}");
        let mut created = (StatusCode::CREATED, [(LOCATION, location)]).into_response();
        if let Some(subject) = subject_of(body).filter(|_| !self.rules.has_no_referrers) {
            let subject = subject.parse().expect("a header");
            let name = HeaderName::from_static("oci-subject");
            created.headers_mut().insert(name, subject);
        }
        created
    }

    fn referrers(&mut self, parts: &Parts, digest: &str) -> Response {
        if self.rules.has_no_referrers {
            return refuse(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such API");
        }
        let referring = self
            .manifests
            .iter()
            .filter_map(|(own, (media_type, bytes))| {
                let manifest: Value = serde_json::from_slice(bytes).expect("JSON");
                (manifest["subject"]["digest"] == *digest).then(|| {
                    json!({
                        "mediaType": media_type,
                        "digest": own,
                        "size": bytes.len(),
                        "artifactType": manifest["artifactType"],
                    })
                })
            });
        let manifests: Vec<Value> = referring.collect();
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests});
        if header(parts, &ACCEPT).is_none() {
            return self.fault(parts, "referrers are listed without Accept");
        }
        ([(CONTENT_TYPE, INDEX)], index.to_string()).into_response()
    }

    /// Lists one tag a page.
    fn list_tags(&self, parts: &Parts) -> Response {
        let last = query(parts, "last").unwrap_or_default();
        let mut after = self.tags.keys().filter(|tag| **tag > last);
        let tags: Vec<&String> = after.next().into_iter().collect();
        let list = axum::Json(json!({"name": NAME, "tags": tags}));
        match tags.first() {
            Some(tag) if after.next().is_some() => {
                let link = format!("</v2/{NAME}/tags/list?n=1&last={tag}>; rel=\"next\"");
                ([(LINK, link)], list).into_response()
            }
            _ => list.into_response(),
        }
    }
}

impl Account {
    fn basic(&self) -> String {
        let pair = format!("{}:{}", self.name, self.password);
        format!("Basic {}", BASE64.encode(pair))
    }
}

fn refuse(status: StatusCode, code: &str, why: &str) -> Response {
    let failure = json!({"errors": [{"code": code, "message": why}]});
    (status, axum::Json(failure)).into_response()
}

fn header<'p>(parts: &'p Parts, name: &HeaderName) -> Option<&'p str> {
    parts.headers.get(name)?.to_str().ok()
}

fn query(parts: &Parts, name: &str) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let found = pairs.find(|(own, _)| own == name);
    found.map(|(_, value)| value.into_owned())
}

fn digest_of(content: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(content)))
}

fn content_digest() -> HeaderName {
    HeaderName::from_static("docker-content-digest")
}

fn subject_of(manifest: &[u8]) -> Option<String> {
    let manifest: Value = serde_json::from_slice(manifest).expect("JSON");
    manifest["subject"]["digest"].as_str().map(str::to_owned)
}
