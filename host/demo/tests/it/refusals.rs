//! What the Smart-ID service refuses, and how.

use parafa_demo::World;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{FIRST, Party, common, signature, with, world};

const TO_PERSON: &str = "/signature/notification/etsi/PNOLT-40504040001";
const BY_LINK: &str = "/signature/certificate-choice/device-link/anonymous";

/// A wrong request: what is wrong, and the pointer in the answer.
struct Wrong {
    change: fn(&mut Value),
    pointer: &'static str,
}

const WRONG: &[Wrong] = &[
    Wrong {
        change: |body| drop(remove(body, "relyingPartyUUID")),
        pointer: "/relyingPartyUUID",
    },
    Wrong {
        change: |body| body["relyingPartyUUID"] = json!("DEMO"),
        pointer: "/relyingPartyUUID",
    },
    Wrong {
        change: |body| body["relyingPartyUUID"] = json!("00000000000040008000000000000000"),
        pointer: "/relyingPartyUUID",
    },
    Wrong {
        change: |body| drop(remove(body, "relyingPartyName")),
        pointer: "/relyingPartyName",
    },
    Wrong {
        change: |body| body["relyingPartyName"] = json!(7),
        pointer: "/relyingPartyName",
    },
    Wrong {
        change: |body| body["certificateLevel"] = json!("BEST"),
        pointer: "/certificateLevel",
    },
    Wrong {
        change: |body| body["nonce"] = json!(""),
        pointer: "/nonce",
    },
    Wrong {
        change: |body| body["nonce"] = json!("1234567890123456789012345678901"),
        pointer: "/nonce",
    },
    Wrong {
        change: |body| body["vcType"] = json!("numeric4"),
        pointer: "/vcType",
    },
    Wrong {
        change: |body| body["surprise"] = json!(true),
        pointer: "/surprise",
    },
    Wrong {
        change: |body| body["initialCallbackUrl"] = json!("https://rp.example/"),
        pointer: "/initialCallbackUrl",
    },
    Wrong {
        change: |body| body["linkedSessionID"] = json!("0d8b5f3a-6a3c-4b5e-9f59-6f0d1b8f1d11"),
        pointer: "/linkedSessionID",
    },
    Wrong {
        change: |body| body["requestProperties"] = json!([]),
        pointer: "/requestProperties",
    },
    Wrong {
        change: |body| body["requestProperties"] = json!({"shareMdClientIpAddress": "yes"}),
        pointer: "/requestProperties/shareMdClientIpAddress",
    },
    Wrong {
        change: |body| body["capabilities"] = json!("all"),
        pointer: "/capabilities",
    },
    Wrong {
        change: |body| drop(remove(body, "signatureProtocol")),
        pointer: "/signatureProtocol",
    },
    Wrong {
        change: |body| body["signatureProtocol"] = json!("ACSP_V2"),
        pointer: "/signatureProtocol",
    },
    Wrong {
        change: |body| drop(remove(body, "signatureProtocolParameters")),
        pointer: "/signatureProtocolParameters",
    },
    Wrong {
        change: |body| parameters(body)["digest"] = json!("!!"),
        pointer: "/signatureProtocolParameters/digest",
    },
    Wrong {
        change: |body| parameters(body)["digest"] = json!("AAAA"),
        pointer: "/signatureProtocolParameters/digest",
    },
    Wrong {
        change: |body| parameters(body)["digest"] = json!("A".repeat(43)),
        pointer: "/signatureProtocolParameters/digest",
    },
    Wrong {
        change: |body| parameters(body)["signatureAlgorithm"] = json!("sha512WithRSAEncryption"),
        pointer: "/signatureProtocolParameters/digest",
    },
    Wrong {
        change: |body| parameters(body)["signatureAlgorithm"] = json!("sha1WithRSAEncryption"),
        pointer: "/signatureProtocolParameters/signatureAlgorithm",
    },
    Wrong {
        change: |body| parameters(body)["signatureAlgorithm"] = json!("rsassa-pss"),
        pointer: "/signatureProtocolParameters/signatureAlgorithmParameters",
    },
    Wrong {
        change: |body| {
            parameters(body)["signatureAlgorithmParameters"] = json!({"hashAlgorithm": "SHA-256"});
        },
        pointer: "/signatureProtocolParameters/signatureAlgorithmParameters",
    },
    Wrong {
        change: |body| {
            *parameters(body) = with(
                parameters(body).clone(),
                json!({"signatureAlgorithm": "rsassa-pss", "signatureAlgorithmParameters": {"hashAlgorithm": "SHA256"}}),
            );
        },
        pointer: "/signatureProtocolParameters/signatureAlgorithmParameters/hashAlgorithm",
    },
    Wrong {
        change: |body| drop(remove(body, "interactions")),
        pointer: "/interactions",
    },
    Wrong {
        change: |body| body["interactions"] = json!([]),
        pointer: "/interactions",
    },
    Wrong {
        change: |body| body["interactions"] = json!("W10="),
        pointer: "/interactions",
    },
];

#[tokio::test]
async fn a_wrong_member_is_400_and_pointed_at() {
    let party = Party::of(world());
    for (number, wrong) in WRONG.iter().enumerate() {
        let mut body = signature("sha256WithRSAEncryption", &[7; 32]);
        (wrong.change)(&mut body);
        let answer = party.post(TO_PERSON, &body).await;
        assert_eq!(
            answer.status,
            StatusCode::BAD_REQUEST,
            "{number}: {}",
            wrong.pointer
        );
        assert_eq!(answer.body["type"], "about:blank");
        assert_eq!(answer.body["status"], 400);
        let errors = answer.body["errors"].as_array().unwrap();
        let pointed = errors.iter().any(|error| error["pointer"] == wrong.pointer);
        assert!(
            pointed,
            "{number}: {} not in {}",
            wrong.pointer, answer.body
        );
    }
}

