//! Answers that are too long, or redirect elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_store::Clock;
use serde_json::{Value, json};

use super::{End, Moment, attempt, end};
use crate::tests::support::{Log, Site, Stage};

fn bytes(length: usize) -> Value {
    json!(STANDARD.encode(vec![7; length]))
}

/// Asserts that the attempt ends at once, as a failure of the provider.
#[track_caller]
fn assert_ends_at_once(end: &End, logged: &str) {
    end.assert("provider_unavailable", logged);
    assert!(end.took.as_secs() < 10, "{} s", end.took.as_secs());
}

#[tokio::test]
async fn a_certificate_that_is_none_ends_the_attempt_at_once_whatever_its_length() {
    let site = Site::start().await;
    for (length, logged) in [
        (
            14 * 1024,
            "the service's answer has no readable certificate",
        ),
        (
            40 * 1024,
            "the service's answer has no readable certificate",
        ),
        (8 * 1024, "the provider's certificate cannot be read"),
        (1, "the provider's certificate cannot be read"),
    ] {
        site.smart_id().replace("/cert/value", bytes(length));

        let end = attempt(&site, Moment::Choice, |_| ()).await;

        assert_ends_at_once(&end, logged);
        site.smart_id().replace_nothing();
    }
}

#[tokio::test]
async fn an_answer_beyond_all_measure_ends_the_attempt_at_once() {
    let site = Site::start().await;
    site.smart_id().replace("/cert/value", bytes(60 * 1024));

    let end = attempt(&site, Moment::Choice, |_| ()).await;

    assert_ends_at_once(&end, "the service gave no answer");
}

#[tokio::test]
async fn a_signature_that_is_longer_than_any_is_none() {
    let site = Site::start().await;
    let lengthen = |site: &Site| {
        site.smart_id()
            .replace("/signature/value", bytes(40 * 1024));
    };

    let end = attempt(&site, Moment::Signature, lengthen).await;

    assert_ends_at_once(&end, "the service's answer has no readable signature value");
}

#[tokio::test]
async fn no_link_is_shown_that_is_too_long_to_scan_or_leads_elsewhere() {
    let site = Site::start().await;
    let long_path = format!("https://smart-id.com/{}", "a".repeat(50_000));
    for (member, value) in [
        ("sessionToken", json!("a".repeat(3_000))),
        ("sessionToken", json!("a".repeat(50_000))),
        ("sessionSecret", bytes(20_000)),
        ("deviceLinkBase", json!(long_path)),
        ("deviceLinkBase", json!("javascript://x/%0aalert(1)")),
        ("deviceLinkBase", json!("http://smart-id.com/")),
    ] {
        let stage = Stage::set(&site, site.posted()).await;
        let log = Log::open();
        let begun = site.clock.now();
        site.smart_id().replace(format!("/{member}"), value);

        stage.host.start_by_link(stage.signer).await.unwrap();
        let end = end(&stage, &log, begun).await;

        let logged = format!("the service's answer has no readable {member}");
        assert_ends_at_once(&end, &logged);
        site.smart_id().replace_nothing();
    }
}
