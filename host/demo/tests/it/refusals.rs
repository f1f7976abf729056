//! Refusals of the Smart-ID service.

use parafa_demo::World;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{FIRST, Party, common, signature, with, world};

const TO_PERSON: &str = "/signature/notification/etsi/PNOLT-40504040001";
const BY_LINK: &str = "/signature/certificate-choice/device-link/anonymous";

/// Changes that make a request invalid, each of one member, at which the answer points; null
/// removes it.
fn wrong_members() -> Vec<Value> {
    let parameters = |value: Value| json!({"signatureProtocolParameters": value});
    vec![
        json!({"relyingPartyUUID": null}),
        json!({"relyingPartyUUID": "DEMO"}),
        json!({"relyingPartyUUID": "00000000000040008000000000000000"}),
        json!({"relyingPartyName": null}),
        json!({"relyingPartyName": 7}),
        json!({"certificateLevel": "BEST"}),
        json!({"nonce": ""}),
        json!({"nonce": "1234567890123456789012345678901"}),
        json!({"vcType": "numeric4"}),
        json!({"surprise": true}),
        json!({"initialCallbackUrl": "https://rp.example/"}),
        json!({"linkedSessionID": "0d8b5f3a-6a3c-4b5e-9f59-6f0d1b8f1d11"}),
        json!({"requestProperties": []}),
        json!({"requestProperties": {"shareMdClientIpAddress": "yes"}}),
        json!({"capabilities": "all"}),
        json!({"signatureProtocol": null}),
        json!({"signatureProtocol": "ACSP_V2"}),
        json!({"signatureProtocolParameters": null}),
        parameters(json!({"digest": "!!"})),
        parameters(json!({"digest": "AAAA"})),
        parameters(json!({"digest": "A".repeat(43)})),
        parameters(json!({"signatureAlgorithm": "sha1WithRSAEncryption"})),
        json!({"interactions": null}),
        json!({"interactions": []}),
        json!({"interactions": "W10="}),
    ]
}

/// Invalid changes, with the parameter at which the answer points.
fn wrong_parameters() -> [(Value, &'static str); 4] {
    let algorithm = |name| json!({"signatureAlgorithm": name});
    let hash = |name| json!({"signatureAlgorithmParameters": {"hashAlgorithm": name}});
    let other = "signatureAlgorithmParameters";
    [
        (algorithm("sha512WithRSAEncryption"), "digest"),
        (algorithm("rsassa-pss"), other),
        (hash("SHA-256"), other),
        (
            with(algorithm("rsassa-pss"), hash("SHA256")),
            "signatureAlgorithmParameters/hashAlgorithm",
        ),
    ]
}

#[tokio::test]
async fn a_wrong_member_is_400_and_pointed_at() {
    let party = Party::of(world());
    let members = wrong_members().into_iter().map(|change| {
        let pointer = pointer_of(&change);
        (change, pointer)
    });
    let parameters = wrong_parameters().into_iter().map(|(change, name)| {
        let pointer = format!("/signatureProtocolParameters/{name}");
        (json!({"signatureProtocolParameters": change}), pointer)
    });
    for (change, pointer) in members.chain(parameters) {
        let mut body = signature("sha256WithRSAEncryption", &[7; 32]);
        merge(&mut body, &change);
        let answer = party.post(TO_PERSON, &body).await;
        let told = format!("{change}: {pointer}, {}", answer.body);
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{told}");
        assert_eq!(answer.body["type"], "about:blank");
        assert_eq!(answer.body["status"], 400);
        let mut errors = answer.body["errors"].as_array().unwrap().iter();
        assert!(errors.any(|error| error["pointer"] == pointer), "{told}");
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

/// Pointer to the one member that a change affects.
fn pointer_of(change: &Value) -> String {
    let member = change.as_object().and_then(|members| members.iter().next());
    member.map_or_else(String::new, |(name, value)| {
        format!("/{name}{}", pointer_of(value))
    })
}

/// Changes the given members like a merge patch (RFC 7396).
fn merge(body: &mut Value, change: &Value) {
    let Value::Object(members) = change else {
        *body = change.clone();
        return;
    };
    for (name, value) in members {
        match value {
            Value::Null => drop(body.as_object_mut().unwrap().remove(name)),
            _ => merge(&mut body[name], value),
        }
    }
}
