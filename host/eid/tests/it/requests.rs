//! Requests to the service, byte for byte.

use std::time::Duration;

use parafa_eid::smart_id::{
    CallbackUrl, CertificateSession, DisplayText, Interaction, Interactions, LinkKind,
    SemanticsIdentifier, SmartIdError,
};
use serde_json::{Value, json};
use url::Url;

use crate::port::{
    DOCUMENT, SESSION, Scripted, Seen, base64, certificate, digest, interactions, nonce, wait,
};

const BASE: &str = "https://sid.demo.example/smart-id-rp/v3";

fn signer() -> SemanticsIdentifier {
    "PNOLT-40504040001".parse().unwrap()
}

fn assert_posted(seen: &Seen, path: &str, body: &Value) {
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.uri, format!("{BASE}/{path}"));
    assert_eq!(
        String::from_utf8(seen.body.to_vec()).unwrap(),
        body.to_string()
    );
    assert_eq!(seen.limits.timeout, Duration::from_secs(10));
    assert_eq!(seen.limits.max_response_bytes, 65_536);
}

fn relying_party(mut rest: Value) -> Value {
    let mut body = json!({
        "relyingPartyUUID": "00000000-0000-4000-8000-000000000000",
        "relyingPartyName": "DEMO",
        "certificateLevel": "QUALIFIED",
    });
    body.as_object_mut()
        .unwrap()
        .append(rest.as_object_mut().unwrap());
    body
}

fn signature_request(mut rest: Value) -> Value {
    let mut body = relying_party(json!({
        "signatureProtocol": "RAW_DIGEST_SIGNATURE",
        "signatureProtocolParameters": {
            "digest": base64(&[0xAB; 32]),
            "signatureAlgorithm": "sha256WithRSAEncryption",
        },
    }));
    body.as_object_mut()
        .unwrap()
        .append(rest.as_object_mut().unwrap());
    body
}

#[tokio::test]
async fn a_certificate_is_asked_of_a_person() {
    let scripted = Scripted::json(&json!({"sessionID": SESSION, "more": true}));
    let session = scripted
        .client
        .start_certificate_choice(&signer(), &nonce())
        .await
        .unwrap();
    assert_eq!(session.id.to_string(), SESSION);
    assert_posted(
        &scripted.seen(),
        "signature/certificate-choice/notification/etsi/PNOLT-40504040001",
        &relying_party(json!({"nonce": "attempt-1"})),
    );
}

#[tokio::test]
async fn a_signature_is_asked_of_the_certificates_document() {
    let scripted =
        Scripted::json(&json!({"sessionID": SESSION, "vc": {"type": "numeric4", "value": "0927"}}));
    let started = scripted
        .client
        .start_signature(&certificate(), &digest(), &interactions(), &nonce())
        .await
        .unwrap();
    assert_eq!(started.verification_code.to_string(), "0927");
    assert_eq!(started.session.id.to_string(), SESSION);
    assert_posted(
        &scripted.seen(),
        &format!("signature/notification/document/{DOCUMENT}"),
        &signature_request(
            json!({"interactions": interactions().as_base64(), "nonce": "attempt-1"}),
        ),
    );
}

#[tokio::test]
async fn a_verification_code_that_is_not_four_digits_is_refused() {
    for code in [
        json!({"type": "numeric4", "value": "092"}),
        json!({"type": "numeric4", "value": "092a"}),
        json!({"type": "alpha4", "value": "0927"}),
        json!({}),
    ] {
        let scripted = Scripted::json(&json!({"sessionID": SESSION, "vc": code}));
        let started = scripted
            .client
            .start_signature(&certificate(), &digest(), &interactions(), &nonce())
            .await;
        assert!(
            matches!(started, Err(SmartIdError::InvalidAnswer(_))),
            "{started:?}"
        );
    }
}

