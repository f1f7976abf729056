use bytes::Bytes;
use parafa_plugin_host::{
    Answer, ArchivedDocument, CallError, ContractBreach, EvidenceError, Integrity, NeedKind,
    Progress, TargetLevel,
};

use crate::support::{
    Authorities, NoData, Nobody, Signer, archive_request, archive_request_for, breach, done,
    other_type, refusal_code, signed_by, signed_toy, toy, toy_document,
};

#[tokio::test]
async fn signatures_are_raised_across_interruptions() {
    let toy = toy().await;
    let document = signed_toy("honest").await;
    let request = archive_request();

    let asked = toy
        .drive_archive(document.clone(), &request, Vec::new(), &Nobody)
        .await;
    let Progress::Suspended(suspension) = asked.unwrap() else {
        panic!("nothing was needed")
    };
    let kinds: Vec<_> = suspension.needs.iter().map(|need| need.kind).collect();
    assert_eq!(kinds, [NeedKind::Certificate, NeedKind::Revocation]);
    let outcomes = [Err("anchor".to_owned()), Ok(b"good".to_vec())];
    let answers = suspension
        .needs
        .into_iter()
        .zip(outcomes)
        .map(|(need, outcome)| Answer { need, outcome });
    let progress = toy
        .drive_archive(document.clone(), &request, answers.collect(), &Nobody)
        .await;
    let Progress::Done(archived) = progress.unwrap() else {
        panic!("something is still needed")
    };

    let bytes = archived.bytes.unwrap();
    assert!(bytes.starts_with(&document));
    assert_eq!(archived.outcome.level, "XAdES-LT");
    let [signature] = &archived.signatures[..] else {
        panic!("another number of signatures")
    };
    assert_eq!(signature.integrity, Integrity::Intact);
    assert_eq!(signature.level, "XAdES-LT");
    assert_eq!(signature.revocation, [b"good".to_vec()]);
}

#[tokio::test]
async fn the_same_request_and_answers_give_the_same_archive() {
    let document = signed_toy("honest").await;

    assert_eq!(archived(document.clone()).await, archived(document).await);
}

#[tokio::test]
async fn what_is_archived_already_stays_as_it_is() {
    let document = signed_toy("honest").await;
    let first = archived(document).await.bytes.unwrap();

    let again = archived(first).await;

    assert_eq!(again.bytes, None);
    assert_eq!(again.outcome.level, "XAdES-LT");
}

#[tokio::test]
async fn an_archived_document_takes_another_signature_and_is_archived_again() {
    let (ona, jonas) = (Signer::named("Ona"), Signer::named("Jonas"));
    let once = signed_by(&ona, toy_document("honest")).await;
    let first = archived(once).await.bytes.unwrap();
    let twice = signed_by(&jonas, first.clone()).await;

    let second = archived(twice).await;

    assert!(second.bytes.unwrap().starts_with(&first));
    let levels: Vec<_> = second.signatures.iter().map(|one| &*one.level).collect();
    assert_eq!(levels, ["XAdES-LT", "XAdES-LT"]);
}

#[tokio::test]
async fn a_signature_that_cannot_be_raised_is_refused_by_name() {
    let toy = toy().await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    let unstamped = done(
        toy.drive_sign(toy_document("honest"), &request, Vec::new(), &signer)
            .await
            .unwrap(),
    );

    let refused = toy
        .drive_archive(
            unstamped.bytes,
            &archive_request(),
            Vec::new(),
            &Authorities,
        )
        .await;

    let Err(CallError::Refused(refusal)) = refused else {
        panic!("accepted")
    };
    assert_eq!(refusal.code, "archive-incomplete");
    assert_eq!(refusal.subjects, [unstamped.outcome.signature_id]);
}

#[tokio::test]
async fn an_archive_that_nobody_has_data_for_is_refused() {
    let document = signed_toy("honest").await;
    let request = archive_request();

    let refused = toy()
        .await
        .drive_archive(document, &request, Vec::new(), &NoData)
        .await;

    assert_eq!(refusal_code(refused), "bad-request");
}

