//! Parts of the addresses below a signer's link, and the precedence of their
//! faults.

use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request, StatusCode};
use jiff::SignedDuration;
use parafa_api_http::Problem;
use tower::ServiceExt;

use crate::support::Stage;

/// Longest page of a link.
const LONGEST_PAGE: usize = 1 << 20;
/// A token that was never issued.
const NOBODY: &str = "deadbeef";

#[tokio::test]
async fn parameters_that_a_call_has_not_or_has_twice_are_its_faults() {
    let stage = Stage::set().await;
    stage.open_link().await;
    for (method, call, pointers) in [
        ("GET", "?foo=1", vec!["/foo"]),
        ("GET", "?lang=lt&lang=en", vec!["/lang"]),
        ("GET", "?lang=de", vec!["/lang"]),
        ("GET", "/document?foo", vec!["/foo"]),
        ("GET", "/state?foo=1", vec!["/foo"]),
        ("GET", "/state?waitMs=1&waitMs=2", vec!["/waitMs"]),
        (
            "GET",
            "/state?a~/b=1&waitMs=soon",
            vec!["/a~0~1b", "/waitMs"],
        ),
        ("POST", "/attempts?foo=1", vec!["/foo", "/method"]),
        ("POST", "/decline?foo=1", vec!["/foo"]),
        ("DELETE", "/attempts/current?foo=1", vec!["/foo"]),
    ] {
        let path = format!("/c/{}{call}", stage.link());

        let (status, faults) = faults(&answer(&stage, method, &path).await);

        assert_eq!(status, StatusCode::BAD_REQUEST, "{method} {call}");
        assert_eq!(faults, pointers, "{method} {call}");
    }
    assert!(!stage.newest_attempt().await.phase.is_terminal());
}

#[tokio::test]
async fn the_page_s_own_addresses_and_those_of_people_are_taken() {
    let stage = Stage::set().await;
    stage.open_link().await;
    let link = format!("/c/{}", stage.link());
    for call in [
        "?lang=en",
        "/document",
        "/state?waitMs=0",
        "/attempts/current/qr.svg?at=1790000000000",
        "/attempts/current/qr.svg?1790000000000",
    ] {
        let taken = answer(&stage, "GET", &format!("{link}{call}")).await;
        assert_eq!(taken.status(), StatusCode::OK, "{call}");
    }
    let returned = answer(&stage, "GET", &format!("{link}/callback?value=a&more=b")).await;
    assert_eq!(returned.status(), StatusCode::SEE_OTHER);

    let in_english = format!("{link}?utm_source=mail&lang=en&fbclid=1");
    let page = browse(&stage, Method::GET, &in_english).await;

    assert_eq!(page.status(), StatusCode::OK);
    let page = to_bytes(page.into_body(), LONGEST_PAGE).await.unwrap();
    let page = String::from_utf8(page.to_vec()).unwrap();
    assert!(page.contains("<html lang=\"en\">"));
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_not_found_whatever_is_asked_of_it() {
    let stage = Stage::set().await;
    for (method, call) in [
        ("GET", "/attempts"),
        ("GET", "/decline"),
        ("POST", "/attempts/current/qr.svg"),
        ("POST", "/callback"),
        ("POST", "/document"),
        ("POST", "/state"),
        ("POST", "/state?foo=1"),
        ("PUT", ""),
        ("PUT", "/attempts/current"),
        ("PUT", "/attempts?foo=1"),
    ] {
        let dead = answer(&stage, method, &format!("/c/{NOBODY}{call}")).await;
        assert_eq!(dead.status(), StatusCode::NOT_FOUND, "{method} {call}");
        let link = format!("/c/{}{call}", stage.link());
        let alive = answer(&stage, method, &link).await;
        assert_eq!(alive.status(), StatusCode::METHOD_NOT_ALLOWED, "{call}");
        assert!(alive.headers().contains_key("allow"), "{call}");
    }
    let page = browse(&stage, Method::PUT, &format!("/c/{NOBODY}")).await;
    assert_eq!(page.status(), StatusCode::NOT_FOUND);
    assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
}

#[tokio::test]
async fn a_link_says_that_its_signer_declined_and_that_its_time_has_run_out() {
    let stage = Stage::set().await;
    let link = format!("/c/{}", stage.link());
    let declined = answer(&stage, "POST", &format!("{link}/decline")).await;
    assert_eq!(declined.status(), StatusCode::OK);
    let late = Stage::set().await;
    late.clock.advance(SignedDuration::from_hours(24 * 15));

    for (stage, told) in [
        (&stage, "Atsisakėte pasirašyti"),
        (&late, "Pasirašymo terminas baigėsi"),
    ] {
        let path = format!("/c/{}", stage.link());
        let page = browse(stage, Method::GET, &path).await;

        assert_eq!(page.status(), StatusCode::NOT_FOUND);
        let page = to_bytes(page.into_body(), LONGEST_PAGE).await.unwrap();
        let page = String::from_utf8(page.to_vec()).unwrap();
        assert!(page.contains(told), "{page}");
        let program = answer(stage, "GET", &format!("{path}/state")).await;
        assert_eq!(program.status(), StatusCode::NOT_FOUND);
    }
}

/// Returns the answer to a program that sends an empty object.
async fn answer(stage: &Stage, method: &str, path: &str) -> Response {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(CONTENT_TYPE, "application/json");
    send(stage, request.body(Body::from("{}")).unwrap()).await
}

/// Returns the answer to a browser.
async fn browse(stage: &Stage, method: Method, path: &str) -> Response {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(ACCEPT, "text/html");
    send(stage, request.body(Body::empty()).unwrap()).await
}

async fn send(stage: &Stage, request: Request<Body>) -> Response {
    let answer = stage.router().oneshot(request);
    answer.await.unwrap()
}

/// Returns the pointers of a problem.
fn faults(answer: &Response) -> (StatusCode, Vec<String>) {
    let problem = answer.extensions().get::<Problem>();
    let errors = problem.map(Problem::errors).unwrap_or_default();
    let pointers = errors.iter().map(|fault| fault.pointer.clone());
    (answer.status(), pointers.collect())
}
