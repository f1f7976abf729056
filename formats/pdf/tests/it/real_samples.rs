//! Files as programs write them, with what should become of them: `real.tsv` in
//! the folder of samples.

use std::fs;

use parafa_fixtures::tool::samples;

use crate::ceremony::P256;
use crate::intake::inspected;
use crate::referees::qpdf_accepts;

/// Files that are refused all the same, and why.
const REASONED: [(&str, &str); 1] = [
    // Acrobat shows the values of the XFA part.
    ("ff_3.11.174_pdfjs__annotation-button-widget.pdf", "xfa"),
];

#[test]
fn every_file_that_a_program_wrote_gets_its_verdict_and_can_be_signed() {
    let Some(folder) = samples() else {
        return;
    };
    let list = fs::read_to_string(folder.join("real.tsv")).unwrap();
    let mut disagreements = Vec::new();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (file, producer, expected) = (columns[0], columns[2], columns[6]);
        let document = fs::read(folder.join("real").join(file)).unwrap();
        let got = match inspected(&document) {
            Ok(_) => signed_and_taken_again(&document),
            Err(refusal) if REASONED.contains(&(file, &refusal.code)) => Ok(()),
            Err(refusal) => Err(format!("refused: {refusal}")),
        };
        if expected == "accept"
            && let Err(reason) = got
        {
            disagreements.push(format!("{file} ({producer}): {reason}"));
        }
    }
    assert!(
        disagreements.is_empty(),
        "{} disagreements:\n{}",
        disagreements.len(),
        disagreements.join("\n")
    );
}

/// Signs a file that is taken, and says what is wrong with what came out.
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
    Ok(())
}
