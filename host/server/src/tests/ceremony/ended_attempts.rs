//! Link contents and actions after the end of an attempt.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use parafa_ceremony::ceremonies::CeremonyState;
use parafa_domain::Phase;
use tokio::time::Instant;
use tower::ServiceExt;

use crate::tests::support::{REFUSES, SIGN, Site, Stage};

/// Longer than anything immediate takes.
const LONG: Duration = Duration::from_secs(30);

#[tokio::test]
async fn of_a_link_that_was_signed_on_only_what_can_be_read_is_left() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    assert_eq!(stage.attempt().await.phase, Phase::Done);
    let link = format!("/c/{}", stage.host.link(stage.signer));

    for (method, call, status) in [
        ("GET", "/attempts", StatusCode::NOT_FOUND),
        ("POST", "/attempts", StatusCode::NOT_FOUND),
        ("PUT", "/decline", StatusCode::NOT_FOUND),
        (
            "GET",
            "/attempts/current/qr.svg?foo=1",
            StatusCode::NOT_FOUND,
        ),
        ("POST", "/state", StatusCode::METHOD_NOT_ALLOWED),
        ("GET", "/state?foo=1", StatusCode::BAD_REQUEST),
        ("GET", "/state", StatusCode::OK),
    ] {
        let told = answer(&stage, method, &format!("{link}{call}")).await;
        assert_eq!(told.status(), status, "{method} {call}");
    }
}

#[tokio::test]
async fn nobody_waits_for_an_attempt_that_has_ended() {
    let site = Site::start().await;
    for (person, end) in [(REFUSES, Phase::Failed), (SIGN[0], Phase::Done)] {
        let stage = Stage::set(&site, site.posted()).await;
        stage.host.start(stage.signer, person).await.unwrap();
        stage.outcome().await;

        for _ in 0..2 {
            let state = read_at_once(&stage).await;
            assert_eq!(state.attempt.map(|attempt| attempt.phase), Some(end));
        }
    }
}

/// Reads the state; asserts that the answer does not use the reader's full
/// wait.
async fn read_at_once(stage: &Stage<'_>) -> CeremonyState {
    let asked = Instant::now();
    let link = stage.host.link(stage.signer);
    let state = stage.host.app.ceremonies.await_state(&link, LONG, None);
    let state = state.await.unwrap();
    assert!(asked.elapsed() < LONG / 2, "the reader waits in vain");
    state
}

/// Returns the answer to a client that sends an empty object.
async fn answer(stage: &Stage<'_>, method: &str, path: &str) -> Response {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from("{}"))
        .unwrap();
    let answer = stage.host.app.ceremony_router().oneshot(request);
    answer.await.unwrap()
}