#[tokio::test]
async fn all_wrong_members_are_named_in_one_answer() {
    let party = Party::of(world());
    let answer = party
        .post(
            BY_LINK,
            &json!({ "initialCallbackUrl": "http://rp.example/" }),
        )
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer.body["errors"].as_array().unwrap().len(),
        3,
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused() {
    let party = Party::of(world());
    let broken = party.post_text(TO_PERSON, "application/json", "{").await;
    assert_eq!(broken.status, StatusCode::BAD_REQUEST);
    let list = party.post_text(TO_PERSON, "application/json", "[]").await;
    assert_eq!(list.status, StatusCode::BAD_REQUEST);
    let plain = party.post_text(TO_PERSON, "text/plain", "{}").await;
    assert_eq!(plain.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn the_relying_party_must_be_known_and_have_the_right() {
    let party = Party::of(world());
    let cases = [
        (
            json!({"relyingPartyUUID": "00000000-0000-4000-8000-000000000001"}),
            StatusCode::FORBIDDEN,
        ),
        (
            json!({"relyingPartyName": "OTHER"}),
            StatusCode::UNAUTHORIZED,
        ),
        (json!({"relyingPartyName": "demo"}), StatusCode::OK),
        (
            json!({"certificateLevel": "ADVANCED"}),
            StatusCode::FORBIDDEN,
        ),
        (json!({"certificateLevel": "QSCD"}), StatusCode::OK),
        (
            json!({"requestProperties": {"shareMdClientIpAddress": true}}),
            StatusCode::FORBIDDEN,
        ),
        (json!({"capabilities": ["ANYTHING"]}), StatusCode::FORBIDDEN),
        (json!({"capabilities": []}), StatusCode::OK),
    ];
    for (members, status) in cases {
        let body = with(common(), members.clone());
        let answer = party.post(BY_LINK, &body).await;
        assert_eq!(answer.status, status, "{members}");
    }
}

#[tokio::test]
async fn accounts_that_are_missing_or_of_a_lower_level_are_404() {
    let party = Party::of(world());
    let body = signature("sha256WithRSAEncryption", &[7; 32]);
    let choice = "/signature/certificate-choice/notification/etsi/PNOLT-40504049999";
    let lower = party.post(choice, &common()).await;
    assert_eq!(lower.status, StatusCode::NOT_FOUND);
    assert_eq!(lower.body["errors"][0]["code"], "NO_SUITABLE_ACCOUNT_FOUND");

    let nobody = party
        .post("/signature/notification/etsi/PNOLT-38808089917", &body)
        .await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
    assert!(nobody.body.get("errors").is_none());

    for document in ["PNOLT-40504040001-NONE-Q", "PNOLT-40504049999-MOCK-NQ"] {
        let path = format!("/signature/notification/document/{document}");
        assert_eq!(
            party.post(&path, &body).await.status,
            StatusCode::NOT_FOUND,
            "{document}"
        );
    }
}

#[tokio::test]
async fn a_malformed_identifier_is_400_and_named() {
    let party = Party::of(world());
    let body = signature("sha256WithRSAEncryption", &[7; 32]);
    for identifier in [
        "40504040001",
        "PNOlt-40504040001",
        "XYZLT-1",
        "PNOLT-",
        "PNOLT-4050404000%20",
    ] {
        let answer = party
            .post(&format!("/signature/notification/etsi/{identifier}"), &body)
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{identifier}");
        assert_eq!(answer.body["errors"][0]["paramName"], "semanticsIdentifier");
    }
}

#[tokio::test]
async fn session_requests_are_checked() {
    let party = Party::of(world());
    let begun = party.begin(BY_LINK, &common()).await;
    let id = begun["sessionID"].as_str().unwrap();
    for timeout in ["999", "120001", "-1", "abc", ""] {
        let answer = party
            .get(&format!("/session/{id}?timeoutMs={timeout}"))
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{timeout}");
    }
    let malformed = party.get("/session/nothing").await;
    assert_eq!(malformed.status, StatusCode::BAD_REQUEST);
    let unknown = party
        .get("/session/0d8b5f3a-6a3c-4b5e-9f59-6f0d1b8f1d11")
        .await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_session_that_nobody_takes_up_is_running() {
    let party = Party::of(world());
    let begun = party.begin(BY_LINK, &common()).await;
    let id = begun["sessionID"].as_str().unwrap();
    let answer = party.get(&format!("/session/{id}?timeoutMs=1000")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body, json!({ "state": "RUNNING" }));
}

#[tokio::test]
async fn a_linked_signature_needs_a_finished_choice_of_the_same_document() {
    let world: &World = world();
    let party = Party::of(world);
    let running = party.begin(BY_LINK, &common()).await;
    let unknown = json!("0d8b5f3a-6a3c-4b5e-9f59-6f0d1b8f1d11");
    for session in [&running["sessionID"], &unknown] {
        let body = with(
            signature("sha256WithRSAEncryption", &[7; 32]),
            json!({ "linkedSessionID": session }),
        );
        let answer = party
            .post(&format!("/signature/notification/linked/{FIRST}"), &body)
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        assert_eq!(answer.body["errors"][0]["pointer"], "/linkedSessionID");
    }
}

fn remove(body: &mut Value, name: &str) -> Option<Value> {
    body.as_object_mut().unwrap().remove(name)
}

fn parameters(body: &mut Value) -> &mut Value {
    &mut body["signatureProtocolParameters"]
}
