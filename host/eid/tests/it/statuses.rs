//! Meaning of statuses and of missing answers.

use std::time::Duration;

use parafa_eid::smart_id::SignerOutcome::{
    self, DeviceError, NoAccount, NotQualified, ProviderUnavailable, Timeout,
};
use parafa_eid::smart_id::{CertificateSession, SmartIdError};
use parafa_http_port::HttpPortError;
use serde_json::json;

use crate::port::{SESSION, Scripted, nonce, wait};

async fn start(scripted: Scripted) -> SmartIdError {
    let signer = "PNOLT-40504040001".parse().unwrap();
    scripted
        .client
        .start_certificate_choice(&signer, &nonce())
        .await
        .unwrap_err()
}

async fn poll(scripted: Scripted) -> SmartIdError {
    let session: CertificateSession =
        serde_json::from_value(json!({"id": SESSION, "flows": ["Notification"]})).unwrap();
    scripted
        .client
        .poll_certificate(&session, wait())
        .await
        .unwrap_err()
}

#[tokio::test]
async fn every_status_of_a_start_tells_the_person_something() {
    let of_another_level = json!({"errors": [{"code": "NO_SUITABLE_ACCOUNT_FOUND", "detail": "for PNOLT-40504040001"}]});
    let cases: [(u16, String, SignerOutcome); 13] = [
        (400, "{}".to_owned(), ProviderUnavailable),
        (401, String::new(), ProviderUnavailable),
        (403, String::new(), ProviderUnavailable),
        (404, String::new(), NoAccount),
        (404, "not json".to_owned(), NoAccount),
        (404, of_another_level.to_string(), NotQualified),
        (471, String::new(), NotQualified),
        (472, String::new(), DeviceError),
        (480, String::new(), ProviderUnavailable),
        (500, String::new(), ProviderUnavailable),
        (503, String::new(), ProviderUnavailable),
        (580, String::new(), ProviderUnavailable),
        (302, String::new(), ProviderUnavailable),
    ];
    for (status, body, outcome) in cases {
        let error = start(Scripted::status(status, body.clone())).await;
        assert_eq!(error.signer_outcome(), outcome, "{status} {body}");
        assert!(!error.to_string().contains("40504040001"), "{error}");
    }
}

#[tokio::test]
async fn a_session_that_is_gone_has_timed_out() {
    let error = poll(Scripted::status(404, "")).await;
    assert!(matches!(error, SmartIdError::SessionNotFound));
    assert_eq!(error.signer_outcome(), Timeout);
    assert!(!error.is_transient());
}

#[tokio::test]
async fn a_refused_request_names_members_and_no_values() {
    let problem = json!({
        "type": "about:blank", "status": 400, "title": "Bad request", "detail": "PNOLT-40504040001 is wrong",
        "errors": [
            {"pointer": "/certificateLevel", "detail": "40504040001"},
            {"paramName": "semanticsId", "detail": "40504040001"},
            {"code": "40504040001", "detail": "40504040001"},
            {"detail": "40504040001"},
        ],
    });
    let error = start(Scripted::status(400, problem.to_string())).await;
    assert_eq!(
        error.to_string(),
        "the service found the request wrong: /certificateLevel, semanticsId"
    );
    let bare = start(Scripted::status(400, "40504040001")).await;
    assert_eq!(
        bare.to_string(),
        "the service found the request wrong: no member is named"
    );
}

#[tokio::test]
async fn a_poll_goes_on_after_what_passes() {
    for scripted in [
        Scripted::new(Err(HttpPortError::TimedOut(Duration::from_secs(1)))),
        Scripted::new(Err(HttpPortError::Transport("reset".to_owned()))),
        Scripted::status(429, ""),
        Scripted::status(502, ""),
        Scripted::status(580, ""),
    ] {
        let error = poll(scripted).await;
        assert!(error.is_transient(), "{error}");
        assert_eq!(error.signer_outcome(), ProviderUnavailable);
    }
    for scripted in [
        Scripted::new(Err(HttpPortError::ResponseTooLong {
            status: http::StatusCode::OK,
            limit: 1,
        })),
        Scripted::new(Err(HttpPortError::Forbidden {
            host: "a".to_owned(),
            reason: "b".to_owned(),
        })),
        Scripted::status(401, ""),
        Scripted::status(200, "garbage"),
    ] {
        let error = poll(scripted).await;
        assert!(!error.is_transient(), "{error}");
        assert_eq!(error.signer_outcome(), ProviderUnavailable);
    }
}

#[tokio::test]
async fn the_reason_of_a_silence_is_the_source_and_not_in_the_text() {
    let address = "https://sid.demo.example/v3/etsi/PNOLT-40504040001: reset";
    let error = start(Scripted::new(Err(HttpPortError::Transport(
        address.to_owned(),
    ))))
    .await;
    assert_eq!(error.to_string(), "the service gave no answer");
    assert!(std::error::Error::source(&error).is_some());
}
