use parafa_catalogue::{ChangeKind, Verdict, check as codes};

use super::*;
use crate::{LaterChanges, Parameter};

const LEVEL: &str = "XAdES-LT";
const LEVEL_LTA: &str = "XAdES-B-LTA";

/// Returns a signature at level LT with these time-stamps.
fn signature(timestamps: &[TimestampEvidence]) -> SignatureEvidence {
    SignatureEvidence {
        id: "one".to_owned(),
        kind: SignatureKind::Signature,
        claimed_time: None,
        signed: Payload::Bytes(Vec::new()),
        value: Vec::new(),
        algorithm: None,
        signer_certificate: None,
        certificate: Verdict::unknown(codes::MISSING),
        certificates: Vec::new(),
        revocation: Vec::new(),
        timestamps: timestamps.to_vec(),
        coverage: Coverage {
            kind: CoverageKind::EntireFile,
            members: Vec::new(),
        },
        digests: Vec::new(),
        integrity: Integrity::Intact,
        later_changes: LaterChanges {
            kind: ChangeKind::None,
            unpermitted: None,
        },
        level: LEVEL.to_owned(),
    }
}

fn document_timestamp(token: TimestampEvidence) -> SignatureEvidence {
    SignatureEvidence {
        id: "two".to_owned(),
        kind: SignatureKind::DocumentTimestamp,
        ..signature(&[token])
    }
}

fn timestamp(kind: TimestampKind, token: &str) -> TimestampEvidence {
    TimestampEvidence {
        kind,
        token: token.as_bytes().to_vec(),
        time: None,
        status: TimestampStatus::Intact,
    }
}

fn evidence(revocation: &[&str], signatures: &[SignatureEvidence]) -> Evidence {
    let revocation = revocation.iter();
    Evidence {
        revocation: revocation
            .map(|text| Bytes::from((*text).to_owned()))
            .collect(),
        signatures: signatures.to_vec(),
    }
}

fn answer(kind: NeedKind, text: &str) -> Answer {
    Answer {
        need: Need {
            id: text.to_owned(),
            kind,
            payload: Payload::Bytes(Vec::new()),
            digest_algorithm: None,
            params: Vec::new(),
        },
        outcome: Ok(text.as_bytes().to_vec()),
    }
}

fn token(kind: TimestampKind, text: &str) -> Answer {
    let mut answer = answer(NeedKind::Timestamp, text);
    answer.need.params.push(Parameter {
        name: need_params::KIND.to_owned(),
        value: kind.name().to_owned(),
    });
    answer
}

fn archived(before: &Evidence, after: Evidence, answers: &[Answer]) -> Result<(), EvidenceError> {
    archived_to(TargetLevel::BLt, LEVEL, before, after, answers)
}

fn archived_to(
    target: TargetLevel,
    claimed: &str,
    before: &Evidence,
    after: Evidence,
    answers: &[Answer],
) -> Result<(), EvidenceError> {
    let outcome = Archived {
        media_type: "application/x-toy".to_owned(),
        level: claimed.to_owned(),
    };
    let archiving = Archiving {
        target,
        answers,
        outcome: &outcome,
    };
    check_archived(before, after, &archiving).map(drop)
}

fn with_revocation(before: &[&str], after: &[&str]) -> Result<(), EvidenceError> {
    let answers = [
        answer(NeedKind::Revocation, "answered"),
        answer(NeedKind::Certificate, "issuer"),
    ];
    let [before, after] = [before, after].map(|data| evidence(data, &[signature(&[])]));
    archived(&before, after, &answers)
}

#[test]
fn an_archive_adds_the_revocation_data_that_were_answered() {
    for (before, after) in [
        (&[][..], &["answered"][..]),
        (&["held"], &["held"]),
        (&["held"], &["answered", "held"]),
    ] {
        assert_eq!(with_revocation(before, after), Ok(()));
    }
}

#[test]
fn an_archive_loses_no_revocation_data_and_makes_none_up() {
    for (before, after, expected) in [
        (
            &["held"][..],
            &["answered"][..],
            EvidenceError::RevocationGone,
        ),
        (&[], &["made up"], EvidenceError::RevocationUnasked),
        (
            &[],
            &["answered", "issuer"],
            EvidenceError::RevocationUnasked,
        ),
    ] {
        assert_eq!(with_revocation(before, after), Err(expected));
    }
}

/// Checks an archive of a signature with one time-stamp. An archive time-stamp and a document
/// time-stamp were answered.
fn with_timestamps(after: &[SignatureEvidence]) -> Result<(), EvidenceError> {
    let before = evidence(
        &[],
        &[signature(&[timestamp(TimestampKind::Signature, "s")])],
    );
    let answers = [
        token(TimestampKind::Archive, "a"),
        token(TimestampKind::Document, "d"),
    ];
    archived(&before, evidence(&[], after), &answers)
}

