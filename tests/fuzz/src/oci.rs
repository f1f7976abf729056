//! Answers of OCI registries.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_oci::{
    Access, Credentials, Descriptor, Digest, Location, Manifest, OciError, Reference, Registry,
    Repository, StoredManifest, Tag, Version,
};
use serde_json::{Value, json};

use crate::json::chosen;
use crate::port::run_at_once;
use crate::target::Target;

/// The readers of registries' answers: manifests, indexes of referrers, lists of tags, tokens,
/// challenges and refusals.
///
/// Contents have the digest under which they were asked for. The credential goes to no other
/// host than the registry's, but for a token.
pub const OCI: Target = Target {
    name: "oci",
    run,
    seeds,
};

const HOST: &str = "registry.example";
const TOKEN: &str = "/token";
const CHALLENGE: &str = r#"Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull""#;
/// Statuses, the first of a sound answer.
const STATUSES: [u16; 4] = [200, 307, 404, 503];
/// The bit of the first byte that says that the answer follows as it is.
const RAW: u8 = 0x80;
/// Most contents of a manifest that are fetched.
const MOST_CONTENTS: usize = 4;

/// The sound answer to each question: for a manifest, referrers and tags, for a token, and a
/// challenge.
static SOUND: LazyLock<[Value; 5]> = LazyLock::new(|| {
    let manifest = manifest();
    let listed = json!({
        "mediaType": manifest.descriptor.media_type,
        "digest": manifest.descriptor.digest,
        "size": manifest.bytes.len(),
        "artifactType": "application/spdx+json",
        "annotations": {"org.opencontainers.image.created": "2026-11-21T16:00:00Z"},
    });
    [
        serde_json::to_value(&manifest.manifest).expect("manifests are JSON"),
        json!({"schemaVersion": 2, "manifests": [listed]}),
        json!({"name": "acme/pdf", "tags": ["0.2.0", "latest"]}),
        json!({"token": "dG9rZW4", "expires_in": 300}),
        json!(CHALLENGE),
    ]
});

/// A registry that gives one answer, after a token if it demands one.
struct OneRegistry {
    challenge: Option<HeaderValue>,
    token: Bytes,
    status: StatusCode,
    body: Bytes,
}

impl OneRegistry {
    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let (uri, headers) = (request.uri(), request.headers());
        let is_own = uri.host() == Some(HOST);
        let has_credential = headers.contains_key(AUTHORIZATION);
        if uri.path() == TOKEN {
            return Response::new(self.token.clone());
        }
        if let Some(challenge) = self
            .challenge
            .as_ref()
            .filter(|_| is_own && !has_credential)
        {
            let mut answer = Response::new(Bytes::new());
            *answer.status_mut() = StatusCode::UNAUTHORIZED;
            let headers = answer.headers_mut();
            headers.insert(WWW_AUTHENTICATE, challenge.clone());
            return answer;
        }
        let is_for_token = uri.query().is_some_and(|query| query.contains("scope="));
        assert!(
            is_own || is_for_token || !has_credential,
            "{uri} got a credential"
        );
        let mut answer = Response::new(self.body.clone());
        *answer.status_mut() = self.status;
        if let Ok(location) = HeaderValue::from_bytes(&self.body) {
            answer.headers_mut().insert(LOCATION, location);
        }
        answer
    }
}

