//! The pages of the reference.

use std::io::Read;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use flate2::read::GzDecoder;
use http::{Request, StatusCode};
use tower::ServiceExt;

use crate::reference_pages::{assert_readable, page};
use crate::tiny::service;

const REFERENCE: &str = "/auth/docs/reference";

async fn found(query: &str) -> String {
    let (status, page) = page(&service(), &format!("{REFERENCE}?q={query}")).await;
    assert_eq!(status, StatusCode::OK);
    page
}

#[tokio::test]
async fn every_call_and_schema_can_be_read_on_a_phone() {
    assert_readable(&service(), "/auth").await;
}

#[tokio::test]
async fn calls_are_found_by_their_path_their_members_and_their_problems() {
    for (query, call, is_found) in [
        ("COUNTRIES", "createInCountry", true),
        ("countries", "readAuthentication", false),
        ("signature", "completeAuthentication", true),
        ("signature", "createInCountry", false),
        ("bad-signature", "completeAuthentication", true),
        ("bad-signature", "createAuthentication", false),
        ("audience+complete", "completeAuthentication", true),
        ("audience+complete", "readAuthentication", false),
    ] {
        let page = found(query).await;
        let link = format!("href=\"{REFERENCE}/{call}\"");
        assert_eq!(page.contains(&link), is_found, "{query}: {call}");
    }
    let page = found("bad-signature").await;
    assert!(page.contains("href=\"/auth/problems/bad-signature\""));
    assert!(page.contains("<code>bad-signature</code>"), "{page}");
}

#[tokio::test]
async fn schemas_are_found_by_their_members_and_what_is_named_so_comes_first() {
    let page = found("method").await;
    let place = |link: &str| {
        let link = format!("href=\"{REFERENCE}/{link}\"");
        page.find(&link).unwrap_or_else(|| panic!("{link}"))
    };
    assert!(place("schemas/Method") < place("createAuthentication"));
    assert!(place("createAuthentication") < place("schemas/Authentication"));

    let page = found("audience").await;
    assert!(page.contains("schemas/CreateAuthenticationRequest"));
    assert!(!page.contains("schemas/CompletionRequest"));
}

#[tokio::test]
async fn nothing_found_is_said_and_what_was_typed_is_no_markup() {
    let page = found("%3Cb%3Ezz").await;
    assert!(page.contains("No results for “&lt;b&gt;zz”"), "{page}");
    assert!(page.contains("value=\"&lt;b&gt;zz\""), "{page}");

    let all = found("+").await;
    assert!(all.contains(&format!("href=\"{REFERENCE}/createInCountry\"")));
}

#[tokio::test]
async fn a_call_or_schema_that_there_is_not_is_a_page_that_says_so() {
    for unknown in ["nothing", "schemas/Nothing", "%FF"] {
        let (status, page) = page(&service(), &format!("{REFERENCE}/{unknown}")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{unknown}");
        assert!(page.contains("<h1>Page not found</h1>"), "{page}");
        assert!(page.contains("role=\"search\""), "{page}");
    }
}

#[tokio::test]
async fn samples_take_what_changes_from_the_environment() {
    let path = format!("{REFERENCE}/completeAuthentication");
    let (_, page) = page(&service(), &path).await;

    for part in [
        "&quot;$BASE/v1/auth/requests/$REQUEST_ID/complete&quot; \\\n  -u &quot;$KEY&quot; \\\n  --json @- &lt;&lt;'END'\n{\n  &quot;signature&quot;: &quot;c2lnbmVk&quot;\n}\nEND",
        "f&quot;{os.environ['BASE']}/v1/auth/requests/{os.environ['REQUEST_ID']}/complete&quot;",
        "data=json.dumps({\n      &quot;signature&quot;: &quot;c2lnbmVk&quot;\n    }).encode()",
        "fetch(`${process.env.BASE}/v1/auth/requests/${process.env.REQUEST_ID}/complete`, {\n  method: &quot;POST&quot;",
        "export BASE=https://auth.example\nexport KEY=$(jq -r '.auth' parafa-data/demo.json)",
        "from the response of <a href=\"/auth/docs/reference/createAuthentication\">Begin</a>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

async fn get(path: &str, coding: Option<&str>) -> Response {
    let mut request = Request::get(path);
    if let Some(coding) = coding {
        request = request.header("accept-encoding", coding);
    }
    let request = request.body(Body::empty()).unwrap();
    service().oneshot(request).await.unwrap()
}

#[tokio::test]
async fn pages_and_descriptions_are_the_same_when_they_are_sent_compressed() {
    for path in [
        "/auth/docs/guide",
        REFERENCE,
        "/auth/docs/reference/readAuthentication",
        "/auth/docs/reference/schemas",
        "/auth/problems/bad-signature",
        "/auth/openapi.json",
        "/auth/openapi.yaml",
    ] {
        let (plain, compressed) = (get(path, None).await, get(path, Some("gzip")).await);
        assert_eq!(compressed.headers()["content-encoding"], "gzip", "{path}");
        assert_ne!(plain.headers()["etag"], compressed.headers()["etag"]);
        for response in [&plain, &compressed] {
            assert_eq!(response.headers()["vary"], "accept-encoding", "{path}");
        }
        let plain = to_bytes(plain.into_body(), usize::MAX).await.unwrap();
        let compressed = to_bytes(compressed.into_body(), usize::MAX).await.unwrap();
        let mut decoded = Vec::new();
        let mut decoder = GzDecoder::new(&compressed[..]);
        decoder.read_to_end(&mut decoded).unwrap();
        assert!(compressed.len() < plain.len(), "{path}");
        assert!(decoded == plain, "{path}");
    }
}

#[tokio::test]
async fn answers_of_calls_are_not_compressed() {
    let request = Request::get("/v1/auth/requests/0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f")
        .header("authorization", "Basic a2V5OmtleQ==")
        .header("accept-encoding", "gzip")
        .body(Body::empty());
    let response = service().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert!(!response.headers().contains_key("content-encoding"));
}
