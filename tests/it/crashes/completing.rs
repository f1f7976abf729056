use std::time::Duration;

use serde_json::json;

use super::scene::{Attempt, Scene};
use crate::support::client::SigningClient;
use crate::support::demo::Demo;

/// Real time within which a server would end what its clock lets it end.
const SETTLE: Duration = Duration::from_secs(2);

/// Starts an attempt on a signing for this many `days`, `later` after its
/// creation. The device has signed, and time-stamps are unavailable.
async fn completing(scene: &Scene, api: &SigningClient, days: u16, later: &str) -> Attempt {
    let original = parafa_fixtures::plain(1);
    let body = json!([{"email": "ona@example.lt"}]);
    let signing = api.create_for_days(&original, body, days).await;
    scene.host.move_clock(later);
    scene.control.spoil("tsa", json!({"fault": "down"})).await;
    let link = signing.signers[0].link();
    let attempt = scene.begin_on(signing.signing_id, original, link).await;
    scene
        .control
        .happens(attempt.begun, |entry| entry.is("tsa", "answered"))
        .await;
    attempt
}

#[tokio::test]
async fn a_signature_waits_for_its_time_stamp_and_the_deadline_waits_for_the_signature() {
    let mut scene = Scene::set();
    let api = scene.api();
    let attempt = completing(&scene, &api, 1, "+23h").await;
    attempt.assert_completing(&api).await;

    // The signing's day is over, and its session long forgotten.
    scene.host.move_clock("+2h");
    tokio::time::sleep(SETTLE).await;
    attempt.assert_completing(&api).await;
    let seen = scene.control.now().await;
    scene.crash();
    attempt.assert_completing(&api).await;
    scene.neighbour().move_clock("+1h");
    scene
        .control
        .happens(seen, |entry| {
            entry.is("tsa", "answered") && entry.status == Some(503)
        })
        .await;

    scene.control.mend("tsa").await;
    scene.host.move_clock("+1h");

    scene.assert_signed_once(&attempt).await;
}

#[tokio::test]
async fn a_host_that_was_away_for_days_still_finishes_what_the_device_has_signed() {
    let mut scene = Scene::set();
    let api = scene.api();
    // The deadline passes meanwhile, too.
    let attempt = completing(&scene, &api, 1, "+1h").await;
    attempt.assert_completing(&api).await;

    scene.host.kill();
    scene.neighbour().move_clock("+3d");
    scene.control.mend("tsa").await;
    scene.host.start_again();

    scene.assert_signed_once(&attempt).await;
}

#[tokio::test]
async fn a_deadline_passes_at_once_when_the_clock_is_moved_past_it() {
    let demo = Demo::start();
    let api = demo.signing();
    let original = parafa_fixtures::plain(1);
    let body = json!([{"email": "ona@example.lt"}]);
    let signing = api.create_for_days(&original, body, 3).await;

    demo.move_clock("+2d");
    tokio::time::sleep(SETTLE).await;
    assert_eq!(api.signing(signing.signing_id).await.status, "pending");
    demo.move_clock("+1d");

    let expired = async {
        while api.signing(signing.signing_id).await.status != "expired" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let expired = tokio::time::timeout(SETTLE, expired).await;
    assert!(expired.is_ok(), "the deadline's job runs at once");
    assert_eq!(demo.move_clock("reset"), 0);
}
