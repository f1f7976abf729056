//! Answers and refusals of the Mobile-ID service.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openssl::{
    bn::BigNum,
    ecdsa::EcdsaSig,
    hash::{MessageDigest, hash},
    sign::Verifier,
    x509::X509,
};
use parafa_demo::{Method, Outcome, Persona, World};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Answer, Party, fresh_world, with, world};

const MESSAGE: &[u8] = b"attributes to be signed";
const PHONE: &str = "+37060000666";
const CODE: &str = "50001018865";

fn user(phone: &str, code: &str) -> Value {
    json!({
        "relyingPartyUUID": "00000000-0000-0000-0000-000000000000",
        "relyingPartyName": "DEMO",
        "phoneNumber": phone,
        "nationalIdentityNumber": code,
    })
}

fn signature(phone: &str, code: &str) -> Value {
    let digest = hash(MessageDigest::sha256(), MESSAGE).unwrap();
    with(
        user(phone, code),
        json!({
            "hash": STANDARD.encode(digest),
            "hashType": "SHA256",
            "language": "LIT",
            "displayText": "Pasirašyti?",
            "displayTextFormat": "UCS-2",
        }),
    )
}

async fn begin(party: &Party, body: &Value) -> String {
    let begun = party.begin("/signature", body).await;
    begun["sessionID"].as_str().unwrap().to_owned()
}

async fn ending(party: &Party, session: &str) -> Value {
    let path = format!("/signature/session/{session}?timeoutMs=10000");
    let answer = party.get(&path).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.body
}

async fn certificate(party: &Party, phone: &str, code: &str) -> X509 {
    let answer = party.begin("/certificate", &user(phone, code)).await;
    assert_eq!(answer["result"], "OK");
    let der = STANDARD.decode(answer["cert"].as_str().unwrap()).unwrap();
    X509::from_der(&der).unwrap()
}

fn with_mobile_id(world: &World) -> impl Iterator<Item = &Persona> {
    let personas = world.personas().iter();
    personas.filter(|persona| persona.methods == [Method::MobileId])
}

#[tokio::test]
async fn a_sim_with_an_ec_key_signs_with_r_and_s_one_behind_the_other() {
    let party = Party::of_mobile_id(world());
    let certificate = certificate(&party, PHONE, CODE).await;

    let session = begin(&party, &signature(PHONE, CODE)).await;
    let status = ending(&party, &session).await;

    assert_eq!(status["state"], "COMPLETE");
    assert_eq!(status["result"], "OK");
    assert!(status.get("cert").is_none());
    assert_eq!(status["signature"]["algorithm"], "SHA256WithECEncryption");
    let value = status["signature"]["value"].as_str().unwrap();
    let value = STANDARD.decode(value).unwrap();
    assert_eq!(value.len(), 64);
    let [r, s] = [&value[..32], &value[32..]].map(|half| BigNum::from_slice(half).unwrap());
    let signature = EcdsaSig::from_private_components(r, s).unwrap();
    let key = certificate.public_key().unwrap().ec_key().unwrap();
    let digest = hash(MessageDigest::sha256(), MESSAGE).unwrap();
    assert!(signature.verify(&digest, &key).unwrap());
}

#[tokio::test]
async fn a_sim_with_an_rsa_key_signs_as_pkcs_1_says() {
    let party = Party::of_mobile_id(world());
    let (phone, code) = ("+37060000007", "51001091072");
    let certificate = certificate(&party, phone, code).await;

    let session = begin(&party, &signature(phone, code)).await;
    let status = ending(&party, &session).await;

    assert_eq!(status["signature"]["algorithm"], "SHA256WithRSAEncryption");
    let value = status["signature"]["value"].as_str().unwrap();
    let key = certificate.public_key().unwrap();
    let mut verifier = Verifier::new(MessageDigest::sha256(), &key).unwrap();
    let value = STANDARD.decode(value).unwrap();
    assert!(verifier.verify_oneshot(&value, MESSAGE).unwrap());
}

#[tokio::test]
async fn people_end_a_signature_as_published() {
    let party = Party::of_mobile_id(world());
    for (phone, code, result) in [
        ("+37060000266", "50001018832", "NOT_MID_CLIENT"),
        ("+37061100266", "50001018854", "USER_CANCELLED"),
        ("+37061200266", "50001018876", "SIM_ERROR"),
        ("+37066000266", "50001018908", "TIMEOUT"),
        ("+37200000766", "60001019906", "OK"),
        ("+37200000366", "60001019928", "NOT_MID_CLIENT"),
        ("+37201100266", "60001019950", "USER_CANCELLED"),
        ("+37213100266", "60001019983", "PHONE_ABSENT"),
        ("+37207110066", "60001019947", "DELIVERY_ERROR"),
        ("+37201200266", "60001019972", "SIM_ERROR"),
        ("+37200000666", "60001019961", "SIGNATURE_HASH_MISMATCH"),
    ] {
        let session = begin(&party, &signature(phone, code)).await;
        let status = ending(&party, &session).await;
        assert_eq!(status["result"], result, "{phone}");
        assert_eq!(status.get("signature").is_some(), result == "OK");
    }
}

