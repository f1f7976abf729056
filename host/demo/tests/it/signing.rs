//! Signatures of the Smart-ID service, and refusals of its persons.

use openssl::{
    hash::{MessageDigest, hash},
    rsa::Padding,
    sign::{RsaPssSaltlen, Verifier},
};
use parafa_demo::{Method, Outcome};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{FIRST, Party, certificate, common, signature, signature_value, with, world};

const MESSAGE: &[u8] = b"attributes to be signed";

#[tokio::test]
async fn a_notification_yields_a_signature_that_verifies() {
    let party = Party::of(world());
    for (name, digest, length) in [
        ("sha256WithRSAEncryption", MessageDigest::sha256(), 32),
        ("sha384WithRSAEncryption", MessageDigest::sha384(), 48),
        ("sha512WithRSAEncryption", MessageDigest::sha512(), 64),
    ] {
        let imprint = hash(digest, MESSAGE).unwrap();
        assert_eq!(imprint.len(), length);
        let path = format!("/signature/notification/document/{FIRST}");
        let begun = party.begin(&path, &signature(name, &imprint)).await;
        let code = begun["vc"]["value"].as_str().unwrap();
        assert_eq!(begun["vc"]["type"], "numeric4");
        assert!(code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()));

        let status = party.ending(&begun).await;
        assert_eq!(
            status["result"],
            json!({ "endResult": "OK", "documentNumber": FIRST })
        );
        assert_eq!(status["signatureProtocol"], "RAW_DIGEST_SIGNATURE");
        assert_eq!(status["signature"]["signatureAlgorithm"], name);
        assert_eq!(status["signature"]["flowType"], "Notification");
        assert_eq!(status["cert"]["certificateLevel"], "QUALIFIED");
        assert_eq!(status["interactionTypeUsed"], "displayTextAndPIN");
        let key = certificate(&status).public_key().unwrap();
        let mut verifier = Verifier::new(digest, &key).unwrap();
        let verified = verifier.verify_oneshot(&signature_value(&status), MESSAGE);
        assert!(verified.unwrap(), "{name}");
    }
}

#[tokio::test]
async fn pss_signatures_carry_their_parameters_and_verify() {
    let party = Party::of(world());
    for (name, digest) in [
        ("SHA-256", MessageDigest::sha256()),
        ("SHA-512", MessageDigest::sha512()),
        ("SHA3-384", MessageDigest::sha3_384()),
    ] {
        let imprint = hash(digest, MESSAGE).unwrap();
        let mut body = signature("rsassa-pss", &imprint);
        body["signatureProtocolParameters"]["signatureAlgorithmParameters"] =
            json!({ "hashAlgorithm": name });
        let path = "/signature/notification/etsi/PNOLT-50001029996";
        let status = party.ending(&party.begin(path, &body).await).await;
        let expected = json!({
            "hashAlgorithm": name,
            "maskGenAlgorithm": { "algorithm": "id-mgf1", "parameters": { "hashAlgorithm": name } },
            "saltLength": imprint.len(),
            "trailerField": "0xbc",
        });
        assert_eq!(
            status["signature"]["signatureAlgorithmParameters"],
            expected
        );
        let key = certificate(&status).public_key().unwrap();
        let mut verifier = Verifier::new(digest, &key).unwrap();
        verifier.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
        verifier.set_rsa_mgf1_md(digest).unwrap();
        verifier
            .set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)
            .unwrap();
        let verified = verifier.verify_oneshot(&signature_value(&status), MESSAGE);
        assert!(verified.unwrap(), "{name}");
    }
}

