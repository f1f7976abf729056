//! A folder of real and hostile files with expected verdicts.
//!
//! The files have their own licences and are not kept here. The folder is
//! `PARAFA_SAMPLES`.

use std::collections::BTreeMap;

use parafa_fixtures::tool::samples;
use parafa_format_core::{ChangeKind, Integrity, MemoryBlob, NativeEnvironment, Refusal, Report};
use parafa_format_pdf::{inspect, verify};

use crate::intake::inspected;
use crate::verdicts::verdict;

#[test]
fn every_sample_gets_its_verdict() {
    let Some(folder) = samples() else {
        return;
    };
    let list = std::fs::read_to_string(folder.join("pdf.tsv")).unwrap();
    let mut disagreements = Vec::new();
    for line in list.lines().skip(1) {
        let (file, expected) = verdict(line);
        let bytes = std::fs::read(folder.join("pdf").join(file)).unwrap();
        let got = inspected(&bytes);
        if !agrees(expected, &got) {
            disagreements.push(format!(
                "{file}: expected {expected}, got {}",
                described(&got)
            ));
        }
    }
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

#[test]
fn the_stream_without_a_length_is_named() {
    let Some(folder) = samples() else {
        return;
    };
    let file = folder.join("reported/metadata-without-length.pdf");
    let bytes = std::fs::read(file).unwrap();
    let refusal = inspect(&NativeEnvironment, &MemoryBlob(bytes)).unwrap_err();

    assert_eq!(
        refusal.detail,
        "The object 6 0 at byte 424 cannot be read: the stream has no /Length."
    );
}

/// Files of `reported.tsv` with signatures that others find intact, with the
/// changes after each of them.
const REPORTED_AS_INTACT: [(&str, &[ChangeKind]); 3] = [
    (
        "dss__pkcs7_sha1.pdf",
        &[ChangeKind::Signing, ChangeKind::None],
    ),
    (
        "pyHanko__form-update-override-appearance-stream.pdf",
        &[ChangeKind::FormFilling, ChangeKind::None],
    ),
    ("filled-B.pdf", &[ChangeKind::FormFilling]),
];

#[test]
fn signatures_that_were_reported_as_intact_are_intact() {
    let Some(folder) = samples() else {
        return;
    };
    for (file, expected) in REPORTED_AS_INTACT {
        let bytes = std::fs::read(folder.join("reported").join(file)).unwrap();
        let evidence = verify(&NativeEnvironment, &MemoryBlob(bytes)).unwrap();
        let found = evidence.signatures.iter().map(|signature| {
            assert_eq!(signature.integrity, Integrity::Intact, "{file}");
            signature.later_changes.kind
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{file}");
    }
}

fn agrees(expected: &str, got: &Result<Report, Refusal>) -> bool {
    // Parentheses after the verdict contain an explanation.
    let verdict = expected.split(" (").next().unwrap_or_default();
    match (verdict.split_once(':'), got) {
        (Some(("refuse", code)), Err(refusal)) => refusal.code == code,
        (Some(("accept+note", notes)), Ok(report)) => notes
            .split('+')
            .filter(|note| *note != "fieldmdp")
            .all(|code| report.notes.iter().any(|note| note.code == code)),
        (None, Ok(_)) => verdict == "accept",
        _ => false,
    }
}

fn described(got: &Result<Report, Refusal>) -> String {
    match got {
        Ok(report) => format!(
            "accept {:?}",
            report
                .notes
                .iter()
                .map(|note| (&note.code, 1))
                .collect::<BTreeMap<_, _>>()
        ),
        Err(refusal) => refusal.to_string(),
    }
}
