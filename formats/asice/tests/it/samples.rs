//! Third-party containers, sound and hostile, with expected verdicts:
//! `containers.tsv` and `generated.tsv` in the folder `PARAFA_SAMPLES`.

use std::fs;
use std::sync::LazyLock;

use parafa_fixtures::referees::{AsicE, AsicEVerdict, Dss, DssVerdict};
use parafa_format_asice::verify;
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, levels};

use crate::ceremony::{P256, inspected};
use crate::sign::verified;
use crate::signers::{Written, anchors, assert_as_they_were, each_row};

/// Verdict on a container.
#[derive(Debug, Eq, PartialEq)]
enum Verdict {
    /// Not accepted.
    Refused,
    /// Accepted, with the numbers of intact and of all signatures, and whether
    /// a further one can be added.
    Taken {
        holding: [usize; 2],
        takes_more: bool,
    },
}

fn verdict(bytes: &[u8]) -> (Verdict, String) {
    let report = match inspected(bytes) {
        Ok(report) => report,
        Err(refusal) => return (Verdict::Refused, refusal.to_string()),
    };
    let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes.to_vec())).unwrap();
    let all = evidence.signatures.iter();
    let holding = all.filter(|signature| signature.integrity == Integrity::Intact);
    let verdict = Verdict::Taken {
        holding: [holding.count(), evidence.signatures.len()],
        takes_more: report.obstacles.is_empty(),
    };
    let notes: Vec<_> = report.notes.iter().map(|note| note.code.as_ref()).collect();
    (verdict, format!("{notes:?} {:?}", report.obstacles))
}

/// Rows whose listed verdict differs from that of the rules: intact and all
/// signatures.
const REASONED: [(&str, [usize; 2]); 2] = [
    // The manifest declares `test.text` as plain text, the second signature as
    // another type.
    ("dss__asic-xades-signed-signature.sce", [1, 2]),
    // A time-stamp over other data does not affect the signature (ETSI EN 319
    // 102-1, 5.5.4). No further signature is possible: its key is short.
    ("dd4j__TS-02_23634_TS_wrong_SignatureValue.asice", [1, 1]),
];

#[test]
fn every_generated_container_gets_its_verdict() {
    let mut disagreements = Vec::new();
    each_row("generated.tsv", "generated", |columns, file| {
        let [name, _, opens, holding, takes_more, why] = columns else {
            panic!("a row without a verdict: {columns:?}");
        };
        let (got, told) = verdict(&fs::read(file).unwrap());
        let agrees = if name.ends_with(".adoc") {
            told.starts_with("other-format") || told.starts_with("mdoc-not-accepted")
        } else {
            match (*opens, &got) {
                ("no", got) => *got == Verdict::Refused,
                (
                    opens,
                    Verdict::Taken {
                        holding: is,
                        takes_more: more,
                        ..
                    },
                ) => {
                    (opens == "warn" || why.contains("warning")) == has_notes(&told)
                        && *holding == format!("{}/{}", is[0], is[1])
                        && *takes_more == if *more { "yes" } else { "no" }
                }
                _ => false,
            }
        };
        if !agrees {
            disagreements.push(format!("{columns:?}: {got:?} {told}"));
        }
    });
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

#[test]
fn every_container_of_others_gets_its_verdict() {
    let mut disagreements = Vec::new();
    each_row("containers.tsv", "containers", |columns, file| {
        let (name, kind, expected) = (columns[0], columns[4], columns[5]);
        let (got, told) = verdict(&fs::read(file).unwrap());
        let reasoned = REASONED.iter().find(|(reasoned, _)| *reasoned == name);
        let agrees = match (&got, counted(expected)) {
            (Verdict::Refused, _) if kind.contains("ADOC") => told.starts_with("other-format"),
            (Verdict::Refused, _) => {
                expected.starts_with("REFUSE") || expected.contains("not XAdES")
            }
            (Verdict::Taken { .. }, _) if expected.starts_with("REFUSE") => false,
            (Verdict::Taken { holding, .. }, _) if reasoned.is_some() => {
                reasoned.is_some_and(|(_, reasoned)| reasoned == holding)
            }
            (Verdict::Taken { holding, .. }, Some(counted)) if *holding != counted => false,
            (Verdict::Taken { holding, .. }, _) if expected.to_lowercase().contains("invalid") => {
                holding[0] < holding[1]
            }
            (Verdict::Taken { takes_more, .. }, _) if expected.contains("not appendable") => {
                !takes_more
            }
            (Verdict::Taken { takes_more, .. }, _) if expected.contains("appendable") => {
                *takes_more
            }
            _ => true,
        };
        if !agrees {
            disagreements.push(format!("{name}, {expected}: {got:?} {told}"));
        }
    });
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

/// Returns whether there are warning notes.
fn has_notes(told: &str) -> bool {
    let notes = told.split(']').next().unwrap_or_default();
    let others = [
        "\"signed\"",
        "\"signature-unsupported\"",
        "\"signature-copied\"",
    ];
    let rest = others
        .iter()
        .fold(notes.to_owned(), |rest, note| rest.replace(note, ""));
    rest.contains('"')
}

/// Parses `1/1 valid` and the like, anywhere in a verdict.
fn counted(verdict: &str) -> Option<[usize; 2]> {
    let (before, after) = verdict.split_once('/')?;
    let digit = |c: Option<char>| {
        c?.to_digit(10)
            .and_then(|digit| usize::try_from(digit).ok())
    };
    Some([
        digit(before.chars().next_back())?,
        digit(after.chars().next())?,
    ])
}

/// The containers of both tables that accept a further signature, before and
/// after one of ours.
static COUNTERSIGNED: LazyLock<Vec<[Vec<u8>; 2]>> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for (table, folder) in [
        ("generated.tsv", "generated"),
        ("containers.tsv", "containers"),
    ] {
        each_row(table, folder, |columns, file| {
            let before = fs::read(file).unwrap();
            let takes_more = inspected(&before).is_ok_and(|report| report.obstacles.is_empty());
            if takes_more {
                let signed = P256.signs(&before, "B-T");
                let (after, _) = signed.unwrap_or_else(|error| panic!("{columns:?}: {error}"));
                pairs.push([before, after]);
            }
        });
    }
    pairs
});