#[tokio::test]
async fn a_certificate_is_told_of_a_number_and_a_code_that_belong_together() {
    let world = world();
    let party = Party::of_mobile_id(world);
    let mut known = 0;
    for persona in with_mobile_id(world) {
        let phone = persona.phone_number.as_deref().unwrap();
        let body = user(phone, &persona.personal_code);
        let answer = party.begin("/certificate", &body).await;
        let has_one = persona.outcome != Outcome::NoAccount;
        assert_eq!(answer["result"] == "OK", has_one, "{}", persona.id);
        assert_eq!(answer.get("cert").is_some(), has_one);
        known += 1;
    }
    assert_eq!(known, 15);
    for (phone, code) in [(PHONE, "51001091072"), ("+37060000000", CODE)] {
        let answer = party.begin("/certificate", &user(phone, code)).await;
        assert_eq!(answer["result"], "NOT_FOUND");
    }
}

#[tokio::test]
async fn wrong_requests_are_refused_with_a_sentence() {
    let party = Party::of_mobile_id(world());
    let long = "a".repeat(101);
    let lithuanian = "š".repeat(51);
    for (member, value, error) in [
        (
            "relyingPartyName",
            Value::Null,
            "relyingPartyName is missing",
        ),
        ("phoneNumber", json!("37060000666"), "+ and numbers"),
        ("phoneNumber", json!("+3706000"), "+ and numbers"),
        (
            "nationalIdentityNumber",
            json!("PNOLT-50001018865"),
            "11 digits",
        ),
        ("hash", json!("!"), "Base64"),
        ("hash", json!("AAAA"), "length of the hash"),
        ("hashType", json!("SHA512"), "length of the hash"),
        ("hashType", json!("SHA-256"), "hashType"),
        ("language", Value::Null, "language is missing"),
        ("language", json!("lt"), "language"),
        ("displayText", json!(lithuanian), "50 characters"),
        ("displayTextFormat", json!("GSM-7"), "GSM-7 has not"),
        ("displayTextFormat", json!("UTF-8"), "displayTextFormat"),
        ("certificateLevel", json!("QUALIFIED"), "certificateLevel"),
    ] {
        let body = with(signature(PHONE, CODE), json!({ member: value }));
        assert_refused(&party.post("/signature", &body).await, error);
    }
    let members = json!({ "displayText": long, "displayTextFormat": "GSM-7" });
    let body = with(signature(PHONE, CODE), members);
    assert_refused(&party.post("/signature", &body).await, "100 characters");
}

#[track_caller]
fn assert_refused(answer: &Answer, error: &str) {
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{error}");
    let told = answer.body["error"].as_str().unwrap();
    assert!(told.contains(error), "{error}: {told}");
    assert!(answer.body["traceId"].is_string() && answer.body["time"].is_string());
}

#[tokio::test]
async fn strangers_and_unknown_sessions_are_told_apart() {
    let party = Party::of_mobile_id(world());
    for (member, value) in [
        ("relyingPartyUUID", "00000000-0000-4000-8000-000000000000"),
        ("relyingPartyName", "OTHER"),
    ] {
        let body = with(user(PHONE, CODE), json!({ member: value }));
        let answer = party.post("/certificate", &body).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert_eq!(answer.body["error"], "Failed to authorize user");
    }
    for id in ["0d8b5f3a-6a3c-4b5e-9f59-6f0d1b8f1d11", "none"] {
        let answer = party.get(&format!("/signature/session/{id}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_newer_poll_has_the_older_one_answered() {
    let mut config = crate::support::config(&crate::support::scratch());
    config.mobile_id.device_delay = Duration::from_secs(3600);
    let world = World::start(config).await.unwrap();
    let party = Party::of_mobile_id(&world);
    let session = begin(&party, &signature(PHONE, CODE)).await;
    let path = format!("/signature/session/{session}?timeoutMs=60000");
    let older = {
        let (party, path) = (Party::of_mobile_id(&world), path.clone());
        tokio::spawn(async move { party.get(&path).await.body })
    };
    // The newer poll may arrive before the older one waits.
    let newer = tokio::spawn(async move {
        loop {
            let short = path.replace("60000", "1000");
            party.get(&short).await;
        }
    });

    let older = older.await.unwrap();

    assert_eq!(older["state"], "RUNNING");
    newer.abort();
    world.shutdown().await;
}

#[tokio::test]
async fn a_switch_ends_signatures_with_any_result() {
    let world = fresh_world().await;
    let party = Party::of_mobile_id(&world);
    world
        .mobile_id_switches()
        .end_signatures(Some("NEW_RESULT"));

    let session = begin(&party, &signature(PHONE, CODE)).await;

    assert_eq!(ending(&party, &session).await["result"], "NEW_RESULT");
    world.shutdown().await;
}
