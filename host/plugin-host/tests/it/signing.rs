use bytes::Bytes;
use parafa_plugin_host::{
    Answer, Answerer, CallError, ContractBreach, CoverageKind, EvidenceError, Integrity, NeedKind,
    Plugin, Refusal, SignRequest, SignStep, SignedDocument, Suspension, TargetLevel,
};

use crate::support::{
    Nobody, Signer, answered, breach, done, other_type, suspended, timestamp, toy, toy_document,
};

/// Returns the first suspension.
async fn asked(toy: &Plugin, document: Bytes, request: &SignRequest) -> Suspension {
    let progress = toy.drive_sign(document, request, Vec::new(), &Nobody);
    suspended(progress.await.unwrap())
}

/// Signs to completion.
async fn signed(
    toy: &Plugin,
    document: Bytes,
    request: &SignRequest,
    answers: Vec<Answer>,
    answerer: &dyn Answerer,
) -> SignedDocument {
    let progress = toy.drive_sign(document, request, answers, answerer);
    done(progress.await.unwrap())
}

#[tokio::test]
async fn a_signature_is_made_across_interruptions() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let document = toy_document("honest");
    let request = signer.request(TargetLevel::BT);

    let asked = asked(&toy, document.clone(), &request).await;
    assert_eq!(asked.needs[0].kind, NeedKind::Signature);
    assert_eq!(
        asked.needs[0].digest_algorithm,
        Some(request.signature_algorithm.digest())
    );
    let signed_payload = asked.needs[0].payload.clone();
    let value = signer.sign(&signed_payload);
    let answers = answered(through_storage(&asked), Ok(value.clone()));

    let stamping = suspended(
        toy.drive_sign(document.clone(), &request, answers, &Nobody)
            .await
            .unwrap(),
    );
    assert_eq!(stamping.needs[0].kind, NeedKind::Timestamp);
    assert_eq!(stamping.needs[0].payload.as_bytes(), Some(&value[..]));
    let token = timestamp(&stamping.needs[0].payload);
    let answers = answered(through_storage(&stamping), Ok(token.clone()));

    let signed = signed(&toy, document.clone(), &request, answers, &Nobody).await;
    assert!(signed.bytes.starts_with(&document));
    assert_eq!(signed.outcome.level, "Toy-B-T");
    assert_eq!(signed.signature.signed, signed_payload);
    assert_eq!(signed.signature.value, value);
    let [timestamp] = &signed.signature.timestamps[..] else {
        panic!("one time-stamp")
    };
    assert_eq!(timestamp.token, token);
    assert_eq!(signed.signature.coverage.kind, CoverageKind::EntireFile);
    assert_eq!(signed.earlier, []);
}

#[tokio::test]
async fn the_same_request_and_answers_give_the_same_bytes() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    let document = toy_document("honest");
    let asked = asked(&toy, document.clone(), &request).await;
    let value = signer.sign(&asked.needs[0].payload);
    let answers = answered(asked, Ok(value));

    let first = signed(&toy, document.clone(), &request, answers.clone(), &Nobody).await;
    let second = signed(&toy, document, &request, answers, &Nobody).await;

    assert_eq!(first, second);
}

#[tokio::test]
async fn a_second_signature_leaves_the_first_as_it_was() {
    let toy = toy().await;
    let (ona, jonas) = (Signer::named("Ona"), Signer::named("Jonas"));
    let request = ona.request(TargetLevel::BT);
    let first = signed(&toy, toy_document("honest"), &request, Vec::new(), &ona).await;

    let request = jonas.request(TargetLevel::BT);
    let second = signed(&toy, first.bytes.clone(), &request, Vec::new(), &jonas).await;

    assert!(second.bytes.starts_with(&first.bytes));
    assert_eq!(second.earlier.len(), 1);
    assert_eq!(second.earlier[0].value, first.signature.value);
    assert_eq!(second.earlier[0].integrity, Integrity::Intact);
    assert_eq!(
        second.earlier[0].coverage.kind,
        CoverageKind::EntireRevision
    );
    assert_eq!(second.signature.id, second.outcome.signature_id);
}

#[tokio::test]
async fn what_nobody_is_said_to_have_signed_comes_out_with_one_signature_or_not_at_all() {
    let toy = toy().await.in_place();
    let (ona, jonas) = (Signer::named("Ona"), Signer::named("Jonas"));
    let request = ona.request(TargetLevel::BT);
    let progress = toy.drive_first_sign(toy_document("honest"), &request, &ona);
    let first = done(progress.await.unwrap());
    assert_eq!(first.earlier, []);
    assert_eq!(first.outcome.level, "Toy-B-T");

    let request = jonas.request(TargetLevel::BT);
    let second = toy.drive_first_sign(first.bytes, &request, &jonas).await;

    let expected = ContractBreach::Evidence(EvidenceError::NotOneNew(2));
    assert_eq!(breach(second), expected);
}

#[tokio::test]
async fn a_need_without_an_answer_is_the_plugins_to_refuse() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    let asked = asked(&toy, toy_document("honest"), &request).await;
    let answers = answered(asked, Err("declined".to_owned()));

    let refused = toy
        .drive_sign(toy_document("honest"), &request, answers, &Nobody)
        .await;

    assert!(
        matches!(refused, Err(CallError::Refused(Refusal { detail, .. })) if detail.contains("declined"))
    );
}

