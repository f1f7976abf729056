//! The verdicts of other validators on the signed and tampered cases.

use std::fs;
use std::path::{Path, PathBuf};

use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

use crate::referees::{dss_verdicts, fixture_anchors, pyhanko_verdict};

/// What the EU's reference validator passes, and is not intact here.
const STRICTER: [(&str, &str); 7] = [
    // Annotations are told as a change of their own, and passed.
    ("tampered-annotated", "nothing permits annotations"),
    // What a signature looks like may change with a form.
    (
        "tampered-appearance-of-signature",
        "a signed field gets no other appearance",
    ),
    // A changed catalog is an extension.
    (
        "tampered-drawings-as-catalog",
        "the catalog is the page's list of drawings as well",
    ),
    // A lock is taken to be about the fields that there were.
    (
        "tampered-field-beside-exception",
        "every new field but one is locked",
    ),
    (
        "tampered-field-under-lock",
        "every field is locked, new ones too",
    ),
    // Any further signature is one.
    (
        "tampered-seen-after-certification",
        "nothing new is seen after a certification",
    ),
    // Bytes behind the range are told, and passed.
    (
        "tampered-range-end",
        "the range does not end with a revision",
    ),
];

/// The signed and tampered cases with their names.
fn cases() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases/pdf");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.path().join("input.pdf"))
        })
        .filter(|(name, _)| name.starts_with("signed-") || name.starts_with("tampered-"))
        .collect();
    cases.sort();
    assert!(cases.len() > 20);
    cases
}

fn is_intact(document: &Path) -> bool {
    let document = MemoryBlob(fs::read(document).unwrap());
    verify(&NativeEnvironment, &document).is_ok_and(|evidence| {
        evidence
            .iter()
            .all(|signature| signature.integrity == Integrity::Intact)
    })
}

#[test]
fn pyhanko_has_the_same_verdicts() {
    let anchors = fixture_anchors();
    for (name, document) in cases() {
        let Some(verdict) = pyhanko_verdict(&document, anchors.path()) else {
            return;
        };
        assert_eq!(verdict, is_intact(&document), "{name}");
    }
}

#[test]
fn the_reference_validator_is_never_stricter() {
    let anchors = fixture_anchors();
    let cases = cases();
    let documents: Vec<&Path> = cases.iter().map(|(_, path)| path.as_path()).collect();
    let Some(verdicts) = dss_verdicts(&documents, anchors.path(), &[]) else {
        return;
    };
    for ((name, document), verdict) in cases.iter().zip(verdicts) {
        let is_stricter = STRICTER.iter().any(|(stricter, _)| stricter == name);
        assert_eq!(verdict, is_intact(document) || is_stricter, "{name}");
    }
}
