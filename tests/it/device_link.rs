//! Signing with Smart-ID without a personal code.

use parafa_fixtures::plain;
use reqwest::StatusCode;
use serde_json::json;

use crate::support::client::Ceremony;
use crate::support::demo::{Demo, parafa};

async fn ceremony(demo: &Demo, signer: serde_json::Value) -> Ceremony {
    let signing = demo.signing().create(&plain(1), json!([signer])).await;
    Demo::ceremony(signing.signers[0].link())
}

#[tokio::test]
async fn a_scanned_code_leads_to_a_signature() {
    let demo = Demo::start();
    let ceremony = ceremony(&demo, json!({"email": "ona@example.lt"})).await;

    let link = ceremony.open_device_link().await;
    assert!(link.qr.contains("deviceLinkType=QR"), "{}", link.qr);
    let (status, picture) = ceremony.code_to_scan().await;
    assert_eq!(status, StatusCode::OK);
    assert!(picture.contains("<svg"));
    assert!(demo.follow(&link.qr, "QR", demo.persona_who_scans()).await);

    ceremony.finish().await;
    let (status, _) = ceremony.code_to_scan().await;
    assert_eq!(status, StatusCode::NOT_FOUND, "the code is gone");
}

#[tokio::test]
async fn a_code_is_scanned_from_the_command_line() {
    let demo = Demo::start();
    let ceremony = ceremony(&demo, json!({"email": "ona@example.lt"})).await;
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let scan = |link: &str, persona: &str| {
        let words = ["demo", "scan", link, "--as", persona, "--data", data];
        parafa(words).status.code()
    };

    let link = ceremony.open_device_link().await;
    let person = &demo.persona_who_scans().id;
    assert_eq!(scan(&link.qr, "nobody"), Some(1));
    assert_eq!(scan("https://example.lt/?a=b", person), Some(1));
    assert_eq!(scan(&link.qr, person), Some(0));

    ceremony.finish().await;
}

#[tokio::test]
async fn a_link_on_the_same_device_counts_when_the_app_comes_back() {
    let demo = Demo::start();
    let ceremony = ceremony(&demo, json!({"email": "ona@example.lt"})).await;

    let link = ceremony.open_device_link().await;
    let same_device = link.same_device.expect("a link for this device");
    assert_eq!(ceremony.come_back("made", "up").await, StatusCode::OK);
    assert!(
        demo.follow(&same_device, "Web2App", demo.persona_who_scans())
            .await
    );

    ceremony.finish().await;
}

#[tokio::test]
async fn a_changed_link_is_not_followed() {
    let demo = Demo::start();
    let ceremony = ceremony(&demo, json!({"email": "ona@example.lt"})).await;

    let link = ceremony.open_device_link().await;
    let changed = link.qr.replace("lang=lit", "lang=eng");

    assert!(!demo.follow(&changed, "QR", demo.persona_who_scans()).await);
}

#[tokio::test]
async fn a_lock_keeps_out_whoever_scans_for_somebody_else() {
    let demo = Demo::start();
    let locked = json!({"email": "ona@example.lt", "personalCode": "50001029996"});
    let ceremony = ceremony(&demo, locked).await;

    let link = ceremony.open_device_link().await;
    assert!(demo.follow(&link.qr, "QR", demo.persona_who_scans()).await);

    let attempt = ceremony.ended_attempt().await;
    assert_eq!(attempt.error.expect("a failure").code, "identity_mismatch");
}