#[tokio::test]
async fn a_linked_signature_names_the_choice_it_follows() {
    let choice: CertificateSession =
        serde_json::from_value(json!({"id": SESSION, "flows": ["QR"]})).unwrap();
    let scripted = Scripted::json(&json!({"sessionID": "6a1b5d54-75b4-431b-adb2-eb6b9e546014"}));
    let session = scripted
        .client
        .start_linked_signature(
            &choice,
            &certificate(),
            &digest(),
            &interactions(),
            &nonce(),
        )
        .await
        .unwrap();
    assert_eq!(
        session.id.to_string(),
        "6a1b5d54-75b4-431b-adb2-eb6b9e546014"
    );
    let rest = json!({"linkedSessionID": SESSION, "interactions": interactions().as_base64(), "nonce": "attempt-1"});
    assert_posted(
        &scripted.seen(),
        &format!("signature/notification/linked/{DOCUMENT}"),
        &signature_request(rest),
    );
}

#[tokio::test]
async fn a_linked_signature_offers_no_choice_among_codes() {
    let choice: CertificateSession =
        serde_json::from_value(json!({"id": SESSION, "flows": ["QR"]})).unwrap();
    let text = DisplayText::new("Sutartis").unwrap();
    let interactions =
        Interactions::new(&[Interaction::ConfirmationMessageAndVerificationCodeChoice(
            text,
        )])
        .unwrap();
    let scripted = Scripted::json(&json!({}));
    let refused = scripted
        .client
        .start_linked_signature(&choice, &certificate(), &digest(), &interactions, &nonce())
        .await;
    assert!(matches!(
        refused,
        Err(SmartIdError::CodeChoiceInLinkedSession)
    ));
}

#[tokio::test]
async fn a_device_link_is_opened_to_anybody() {
    let answer = json!({
        "sessionID": SESSION,
        "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
        "sessionSecret": "B98ODiVCebRedSwdTk51zFSaGYyHtY1H2A0ocAi3/Ps=",
        "deviceLinkBase": "https://sid.demo.example/device-link/",
    });
    let callback = CallbackUrl::new(
        &Url::parse("https://sign.example/c/t/callback").unwrap(),
        [0; 16],
    )
    .unwrap();
    let scripted = Scripted::json(&answer);
    let session = scripted
        .client
        .start_certificate_choice_by_device_link(&nonce(), Some(callback.clone()))
        .await
        .unwrap();
    assert_eq!(session.session.id.to_string(), SESSION);
    assert_posted(
        &scripted.seen(),
        "signature/certificate-choice/device-link/anonymous",
        &relying_party(json!({"initialCallbackUrl": callback.as_str(), "nonce": "attempt-1"})),
    );
    let link = scripted.client.device_link(
        &session,
        LinkKind::Qr {
            elapsed: Duration::from_secs(3),
        },
        "lit",
    );
    assert!(link.starts_with(
        "https://sid.demo.example/device-link/?deviceLinkType=QR&elapsedSeconds=3\
         &sessionToken=wGIrqveE6AuGDATZKmR1mtAZ&sessionType=cert&version=1.0&lang=lit&authCode="
    ));
}

#[tokio::test]
async fn a_poll_waits_within_the_services_bounds() {
    let session: CertificateSession =
        serde_json::from_value(json!({"id": SESSION, "flows": ["Notification"]})).unwrap();
    for (wait, asked) in [
        (wait(), 30_000),
        (Duration::ZERO, 1_000),
        (Duration::from_secs(999), 120_000),
    ] {
        let scripted = Scripted::json(&json!({"state": "RUNNING"}));
        scripted
            .client
            .poll_certificate(&session, wait)
            .await
            .unwrap();
        let seen = scripted.seen();
        assert_eq!(seen.method, "GET");
        assert_eq!(
            seen.uri,
            format!("{BASE}/session/{SESSION}?timeoutMs={asked}")
        );
        assert_eq!(seen.limits.timeout, Duration::from_millis(asked + 10_000));
    }
}
