//! Smart-ID's answers to authentications: which are accepted.

use std::error::Error;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_eid::{
    AuthenticationProof, AuthenticationRequest, Authenticator, EidError, EidProvider,
    LinkedAuthentication, ProofScheme, ProviderSession, SessionState, SignerOutcome,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha512};
use url::Url;

use crate::port::{CERTIFICATE, DOCUMENT, SESSION, Scripted, base64, changed, wait};

async fn session() -> ProviderSession {
    let scripted = Scripted::json(&json!({"sessionID": SESSION}));
    let request = AuthenticationRequest {
        person: "PNOLT-40504040001",
        phone_number: None,
        message: b"a challenge",
        relying_party: "UAB „Žalioji“",
    };
    scripted
        .client
        .request_authentication(request)
        .await
        .unwrap()
}

/// The interactions that a request offers.
fn offered(body: &[u8]) -> (Value, Value) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let interactions = STANDARD.decode(body["interactions"].as_str().unwrap());
    (
        body,
        serde_json::from_slice(&interactions.unwrap()).unwrap(),
    )
}

#[tokio::test]
async fn a_person_is_asked_by_what_their_app_knows_and_told_for_whom() {
    let scripted = Scripted::json(&json!({"sessionID": SESSION}));
    let name = "Viešoji įstaiga „Vilniaus universiteto ligoninė Santaros klinikos“";
    let request = AuthenticationRequest {
        person: "PNOLT-40504040001",
        phone_number: None,
        message: b"a challenge",
        relying_party: name,
    };
    let asked = scripted.client.request_authentication(request).await;
    asked.unwrap();

    let seen = scripted.seen();
    assert!(
        seen.uri
            .ends_with("/authentication/notification/etsi/PNOLT-40504040001")
    );
    let (body, interactions) = offered(&seen.body);
    assert_eq!(body["vcType"], "numeric4");
    assert!(body.get("brokeredRpName").is_none() && body.get("initialCallbackUrl").is_none());
    assert_eq!(
        interactions,
        json!([
            {
                "type": "confirmationMessageAndVerificationCodeChoice",
                "displayText200": format!("Prisijungti / Log in: {name}"),
            },
            {
                "type": "displayTextAndPIN",
                "displayText60": "Prisijungti / Log in: Viešoji įstaiga „Vilniaus universitet…",
            },
        ])
    );
}

#[tokio::test]
async fn a_broker_tells_smart_id_for_whom_it_asks() {
    let mut scripted = Scripted::json(&json!({"sessionID": SESSION}));
    scripted.be(|config| config.is_broker = true);
    let request = AuthenticationRequest {
        person: "PNOLT-40504040001",
        phone_number: None,
        message: b"a challenge",
        relying_party: "Parduotuvė",
    };
    let asked = scripted.client.request_authentication(request).await;
    asked.unwrap();
    let (body, _) = offered(&scripted.seen().body);
    assert_eq!(body["brokeredRpName"], "Parduotuvė");
}