#[test]
fn an_archive_adds_exactly_the_time_stamps_that_were_answered() {
    let [of_signature, of_archive, of_document] = [
        timestamp(TimestampKind::Signature, "s"),
        timestamp(TimestampKind::Archive, "a"),
        timestamp(TimestampKind::Document, "d"),
    ];
    let raised = signature(&[of_signature.clone(), of_archive.clone()]);
    let stamped = document_timestamp(of_document.clone());
    let unasked = |id: &str| Err(EvidenceError::TimestampUnasked(id.to_owned()));

    assert_eq!(with_timestamps(&[raised.clone(), stamped.clone()]), Ok(()));
    assert_eq!(
        with_timestamps(std::slice::from_ref(&raised)),
        Err(EvidenceError::TimestampUnused)
    );
    let twice = signature(&[of_signature.clone(), of_archive.clone(), of_archive.clone()]);
    assert_eq!(with_timestamps(&[twice, stamped.clone()]), unasked("one"));
    let made_up = signature(&[of_signature.clone(), timestamp(TimestampKind::Archive, "x")]);
    assert_eq!(with_timestamps(&[made_up, stamped.clone()]), unasked("one"));
    let broken = TimestampEvidence {
        status: TimestampStatus::ImprintMismatch,
        ..of_archive.clone()
    };
    let broken = signature(&[of_signature.clone(), broken]);
    assert_eq!(with_timestamps(&[broken, stamped.clone()]), unasked("one"));
    let of_another_kind = timestamp(TimestampKind::Content, "a");
    let of_another_kind = signature(&[of_signature.clone(), of_another_kind]);
    assert_eq!(
        with_timestamps(&[of_another_kind, stamped.clone()]),
        unasked("one")
    );
    let swapped = document_timestamp(of_archive.clone());
    assert_eq!(with_timestamps(&[raised.clone(), swapped]), unasked("two"));
    let another = SignatureEvidence {
        kind: SignatureKind::Signature,
        ..stamped.clone()
    };
    assert_eq!(
        with_timestamps(&[raised, another]),
        Err(EvidenceError::Unasked("two".to_owned()))
    );
    assert_eq!(
        with_timestamps(&[signature(&[of_archive]), stamped]),
        Err(EvidenceError::EarlierChanged {
            id: "one".to_owned(),
            what: "time-stamp"
        })
    );
}

#[test]
fn what_joins_a_document_takes_nothing_from_the_signatures_before_it() {
    let stamp = timestamp(TimestampKind::Signature, "s");
    let was = signature(std::slice::from_ref(&stamp));
    let before = evidence(&["held"], std::slice::from_ref(&was));
    let kept = |after: Evidence| check_kept(&before, after).map(drop);
    let changed = |what| {
        Err(EvidenceError::EarlierChanged {
            id: "one".to_owned(),
            what,
        })
    };

    assert_eq!(kept(before.clone()), Ok(()));
    assert_eq!(
        kept(evidence(&[], std::slice::from_ref(&was))),
        Err(EvidenceError::RevocationGone)
    );
    assert_eq!(
        kept(evidence(&["held"], &[signature(&[])])),
        changed("time-stamp")
    );
    let broken = TimestampEvidence {
        status: TimestampStatus::ImprintMismatch,
        ..stamp
    };
    assert_eq!(
        kept(evidence(&["held"], &[signature(&[broken])])),
        changed("time-stamp")
    );
    let mut fewer = was.clone();
    fewer.coverage.members = vec!["another".to_owned()];
    assert_eq!(kept(evidence(&["held"], &[fewer])), changed("coverage"));
    let of_a_clock = SignatureEvidence {
        kind: SignatureKind::DocumentTimestamp,
        ..was
    };
    assert_eq!(kept(evidence(&["held"], &[of_a_clock])), changed("kind"));
}

#[test]
fn a_document_time_stamp_raises_no_signature() {
    let low = SignatureEvidence {
        level: "XAdES-B-T".to_owned(),
        ..signature(&[])
    };
    let before = evidence(&[], std::slice::from_ref(&low));
    let stamped = document_timestamp(timestamp(TimestampKind::Document, "d"));
    let answers = [token(TimestampKind::Document, "d")];

    assert_eq!(
        archived(&before, evidence(&[], &[low, stamped]), &answers),
        Err(EvidenceError::LevelNotReached {
            claimed: LEVEL.to_owned(),
            actual: "XAdES-B-T".to_owned()
        })
    );
}