#[tokio::test]
async fn a_level_that_the_format_does_not_have_is_refused() {
    let document = signed_toy("honest").await;
    let request = archive_request_for(TargetLevel::BLta);

    let refused = toy()
        .await
        .drive_archive(document, &request, Vec::new(), &Authorities)
        .await;

    assert_eq!(refusal_code(refused), "bad-request");
}

#[tokio::test]
async fn an_archive_below_the_level_that_was_asked_for_is_refused() {
    let document = signed_toy("archive-ignores-the-target").await;
    let request = archive_request_for(TargetLevel::BLta);

    let archived = toy()
        .await
        .drive_archive(document, &request, Vec::new(), &Authorities)
        .await;

    assert_eq!(
        breach(archived),
        ContractBreach::Evidence(EvidenceError::BelowTarget {
            target: TargetLevel::BLta,
            actual: "XAdES-LT".into(),
        })
    );
}

#[tokio::test]
async fn an_archive_that_breaks_the_contract_is_refused() {
    for (behaviour, expected) in [
        (
            "archive-asks-a-signature",
            ContractBreach::UnknownValue {
                what: "need of an archive",
                value: "signature".into(),
            },
        ),
        ("archive-asks-forever", ContractBreach::TooManyRounds(8)),
        ("archive-claims-a-change", ContractBreach::NothingChanged),
        (
            "archive-claims-no-change",
            ContractBreach::Evidence(EvidenceError::LevelNotReached {
                claimed: "XAdES-LT".into(),
                actual: "Toy-B-T".into(),
            }),
        ),
        ("archive-writes-unchanged", ContractBreach::UnclaimedOutput),
        (
            "archive-invents",
            ContractBreach::Evidence(EvidenceError::RevocationUnasked),
        ),
        ("archive-other-type", other_type()),
        (
            "archive-own-level",
            ContractBreach::unknown("level of an archive", "Toy-B-LT"),
        ),
    ] {
        let document = signed_toy(behaviour).await;

        assert_eq!(breach_of(document).await, expected, "{behaviour}");
    }
}

#[tokio::test]
async fn an_archive_that_does_not_keep_its_input_is_refused() {
    for behaviour in ["archive-rewrites-prefix", "archive-writes-nothing"] {
        let document = signed_toy(behaviour).await;
        let required = document.len() as u64;

        assert_eq!(
            breach_of(document).await,
            ContractBreach::NotPreserved {
                copied: 0,
                required
            },
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn an_archive_whose_signatures_are_not_what_they_were_is_refused() {
    for (behaviour, expected) in [
        (
            "archive-condemns",
            EvidenceError::EarlierChanged {
                id: "signature-1".to_owned(),
                what: "verdict of integrity",
            },
        ),
        (
            "archive-forgets",
            EvidenceError::EarlierGone("signature-1".to_owned()),
        ),
    ] {
        let document = signed_toy(behaviour).await;

        assert_eq!(
            breach_of(document).await,
            ContractBreach::Evidence(expected),
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn an_archive_with_a_signature_that_nobody_made_is_refused() {
    let document = signed_toy("archive-signs").await;

    assert_eq!(
        breach_of(document).await,
        ContractBreach::Evidence(EvidenceError::Unasked("signature-2".to_owned()))
    );
}

#[tokio::test]
async fn a_level_that_one_of_the_signatures_does_not_reach_is_refused() {
    let jonas = Signer::named("Jonas");
    let document = signed_by(&jonas, signed_toy("archive-claims-a-level").await).await;

    assert_eq!(
        breach_of(document).await,
        ContractBreach::Evidence(EvidenceError::LevelNotReached {
            claimed: "XAdES-LT".into(),
            actual: "Toy-B-T".into(),
        })
    );
}

async fn archived(document: Bytes) -> ArchivedDocument {
    let progress = toy()
        .await
        .drive_archive(document, &archive_request(), Vec::new(), &Authorities)
        .await;
    match progress.unwrap() {
        Progress::Done(archived) => *archived,
        Progress::Suspended(suspension) => panic!("still needed: {:?}", suspension.needs),
    }
}

async fn breach_of(document: Bytes) -> ContractBreach {
    breach(
        toy()
            .await
            .drive_archive(document, &archive_request(), Vec::new(), &Authorities)
            .await,
    )
}
