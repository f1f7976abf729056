//! Answers of sessions: which are accepted.

use parafa_eid::smart_id::{
    CertificateLevel, CertificateSession, DeviceSignature, FlowType, InvalidAnswer,
    NotifiedSignature, SessionState, SignatureAlgorithm, SignatureSession, SigningCertificate,
    SmartIdError,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::port::{
    SESSION, Scripted, base64, certificate, changed, chosen, digest, interactions, nonce, signed,
    wait,
};

async fn choice() -> CertificateSession {
    let scripted = Scripted::json(&json!({"sessionID": SESSION}));
    scripted
        .client
        .start_certificate_choice(&"PNOLT-40504040001".parse().unwrap(), &nonce())
        .await
        .unwrap()
}

async fn started() -> NotifiedSignature {
    let scripted =
        Scripted::json(&json!({"sessionID": SESSION, "vc": {"type": "numeric4", "value": "4927"}}));
    scripted
        .client
        .start_signature(&certificate(), &digest(), &interactions(), &nonce())
        .await
        .unwrap()
}

async fn poll_choice(
    answer: &Value,
) -> Result<SessionState<parafa_eid::smart_id::SigningCertificate>, SmartIdError> {
    Scripted::json(answer)
        .client
        .poll_certificate(&choice().await, wait())
        .await
}

async fn poll_signature(answer: &Value) -> Result<SessionState<DeviceSignature>, SmartIdError> {
    Scripted::json(answer)
        .client
        .poll_signature(&started().await.session, wait())
        .await
}

fn invalid<T: std::fmt::Debug>(answer: Result<T, SmartIdError>) -> InvalidAnswer {
    match answer {
        Err(SmartIdError::InvalidAnswer(invalid)) => invalid,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_running_session_is_running() {
    let running = json!({"state": "RUNNING"});
    assert_eq!(poll_choice(&running).await.unwrap(), SessionState::Running);
    assert_eq!(
        poll_signature(&running).await.unwrap(),
        SessionState::Running
    );
}

#[tokio::test]
async fn a_chosen_certificate_is_answered_with_its_document() {
    assert_eq!(
        poll_choice(&chosen()).await.unwrap(),
        SessionState::Complete(SigningCertificate {
            flow: Some(FlowType::Notification),
            ..certificate()
        })
    );
}

#[tokio::test]
async fn a_signature_is_answered_with_its_algorithm() {
    let signature = DeviceSignature {
        value: b"a signature".to_vec(),
        algorithm: SignatureAlgorithm::Sha256WithRsaEncryption,
    };
    assert_eq!(
        poll_signature(&signed()).await.unwrap(),
        SessionState::Complete(signature)
    );
}

#[tokio::test]
async fn sessions_survive_being_stored() {
    let started = started().await;
    let stored = serde_json::to_string(&started).unwrap();
    assert_eq!(
        serde_json::from_str::<NotifiedSignature>(&stored).unwrap(),
        started
    );
    let choice = choice().await;
    let stored = serde_json::to_string(&choice).unwrap();
    assert_eq!(
        serde_json::from_str::<CertificateSession>(&stored).unwrap(),
        choice
    );
}

#[tokio::test]
async fn the_longest_certificate_is_stored_in_a_third_more_room() {
    let longest = Some(json!(base64(&[7; 8 * 1024])));
    let answered = poll_choice(&changed(chosen(), "/cert/value", longest)).await;
    let SessionState::Complete(certificate) = answered.unwrap() else {
        panic!("the choice has ended");
    };

    let stored = serde_json::to_string(&certificate).unwrap();

    assert!(stored.len() < 12 * 1024, "{}", stored.len());
    assert_eq!(
        serde_json::from_str::<SigningCertificate>(&stored).unwrap(),
        certificate
    );
}

#[tokio::test]
async fn a_certificate_that_is_longer_than_any_is_not_taken() {
    let too_long = Some(json!(base64(&[7; 8 * 1024 + 1])));
    let answered = poll_choice(&changed(chosen(), "/cert/value", too_long)).await;
    assert_eq!(invalid(answered), InvalidAnswer::Member("certificate"));
}

#[test]
fn a_stored_certificate_of_another_form_is_not_restored() {
    let stored = json!({
        "der": [48, 130, 4],
        "level": "QUALIFIED",
        "document_number": "PNOLT-40504040001-MOCK-Q",
        "flow": null,
    });
    assert!(serde_json::from_value::<SigningCertificate>(stored).is_err());
}

#[tokio::test]
async fn a_session_shows_no_personal_number_by_debug() {
    let started = started().await;
    let chosen = poll_choice(&chosen()).await;
    assert!(!format!("{started:?} {chosen:?}").contains("40504040001"));
}

#[tokio::test]
async fn a_certificate_of_a_lower_level_is_refused() {
    let advanced = Some(json!("ADVANCED"));
    for answer in [
        poll_choice(&changed(
            chosen(),
            "/cert/certificateLevel",
            advanced.clone(),
        ))
        .await
        .map(|_| ()),
        poll_signature(&changed(signed(), "/cert/certificateLevel", advanced))
            .await
            .map(|_| ()),
    ] {
        assert!(matches!(
            answer,
            Err(SmartIdError::LevelTooLow {
                requested: CertificateLevel::Qualified,
                answered: CertificateLevel::Advanced
            })
        ));
    }
}

#[tokio::test]
async fn an_answer_to_another_question_is_refused() {
    let algorithm = InvalidAnswer::Algorithm {
        requested: SignatureAlgorithm::Sha256WithRsaEncryption,
    };
    let flow = InvalidAnswer::Flow {
        answered: FlowType::Qr,
    };
    for (pointer, value, expected) in [
        (
            "/signatureProtocol",
            Some(json!("ACSP_V2")),
            InvalidAnswer::Protocol,
        ),
        ("/signatureProtocol", None, InvalidAnswer::Protocol),
        (
            "/signature/signatureAlgorithm",
            Some(json!("sha512WithRSAEncryption")),
            algorithm.clone(),
        ),
        (
            "/signature/signatureAlgorithm",
            Some(json!("rsassa-pss")),
            algorithm.clone(),
        ),
        ("/signature/signatureAlgorithm", None, algorithm),
        ("/signature/flowType", Some(json!("QR")), flow),
        (
            "/signature/flowType",
            None,
            InvalidAnswer::Member("flowType"),
        ),
        (
            "/signature/flowType",
            Some(json!("Carrier pigeon")),
            InvalidAnswer::Malformed,
        ),
        (
            "/signature/value",
            None,
            InvalidAnswer::Member("signature value"),
        ),
        (
            "/signature/value",
            Some(json!("")),
            InvalidAnswer::Member("signature value"),
        ),
        (
            "/signature/value",
            Some(json!("%")),
            InvalidAnswer::Member("signature value"),
        ),
        ("/signature", None, InvalidAnswer::Member("signature")),
        (
            "/result/documentNumber",
            Some(json!("PNOLT-40504040001-OTHR-Q")),
            InvalidAnswer::Document,
        ),
        (
            "/result/documentNumber",
            None,
            InvalidAnswer::Member("documentNumber"),
        ),
        ("/result", None, InvalidAnswer::Member("result")),
        (
            "/cert/value",
            Some(json!(base64(b"another certificate"))),
            InvalidAnswer::Certificate,
        ),
        (
            "/cert/value",
            Some(json!("%")),
            InvalidAnswer::Member("certificate"),
        ),
        (
            "/cert/value",
            Some(json!(base64(&[7; 8 * 1024 + 1]))),
            InvalidAnswer::Member("certificate"),
        ),
        (
            "/signature/value",
            Some(json!(base64(&[7; 2 * 1024 + 1]))),
            InvalidAnswer::Member("signature value"),
        ),
        ("/cert", None, InvalidAnswer::Member("cert")),
        (
            "/state",
            Some(json!("PAUSED")),
            InvalidAnswer::Member("state"),
        ),
        ("/state", None, InvalidAnswer::Malformed),
    ] {
        let answer = poll_signature(&changed(signed(), pointer, value.clone())).await;
        assert_eq!(invalid(answer), expected, "{pointer} = {value:?}");
    }
}

#[tokio::test]
async fn a_choice_by_a_way_that_was_not_offered_is_refused() {
    let answer = changed(chosen(), "/signature/flowType", Some(json!("Web2App")));
    assert_eq!(
        invalid(poll_choice(&answer).await),
        InvalidAnswer::Flow {
            answered: FlowType::Web2App
        }
    );
}

#[tokio::test]
async fn a_refusal_by_the_person_ends_the_session() {
    let refused = json!({
        "state": "COMPLETE",
        "result": {"endResult": "USER_REFUSED_INTERACTION", "details": {"interaction": "displayTextAndPIN"}},
    });
    assert!(matches!(
        poll_signature(&refused).await,
        Err(SmartIdError::UserRefusedInteraction)
    ));
    let refused = json!({"state": "COMPLETE", "result": {"endResult": "USER_REFUSED_CERT_CHOICE"}});
    assert!(matches!(
        poll_choice(&refused).await,
        Err(SmartIdError::UserRefusedCertificateChoice)
    ));
}

#[test]
fn a_stored_session_with_a_malformed_document_number_is_not_restored() {
    let stored = |number: &str| {
        json!({
            "id": SESSION,
            "algorithm": "sha256WithRSAEncryption",
            "document_number": number,
            "certificate_sha256": vec![0; 32],
            "flows": ["Notification"],
        })
    };
    assert!(serde_json::from_value::<SignatureSession>(stored("PNOLT-40504040001-MOCK-Q")).is_ok());
    assert!(serde_json::from_value::<SignatureSession>(stored("../session")).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn garbage_is_never_a_signature(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let answer = runtime.block_on(async {
            Scripted::status(200, body).client.poll_signature(&started().await.session, wait()).await
        });
        prop_assert!(matches!(answer, Err(SmartIdError::InvalidAnswer(InvalidAnswer::Malformed))));
    }
}
