use std::sync::Mutex;

use http::HeaderName;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};

use super::*;
use crate::manifest::Manifest;
use crate::reference::{Location, Reference};

type Script = fn(&Request<Bytes>) -> Response<Bytes>;

/// A registry with scripted answers, which records requests.
struct Scripted {
    script: Script,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl HttpPort for Scripted {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        _: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let shown = match request.headers().contains_key(AUTHORIZATION) {
            true => " with a credential",
            false => "",
        };
        let asked = format!("{} {}{shown}", request.method(), request.uri());
        self.asked.lock().unwrap().push(asked);
        Ok((self.script)(&request))
    }
}

impl Scripted {
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Returns the repository `acme/pdf` of a registry, and an account there.
fn registry(script: Script) -> (Registry, Arc<Scripted>) {
    let port = Arc::new(Scripted {
        script,
        asked: Mutex::default(),
    });
    let reference: Reference = "oci://registry.example/acme/pdf".parse().unwrap();
    let Location::Registry(name) = reference.location else {
        panic!("it is a layout");
    };
    let account = Credentials::new("ona", "secret");
    let registry = Registry::new(port.clone(), &name, Some(account), Access::PullAndPush);
    (registry, port)
}

fn answer(status: u16, header: (HeaderName, &str), body: impl Into<Bytes>) -> Response<Bytes> {
    let (name, value) = header;
    let answer = Response::builder().status(status).header(name, value);
    answer.body(body.into()).unwrap()
}

fn led_to(location: &str) -> Response<Bytes> {
    answer(307, (LOCATION, location), "")
}

fn content() -> Descriptor {
    Descriptor::of("application/wasm", b"a component")
}

fn manifest() -> StoredManifest {
    StoredManifest::of(Manifest::new(content(), vec![content()])).unwrap()
}

#[tokio::test]
async fn nobody_is_led_from_https_to_plain_http() {
    let scripts: [Script; 3] = [
        |_| led_to("http://registry.example/content"),
        |_| led_to("http://127.0.0.1/content"),
        |_| {
            let challenge = r#"Bearer realm="http://registry.example/token""#;
            answer(401, (WWW_AUTHENTICATE, challenge), "")
        },
    ];
    for script in scripts {
        let (registry, port) = registry(script);
        let refused = registry.blob(&content()).await.unwrap_err();
        assert!(matches!(refused, OciError::Insecure { .. }), "{refused}");
        assert_eq!(port.asked().len(), 1);
    }
    let (registry, port) = registry(|request| match *request.method() {
        Method::POST => answer(202, (LOCATION, "http://registry.example/upload"), ""),
        _ => answer(404, (CONTENT_TYPE, "text/plain"), ""),
    });
    let refused = registry.put_blob(Bytes::from_static(b"a component")).await;
    assert!(matches!(refused, Err(OciError::Insecure { .. })));
    assert_eq!(port.asked().len(), 2);
}

#[tokio::test]
async fn the_password_is_shown_to_the_registry_alone() {
    let (registry, port) = registry(|request| match request.uri().host() {
        Some("registry.example") if !request.headers().contains_key(AUTHORIZATION) => {
            answer(401, (WWW_AUTHENTICATE, "Basic realm=\"a\""), "")
        }
        Some("registry.example") => led_to("https://contents.example/a"),
        _ => answer(401, (WWW_AUTHENTICATE, "Basic realm=\"a\""), ""),
    });

    let refused = registry.blob(&content()).await.unwrap_err();

    assert!(matches!(refused, OciError::Refused { .. }), "{refused}");
    let own = format!(
        "GET https://registry.example/v2/acme/pdf/blobs/{}",
        content().digest
    );
    let with_credential = format!("{own} with a credential");
    let elsewhere = "GET https://contents.example/a".to_owned();
    assert_eq!(port.asked(), [own, with_credential, elsewhere]);
}

#[tokio::test]
async fn whoever_leads_on_and_on_is_not_followed() {
    let (leading, port) = registry(|_| led_to("/again"));
    let refused = leading.blob(&content()).await.unwrap_err();
    assert!(matches!(refused, OciError::Endless(_)), "{refused}");
    assert_eq!(port.asked().len(), MOST_REDIRECTS + 1);

    let (paging, port) = registry(|_| {
        let next = (LINK, r#"<?last=a>; rel="next""#);
        answer(200, next, r#"{"name": "acme/pdf", "tags": ["a"]}"#)
    });
    let refused = paging.tags().await.unwrap_err();
    assert!(matches!(refused, OciError::Endless(_)), "{refused}");
    assert_eq!(port.asked().len(), MOST_PAGES);
    let second = "GET https://registry.example/v2/acme/pdf/tags/list?last=a";
    assert_eq!(port.asked()[1], second);
}

#[tokio::test]
async fn a_manifest_is_the_one_with_the_digest_that_was_asked_for_or_told() {
    let (registry, _) = registry(|_| {
        let told = Digest::of(b"another").to_string();
        let name = HeaderName::from_static(CONTENT_DIGEST);
        answer(200, (name, &told), manifest().bytes)
    });
    let tag = Version::Tag("0.1.0".parse().unwrap());
    for version in [Version::Digest(Digest::of(b"another")), tag] {
        let refused = registry.find(&version).await.unwrap_err();
        assert!(matches!(refused, OciError::WrongDigest { .. }), "{refused}");
    }
}

#[tokio::test]
async fn what_is_no_image_manifest_is_told_from_nothing() {
    let (registry, _) = registry(|_| {
        let index = r#"{"schemaVersion": 2, "manifests": []}"#;
        answer(200, (CONTENT_TYPE, media_type::INDEX), index)
    });
    let tag = Version::Tag("0.1.0".parse().unwrap());
    let refused = registry.find(&tag).await.unwrap_err();
    assert!(matches!(refused, OciError::Malformed { .. }), "{refused}");
}

#[tokio::test]
async fn referrers_are_under_a_tag_where_the_registry_leads_to_a_page_for_people() {
    let (leading, port) = registry(|request| match request.uri().path() {
        path if path.contains("/referrers/") => led_to("https://people.example/"),
        _ => answer(404, (CONTENT_TYPE, "text/plain"), ""),
    });
    let subject = manifest().descriptor.digest;
    assert!(leading.referrers(&subject).await.unwrap().is_empty());
    let asked = port.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].ends_with(&format!("/manifests/sha256-{}", subject.hex())));

    // This registry takes the tag for the digest.
    let (registry, _) = registry(|request| match request.uri().path() {
        path if path.contains("/referrers/") => answer(404, (CONTENT_TYPE, "text/plain"), ""),
        _ => answer(200, (CONTENT_TYPE, media_type::MANIFEST), manifest().bytes),
    });
    assert!(registry.referrers(&subject).await.unwrap().is_empty());
}

#[test]
fn the_next_page_is_that_of_the_link() {
    let page = Url::parse("https://registry.example/v2/a/tags/list").unwrap();
    let next = |link: &'static str| {
        let link = (LINK, HeaderValue::from_static(link));
        next_page(&page, &[link].into_iter().collect()).map(String::from)
    };

    let target = "https://registry.example/v2/a/tags/list?n=2&last=b";
    let link = r#"</v2/a/tags/list?n=2&last=b>; rel="next""#;
    assert_eq!(next(link).as_deref(), Some(target));
    assert_eq!(next(r#"</v2/a>; rel="prev""#), None);
    assert_eq!(next("nothing"), None);
    assert_eq!(next_page(&page, &HeaderMap::new()), None);
}
