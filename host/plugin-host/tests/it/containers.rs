//! Containers: the rules for documents of several files, each broken by `plugins/toy`.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use parafa_plugin_host::{
    Answerer, ArchivedDocument, CallError, CallLimits, ContractBreach, CoverageKind, EvidenceError,
    FaultKind, Integrity, MemberRole, Need, Operation, Plugin, Preservation, Progress, Reply,
    SignedDocument, TargetLevel, TimestampKind, refusal,
};

use crate::support::{
    Signer, archive_request, archive_request_for, breach, component, done, fault, host, plugin,
    refusal_code,
};

async fn toy_container() -> Arc<Plugin> {
    plugin("test/toy-container.wasm").await
}

/// Builds a container of this behaviour with two members, one of them deflated.
fn container(behaviour: &str) -> Bytes {
    let deflated = deflated(b"an attachment");
    let members = [
        b"member stored main 5 5 a.txt\nhello".to_vec(),
        format!("member deflated attachment 13 {} b.txt\n", deflated.len()).into(),
        deflated,
    ];
    [
        format!("TOY {behaviour} 0\n").into_bytes(),
        members.concat(),
    ]
    .concat()
    .into()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn signed(document: Bytes) -> Result<SignedDocument, CallError> {
    let everybody = Signer::named("Ona");
    let request = everybody.request(TargetLevel::BT);
    let toy = toy_container().await;
    let progress = toy.drive_sign(document, &request, Vec::new(), &everybody);
    progress.await.map(done)
}

async fn archived(document: Bytes) -> Result<ArchivedDocument, CallError> {
    archived_to(TargetLevel::BLt, document).await
}

async fn archived_to(
    target_level: TargetLevel,
    document: Bytes,
) -> Result<ArchivedDocument, CallError> {
    let everybody = Signer::named("Ona");
    let toy = toy_container().await;
    let request = archive_request_for(target_level);
    match toy
        .drive_archive(document, &request, Vec::new(), &everybody)
        .await?
    {
        Progress::Done(archived) => Ok(*archived),
        Progress::Suspended(suspension) => panic!("still needed: {:?}", suspension.needs),
    }
}

/// Returns a signed container that got this behaviour afterwards.
async fn signed_then(behaviour: &str) -> Bytes {
    let signed = signed(container("honest")).await.unwrap().bytes;
    then(&signed, behaviour)
}

/// Returns an honest container with this behaviour in its place.
fn then(honest: &Bytes, behaviour: &str) -> Bytes {
    let rest = honest.strip_prefix(b"TOY honest 0\n").unwrap();
    [format!("TOY {behaviour} 0\n").as_bytes(), rest]
        .concat()
        .into()
}

/// Answers nothing, and counts the calls.
struct Counting(AtomicUsize);

#[async_trait]
impl Answerer for Counting {
    async fn answer(&self, _: &Need) -> Reply {
        self.0.fetch_add(1, Ordering::Relaxed);
        Reply::NotNow
    }
}

fn evidence_error<T>(result: Result<T, CallError>) -> EvidenceError {
    match breach(result) {
        ContractBreach::Evidence(error) => error,
        other => panic!("another breach: {other}"),
    }
}

#[tokio::test]
async fn a_container_tells_its_members_and_gives_them_out() {
    let toy = toy_container().await;
    let document = container("honest");

    let members = toy.members(document.clone()).await.unwrap();
    let told: Vec<_> = members
        .iter()
        .map(|member| (member.id.as_str(), member.size, member.role))
        .collect();

    assert_eq!(
        told,
        [
            ("a.txt", 5, MemberRole::Main),
            ("b.txt", 13, MemberRole::Attachment)
        ]
    );
    let extracted = toy.extract(document.clone(), "b.txt").await.unwrap();
    assert_eq!(extracted, "an attachment");
    let stranger = toy.extract(document, "c.txt").await;
    assert_eq!(refusal_code(stranger), refusal::NO_SUCH_MEMBER);
}

#[tokio::test]
async fn a_signature_covers_every_member_and_another_may_follow() {
    let first = signed(container("honest")).await.unwrap();
    let second = signed(first.bytes).await.unwrap();

    for signature in [&first.signature, &second.signature, &second.earlier[0]] {
        assert_eq!(signature.coverage.kind, CoverageKind::Members);
        assert_eq!(signature.coverage.members, ["a.txt", "b.txt"]);
    }
}

#[tokio::test]
async fn an_archive_adds_the_time_stamp_that_was_answered() {
    let archived = archived(signed_then("honest").await).await.unwrap();

    assert_eq!(archived.outcome.level, "Toy-B-LTA");
    let [_, timestamp] = archived.signatures.as_slice() else {
        panic!("there is one time-stamp of the document")
    };
    assert_eq!(timestamp.timestamps[0].kind, TimestampKind::Document);
    let bytes = archived.bytes.unwrap();
    let again = self::archived(bytes).await.unwrap();
    assert_eq!(again.bytes, None);
}

#[tokio::test]
async fn an_archive_for_level_lta_adds_one_time_stamp_each_time() {
    let mut document = signed_then("honest").await;
    for stamps in 1..=3 {
        let archived = archived_to(TargetLevel::BLta, document.clone()).await;
        let archived = archived.unwrap();

        assert_eq!(archived.outcome.level, "Toy-B-LTA");
        assert_eq!(archived.signatures.len(), 1 + stamps);
        let bytes = archived.bytes.unwrap();
        // The first archive stores the deflated member anew; later ones only append.
        assert!(stamps == 1 || bytes.starts_with(&document));
        let (newest, earlier) = archived.signatures.split_last().unwrap();
        assert_eq!(newest.coverage.kind, CoverageKind::EntireFile);
        for signature in earlier {
            assert_eq!(signature.integrity, Integrity::Intact);
        }
        document = bytes;
    }
}

#[tokio::test]
async fn an_archive_for_level_lta_that_adds_no_time_stamp_is_refused() {
    let stamped = archived(signed_then("honest").await).await.unwrap();
    let stamped = then(&stamped.bytes.unwrap(), "archive-ignores-the-target");

    let again = archived_to(TargetLevel::BLta, stamped).await;

    assert_eq!(evidence_error(again), EvidenceError::NotStampedOnce);
}

#[tokio::test]
async fn a_key_that_signs_by_itself_may_be_given_a_digest() {
    let signed = signed(container("asks-by-digest")).await.unwrap();

    assert!(signed.signature.signed.as_bytes().is_none());
}

#[tokio::test]
async fn signatures_that_cover_something_else_or_are_of_something_else_are_refused() {
    for (behaviour, what) in [
        ("covers-too-little", "coverage"),
        ("covers-a-stranger", "coverage"),
        ("claims-entire-file", "coverage"),
        ("asks-other-digest", "content that is signed"),
    ] {
        assert_eq!(
            evidence_error(signed(container(behaviour)).await),
            EvidenceError::OtherThan(what),
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn members_stay_what_they_are_when_a_container_is_rewritten() {
    for (behaviour, expected) in [
        (
            "changes-a-member",
            ContractBreach::MemberChanged("a.txt".to_owned()),
        ),
        (
            "changes-a-deflated-member",
            ContractBreach::MemberChanged("b.txt".to_owned()),
        ),
        (
            "drops-a-member",
            ContractBreach::MemberChanged("b.txt".to_owned()),
        ),
        (
            "adds-a-member",
            ContractBreach::MemberNew("added".to_owned()),
        ),
    ] {
        let archived = archived(signed_then(behaviour).await).await;
        assert_eq!(breach(archived), expected, "{behaviour}");
    }
}

#[tokio::test]
async fn a_long_member_that_the_host_inflates_and_that_changes_is_found() {
    let deflated = deflated(&[b'm'; 40_000]);
    let line = format!("member deflated main 40000 {} m\n", deflated.len());
    let document = [b"TOY honest 0\n", line.as_bytes(), &deflated].concat();
    let signed = signed(document.into()).await.unwrap().bytes;

    let honest = archived(signed.clone()).await.unwrap().bytes.unwrap();
    assert!(honest.len() > 40_000, "it is stored");
    let changed = archived(then(&signed, "changes-a-deflated-member")).await;
    assert_eq!(
        breach(changed),
        ContractBreach::MemberChanged("m".to_owned())
    );
}

#[tokio::test]
async fn nobody_stamps_a_document_more_often_than_it_was_signed_and_once_more() {
    let counting = Counting(AtomicUsize::new(0));
    let document = signed_then("asks-for-many-timestamps").await;
    let toy = toy_container().await;

    let request = archive_request();
    let archived = toy.drive_archive(document, &request, Vec::new(), &counting);

    assert_eq!(
        breach(archived.await),
        ContractBreach::TooManyTimestamps { asked: 3, most: 2 }
    );
    assert_eq!(counting.0.into_inner(), 0);
}

#[tokio::test]
async fn a_time_stamp_too_many_or_in_another_place_is_refused() {
    let unasked = |id: &str| EvidenceError::TimestampUnasked(id.to_owned());
    for (behaviour, expected) in [
        ("stamps-twice", unasked("timestamp-2")),
        ("stamps-on-its-own", unasked("timestamp-2")),
        ("stamps-other-digest", unasked("timestamp-1")),
        ("stamps-a-signature", unasked("signature-1")),
    ] {
        let archived = archived(signed_then(behaviour).await).await;
        assert_eq!(evidence_error(archived), expected, "{behaviour}");
    }
}

#[tokio::test]
async fn a_lie_about_a_member_is_found_when_it_is_taken_out() {
    let toy = toy_container().await;
    for (behaviour, what) in [
        ("lies-about-a-digest", "digest"),
        ("lies-about-a-size", "length"),
    ] {
        let extracted = toy.extract(container(behaviour), "a.txt").await;
        assert_eq!(
            breach(extracted),
            ContractBreach::MemberDiffers("a.txt".to_owned(), what)
        );
    }
    let inflated = deflated(b"hello");
    let line = format!("member deflated main 5 {} a.txt\n", inflated.len());
    let inflated: Bytes = [b"TOY lies-about-a-digest 0\n", line.as_bytes(), &inflated]
        .concat()
        .into();
    let extracted = toy.extract(inflated, "a.txt").await;
    assert_eq!(
        breach(extracted),
        ContractBreach::MemberDiffers("a.txt".to_owned(), "digest")
    );
    let shared = toy.members(container("shares-a-member-id")).await;
    assert!(matches!(breach(shared), ContractBreach::DuplicateMember(_)));
}

#[tokio::test]
async fn a_document_is_kept_better_than_declared_and_never_worse() {
    let toy = toy_container().await;
    assert_eq!(
        toy.preservation(Operation::Archive),
        Some(Preservation::Rewrite)
    );

    let claims_whole = archived(signed_then("claims-whole").await).await;
    let weakens = toy.inspect(container("weakens-preservation")).await;

    assert!(matches!(
        breach(claims_whole),
        ContractBreach::NotPreserved { .. }
    ));
    assert_eq!(
        breach(weakens),
        ContractBreach::PreservationWeakened {
            operation: Operation::Sign,
            told: "rewrite",
            declared: "whole",
        }
    );
}

#[tokio::test]
async fn evidence_names_only_what_it_has() {
    let toy = toy_container().await;
    let verified = toy.verify(signed_then("names-no-certificate").await).await;

    assert_eq!(
        breach(verified),
        ContractBreach::NoSuchPlace {
            what: "certificate",
            place: u32::MAX,
            entries: 1,
        }
    );
}

#[tokio::test]
async fn a_document_may_be_sound_and_not_to_be_signed() {
    let toy = toy_container().await;

    let report = toy.inspect(container("finalized")).await.unwrap();

    let obstacle = report.obstacle(Operation::Sign).unwrap();
    assert_eq!(obstacle.code, refusal::CONTAINER_FINALIZED);
    assert!(report.obstacle(Operation::Archive).is_none());
}

#[tokio::test]
async fn a_bomb_is_refused_by_the_plugin_and_stopped_by_the_host() {
    let zeros = deflated(&vec![0; 3 << 20]);
    let bomb = |behaviour: &str| -> Bytes {
        let line = format!(
            "TOY {behaviour} 0\nmember deflated main 5 {} a\n",
            zeros.len()
        );
        [line.as_bytes(), &zeros].concat().into()
    };
    let limits = CallLimits {
        inflated_bytes: 2 << 20,
        inflated_held_bytes: 1 << 20,
        ..CallLimits::default()
    };
    let host = host(limits);
    let toy = host.admit(component("test/toy-container.wasm"));
    let toy = toy.await.unwrap();

    assert_eq!(
        refusal_code(toy.inspect(bomb("honest")).await),
        refusal::CONTAINER_UNSOUND
    );
    for (behaviour, limit, unit) in [
        ("inflates-without-bound", 2 << 20, "in all"),
        ("hoards-inflated", 1 << 20, "at once"),
    ] {
        let inspected = toy.inspect(bomb(behaviour)).await;
        assert_eq!(
            fault(inspected.unwrap_err()),
            FaultKind::InflationLimit { limit, unit },
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn what_inflates_for_ever_ends_in_time() {
    let limits = CallLimits {
        wall: Duration::from_millis(100),
        inflated_bytes: u64::MAX,
        ..CallLimits::default()
    };
    let host = host(limits);
    let toy = host.admit(component("test/toy-container.wasm"));
    let toy = toy.await.unwrap();
    let zeros = deflated(&vec![0; 1 << 20]);
    let line = format!(
        "TOY inflates-forever 0\nmember deflated main 1048576 {} a\n",
        zeros.len()
    );
    let bytes: Bytes = [line.as_bytes(), &zeros].concat().into();

    let ended = fault(toy.inspect(bytes).await.unwrap_err());

    assert_eq!(ended, FaultKind::TimedOut { limit_ms: 100 });
}
