//! Independent validators.

use parafa_fixtures::referees::{AsicE, Dss};

use crate::ceremony::{P256, files, signed_by, with_text};
use crate::signers::{PKI, Written, anchors, ceremonies};

#[test]
fn others_find_every_signature_of_ours_sound_and_over_everything() {
    let ceremonies = ceremonies();
    let documents: Vec<_> = ceremonies
        .iter()
        .map(|signers| signed_by(signers))
        .collect();
    let written = Written::new(&documents, "adoc");
    let Some(judge) = AsicE::find(&[PKI.folder().join("root.pem")]) else {
        return;
    };
    for (verdict, signers) in judge.verdicts(&written.files).iter().zip(&ceremonies) {
        assert!(verdict.ok, "{verdict:#?}");
        assert_eq!(verdict.signatures.len(), signers.len());
        assert!(verdict.signatures.iter().all(|one| one.timestamps == 1));
    }
}

/// Message of DSS about every ADOC: the format has unsigned relations, manifest
/// and metadata.
const OF_EVERY_ADOC: &str = "Not all files are signed!";
const CHANGED: &str = "The reference data object is not intact!";
/// Another file has the signed digest, and DSS takes that one.
const TAKEN_FOR_ANOTHER: &str = "The reference name does not match the name of the document!";

#[test]
fn dss_finds_nothing_wrong_but_that_the_format_leaves_files_unsigned() {
    let ceremonies = ceremonies();
    let documents: Vec<_> = ceremonies
        .iter()
        .map(|signers| signed_by(signers))
        .collect();
    let written = Written::new(&documents, "adoc");
    let Some(dss) = Dss::find(&anchors(written.path())) else {
        return;
    };
    for (verdict, signers) in dss.verdicts(&written.files, &[]).iter().zip(&ceremonies) {
        assert_eq!(verdict.signatures.len(), signers.len(), "{verdict:#?}");
        for signature in &verdict.signatures {
            assert_eq!(signature.errors, [OF_EVERY_ADOC], "{verdict:#?}");
            assert_eq!(signature.indication, "TOTAL_FAILED");
            assert_eq!(signature.sub_indication.as_deref(), Some("FORMAT_FAILURE"));
            assert_eq!(signature.level, "XAdES-T");
            // The files, two metadata elements, and one about the signature.
            assert_eq!(signature.covers.len(), files().len() + 3, "{verdict:#?}");
        }
        assert_eq!(verdict.timestamps.len(), signers.len());
        for timestamp in &verdict.timestamps {
            assert_eq!(timestamp.indication, "PASSED", "{verdict:#?}");
        }
    }
}

#[test]
fn dss_finds_what_was_changed_in_a_file_and_in_an_element_of_metadata() {
    let signed = signed_by(&[&P256]);
    let changes = [
        (
            "Sutartis Nr. 1+1 & ąčęėįšųūž.pdf",
            "not",
            "yes",
            TAKEN_FOR_ANOTHER,
        ),
        (
            "metadata/signableMetadata0.xml",
            "Ąžuolas",
            "Beržas",
            CHANGED,
        ),
        ("metadata/signableMetadata1.xml", "Ona", "Ana", CHANGED),
    ];
    let changed =
        changes.map(|(name, from, to, _)| with_text(&signed, name, |text| text.replace(from, to)));
    let written = Written::new(&changed, "adoc");
    let Some(dss) = Dss::find(&anchors(written.path())) else {
        return;
    };
    for (verdict, (.., error)) in dss.verdicts(&written.files, &[]).iter().zip(changes) {
        let [signature] = verdict.signatures.as_slice() else {
            panic!("{verdict:#?}")
        };
        assert_eq!(signature.errors, [OF_EVERY_ADOC, error], "{verdict:#?}");
    }
}
