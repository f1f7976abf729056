use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use parafa_format_core::{Integrity, Need, NeedKind};
use serde_json::Value;

use crate::answering::certificate;
use crate::ceremony::{ANSWER, WORLD, archived, archived_with, evidence, json, verified};
use crate::issuing::{CertStatus, Period, now, ocsp_response, revocation_list};

fn components(document: &[u8]) -> Vec<Value> {
    let document = json(document);
    let items = document["header"]["etsiU"].as_array().unwrap().iter();
    let decoded = items.map(|item| match item {
        Value::String(text) => json(&BASE64URL.decode(text).unwrap()),
        object => object.clone(),
    });
    decoded.collect()
}

#[test]
fn what_it_takes_to_verify_for_long_stands_behind_the_time_stamp() {
    for organisation in [&WORLD.rsa, &WORLD.p256] {
        let stamped = organisation.signs(ANSWER, "B-T");
        let mut asked = Vec::new();
        let (raised, outcome) = archived_with(&stamped, |need| {
            asked.push(need.kind);
            WORLD.answer(need)
        })
        .unwrap();

        assert_eq!(outcome.level, "JAdES-B-LT");
        // For the signer, the authority and the time-stamping unit.
        let revocation = asked.iter().filter(|kind| **kind == NeedKind::Revocation);
        assert_eq!(revocation.count(), 3);
        let (before, after) = (json(&stamped), json(&raised));
        for name in ["payload", "protected", "signature"] {
            assert_eq!(before[name], after[name]);
        }
        let [stamp, certificates, revocation] = &components(&raised)[..] else {
            panic!("{:?}", components(&raised))
        };
        assert_eq!(*stamp, components(&stamped)[0]);
        // The authority is in the header, the time-stamping unit in the token.
        assert_eq!(certificates["xVals"].as_array().unwrap().len(), 1);
        let responses = revocation["rVals"]["ocspVals"].as_array().unwrap();
        assert_eq!(responses.len(), 3);
        let signature = verified(&raised);
        assert_eq!(signature.level, "JAdES-B-LT");
        assert_eq!(signature.revocation.len(), 3);
        assert_eq!(evidence(&raised).unwrap().revocation.len(), 3);
    }
}

#[test]
fn a_list_of_what_is_revoked_does_as_well() {
    let stamped = WORLD.p256.signs(ANSWER, "B-T");
    let (raised, _) = archived_with(&stamped, |need| match need.kind {
        NeedKind::Revocation => {
            let issuer = WORLD.issuer_of(&certificate(need));
            let list = revocation_list(issuer, &[], Period::fresh());
            need.answer(Ok(list))
        }
        _ => WORLD.answer(need),
    })
    .unwrap();

    let components = components(&raised);
    let values = components.last().unwrap();
    assert_eq!(values["rVals"]["crlVals"].as_array().unwrap().len(), 2);
    assert_eq!(verified(&raised).level, "JAdES-B-LT");
}

#[test]
fn what_is_complete_stays_as_it_is() {
    let raised = archived(&WORLD.rsa.signs(ANSWER, "B-T"));

    let (nothing, outcome) =
        archived_with(&raised, |need| panic!("{} is needed", need.id)).unwrap();

    assert!(nothing.is_empty());
    assert!(!outcome.changed);
    assert_eq!(outcome.level, "JAdES-B-LT");
}

#[test]
fn components_that_are_not_encoded_stay_so() {
    let mut stamped = json(&WORLD.p256.signs(ANSWER, "B-T"));
    let clear = components(stamped.to_string().as_bytes());
    stamped["header"]["etsiU"] = clear.into();

    let raised = archived(stamped.to_string().as_bytes());

    let raised = json(&raised);
    let items = raised["header"]["etsiU"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    assert!(items.iter().all(Value::is_object));
}

#[test]
fn what_cannot_be_had_is_told_all_at_once() {
    let stamped = WORLD.rsa.signs(ANSWER, "B-T");
    let refusal = archived_with(&stamped, |need| match need.kind {
        NeedKind::Revocation => need.answer(Err("unavailable")),
        _ => WORLD.answer(need),
    })
    .unwrap_err();

    assert_eq!(refusal.code, "archive-incomplete");
    assert_eq!(refusal.subjects.len(), 3, "{refusal:?}");
    assert!(refusal.subjects[0].starts_with("signature: signer's chain"));
}

#[test]
fn what_was_told_before_the_signature_or_of_a_revoked_signer_is_not_enough() {
    let stamped = WORLD.rsa.signs(ANSWER, "B-T");
    let told = |need: &Need, status, period| {
        let certificate = certificate(need);
        let authority = &WORLD.authority;
        let told = ocsp_response(&certificate, authority, authority, status, period);
        need.answer(Ok(told))
    };
    let is_signer = |need: &Need| {
        let signer = WORLD.rsa.holder.certificate.to_der().unwrap();
        need.kind == NeedKind::Revocation && need.payload.as_bytes() == Some(&signer)
    };
    for (status, period) in [
        (CertStatus::Good, Period::around_now(3600, 3600)),
        (CertStatus::Revoked { at: now() - 7200 }, Period::fresh()),
    ] {
        let refusal = archived_with(&stamped, |need| {
            if is_signer(need) {
                told(need, status, period)
            } else {
                WORLD.answer(need)
            }
        })
        .unwrap_err();
        assert_eq!(refusal.code, "archive-incomplete", "{refusal}");
    }
}

#[test]
fn a_signature_without_a_time_stamp_or_that_does_not_hold_is_not_raised() {
    let mut tampered = json(&WORLD.rsa.signs(ANSWER, "B-T"));
    tampered["payload"] = "e30".into();
    let tampered = tampered.to_string().into_bytes();
    assert_eq!(verified(&tampered).integrity, Integrity::SignatureMismatch);

    for document in [WORLD.rsa.signs(ANSWER, "B-B"), tampered] {
        let refusal = archived_with(&document, |need| WORLD.answer(need)).unwrap_err();
        assert_eq!(refusal.code, "archive-incomplete");
        assert_eq!(refusal.subjects.len(), 1, "{refusal:?}");
    }
}
