//! Statements in signed answers about what their signature certifies.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde_json::Value;

use super::evidence::member_of;
use super::{DiligenceCaller, ENTITY};
use crate::support::demo::Demo;

/// All questions, with their registers.
const QUESTIONS: [(&str, &[&str]); 8] = [
    ("/v1/entities/999000009?", &["Juridinių asmenų registras"]),
    (
        "/v1/entities/999000009/participants?",
        &["Juridinių asmenų dalyvių informacinė sistema"],
    ),
    (
        "/v1/entities/999000009/ubo?purpose=AML_KYC&",
        &["Juridinių asmenų naudos gavėjų informacinė sistema"],
    ),
    (
        "/v1/entities/999000009/real-estate?",
        &["Nekilnojamojo turto registras"],
    ),
    (
        "/v1/real-estate/4400-9990-0001?",
        &["Nekilnojamojo turto registras"],
    ),
    (
        "/v1/entities/999000009/seizures?",
        &["Turto arešto aktų registras"],
    ),
    (
        "/v1/entities/999000009/cases?",
        &["Lietuvos teismų informacinė sistema"],
    ),
    (
        "/v1/entities/999000009/dd-report?purpose=AML_KYC&",
        &[
            "Juridinių asmenų registras",
            "Juridinių asmenų dalyvių informacinė sistema",
            "Juridinių asmenų naudos gavėjų informacinė sistema",
            "Nekilnojamojo turto registras",
            "Turto arešto aktų registras",
            "Lietuvos teismų informacinė sistema",
        ],
    ),
];

/// Returns the signed payload of a JAdES answer.
fn payload(signed: &Value) -> Value {
    let payload = signed["payload"].as_str().expect("a payload");
    let payload = BASE64_URL_SAFE_NO_PAD.decode(payload);
    serde_json::from_slice(&payload.expect("base64url")).expect("JSON")
}

#[tokio::test]
async fn every_signed_answer_says_what_the_attorney_certifies_and_what_not() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    for (path, registers) in QUESTIONS {
        let jades = async |tier: &str| {
            let signed = live.get(&format!("{path}sign={tier}")).await;
            payload(&signed.json())
        };
        let container = live.get(&format!("{path}format=asice")).await;
        let packed = member_of(&container.body, "answer.json");
        let packed: Value = serde_json::from_slice(&packed).expect("JSON");
        for answer in [jades("jades-t").await, jades("jades-lt").await, packed] {
            let at = answer["retrievedAt"].as_str().expect("a time");
            for (language, limits) in [
                ("lt", "Tai nėra registro išduotas dokumentas."),
                ("en", "This is not a document issued by the register."),
            ] {
                let words = answer["attestation"][language].as_str().expect("words");
                let named = ["TESTAS ADVOKATAS", limits, at];
                for part in named.iter().chain(registers) {
                    assert!(words.contains(part), "{part}: {words}");
                }
                assert!(!words.contains("TEST.") && !words.contains("BANDYMAS"));
            }
        }
        let plain = live.get(path.trim_end_matches(['?', '&'])).await.json();
        assert!(plain.get("attestation").is_none(), "nobody signs it");
    }
}

#[tokio::test]
async fn what_is_made_up_is_not_certified_as_a_registers() {
    let demo = Demo::start();
    let test = DiligenceCaller::test(&demo);

    let signed = test.get(&format!("{ENTITY}?sign=jades-t")).await;

    let attestation = payload(&signed.json())["attestation"].clone();
    let [lt, en] = ["lt", "en"].map(|language| attestation[language].as_str().expect("words"));
    assert!(
        lt.starts_with("BANDYMAS.") && lt.contains("registro neklausta"),
        "{lt}"
    );
    assert!(
        en.starts_with("TEST.") && en.contains("no register was asked"),
        "{en}"
    );
    assert!(!en.contains("provenance"), "{en}");
}
