//! Verdicts of other validators on the signed and tampered cases.

use std::fs;
use std::path::{Path, PathBuf};

use parafa_fixtures::referees::{files_in, openssl_accepts, signed_parts};
use parafa_fixtures::signed::{Flaw, Identity, SignedPdf, Signing};
use parafa_format_core::{
    ChangeKind, Integrity, MemoryBlob, NativeEnvironment, SignatureEvidence, SignatureKind,
    TimestampStatus,
};
use parafa_format_pdf::verify;

use crate::referees::{dss_passes_timestamps, dss_verdicts, fixture_anchors, pyhanko_verdicts};

/// Cases that pyHanko rejects and that are intact here.
const LENIENT: [(&str, &str); 4] = [
    (
        "tampered-seen-after-certification",
        "pyHanko has nothing new seen after a certification",
    ),
    (
        "signed-then-annotated",
        "pyHanko permits annotations nowhere",
    ),
    (
        "signed-then-stamped",
        "below a document time-stamp pyHanko wants revocation data",
    ),
    (
        "signed-then-stamped-and-signed",
        "below a document time-stamp pyHanko wants revocation data",
    ),
];

/// Cases that the EU's reference validator accepts and that are not intact
/// here.
const STRICTER: [(&str, &str); 6] = [
    // Annotations are reported as a separate change, and accepted.
    ("tampered-annotated", "nothing permits annotations"),
    // The look of a signature may change with a form.
    (
        "tampered-appearance-of-signature",
        "a signed field gets no other appearance",
    ),
    // A changed catalog counts as an extension.
    (
        "tampered-drawings-as-catalog",
        "the catalog is the page's list of drawings as well",
    ),
    // A lock applies only to existing fields.
    (
        "tampered-field-beside-exception",
        "every new field but one is locked",
    ),
    (
        "tampered-field-under-lock",
        "every field is locked, new ones too",
    ),
    // Bytes after the range are reported, and accepted.
    (
        "tampered-range-end",
        "the range does not end with a revision",
    ),
];

/// Returns the signed and tampered cases with their names.
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

fn evidence(document: &Path) -> Vec<SignatureEvidence> {
    let document = MemoryBlob(fs::read(document).unwrap());
    verify(&NativeEnvironment, &document)
        .unwrap_or_default()
        .signatures
}

/// Returns whether every signature is intact, not counting time-stamps.
fn is_intact(document: &Path) -> bool {
    let evidence = evidence(document);
    let mut signatures = evidence
        .iter()
        .filter(|signature| signature.kind == SignatureKind::Signature);
    !evidence.is_empty() && signatures.all(|signature| signature.integrity == Integrity::Intact)
}

/// Returns whether every time-stamp beside a signature belongs to it.
fn is_stamped_soundly(document: &Path) -> bool {
    let evidence = evidence(document);
    let mut timestamps = evidence.iter().flat_map(|signature| &signature.timestamps);
    timestamps.all(|timestamp| timestamp.status == TimestampStatus::Intact)
}

fn is_among(names: &[(&str, &str)], name: &str) -> bool {
    names.iter().any(|(listed, _)| *listed == name)
}

#[test]
fn pyhanko_has_the_same_verdicts() {
    let anchors = fixture_anchors();
    let (names, documents): (Vec<_>, Vec<_>) = cases().into_iter().unzip();
    let Some(verdicts) = pyhanko_verdicts(&documents, anchors.path()) else {
        return;
    };
    for ((name, document), verdict) in names.iter().zip(&documents).zip(verdicts) {
        let is_sound = is_intact(document) && is_stamped_soundly(document);
        let theirs = verdict.ok || is_among(&LENIENT, name);
        assert_eq!(theirs, is_sound, "{name}: {verdict:#?}");
    }
}

#[test]
fn pyhanko_tells_the_same_changes() {
    let anchors = fixture_anchors();
    let mut compared = 0;
    let (names, documents): (Vec<_>, Vec<_>) = cases().into_iter().unzip();
    let Some(verdicts) = pyhanko_verdicts(&documents, anchors.path()) else {
        return;
    };
    for ((name, document), verdict) in names.iter().zip(&documents).zip(verdicts) {
        let evidence = evidence(document);
        let signatures = evidence
            .iter()
            .filter(|signature| signature.kind == SignatureKind::Signature);
        let ours: Vec<&SignatureEvidence> = signatures.collect();
        for (ours, theirs) in ours.iter().zip(&verdict.signatures) {
            // Unreadable content is not compared.
            let Some(theirs) = theirs.modification.as_deref() else {
                continue;
            };
            let expected = match ours.later_changes.kind {
                _ if ours.integrity == Integrity::Modified || is_among(&LENIENT, name) => continue,
                ChangeKind::None => "NONE",
                ChangeKind::ValidationData => "LTA_UPDATES",
                ChangeKind::Signing | ChangeKind::FormFilling => "FORM_FILLING",
                ChangeKind::Annotations | ChangeKind::Other => "OTHER",
                ChangeKind::Unknown => continue,
            };
            assert_eq!(theirs, expected, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn the_reference_validator_is_never_stricter() {
    let anchors = fixture_anchors();
    let cases = cases();
    let documents: Vec<&Path> = cases.iter().map(|(_, path)| path.as_path()).collect();
    let Some(verdicts) = dss_verdicts(&documents, anchors.path()) else {
        return;
    };
    for ((name, document), verdict) in cases.iter().zip(verdicts) {
        let expected = is_intact(document) || is_among(&STRICTER, name);
        assert_eq!(verdict, expected, "{name}");
    }
}

/// Some signers' programs wrote such attributes. The signed bytes are the bytes
/// as written; the EU's reference validator sorts them before verifying the
/// value.
#[test]
fn attributes_that_were_signed_in_another_order_than_that_of_der_hold() {
    let signing = Signing {
        flaw: Some(Flaw::UnsortedAttributes),
        ..Signing::by(Identity::Ona)
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unsorted.pdf");
    let document = SignedPdf::unsigned().sign(signing).build();
    fs::write(&file, &document).unwrap();
    let anchors = fixture_anchors();

    assert!(is_intact(&file));
    for part in signed_parts(&document, 0) {
        assert_eq!(openssl_accepts(&part, &files_in(anchors.path())), Ok(()));
    }
    let theirs = dss_verdicts(&[&file], anchors.path());
    assert!(theirs.is_none_or(|theirs| theirs == [false]));
}

#[test]
fn the_reference_validator_finds_the_same_time_stamps_foreign() {
    let anchors = fixture_anchors();
    // Data other than time-stamps is not reported.
    let mut cases = cases();
    cases.retain(|(name, _)| name != "tampered-garbage-for-timestamp");
    let documents: Vec<&Path> = cases.iter().map(|(_, path)| path.as_path()).collect();
    let Some(theirs) = dss_passes_timestamps(&documents, anchors.path()) else {
        return;
    };
    assert!(theirs.contains(&false));
    for ((name, document), theirs) in cases.iter().zip(theirs) {
        assert_eq!(theirs, is_stamped_soundly(document), "{name}");
    }
}
