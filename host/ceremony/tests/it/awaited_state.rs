//! Readers of a link that wait for its state to change.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, IF_NONE_MATCH};
use http::{Method, Request, StatusCode};
use parafa_ceremony::ceremonies::CeremonyState;
use parafa_ceremony::changes::Fingerprint;
use serde_json::json;
use tokio::time::Instant;
use tower::ServiceExt;

use crate::support::Stage;

/// Longer than any immediate answer takes.
const LONG: Duration = Duration::from_secs(30);
/// Long enough to distinguish a wait.
const SHORT: Duration = Duration::from_millis(300);

async fn read(stage: &Stage, wait: Duration, known: Option<Fingerprint>) -> CeremonyState {
    let link = stage.link();
    let state = stage.ceremonies.await_state(&link, wait, known);
    state.await.unwrap()
}

/// Reads like [`read`], where the answer must come before the reader's wait
/// ends.
async fn read_at_once(stage: &Stage, known: Option<Fingerprint>) -> CeremonyState {
    let asked = Instant::now();
    let state = read(stage, LONG, known).await;
    assert!(asked.elapsed() < LONG / 2, "the reader waits in vain");
    state
}

#[tokio::test]
async fn a_reader_without_a_tag_is_held_from_the_first_call_on() {
    let stage = Stage::set().await;

    for _ in 0..2 {
        let asked = Instant::now();
        assert!(read(&stage, SHORT, None).await.attempt.is_none());
        assert!(asked.elapsed() >= SHORT, "{:?}", asked.elapsed());
    }
}

#[tokio::test]
async fn a_page_that_waits_keeps_nothing_of_what_it_takes_to_read_its_link() {
    let stage = Stage::set().await;
    let link = stage.link();

    let waiting = stage.ceremonies.await_state(&link, LONG, None);

    assert!(size_of_val(&waiting) <= 2048, "{}", size_of_val(&waiting));
}

#[tokio::test]
async fn a_change_ends_the_wait_of_a_reader_without_a_tag() {
    let stage = Stage::set().await;

    let (state, started) = tokio::join!(read_at_once(&stage, None), stage.start());

    started.unwrap();
    assert!(state.attempt.is_some());
}

#[tokio::test]
async fn a_change_between_two_calls_is_told_at_once() {
    let stage = Stage::set().await;
    assert!(read(&stage, Duration::ZERO, None).await.attempt.is_none());

    stage.start().await.unwrap();

    assert!(read_at_once(&stage, None).await.attempt.is_some());
}

#[tokio::test]
async fn readers_with_a_tag_take_no_news_from_each_other_nor_from_one_without() {
    let stage = Stage::set().await;
    let known = read(&stage, Duration::ZERO, None).await.fingerprint;

    stage.start().await.unwrap();

    for known in [Some(known), Some(known), None] {
        assert!(read_at_once(&stage, known).await.attempt.is_some());
    }
}

#[tokio::test]
async fn what_the_page_is_told_with_a_tag_is_still_news_for_a_script_without_one() {
    let stage = Stage::set().await;
    assert!(read(&stage, Duration::ZERO, None).await.attempt.is_none());

    let body = json!({"method": "smart_id", "personalCode": "50001029996", "country": "LT"});
    let started = answer_to_page(&stage, Method::POST, "attempts", "\"0\"", body.to_string());
    let started = started.await;
    assert_eq!(started.status(), StatusCode::CREATED);
    let tag = started.headers()["etag"].to_str().unwrap().to_owned();
    // The forms in which a compressing proxy passes it on.
    for known in ["\"0\"", &format!("W/{tag}")] {
        let state = answer_to_page(&stage, Method::GET, "state", known, String::new());
        assert_eq!(state.await.headers()["etag"], tag);
    }

    assert!(read_at_once(&stage, None).await.attempt.is_some());
}

/// Returns the answer to the page's script, with its known state.
async fn answer_to_page(
    stage: &Stage,
    method: Method,
    call: &str,
    known: &str,
    body: String,
) -> Response {
    let token = stage.link();
    let request = Request::builder()
        .method(method)
        .uri(format!("/c/{token}/{call}"))
        .header(CONTENT_TYPE, "application/json")
        .header(IF_NONE_MATCH, known)
        .body(Body::from(body))
        .unwrap();
    let answer = stage.router().oneshot(request);
    answer.await.unwrap()
}
