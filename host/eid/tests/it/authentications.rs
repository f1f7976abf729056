//! What is taken of Smart-ID's answers to a person who authenticates.

use std::error::Error;

use parafa_eid::{
    AuthenticationProof, AuthenticationRequest, Authenticator, EidError, ProofScheme,
    ProviderSession, SessionState, SignerOutcome,
};
use serde_json::{Value, json};

use crate::port::{CERTIFICATE, DOCUMENT, SESSION, Scripted, base64, changed, wait};

async fn session() -> ProviderSession {
    let scripted = Scripted::json(&json!({"sessionID": SESSION}));
    let request = AuthenticationRequest {
        person: "PNOLT-40504040001",
        phone_number: None,
        message: b"a challenge",
        prompt: "Prisijungti / Log in",
    };
    scripted
        .client
        .request_authentication(request)
        .await
        .unwrap()
}

async fn poll(answer: &Value) -> Result<SessionState<AuthenticationProof>, EidError> {
    let client = Scripted::json(answer).client;
    client.poll_authentication(&session().await, wait()).await
}

fn authenticated() -> Value {
    json!({
        "state": "COMPLETE",
        "result": {"endResult": "OK", "documentNumber": DOCUMENT},
        "signatureProtocol": "ACSP_V2",
        "signature": {
            "value": base64(b"a signature"),
            "serverRandom": "9eZeWMTJ9YYBtjj5jK8p1sLm",
            "userChallenge": "RvrVNS1GJYCsuEnEqPCdHHn5vl65F3XiBjmxB4zSosw",
            "flowType": "Notification",
            "signatureAlgorithm": "rsassa-pss",
            "signatureAlgorithmParameters": {
                "hashAlgorithm": "SHA-256",
                "maskGenAlgorithm": {
                    "algorithm": "id-mgf1",
                    "parameters": {"hashAlgorithm": "SHA-256"},
                },
                "saltLength": 32,
                "trailerField": "0xbc",
            },
        },
        "cert": {"value": base64(CERTIFICATE), "certificateLevel": "QUALIFIED"},
        "interactionTypeUsed": "displayTextAndPIN",
    })
}

#[tokio::test]
async fn an_answer_as_it_was_asked_for_is_proof_over_all_that_the_device_signed() {
    let answered = poll(&authenticated()).await.unwrap();

    let SessionState::Complete(proof) = answered else {
        panic!("the session has ended");
    };
    assert_eq!(proof.certificate, CERTIFICATE);
    assert_eq!(proof.scheme, ProofScheme::RsaPss);
    let message = String::from_utf8(proof.message).unwrap();
    assert!(
        message.starts_with("smart-id-demo|ACSP_V2|9eZeWMTJ9YYBtjj5jK8p1sLm|"),
        "{message}"
    );
    assert!(
        message.ends_with("|displayTextAndPIN||Notification"),
        "{message}"
    );
}

#[tokio::test]
async fn an_answer_by_an_interaction_that_was_not_offered_is_no_proof() {
    let code_choice = "confirmationMessageAndVerificationCodeChoice";
    for used in [
        Some(json!("confirmationMessage")),
        Some(json!(code_choice)),
        Some(json!("displayTextAndPin")),
        Some(json!("displayTextAndPIN|")),
        Some(json!("")),
        Some(json!(null)),
        None,
    ] {
        let answer = changed(authenticated(), "/interactionTypeUsed", used.clone());

        let refused = poll(&answer).await.unwrap_err();

        assert_eq!(refused.outcome, SignerOutcome::ProviderUnavailable);
        assert!(!refused.is_transient, "{used:?}");
        let reason = refused.source().expect("a reason").to_string();
        assert!(reason.contains("interaction"), "{used:?}: {reason}");
    }
}

#[tokio::test]
async fn a_certificate_below_the_level_that_was_asked_for_is_no_proof() {
    let level = |level| changed(authenticated(), "/cert/certificateLevel", level);

    let refused = poll(&level(Some(json!("ADVANCED")))).await.unwrap_err();
    assert_eq!(refused.outcome, SignerOutcome::NotQualified);
    for unreadable in [Some(json!("LOW")), Some(json!("qualified")), None] {
        let refused = poll(&level(unreadable)).await.unwrap_err();
        assert_eq!(refused.outcome, SignerOutcome::ProviderUnavailable);
    }
    assert!(poll(&level(Some(json!("QSCD")))).await.is_ok());
}

#[tokio::test]
async fn an_answer_signed_otherwise_or_reached_by_another_way_is_no_proof() {
    for (pointer, value) in [
        ("/signatureProtocol", json!("RAW_DIGEST_SIGNATURE")),
        ("/signature/flowType", json!("QR")),
        (
            "/signature/signatureAlgorithm",
            json!("sha256WithRSAEncryption"),
        ),
        (
            "/signature/signatureAlgorithmParameters/hashAlgorithm",
            json!("SHA-512"),
        ),
        (
            "/signature/signatureAlgorithmParameters/saltLength",
            json!(20),
        ),
        ("/signature/serverRandom", json!("a|b")),
        ("/signature/userChallenge", json!("")),
    ] {
        let refused = poll(&changed(authenticated(), pointer, Some(value.clone()))).await;
        let refused = refused.err().map(|error| error.outcome);
        assert_eq!(
            refused,
            Some(SignerOutcome::ProviderUnavailable),
            "{pointer} = {value}"
        );
    }
}