#[tokio::test]
async fn a_document_has_one_certificate_whoever_asks() {
    let party = Party::of(world());
    let mut body = common();
    body.as_object_mut().unwrap().remove("nonce");
    let direct = party
        .begin(&format!("/signature/certificate/{FIRST}"), &body)
        .await;
    assert_eq!(direct["state"], "OK");
    let path = "/signature/certificate-choice/notification/etsi/PNOLT-40504040001";
    let chosen = party.ending(&party.begin(path, &common()).await).await;
    assert_eq!(chosen["result"]["documentNumber"], FIRST);
    assert_eq!(chosen["signature"], json!({ "flowType": "Notification" }));
    assert!(chosen.get("signatureProtocol").is_none());
    assert_eq!(direct["cert"], chosen["cert"]);
}

#[tokio::test]
async fn people_end_a_signature_as_published() {
    let party = Party::of(world());
    let details = |interaction: &str| json!({ "interaction": interaction });
    let cases = [
        ("PNOLT-30403039917", "USER_REFUSED", Value::Null),
        (
            "PNOLT-30403039928",
            "USER_REFUSED_INTERACTION",
            details("displayTextAndPIN"),
        ),
        ("PNOLT-30403039939", "USER_REFUSED", Value::Null),
        (
            "PNOLT-30403039946",
            "USER_REFUSED_INTERACTION",
            details("confirmationMessage"),
        ),
        (
            "PNOLT-30403039950",
            "USER_REFUSED_INTERACTION",
            details("confirmationMessageAndVerificationCodeChoice"),
        ),
        ("PNOLT-30403039972", "WRONG_VC", Value::Null),
        ("PNOLT-30403039983", "TIMEOUT", Value::Null),
    ];
    for (person, result, details) in cases {
        let path = format!("/signature/notification/etsi/{person}");
        let body = signature("sha256WithRSAEncryption", &[7; 32]);
        let status = party.ending(&party.begin(&path, &body).await).await;
        assert_eq!(status["result"]["endResult"], result, "{person}");
        assert_eq!(status["result"]["details"], details, "{person}");
        assert!(status.get("signature").is_none() && status.get("cert").is_none());
    }
}

#[tokio::test]
async fn every_persona_that_signs_does_so() {
    let world = world();
    let party = Party::of(world);
    let signing: Vec<_> = world
        .personas()
        .iter()
        .filter(|persona| persona.methods == [Method::SmartId])
        .filter(|persona| persona.outcome == Outcome::Signs)
        .collect();
    assert!(signing.len() >= 3);
    assert_eq!(signing[0], &world.personas()[0]);
    for persona in signing {
        let path = format!(
            "/signature/notification/etsi/PNOLT-{}",
            persona.personal_code
        );
        let body = signature("sha256WithRSAEncryption", &[7; 32]);
        let status = party.ending(&party.begin(&path, &body).await).await;
        assert_eq!(status["result"]["endResult"], "OK", "{}", persona.id);
        let document = persona.document_number.as_deref();
        assert_eq!(status["result"]["documentNumber"].as_str(), document);
    }
}

#[tokio::test]
async fn an_identical_request_gets_the_same_session() {
    let party = Party::of(world());
    let path = "/signature/notification/etsi/PNOLT-40504040001";
    let body = signature("sha256WithRSAEncryption", &[9; 32]);
    let first = party.begin(path, &body).await;
    assert_eq!(party.begin(path, &body).await, first);
    let other = with(body, json!({ "nonce": "another" }));
    assert_ne!(
        party.begin(path, &other).await["sessionID"],
        first["sessionID"]
    );
}

#[tokio::test]
async fn unknown_properties_are_ignored_and_named() {
    let party = Party::of(world());
    let body = with(
        signature("sha256WithRSAEncryption", &[7; 32]),
        json!({ "requestProperties": { "unheardOf": 1, "shareMdClientIpAddress": false } }),
    );
    let path = format!("/signature/notification/document/{FIRST}");
    let status = party.ending(&party.begin(&path, &body).await).await;
    assert_eq!(status["ignoredProperties"], json!(["unheardOf"]));
}

#[tokio::test]
async fn an_unknown_path_is_404() {
    let answer = Party::of(world())
        .post("/signature/device-link/anonymous", &common())
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}