#[async_trait]
impl HttpPort for OneRegistry {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let answer = self.answer(&request);
        let limit = limits.max_response_bytes;
        if answer.body().len() > limit {
            let status = answer.status();
            return Err(HttpPortError::ResponseTooLong { status, limit });
        }
        Ok(answer)
    }
}

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    let (is_raw, number) = (first & RAW != 0, usize::from(first & 0x0f) % SOUND.len());
    let status = STATUSES[usize::from((first >> 4) & 3)];
    let is_sound = !is_raw && status == 200 && rest.is_empty();
    let text = Bytes::from(chosen(&SOUND[number], is_raw, rest));
    let mut registry = OneRegistry {
        challenge: None,
        token: SOUND[3].to_string().into(),
        status: StatusCode::from_u16(status).expect("a known status"),
        body: SOUND[0].to_string().into(),
    };
    match number {
        3 => {
            registry.challenge = Some(HeaderValue::from_static(CHALLENGE));
            registry.token = text;
        }
        4 => registry.challenge = challenge(&text),
        _ => registry.body = text,
    }
    let body = registry.body.clone();
    let client = client(registry);
    let outcome = match number {
        1 => run_at_once(client.referrers(&manifest().descriptor.digest)).map(drop),
        2 => run_at_once(client.tags()).map(|tags| {
            for tag in tags {
                assert_eq!(tag.as_str().parse(), Ok(tag));
            }
        }),
        _ => find(&client, &body),
    };
    if let Err(error) = outcome {
        assert!(!is_sound, "{error}");
    }
}

/// Asks for the manifest of a tag, by its digest too, and for its contents.
fn find(client: &Registry, body: &Bytes) -> Result<(), OciError> {
    let tag: Tag = "0.2.0".parse().expect("a sound tag");
    let Some(found) = run_at_once(client.find(&Version::Tag(tag)))? else {
        return Ok(());
    };
    assert_eq!(found.bytes, *body);
    assert_eq!(found.descriptor.digest, Digest::of(body));
    let same = run_at_once(client.manifest(&Version::Digest(found.descriptor.digest)))?;
    assert_eq!(same.manifest, found.manifest);
    for content in found.manifest.layers.iter().take(MOST_CONTENTS) {
        if let Ok(bytes) = run_at_once(client.blob(content)) {
            assert_eq!(Digest::of(&bytes), content.digest);
        }
    }
    Ok(())
}

/// Returns the header of a challenge, which is a JSON string, or else the text itself.
fn challenge(text: &[u8]) -> Option<HeaderValue> {
    match serde_json::from_slice(text) {
        Ok(Value::String(challenge)) => challenge.try_into().ok(),
        _ => HeaderValue::from_bytes(text).ok(),
    }
}

fn client(registry: OneRegistry) -> Registry {
    let reference: Reference = "oci://registry.example/acme/pdf"
        .parse()
        .expect("a sound reference");
    let Location::Registry(name) = reference.location else {
        panic!("it is no layout");
    };
    let account = Credentials::new("ona", "secret");
    Registry::new(Arc::new(registry), &name, Some(account), Access::Pull)
}

/// The manifest of a component.
fn manifest() -> StoredManifest {
    let config = Descriptor::of("application/vnd.wasm.config.v0+json", b"{}");
    let layer = Descriptor::of("application/wasm", b"a component").annotated("title", "pdf.wasm");
    let manifest = Manifest::new(config, vec![layer]);
    StoredManifest::of(manifest).expect("manifests are JSON")
}

fn seeds() -> Vec<Vec<u8>> {
    const REFUSAL: &str =
        r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"unknown","detail":{}}]}"#;
    const BASIC: &str = r#"Basic realm="registry.example""#;

    let answers = (0..).zip(&*SOUND).flat_map(|(number, sound): (u8, _)| {
        let raw = [&[number | RAW], sound.to_string().as_bytes()].concat();
        [vec![number], vec![number, 1, 2, 0], raw]
    });
    let statuses = (1..STATUSES.len()).map(|status| {
        let status = u8::try_from(status << 4).unwrap_or_default();
        [&[status | RAW], REFUSAL.as_bytes()].concat()
    });
    let redirect = [&[RAW | 0x10], b"https://content.example/blob".as_slice()].concat();
    let basic = [&[RAW | 4], BASIC.as_bytes()].concat();
    let null = [&[RAW | 2], br#"{"tags":null}"#.as_slice()].concat();
    answers
        .chain(statuses)
        .chain([redirect, basic, null])
        .collect()
}
