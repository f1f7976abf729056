//! Requests to Mobile-ID, and which of its answers are accepted.

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use parafa_eid::mobile_id::SignerOutcome::{DeviceError, NoAccount, ProviderUnavailable, Timeout};
use parafa_eid::mobile_id::{
    DisplayText, InvalidAnswer, Language, MobileIdClient, MobileIdConfig, MobileIdError,
    MobileIdUser, SessionState, SignatureSession, StartedPhoneSignature,
};
use parafa_http_port::{HttpPort, HttpPortError};
use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::port::{ScriptedPort, Seen, base64, changed, wait};

const BASE: &str = "https://mid.demo.example/mid-api";
const SESSION: &str = "de305d54-75b4-431b-adb2-eb6b9e546015";

/// A client whose service gives one answer.
struct Scripted {
    client: MobileIdClient,
    port: Arc<ScriptedPort>,
}

impl Scripted {
    fn json(body: &Value) -> Self {
        Self::status(200, body.to_string())
    }

    fn status(status: u16, body: impl Into<bytes::Bytes>) -> Self {
        Self::new(Ok(Response::builder()
            .status(status)
            .body(body.into())
            .unwrap()))
    }

    fn new(answer: Result<Response<bytes::Bytes>, HttpPortError>) -> Self {
        let port = Arc::new(ScriptedPort::answering(answer));
        let base = Url::parse(&format!("{BASE}/")).unwrap();
        let config = MobileIdConfig::new(base, Uuid::nil(), "DEMO");
        let spoken = Arc::clone(&port) as Arc<dyn HttpPort>;
        Self {
            client: MobileIdClient::new(config, spoken),
            port,
        }
    }

    fn seen(&self) -> Seen {
        self.port.only_request()
    }

    async fn start(&self) -> Result<StartedPhoneSignature, MobileIdError> {
        let text = DisplayText::new("Pasirašyti?").unwrap();
        self.client
            .start_signature(&user(), &[0xAB; 32], &text, Language::Lithuanian)
            .await
    }

    async fn poll(&self) -> Result<SessionState<Vec<u8>>, MobileIdError> {
        self.client.poll_signature(&session(), wait()).await
    }
}

fn user() -> MobileIdUser {
    MobileIdUser::new("PNOLT-50001018865", "+37060000666").unwrap()
}

fn session() -> SignatureSession {
    serde_json::from_value(json!({"id": SESSION})).unwrap()
}

fn signed() -> Value {
    json!({
        "state": "COMPLETE",
        "result": "OK",
        "signature": {"value": base64(&[7; 64]), "algorithm": "SHA256WithECEncryption"},
        "time": "2026-03-11T09:00:00", "traceId": "1", "somethingNew": {"a": 1},
    })
}

