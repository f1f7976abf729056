//! Files as other programs write them, with what becomes of each of them.
//!
//! They are in the folder of [`samples`](crate::samples), in a list of their own.

use parafa_fixtures::tool::samples;
use parafa_format_core::{MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

use crate::flatten::flattened;

#[test]
fn signatures_that_others_call_intact_are_intact() {
    each_expectation(VERIFY, |file, expected, document| {
        let environment = NativeEnvironment;
        match verify(&environment, &MemoryBlob(document)) {
            Ok(signatures) => signatures
                .iter()
                .filter(|signature| signature.integrity.name() != expected)
                .map(|signature| {
                    let why = &signature.later_changes.unpermitted;
                    format!("{file}: {} {why:?}", signature.integrity.name())
                })
                .collect(),
            Err(refusal) => vec![format!("{file}: {refusal}")],
        }
    });
}

#[test]
fn a_value_that_viewers_show_and_the_appearance_does_not_is_never_drawn() {
    each_expectation(FLATTEN, |file, expected, document| {
        let got = flattened(&document);
        let is_named = matches!(&got, Err(refusal) if refusal.code == "flatten-refused"
            && !refusal.subjects.is_empty());
        if expected.starts_with("refuse") && is_named {
            Vec::new()
        } else {
            vec![format!("{file}: expected {expected}, got {:?}", got.err())]
        }
    });
}

const VERIFY: usize = 7;
const FLATTEN: usize = 8;

fn each_expectation(column: usize, judge: impl Fn(&str, &str, Vec<u8>) -> Vec<String>) {
    let Some(folder) = samples() else {
        return;
    };
    let list = std::fs::read_to_string(folder.join("real.tsv")).unwrap();
    let mut disagreements = Vec::new();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let expected = columns.get(column).copied().unwrap_or_default().trim();
        if !expected.is_empty() {
            let document = std::fs::read(folder.join("real").join(columns[0])).unwrap();
            disagreements.extend(judge(columns[0], expected, document));
        }
    }
    assert!(
        disagreements.is_empty(),
        "{} disagreements:\n{}",
        disagreements.len(),
        disagreements.join("\n")
    );
}