#[test]
fn each_signature_may_be_stamped_once_and_the_document_once_more() {
    let stamped = document_timestamp(timestamp(TimestampKind::Document, "earlier"));
    let signatures = [signature(&[]), signature(&[]), stamped];
    let answers = [
        answer(NeedKind::Timestamp, "first"),
        answer(NeedKind::Revocation, "answered"),
    ];
    let check = |asked: &[&str]| {
        let needs = asked.iter().map(|id| answer(NeedKind::Timestamp, id).need);
        let needs: Vec<_> = needs.collect();
        check_timestamps_asked(&needs, &answers, &signatures)
    };

    assert_eq!(check(&["second", "third"]), Ok(()));
    assert_eq!(
        check(&["second", "third", "fourth"]),
        Err(ContractBreach::TooManyTimestamps { asked: 4, most: 3 })
    );
}

/// Returns a signature at level LTA with these archive time-stamps.
fn sealed(id: &str, tokens: &[&str]) -> SignatureEvidence {
    let tokens = tokens.iter();
    let tokens: Vec<_> = tokens
        .map(|token| timestamp(TimestampKind::Archive, token))
        .collect();
    SignatureEvidence {
        id: id.to_owned(),
        level: LEVEL_LTA.to_owned(),
        ..signature(&tokens)
    }
}

/// Checks an archive for level B-LTA, whose time-stamps were all answered.
fn raised_to_lta(
    before: &[SignatureEvidence],
    after: &[SignatureEvidence],
    answered: &[(TimestampKind, &str)],
) -> Result<(), EvidenceError> {
    let answers = answered.iter().map(|(kind, text)| token(*kind, text));
    let answers: Vec<_> = answers.collect();
    let [before, after] = [before, after].map(|signatures| evidence(&[], signatures));
    archived_to(TargetLevel::BLta, LEVEL_LTA, &before, after, &answers)
}

#[test]
fn level_lta_takes_one_further_time_stamp_of_the_document_or_of_each_signature() {
    let of_document = [(TimestampKind::Document, "d")];
    let of_each = [(TimestampKind::Archive, "a"), (TimestampKind::Archive, "b")];
    let stamp = document_timestamp(timestamp(TimestampKind::Document, "d"));
    let another = SignatureEvidence {
        id: "three".to_owned(),
        ..document_timestamp(timestamp(TimestampKind::Document, "e"))
    };
    let (one, four) = (sealed("one", &[]), sealed("four", &[]));
    let both = [one.clone(), four.clone()];
    let both_sealed = [sealed("one", &["a"]), sealed("four", &["b"])];
    let none = Err(EvidenceError::NotStampedOnce);

    let with_stamp = [one.clone(), four.clone(), stamp.clone()];
    assert_eq!(raised_to_lta(&both, &with_stamp, &of_document), Ok(()));
    assert_eq!(raised_to_lta(&both, &both_sealed, &of_each), Ok(()));

    // Asked again, a document of that level is stamped once more.
    assert_eq!(raised_to_lta(&with_stamp, &with_stamp, &[]), none);
    assert_eq!(raised_to_lta(&both_sealed, &both_sealed, &[]), none);
    let once_more = [one, four.clone(), stamp.clone(), another];
    let further = [(TimestampKind::Document, "e")];
    assert_eq!(raised_to_lta(&with_stamp, &once_more, &further), Ok(()));

    let two = [of_document, further].concat();
    assert_eq!(raised_to_lta(&both, &once_more, &two), none);
    let first_alone = [sealed("one", &["a"]), four];
    assert_eq!(raised_to_lta(&both, &first_alone, &of_each[..1]), none);
    let [first, second] = both_sealed;
    let all = [&of_document[..], &of_each].concat();
    assert_eq!(raised_to_lta(&both, &[first, second, stamp], &all), none);
}

#[test]
fn level_lta_covers_the_whole_document_and_is_reached_by_each_signature() {
    let of_document = [(TimestampKind::Document, "d")];
    let was = sealed("one", &[]);
    let stamp = document_timestamp(timestamp(TimestampKind::Document, "d"));
    let mut partial = stamp.clone();
    partial.coverage.kind = CoverageKind::Partial;

    assert_eq!(
        raised_to_lta(
            std::slice::from_ref(&was),
            &[was.clone(), partial],
            &of_document
        ),
        Err(EvidenceError::TimestampPartial("two".to_owned()))
    );
    let low = signature(&[]);
    let before = evidence(&[], std::slice::from_ref(&low));
    let after = evidence(&[], &[low, stamp]);
    let answers = [token(TimestampKind::Document, "d")];
    assert_eq!(
        archived_to(TargetLevel::BLta, LEVEL, &before, after, &answers),
        Err(EvidenceError::BelowTarget {
            target: TargetLevel::BLta,
            actual: LEVEL.to_owned()
        })
    );
}
