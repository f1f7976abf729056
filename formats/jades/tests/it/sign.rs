use parafa_format_core::{
    CoverageKind, Integrity, MemoryBlob, MemorySink, NativeEnvironment, NeedKind, Payload,
    SignRequest, SignatureAlgorithm, Step, TimestampKind, TimestampStatus,
};
use parafa_format_jades::{extract, inspect, members};
use serde_json::{Value, json};

use crate::ceremony::{ANSWER, TIME, WORLD, evidence, json, step, verified};
use crate::issuing::now;

#[test]
fn a_payload_is_wrapped_as_it_is_and_the_header_says_who_signed_it_when() {
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;

    let signed = json(&WORLD.rsa.signs(ANSWER, "B-T"));
    let decoded = |text: &Value| BASE64URL.decode(text.as_str().unwrap()).unwrap();
    let protected = json(&decoded(&signed["protected"]));

    let names = |value: &Value| Vec::from_iter(value.as_object().unwrap().keys().cloned());
    assert_eq!(
        names(&signed),
        ["payload", "protected", "header", "signature"]
    );
    assert_eq!(decoded(&signed["payload"]), ANSWER);
    assert_eq!(
        names(&protected),
        ["alg", "cty", "x5t#S256", "x5c", "typ", "iat"]
    );
    assert_eq!(protected["alg"], "RS256");
    assert_eq!(protected["cty"], "json");
    assert_eq!(protected["iat"], json!(TIME));
    // The root is left out.
    assert_eq!(protected["x5c"].as_array().unwrap().len(), 2);
    assert_eq!(names(&signed["header"]), ["etsiU"]);
    let component = json(&decoded(&signed["header"]["etsiU"][0]));
    assert_eq!(names(&component), ["sigTst"]);
    assert_eq!(
        component["sigTst"]["tstTokens"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn every_kind_of_key_signs_to_level_b_and_t() {
    for organisation in [&WORLD.rsa, &WORLD.p256, &WORLD.p384] {
        let request = organisation.request("B-B");
        let (signed, outcome) = organisation.carries_out(ANSWER, &request).unwrap();
        assert_eq!(outcome.level, "JAdES-B-B");
        assert_eq!(outcome.media_type, "application/jose+json");
        assert!(json(&signed).get("header").is_none());

        let stamped = organisation.signs(ANSWER, "B-T");
        for (document, level) in [(&signed, "JAdES-B-B"), (&stamped, "JAdES-B-T")] {
            let signature = verified(document);
            assert_eq!(signature.integrity, Integrity::Intact);
            assert_eq!(signature.level, level);
            assert_eq!(signature.id, outcome.signature_id);
            assert_eq!(signature.algorithm, Some(organisation.algorithm));
            assert_eq!(signature.claimed_time, Some(TIME));
            assert_eq!(signature.coverage.kind, CoverageKind::Members);
            assert_eq!(signature.coverage.members, ["payload"]);
            let signer = organisation.holder.certificate.to_der().unwrap();
            let held = evidence(document).unwrap();
            assert_eq!(held.signer_certificate(&signature), Some(&signer[..]));
        }
        let [stamp] = &verified(&stamped).timestamps[..] else {
            panic!("one time-stamp")
        };
        assert_eq!(stamp.kind, TimestampKind::Signature);
        assert_eq!(stamp.status, TimestampStatus::Intact);
        assert!(stamp.time.is_some_and(|time| (time - now()).abs() < 60));
    }
}

#[test]
fn the_same_request_and_answers_give_the_same_bytes() {
    let organisation = &WORLD.rsa;
    let request = organisation.request("B-T");
    let Step::Needs(needs) = step(ANSWER, &request, &[]).unwrap().0 else {
        panic!("a signature is needed")
    };
    assert_eq!(needs.len(), 1);
    assert_eq!(needs[0].kind, NeedKind::Signature);
    let signature = organisation.answer(&needs[0]);
    let Step::Needs(needs) = step(ANSWER, &request, std::slice::from_ref(&signature))
        .unwrap()
        .0
    else {
        panic!("a time-stamp is needed")
    };
    assert_eq!(needs[0].kind, NeedKind::Timestamp);
    let answers = [signature, organisation.answer(&needs[0])];

    let signed = || step(ANSWER, &request, &answers).unwrap().1;
    assert!(!signed().is_empty());
    assert_eq!(signed(), signed());
}

#[test]
fn what_is_stamped_is_the_text_of_the_value() {
    let request = WORLD.rsa.request("B-T");
    let Step::Needs(needs) = step(ANSWER, &request, &[]).unwrap().0 else {
        panic!("a signature is needed")
    };
    let answers = [WORLD.rsa.answer(&needs[0])];
    let Step::Needs(needs) = step(ANSWER, &request, &answers).unwrap().0 else {
        panic!("a time-stamp is needed")
    };

    let signed = json(&WORLD.rsa.signs(ANSWER, "B-B"));
    let text = signed["signature"].as_str().unwrap();
    assert_eq!(needs[0].payload, Payload::Bytes(text.into()));
}

#[test]
fn a_key_signs_the_digest_of_a_long_payload() {
    let long = format!("[\"{}\"]", "Ą".repeat(1_000_000));
    for organisation in [&WORLD.rsa, &WORLD.p256] {
        let request = organisation.request("B-T");
        let Step::Needs(needs) = step(long.as_bytes(), &request, &[]).unwrap().0 else {
            panic!("a signature is needed")
        };
        assert!(matches!(needs[0].payload, Payload::Digest(_)));

        let signature = verified(&organisation.signs(long.as_bytes(), "B-T"));

        assert_eq!(signature.integrity, Integrity::Intact);
        assert_eq!(signature.signed, needs[0].payload);
    }
}

#[test]
fn the_payload_is_the_same_member_before_and_after() {
    let members = |document: &[u8]| {
        let document = MemoryBlob(document.to_vec());
        let members = members(&NativeEnvironment, &document).unwrap();
        let mut out = MemorySink::default();
        extract(&NativeEnvironment, &document, &members[0].id, &mut out).unwrap();
        (members, out.0)
    };
    let before = members(ANSWER);

    assert_eq!(before.1, ANSWER);
    assert_eq!(before.0[0].media_type, "application/json");
    assert_eq!(before, members(&WORLD.p256.signs(ANSWER, "B-T")));

    let document = MemoryBlob(ANSWER.to_vec());
    let mut out = MemorySink::default();
    let refusal = extract(&NativeEnvironment, &document, "another", &mut out).unwrap_err();
    assert_eq!(refusal.code, "no-such-member");
}

#[test]
fn a_jws_is_not_signed_again() {
    let signed = WORLD.rsa.signs(ANSWER, "B-B");
    let report = inspect(&NativeEnvironment, &MemoryBlob(signed.clone())).unwrap();

    let refusal = step(&signed, &WORLD.p256.request("B-B"), &[]).unwrap_err();

    assert_eq!(refusal.code, "already-signed");
    assert_eq!(report.obstacles.len(), 1);
    assert_eq!(report.obstacles[0].refusal, refusal);
    let [summary] = &report.signatures[..] else {
        panic!("one signature")
    };
    assert_eq!(summary.signer.as_deref(), Some("Attorney RSA"));
    assert_eq!(summary.claimed_time, Some(TIME));
}

#[test]
fn a_request_that_cannot_be_used_is_refused_before_anybody_signs() {
    use SignatureAlgorithm::{Ecdsa, RsaPkcs1, RsaPss};
    use parafa_format_core::DigestAlgorithm::{Sha1, Sha256, Sha384};

    let sound = WORLD.p256.request("B-T");
    let changed = |change: fn(&mut SignRequest)| {
        let mut request = sound.clone();
        change(&mut request);
        request
    };
    let requests = [
        (
            "level",
            changed(|request| request.target_level = "B-LT".to_owned()),
        ),
        (
            "parameter",
            changed(|request| request.params = vec![("field".to_owned(), String::new())]),
        ),
        ("member", changed(|request| request.covers = Vec::new())),
        (
            "seed",
            changed(|request| {
                request.seed.pop();
            }),
        ),
        ("1970", changed(|request| request.time = -1)),
        ("missing", changed(|request| request.signer_chain.clear())),
        (
            "read",
            changed(|request| {
                request.signer_chain[1].pop();
            }),
        ),
    ];
    let algorithms = [
        ("curve", Ecdsa(Sha384)),
        ("curve", RsaPkcs1(Sha256)),
        ("SHA1", Ecdsa(Sha1)),
    ];
    let algorithms = algorithms.map(|(word, signature_algorithm)| {
        let mut request = sound.clone();
        request.signature_algorithm = signature_algorithm;
        (word, request)
    });
    let mut pss = WORLD.rsa.request("B-T");
    pss.signature_algorithm = RsaPss(Sha256);
    for (word, request) in requests.into_iter().chain(algorithms).chain([("PSS", pss)]) {
        let refusal = step(ANSWER, &request, &[]).unwrap_err();
        assert_eq!(refusal.code, "bad-request", "{word}");
        assert!(refusal.detail.contains(word), "{}", refusal.detail);
    }
}

#[test]
fn an_answer_that_is_not_the_signers_or_not_over_the_value_is_refused() {
    let request = WORLD.p256.request("B-T");
    let Step::Needs(needs) = step(ANSWER, &request, &[]).unwrap().0 else {
        panic!("a signature is needed")
    };
    let other = WORLD
        .p256
        .holder
        .sign(WORLD.p256.algorithm, b"something else");
    for outcome in [Ok(other), Ok(vec![0x30]), Err("cancelled")] {
        let refusal = step(ANSWER, &request, &[needs[0].answer(outcome)]).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
    }

    let signature = WORLD.p256.answer(&needs[0]);
    let Step::Needs(needs) = step(ANSWER, &request, std::slice::from_ref(&signature))
        .unwrap()
        .0
    else {
        panic!("a time-stamp is needed")
    };
    let foreign = WORLD.pki.timestamp(b"something else");
    let answers = [signature, needs[0].answer(Ok(foreign))];
    let refusal = step(ANSWER, &request, &answers).unwrap_err();
    assert_eq!(refusal.code, "bad-request");
}
