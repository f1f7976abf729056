//! A folder of real and hostile files with the verdict that each should get.
//!
//! The files have licences of their own and are not kept here. The folder is
//! `PARAFA_SAMPLES`.

use std::collections::BTreeMap;

use parafa_fixtures::tool::samples;
use parafa_format_core::{MemoryBlob, NativeEnvironment, Refusal, Report};
use parafa_format_pdf::inspect;

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
        let got = inspect(&NativeEnvironment, &MemoryBlob(bytes));
        if !agrees(expected, &got) {
            disagreements.push(format!(
                "{file}: expected {expected}, got {}",
                described(&got)
            ));
        }
    }
    assert!(
        disagreements.is_empty(),
        "{} disagreements:\n{}",
        disagreements.len(),
        disagreements.join("\n")
    );
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

fn agrees(expected: &str, got: &Result<Report, Refusal>) -> bool {
    // What follows the verdict in parentheses explains it.
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
