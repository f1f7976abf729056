//! Files by real programs, with the expected results: `real.tsv` in the folder
//! of samples.

use std::fs;

use parafa_fixtures::tool::samples;
use parafa_format_core::{MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

use crate::ceremony::{P256, P384};
use crate::flatten::flattened;
use crate::intake::inspected;
use crate::referees::qpdf_accepts;

/// Columns of the list.
const INTAKE: usize = 6;
const VERIFY: usize = 7;
const FLATTEN: usize = 8;

/// Files that are refused nevertheless, with the reason.
const REASONED: [(&str, &str); 1] = [
    // Acrobat shows the values of the XFA part.
    ("ff_3.11.174_pdfjs__annotation-button-widget.pdf", "xfa"),
];

#[test]
fn every_file_that_a_program_wrote_gets_its_verdict_and_can_be_signed() {
    each_expectation(INTAKE, |file, expected, document| {
        let got = match inspected(&document) {
            Ok(_) => signed_and_taken_again(&document),
            Err(refusal) if REASONED.contains(&(file, &refusal.code)) => Ok(()),
            Err(refusal) => Err(format!("refused: {refusal}")),
        };
        match got {
            Err(reason) if expected == "accept" => vec![format!("{file}: {reason}")],
            _ => Vec::new(),
        }
    });
}

#[test]
fn signatures_that_others_call_intact_are_intact() {
    each_expectation(VERIFY, |file, expected, document| {
        let environment = NativeEnvironment;
        match verify(&environment, &MemoryBlob(document)) {
            Ok(evidence) => evidence
                .signatures
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

/// Signs an accepted file twice and returns defects of the output.
pub(crate) fn signed_and_taken_again(document: &[u8]) -> Result<(), String> {
    let signed = P256.signs(document);
    let signed = signed.map_err(|refusal| format!("not signed: {refusal}"))?;
    if !signed.starts_with(document) {
        return Err("the original is no prefix".into());
    }
    inspected(&signed).map_err(|refusal| format!("not taken again: {refusal}"))?;
    if qpdf_accepts(document) == Some(true) && qpdf_accepts(&signed) == Some(false) {
        return Err("qpdf takes the original only".into());
    }
    let again = P384.signs(&signed);
    let again = again.map_err(|refusal| format!("not signed again: {refusal}"))?;
    let mut expected = integrities(&signed)?;
    expected.push("intact".to_owned());
    let found = integrities(&again)?;
    if found != expected {
        return Err(format!("signed again: {found:?} in place of {expected:?}"));
    }
    Ok(())
}

/// Returns the integrity of each signature, with the reason if it is modified.
pub(crate) fn integrities(document: &[u8]) -> Result<Vec<String>, String> {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(document.to_vec()));
    let evidence = evidence.map_err(|refusal| format!("not verified: {refusal}"))?;
    let told = evidence.signatures.iter().map(|signature| {
        let name = signature.integrity.name().to_owned();
        let why = &signature.later_changes.unpermitted;
        why.iter().fold(name, |name, why| format!("{name}: {why}"))
    });
    Ok(told.collect())
}

fn each_expectation(column: usize, judge: impl Fn(&str, &str, Vec<u8>) -> Vec<String>) {
    let Some(folder) = samples() else {
        return;
    };
    let list = fs::read_to_string(folder.join("real.tsv")).unwrap();
    let mut disagreements = Vec::new();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let expected = columns.get(column).copied().unwrap_or_default().trim();
        if !expected.is_empty() {
            let document = fs::read(folder.join("real").join(columns[0])).unwrap();
            disagreements.extend(judge(columns[0], expected, document));
        }
    }
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}