#[tokio::test]
async fn a_certificate_is_asked_for_by_number_and_code() {
    let answer = json!({"result": "OK", "cert": base64(b"a certificate"), "traceId": "1"});
    let scripted = Scripted::json(&answer);

    let certificate = scripted.client.certificate(&user()).await.unwrap();

    assert_eq!(certificate.der, b"a certificate");
    assert_eq!(certificate.user, user());
    let seen = scripted.seen();
    assert_eq!(
        (seen.method.as_str(), seen.uri),
        ("POST", format!("{BASE}/certificate"))
    );
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    let expected = json!({
        "relyingPartyName": "DEMO",
        "relyingPartyUUID": "00000000-0000-0000-0000-000000000000",
        "phoneNumber": "+37060000666",
        "nationalIdentityNumber": "50001018865",
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_signature_is_asked_for_with_a_text_that_the_phone_shows() {
    let scripted = Scripted::json(&json!({"sessionID": SESSION}));

    let started = scripted.start().await.unwrap();

    assert_eq!(started.session, session());
    assert_eq!(started.verification_code, "5419");
    let seen = scripted.seen();
    assert_eq!(seen.uri, format!("{BASE}/signature"));
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    for (member, value) in [
        ("hash", base64(&[0xAB; 32])),
        ("hashType", "SHA256".to_owned()),
        ("language", "LIT".to_owned()),
        ("displayText", "Pasirašyti?".to_owned()),
        ("displayTextFormat", "UCS-2".to_owned()),
    ] {
        assert_eq!(body[member], value, "{member}");
    }
}

#[tokio::test]
async fn a_poll_waits_within_the_services_bounds() {
    for (wait, asked) in [
        (Duration::from_secs(30), 30_000),
        (Duration::ZERO, 1_000),
        (Duration::from_secs(999), 60_000),
    ] {
        let scripted = Scripted::json(&json!({"state": "RUNNING"}));
        let state = scripted.client.poll_signature(&session(), wait).await;
        assert_eq!(state.unwrap(), SessionState::Running);
        let seen = scripted.seen();
        let path = format!("/signature/session/{SESSION}?timeoutMs={asked}");
        assert_eq!(seen.uri, format!("{BASE}{path}"));
        assert_eq!(seen.limits.timeout, Duration::from_millis(asked + 10_000));
    }
}

#[tokio::test]
async fn ecdsa_values_come_as_der_and_rsa_values_as_they_are() {
    let value = Scripted::json(&signed()).poll().await.unwrap();
    let SessionState::Complete(der) = value else {
        panic!("{value:?}");
    };
    assert_eq!(der[..4], [0x30, 68, 0x02, 32]);

    let rsa = json!({"value": base64(&[9; 256]), "algorithm": "SHA256WithRSAEncryption"});
    let rsa = changed(signed(), "/signature", Some(rsa));
    let value = Scripted::json(&rsa).poll().await.unwrap();
    assert_eq!(value, SessionState::Complete(vec![9; 256]));
}

#[tokio::test]
async fn an_answer_that_is_none_of_the_protocol_is_not_taken() {
    for (pointer, value) in [
        ("/state", Some(json!("DONE"))),
        ("/result", None),
        ("/signature", None),
        ("/signature/value", Some(json!(base64(&[7; 63])))),
        ("/signature/value", Some(json!("!"))),
    ] {
        let answer = changed(signed(), pointer, value);
        let refused = Scripted::json(&answer).poll().await.unwrap_err();
        let is_member = matches!(
            refused,
            MobileIdError::InvalidAnswer(InvalidAnswer::Member(_))
        );
        assert!(is_member, "{pointer}: {refused}");
    }
    let other = Some(json!("SHA384WithECEncryption"));
    let other = changed(signed(), "/signature/algorithm", other);
    let refused = Scripted::json(&other).poll().await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the service's answer is not signed with the requested algorithm"
    );
    for id in ["", "../certificate", "a?b"] {
        let refused = Scripted::json(&json!({"sessionID": id})).start().await;
        assert!(refused.is_err(), "{id}");
    }
}

#[tokio::test]
async fn every_status_tells_the_person_something_and_names_nobody() {
    let refusal = r#"{"error": "+37060000666 is wrong", "traceId": "4a5b-6c"}"#;
    for (status, body, outcome) in [
        (400, refusal, ProviderUnavailable),
        (401, "", ProviderUnavailable),
        (404, "", ProviderUnavailable),
        (405, "", ProviderUnavailable),
        (500, "", ProviderUnavailable),
        (503, "", ProviderUnavailable),
        (200, "garbage", ProviderUnavailable),
        (200, r#"{"result": "NOT_FOUND"}"#, NoAccount),
        (200, r#"{"result": "SIM_ERROR"}"#, DeviceError),
    ] {
        let error = Scripted::status(status, body)
            .client
            .certificate(&user())
            .await;
        let error = error.unwrap_err();
        assert_eq!(error.signer_outcome(), outcome, "{status} {body}");
        assert!(!error.to_string().contains("6000"), "{error}");
    }
    let refused = Scripted::status(400, refusal).start().await.unwrap_err();
    assert!(refused.to_string().contains("4a5b-6c"), "{refused}");
    let gone = Scripted::status(404, "").poll().await.unwrap_err();
    assert_eq!(
        (gone.signer_outcome(), gone.is_transient()),
        (Timeout, false)
    );
}

#[tokio::test]
async fn a_poll_goes_on_after_what_passes() {
    let silence = || HttpPortError::TimedOut(Duration::from_secs(1));
    let passing = [
        Scripted::new(Err(silence())),
        Scripted::status(429, ""),
        Scripted::status(503, ""),
    ];
    for scripted in passing {
        let error = scripted.poll().await.unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    for status in [400, 401, 405] {
        let error = Scripted::status(status, "").poll().await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
    }
}

proptest! {
    #[test]
    fn whatever_is_answered_is_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let polled = runtime.block_on(Scripted::status(200, body).poll());
        prop_assert!(polled.is_err());
    }
}
