//! Calls that are refused before they reach the implementation.

use axum::response::Response;
use http::request::Builder;
use http::{Method, Request, StatusCode};
use parafa_api_http::Problem;

use crate::desk::{answer, text};

/// Longer than the body of any call.
const TOO_LONG: usize = 64 * 1024 + 1;

fn call(method: Method, path: &str) -> Builder {
    Request::builder().method(method).uri(path)
}

fn json(path: &str) -> Builder {
    call(Method::POST, path).header("content-type", "application/json")
}

/// The status, and the pointers of the faults.
fn told(answer: &Response) -> (u16, Vec<&str>) {
    let problem = answer.extensions().get::<Problem>();
    let errors = problem.map(Problem::errors).unwrap_or_default();
    let pointers = errors.iter().map(|fault| &*fault.pointer);
    (answer.status().as_u16(), pointers.collect())
}

#[tokio::test]
async fn a_body_that_is_too_long_or_no_json_is_refused_on_links_that_lead_somewhere() {
    let long = format!("{{\"reason\":\"{}\"}}", "x".repeat(TOO_LONG));
    for call in ["attempts", "decline", "card/certificate", "card/complete"] {
        let (alive, dead) = (format!("/c/english/{call}"), format!("/c/nobodys/{call}"));

        let refused = answer(json(&alive), &long).await;
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE, "{call}");
        let plain = Request::post(&alive).header("content-type", "text/plain");
        let refused = answer(plain, "{}").await;
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        assert_eq!(refused.status(), status, "{call}");
        let refused = answer(json(&dead), &long).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{call}");
    }
}

#[tokio::test]
async fn who_sends_nothing_is_told_what_is_missing() {
    for (call, status, missing) in [
        ("attempts", 400, vec!["/method"]),
        ("card/certificate", 422, vec!["/certificate"]),
        ("decline", 200, vec![]),
    ] {
        let request = Request::post(format!("/c/english/{call}"));
        let refused = answer(request, "").await;

        assert_eq!(told(&refused), (status, missing), "{call}");
    }
}

#[tokio::test]
async fn a_form_that_is_too_long_is_refused_on_a_page() {
    let form = Request::post("/c/english/decline")
        .header("content-type", "application/x-www-form-urlencoded");
    let (status, page) = text(answer(form, &"x".repeat(TOO_LONG)).await).await;

    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(page.contains("up to 500"), "{page}");
}

#[tokio::test]
async fn a_card_s_app_without_a_token_that_works_is_told_so_whatever_it_asks() {
    for call in ["certificate", "complete"] {
        let path = format!("/c/card/{call}");
        for request in [
            json(&path),
            json(&path).header("authorization", "Bearer guessed"),
            Request::get(&path),
        ] {
            let refused = answer(request, "[]").await;

            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{call}");
        }
    }
}

#[tokio::test]
async fn a_method_that_a_path_without_a_link_has_not_is_told_as_such() {
    for (method, path, allowed) in [
        (Method::GET, "/c/pairings", "POST"),
        (Method::POST, "/c/pair", "GET,HEAD"),
    ] {
        let refused = answer(call(method, path), "").await;

        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(refused.headers()["allow"], allowed, "{path}");
    }
}
