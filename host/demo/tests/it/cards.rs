//! Identity cards, as apps reach them.

use std::fs;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openssl::{bn::BigNum, ecdsa::EcdsaSig, sha::sha256, x509::X509};
use parafa_demo::{KeyType, Method, Outcome};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::support::{openssl, scratch, world};

const MESSAGE: &[u8] = b"what is signed";

async fn certificate(persona: &str, key_use: &str) -> X509 {
    let address = format!("{}/{persona}/{key_use}", world().addresses().cards);
    let answer: Value = reqwest::get(address).await.unwrap().json().await.unwrap();
    let der = STANDARD.decode(answer["certificate"].as_str().unwrap());
    X509::from_der(&der.unwrap()).unwrap()
}

async fn sign(persona: &str, digest: &[u8]) -> reqwest::Response {
    let address = format!("{}/{persona}/signing/sign", world().addresses().cards);
    let body = json!({ "sha256": STANDARD.encode(digest) });
    Client::new()
        .post(address)
        .json(&body)
        .send()
        .await
        .unwrap()
}

async fn text_of(persona: &str, key_use: &str) -> String {
    let folder = scratch();
    let pem = certificate(persona, key_use).await.to_pem().unwrap();
    fs::write(folder.join("subject.pem"), pem).unwrap();
    let names = ["-nameopt", "RFC2253,utf8,-esc_msb"];
    let read = ["x509", "-in", "subject.pem", "-noout", "-text"];
    openssl(&folder, &[read.as_slice(), &names].concat())
}

#[tokio::test]
async fn a_signing_certificate_has_the_shape_of_a_lithuanian_card_s() {
    let text = text_of("card-p384", "signing").await;

    for expected in [
        "serialNumber=48706189911,GN=AUŠRA,SN=KORTELIENĖ,CN=AUŠRA KORTELIENĖ,C=LT",
        "X509v3 Key Usage: critical\n                Digital Signature, Non Repudiation\n",
        "Policy: 1.3.6.1.4.1.33621.2.2.2",
        "ASN1 OID: secp384r1",
        "Signature Algorithm: ecdsa-with-SHA384",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}

#[tokio::test]
async fn the_authentication_certificate_beside_it_is_for_that_alone() {
    let text = text_of("card-p384", "authentication").await;

    assert!(text.contains("serialNumber=48706189911"), "{text}");
    assert!(
        text.contains("critical\n                Digital Signature\n"),
        "{text}"
    );
    assert!(text.contains("TLS Web Client Authentication"), "{text}");
    assert!(!text.contains("qcStatements"), "{text}");
}

#[tokio::test]
async fn cards_sign_digests_with_the_keys_that_their_certificates_have() {
    let digest = sha256(MESSAGE);
    for (persona, field_octets) in [("card-p384", 48), ("card-p256", 32), ("card-p521", 66)] {
        let signed: Value = sign(persona, &digest).await.json().await.unwrap();
        assert_eq!(signed["signatureAlgorithm"], "ES256");
        assert_eq!(signed["signatureEncoding"], "P1363");
        let value = STANDARD.decode(signed["signature"].as_str().unwrap());
        let value = value.unwrap();
        assert_eq!(value.len(), 2 * field_octets);
        let (r, s) = value.split_at(field_octets);
        let [r, s] = [r, s].map(|half| BigNum::from_slice(half).unwrap());
        let signature = EcdsaSig::from_private_components(r, s).unwrap();
        let key = certificate(persona, "signing").await.public_key().unwrap();
        assert!(signature.verify(&digest, &key.ec_key().unwrap()).unwrap());
    }
    let signed: Value = sign("card-rsa", &digest).await.json().await.unwrap();
    assert_eq!(signed["signatureAlgorithm"], "RS256");
}

#[tokio::test]
async fn a_card_signs_nothing_but_sha_256_digests_and_strangers_have_none() {
    assert_eq!(
        sign("card-p384", b"short").await.status(),
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        sign("nobody", &[0; 32]).await.status(),
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn there_are_cards_of_every_key_and_outcome_with_codes_of_their_own() {
    let personas = world().personas();
    let cards: Vec<_> = personas
        .iter()
        .filter(|persona| persona.methods == [Method::Nfc])
        .collect();
    let has = |outcome, key| {
        let mut cards = cards.iter();
        cards.any(|card| card.outcome == outcome && card.key_type == Some(key))
    };
    for key in [
        KeyType::P384,
        KeyType::P256,
        KeyType::P521,
        KeyType::Rsa2048,
    ] {
        assert!(has(Outcome::Signs, key), "{key:?}");
    }
    for outcome in [
        Outcome::Revoked,
        Outcome::Expired,
        Outcome::Foreign,
        Outcome::Untrusted,
    ] {
        assert!(has(outcome, KeyType::P384), "{outcome:?}");
    }
    for card in &cards {
        let same = personas
            .iter()
            .filter(|one| one.personal_code == card.personal_code);
        assert_eq!(same.count(), 1, "{}", card.id);
    }
}