#[tokio::test]
async fn a_loop_that_breaks_the_contract_ends() {
    for (behaviour, breach) in [
        (
            "ask-again",
            ContractBreach::AnsweredNeed("signature".into()),
        ),
        ("ask-forever", ContractBreach::TooManyRounds(8)),
        (
            "ask-nothing",
            ContractBreach::EmptyOrMixedStep {
                needs: 0,
                outcome: "no",
            },
        ),
        ("ask-other", ContractBreach::DuplicateNeed("other".into())),
        (
            "ask-twice",
            ContractBreach::DuplicateNeed("signature".into()),
        ),
        ("ask-two", ContractBreach::DuplicateNeed("second".into())),
    ] {
        assert_eq!(breach_of(behaviour).await, breach, "{behaviour}");
    }
}

#[tokio::test]
async fn a_signature_that_is_not_what_was_signed_is_refused() {
    for (behaviour, error) in [
        ("no-signature", EvidenceError::NobodySigned),
        ("other-value", EvidenceError::OtherThan("value")),
        ("sign-twice", EvidenceError::NotOneNew(2)),
        (
            "swap-signed-bytes",
            EvidenceError::OtherThan("content that is signed"),
        ),
    ] {
        assert_eq!(
            breach_of(behaviour).await,
            ContractBreach::Evidence(error),
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn a_signed_document_is_of_a_type_that_the_plugin_takes() {
    assert_eq!(breach_of("sign-other-type").await, other_type());
}

#[tokio::test]
async fn a_value_that_does_not_verify_is_refused() {
    let (ona, jonas) = (Signer::named("Ona"), Signer::named("Jonas"));
    let request = ona.request(TargetLevel::BB);
    let document = toy_document("believe-anything");

    let refused = toy()
        .await
        .drive_sign(document, &request, Vec::new(), &jonas)
        .await;

    assert_eq!(
        breach(refused),
        ContractBreach::Evidence(EvidenceError::Unverified)
    );
}

#[tokio::test]
async fn signatures_that_cannot_be_told_apart_are_refused_before_anybody_signs() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    let document = toy_document("share-id");
    let asked = asked(&toy, document.clone(), &request).await;
    let value = signer.sign(&asked.needs[0].payload);
    let answers = answered(asked, Ok(value));
    let SignStep::Done { document, .. } = toy.sign(document, &request, &answers).await.unwrap()
    else {
        panic!("something is still needed")
    };

    let refused = toy
        .drive_sign(document, &request, Vec::new(), &Nobody)
        .await;

    assert_eq!(
        breach(refused),
        ContractBreach::Evidence(EvidenceError::AmbiguousId("shared".into()))
    );
}

#[tokio::test]
async fn a_time_stamp_that_no_authority_gave_is_refused() {
    let signer = Signer::named("Ona");
    for level in [TargetLevel::BB, TargetLevel::BT] {
        let refused = toy()
            .await
            .drive_sign(
                toy_document("other-token"),
                &signer.request(level),
                Vec::new(),
                &signer,
            )
            .await;

        assert_eq!(
            breach(refused),
            ContractBreach::Evidence(EvidenceError::OtherThan("time-stamp"))
        );
    }
}

#[tokio::test]
async fn an_earlier_signature_that_changes_is_refused() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    for (behaviour, what) in [
        ("condemn-earlier", Some("verdict of integrity")),
        ("rewrite-earlier", Some("content that is signed")),
        ("forget-earlier", None),
    ] {
        let first = toy
            .drive_sign(toy_document(behaviour), &request, Vec::new(), &signer)
            .await;
        let first = done(first.unwrap());
        let id = first.signature.id;

        let second = toy
            .drive_sign(first.bytes, &request, Vec::new(), &signer)
            .await;

        let expected = match what {
            Some(what) => EvidenceError::EarlierChanged { id, what },
            None => EvidenceError::EarlierGone(id),
        };
        assert_eq!(
            breach(second),
            ContractBreach::Evidence(expected),
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn a_document_that_is_refused_is_refused_by_every_operation() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request: SignRequest = signer.request(TargetLevel::BB);
    let text = bytes::Bytes::from_static(b"text");
    let refused =
        |error| matches!(error, CallError::Refused(Refusal { code, .. }) if code == "not-a-toy");

    assert!(refused(toy.inspect(text.clone()).await.unwrap_err()));
    assert!(refused(toy.verify(text.clone()).await.unwrap_err()));
    assert!(refused(
        toy.drive_sign(text, &request, Vec::new(), &signer)
            .await
            .unwrap_err()
    ));
}

async fn breach_of(behaviour: &str) -> ContractBreach {
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    breach(
        toy()
            .await
            .drive_sign(toy_document(behaviour), &request, Vec::new(), &signer)
            .await,
    )
}

fn through_storage(suspension: &Suspension) -> Suspension {
    let stored = serde_json::to_vec(suspension).unwrap();
    serde_json::from_slice(&stored).unwrap()
}