#[test]
fn a_further_signature_takes_nothing_from_those_of_others() {
    for [before, after] in COUNTERSIGNED.iter() {
        let (was, mut is) = (verified(before).signatures, verified(after).signatures);
        let new = is.pop().unwrap();
        assert_eq!(new.integrity, Integrity::Intact);
        assert_eq!(new.level, levels::XADES_B_T);
        assert_as_they_were(was, is);
        let report = inspected(after).unwrap();
        assert_eq!(report.obstacles, []);
    }
}

#[test]
fn others_find_the_signatures_of_others_as_they_were() {
    let [before, after] = [0, 1].map(|which| {
        let containers: Vec<_> = COUNTERSIGNED
            .iter()
            .map(|pair| pair[which].clone())
            .collect();
        Written::new(&containers, "asice")
    });
    if let Some(judge) = AsicE::find(&[]) {
        let verdicts = [&before, &after].map(|written| judge.verdicts(&written.files));
        let [was, is] = verdicts;
        for (was, is) in was.iter().zip(&is) {
            let faults = |verdict: &AsicEVerdict| -> Vec<_> {
                let signatures = verdict.signatures.iter();
                signatures
                    .map(|one| (one.id.clone(), one.error.clone()))
                    .collect()
            };
            let (was, is) = (faults(was), faults(is));
            let earlier: Vec<_> = is.iter().filter(|one| was.contains(one)).collect();
            assert_eq!(earlier.len(), was.len(), "{was:?} became {is:?}");
            let new: Vec<_> = is.iter().filter(|one| !was.contains(one)).collect();
            assert!(
                was.is_empty() || matches!(new[..], [(_, None)]),
                "{was:?} became {is:?}"
            );
        }
    }
    let folder = tempfile::tempdir().unwrap();
    if let Some(dss) = Dss::find(&anchors(folder.path())) {
        let verdicts = [&before, &after].map(|written| dss.verdicts(&written.files, &[]));
        let [was, is] = verdicts;
        for (was, is) in was.iter().zip(&is) {
            let found = |verdict: &DssVerdict| -> Vec<_> {
                let signatures = verdict.signatures.iter();
                signatures
                    .map(|one| {
                        (
                            one.level.clone(),
                            one.indication.clone(),
                            one.sub_indication.clone(),
                        )
                    })
                    .collect()
            };
            let (was, mut is) = (found(was), found(is));
            for one in &was {
                let place = is.iter().position(|other| other == one);
                is.remove(place.unwrap_or_else(|| panic!("{was:?} became {is:?}")));
            }
            assert!(
                matches!(&is[..], [(_, passed, _)] if passed == "TOTAL_PASSED"),
                "{is:?}"
            );
        }
    }
}