#[tokio::test]
async fn whoever_follows_a_link_is_asked_without_a_code_and_returns_to_the_callback() {
    let scripted = Scripted::json(&json!({
        "sessionID": SESSION,
        "sessionToken": "wGIrqveE6AuGDATZKmR1mtAZ",
        "sessionSecret": base64(&[7; 32]),
        "deviceLinkBase": "https://smart-id.com/device-link",
    }));
    let callback = Url::parse("https://auth.example/auth/return/1").unwrap();
    let links = scripted.client.device_links().unwrap();
    let opened = links.open_authentication(LinkedAuthentication {
        message: b"a challenge",
        relying_party: "Parduotuvė",
        callback: &callback,
        random: [0xFF; 16],
    });
    let opened = opened.await.unwrap();

    let seen = scripted.seen();
    assert!(seen.uri.ends_with("/authentication/device-link/anonymous"));
    let (body, interactions) = offered(&seen.body);
    assert!(body.get("vcType").is_none() && body.get("nonce").is_none());
    let returns_to = "https://auth.example/auth/return/1?value=_____________________w";
    assert_eq!(body["initialCallbackUrl"], returns_to);
    assert_eq!(interactions[0]["type"], "confirmationMessage");
    assert_eq!(interactions[1]["type"], "displayTextAndPIN");
    let shown = links.links(&opened.choice, Duration::from_secs(3), "lit");
    let shown = shown.unwrap();
    assert!(shown.qr.contains("&elapsedSeconds=3&") && shown.qr.contains("&sessionType=auth&"));
    assert!(shown.same_device.is_some());

    for (flow, callback, waits) in [("QR", "", false), ("Web2App", returns_to, true)] {
        let answer = changed(authenticated(), "/signature/flowType", Some(flow.into()));
        let used = Some("confirmationMessage".into());
        let answer = changed(answer, "/interactionTypeUsed", used);
        let client = Scripted::json(&answer).client;
        let answered = client.poll_authentication(&opened.session, wait()).await;

        let SessionState::Complete(proof) = answered.unwrap() else {
            panic!("the session has ended");
        };
        let message = String::from_utf8(proof.message).unwrap();
        let end = format!("|confirmationMessage|{callback}|{flow}");
        assert!(message.ends_with(&end), "{message}");
        assert_eq!(proof.user_challenge.is_some(), waits, "{flow}");
    }
    let client = Scripted::json(&authenticated()).client;
    let by_notification = client.poll_authentication(&opened.session, wait()).await;
    assert!(by_notification.is_err(), "it was not offered");
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

/// The provider's published example, of a broker and on the same device. Parts that are not signed
/// are ours.
#[tokio::test]
async fn the_published_payload_is_what_the_device_of_the_published_session_has_signed() {
    let interactions = base64(concat!(
        r#"[{"type":"confirmationMessage","displayText200":"Longer description of the transaction context"},"#,
        r#"{"type":"displayTextAndPIN","displayText60":"Short description of the transaction context"}]"#
    ).as_bytes());
    let session: ProviderSession = serde_json::from_value(json!({
        "id": SESSION,
        "rp_challenge": "GYS+yoah6emAcVDNIajwSs6UB/M95XrDxMzXBUkwQJ9YFDipXXzGpPc7raWcuc2+TEoRc7WvIZ/7dU/iRXenYg==",
        "interactions": interactions,
        "brokered": "Example RP",
        "flows": ["QR", "Web2App"],
        "callback": "https://rp.example.com/callback-url?value=RrKjjT4aggzu27YBddX1bQ",
    }))
    .unwrap();
    let mut answer = authenticated();
    answer["signature"]["serverRandom"] = json!("MTlop6EXCrQ6FOErcKjxUhbV");
    answer["signature"]["userChallenge"] = json!("GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00");
    answer["signature"]["flowType"] = json!("Web2App");
    answer["interactionTypeUsed"] = json!("confirmationMessage");
    let mut scripted = Scripted::json(&answer);
    scripted.be(|config| config.scheme_name = "smart-id".to_owned());

    let answered = scripted.client.poll_authentication(&session, wait()).await;

    let SessionState::Complete(proof) = answered.unwrap() else {
        panic!("the session has ended");
    };
    let published =
        "pKOjbNl/5Fy8NfrFqsj6pSn8W8O+Ik8rM33QSsbyD3J9qDJvEm90SboUciuY4wHGWa0Pnq8BgT3NJKmJiUDfKg==";
    assert_eq!(base64(&Sha512::digest(proof.message)), published);
}

/// Sessions that were stored before there were device links name no flows.
#[tokio::test]
async fn a_stored_session_without_flows_is_of_a_notification() {
    let mut stored = serde_json::to_value(session().await).unwrap();
    stored.as_object_mut().unwrap().remove("flows");
    let session = serde_json::from_value(stored).unwrap();
    let client = Scripted::json(&authenticated()).client;
    assert!(client.poll_authentication(&session, wait()).await.is_ok());
}

#[tokio::test]
async fn an_answer_by_an_interaction_that_was_not_offered_is_no_proof() {
    for used in [
        Some(json!("confirmationMessage")),
        Some(json!("verificationCodeChoice")),
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
