//! Flattening of third-party sample forms.

use parafa_fixtures::tool::samples;
use parafa_format_core::Refusal;

use crate::flatten::{assert_form_is_gone, flattened};
use crate::referees::assert_qpdf_accepts;
use crate::verdicts::verdict;

/// Files with another result than listed, with the reason.
const REASONED: [(&str, &str); 6] = [
    // Readers regenerate its list box, and show all its options.
    (
        "qpdf__button-set-broken.pdf",
        "refused flatten-refused r1: no-appearance; checkbox2: no-appearance; \
         text2: value-not-drawn; list1: need-appearances",
    ),
    // Its fields are direct objects.
    ("rub__form-doc.pdf", "refused form-tree"),
    // Signed, although the widget of the signature is on no page.
    ("pdfcpu__testPAdES_BB.pdf", "refused signed"),
    ("pdfcpu__testPAdES_BT.pdf", "refused signed"),
    ("pdfcpu__testPAdES_BLT.pdf", "refused signed"),
    ("dss__pdf-byterange-overlap.pdf", "refused signed"),
];

#[test]
fn every_sample_is_flattened_or_refused_with_its_fields() {
    let Some(folder) = samples() else {
        return;
    };
    let list = std::fs::read_to_string(folder.join("pdf.tsv")).unwrap();
    let mut disagreements = Vec::new();
    for line in list.lines().skip(1) {
        let (file, intake) = verdict(line);
        let document = std::fs::read(folder.join("pdf").join(file)).unwrap();
        let got = flattened(&document);
        let outcome = outcome(&document, &got);
        let expected = expectation(line);
        let refused = intake.split(" (").next().unwrap_or_default();
        let is_intake = refused
            .strip_prefix("refuse:")
            .is_some_and(|code| outcome == format!("refused {code}"));
        if outcome != expected && !is_intake {
            disagreements.push(format!("{file}: expected {expected}, got {outcome}"));
        }
        if let Some(flattened) = got
            .as_ref()
            .ok()
            .filter(|flattened| **flattened != document)
        {
            assert_form_is_gone(flattened);
            assert_qpdf_accepts(flattened);
        }
    }
    assert!(disagreements.is_empty(), "{disagreements:#?}");
}

#[test]
fn every_reported_sample_is_flattened_or_refused_with_its_fields() {
    let Some(folder) = samples() else {
        return;
    };
    let list = std::fs::read_to_string(folder.join("reported.tsv")).unwrap();
    for line in list.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let expected = columns[2].strip_prefix("flatten: ");
        let Some(expected) = expected else {
            continue;
        };
        let document = std::fs::read(folder.join("reported").join(columns[0])).unwrap();
        let got = flattened(&document);
        let is_named = matches!(&got, Err(refusal) if !refusal.subjects.is_empty());
        match &got {
            Ok(flattened) if expected == "drawn" => assert_form_is_gone(flattened),
            Err(_) if expected == "refused, named" && is_named => {}
            _ => panic!("{}: {:?}", columns[0], got.map(|_| ())),
        }
    }
}

/// Returns whether a line of the list expects output.
pub(crate) fn comes_out(line: &str) -> bool {
    let (_, intake) = verdict(line);
    !intake.starts_with("refuse:") && !expectation(line).starts_with("refused")
}

/// Returns the expected result of a line of the list.
fn expectation(line: &str) -> String {
    let columns: Vec<&str> = line.split('\t').collect();
    let (file, flattening, fields) = (columns[0], columns[7], columns[9]);
    if let Some((_, outcome)) = REASONED.iter().find(|(name, _)| *name == file) {
        return (*outcome).to_owned();
    }
    let named = |code: &str| {
        let fields: Vec<_> = fields
            .split(';')
            .map(|field| field.replacen('=', ": ", 1))
            .collect();
        format!("refused {code} {}", fields.join("; "))
    };
    match flattening {
        "no widgets" => "as it is".to_owned(),
        "flattenable" => "flattened".to_owned(),
        "refuse" => named("flatten-refused"),
        "refuse doc:encrypted" => "refused encrypted".to_owned(),
        _ => named("signed"),
    }
}

fn outcome(document: &[u8], got: &Result<Vec<u8>, Refusal>) -> String {
    match got {
        Ok(flattened) if flattened == document => "as it is".to_owned(),
        Ok(_) => "flattened".to_owned(),
        Err(refusal) if refusal.subjects.is_empty() => format!("refused {}", refusal.code),
        Err(refusal) => format!("refused {} {}", refusal.code, refusal.subjects.join("; ")),
    }
}
