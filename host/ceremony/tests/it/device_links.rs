//! Codes to scan that depend on the time since opening.

use std::collections::HashSet;

use axum::body::{Body, Bytes, to_bytes};
use http::{Request, StatusCode};
use jiff::SignedDuration;
use tower::ServiceExt;
use url::Url;

use crate::support::{Stage, TICK};

const HALF_AN_HOUR: SignedDuration = SignedDuration::from_mins(30);
/// Time before each event during which a code is open.
const OPEN: SignedDuration = SignedDuration::from_secs(20);
/// Longest image of a code, in bytes.
const LONGEST_PICTURE: usize = 1024 * 1024;

/// Returns the seconds since the link's opening, according to the code to scan.
async fn elapsed(stage: &Stage) -> u64 {
    let link = stage.shown_link().await.qr;
    let url = Url::parse(&link).unwrap();
    let mut parameters = url.query_pairs();
    let elapsed = parameters.find(|(name, _)| name == "elapsedSeconds");
    elapsed.unwrap().1.parse().unwrap()
}

/// Returns the code to scan as shown on the page.
async fn picture(stage: &Stage) -> Bytes {
    let link = stage.link();
    let request = Request::get(format!("/c/{link}/attempts/current/qr.svg"));
    let request = request.body(Body::empty()).unwrap();
    let answer = stage.router().oneshot(request);
    let answer = answer.await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    to_bytes(answer.into_body(), LONGEST_PICTURE).await.unwrap()
}

#[tokio::test]
async fn a_code_to_scan_is_another_one_each_second() {
    let stage = Stage::set().await;
    stage.open_link().await;
    stage.clock.advance(OPEN);

    let mut pictures = HashSet::new();
    for second in 20..25 {
        assert_eq!(elapsed(&stage).await, second);
        assert!(pictures.insert(picture(&stage).await), "{second}");
        stage.clock.advance(TICK);
    }
}

#[tokio::test]
async fn a_code_to_scan_goes_on_where_it_was_when_the_clock_is_set_back() {
    let stage = Stage::set().await;
    stage.open_link().await;
    stage.clock.advance(OPEN);

    stage.smart_id.set_clock_back(HALF_AN_HOUR);
    assert_eq!(stage.run_due().await, 1);

    // The duration of the poll counts as well.
    let first = elapsed(&stage).await;
    assert!((20..30).contains(&first), "{first}");
    for second in first..first + 5 {
        assert_eq!(elapsed(&stage).await, second);
        stage.clock.advance(TICK);
    }
    assert_eq!(stage.run_due().await, 1, "it is still waited for");
}

#[tokio::test]
async fn a_code_to_scan_does_not_stand_still_after_the_clock_was_set_back_while_nobody_waited() {
    let stage = Stage::set().await;
    stage.open_link().await;
    stage.clock.advance(OPEN);

    stage.clock.advance(-HALF_AN_HOUR);
    stage.runner.follow_clock_back().await.unwrap();
    stage.run_due().await;

    for second in 0..5 {
        assert_eq!(elapsed(&stage).await, second);
        stage.clock.advance(TICK);
    }
}
