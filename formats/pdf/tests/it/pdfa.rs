//! PDF/A (ISO 19005) stays PDF/A in every operation.

use std::fs;

use parafa_fixtures::tool::samples;
use parafa_fixtures::{pdfa, plain};

use crate::archiving::{HIERARCHY, archived};
use crate::flatten::flattened;
use crate::intake::notes;
use crate::referees::{assert_qpdf_accepts, verapdf_flavours};
use crate::rehearse::rehearsed;

/// Optional sample documents with the PDF/A flavour that each claims and has.
const SAMPLES: [(&str, &str); 2] = [
    ("dss__not_signed_pdfa.pdf", "1b"),
    (
        "vera__PDF_A-2b_veraPDF_test_suite_6-3-3-t01-pass-a.pdf",
        "2b",
    ),
];

/// Returns PDF/A documents by name, with their flavours.
fn documents() -> Vec<(String, &'static str, Vec<u8>)> {
    let own = [(1, "1b"), (2, "2b")].map(|(part, flavour)| {
        let name = format!("PDF/A-{flavour}");
        (name, flavour, pdfa(part))
    });
    let samples = samples().into_iter().flat_map(|folder| {
        SAMPLES.map(|(name, flavour)| {
            let document = fs::read(folder.join("pdf").join(name)).unwrap();
            (name.to_owned(), flavour, document)
        })
    });
    own.into_iter().chain(samples).collect()
}

/// Returns the variants of a document: original, signed, archived, with the
/// sandbox banner, and flattened where possible.
fn made_of(document: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let signed = HIERARCHY.signed(document, &[&HIERARCHY.ona]);
    let archived = archived(&signed);
    let again = HIERARCHY.signed(&archived, &[&HIERARCHY.jonas]);
    let mut made = vec![
        ("as it came", document.to_vec()),
        ("signed", signed),
        ("archived", archived),
        ("signed again", again),
        ("rehearsed", rehearsed(document).unwrap()),
    ];
    made.extend(
        flattened(document)
            .ok()
            .map(|flattened| ("flattened", flattened)),
    );
    made
}

#[test]
fn verapdf_finds_what_is_made_of_pdfa_to_be_pdfa() {
    let mut made = Vec::new();
    for (name, flavour, document) in documents() {
        let of_this = made_of(&document).into_iter();
        made.extend(of_this.map(|(what, document)| (format!("{name} {what}"), flavour, document)));
    }
    let documents: Vec<&[u8]> = made.iter().map(|(_, _, document)| &document[..]).collect();
    let Some(found) = verapdf_flavours(&documents) else {
        return;
    };
    for ((what, flavour, _), found) in made.iter().zip(found) {
        assert_eq!(found, Ok((*flavour).to_owned()), "{what}");
    }
}

#[test]
fn verapdf_finds_what_is_no_pdfa() {
    if let Some(found) = verapdf_flavours(&[&plain(1)]) {
        assert!(found[0].is_err(), "{found:?}");
    }
}

#[test]
fn signing_and_archiving_add_nothing_that_pdfa_forbids() {
    for (name, _, document) in documents() {
        let noted = |document: &[u8]| notes(document).contains(&"pdfa".to_owned());
        for (what, made) in made_of(&document) {
            assert!(noted(&made), "{name} {what}");
            assert_qpdf_accepts(&made);
            let Some(added) = made.strip_prefix(&document[..]) else {
                assert_eq!(what, "flattened");
                continue;
            };
            // No fonts and no encryption; validation data are plain streams
            // (ISO 19005-2, 6.1.7), and the form of the cross-reference stays.
            let added = String::from_utf8_lossy(added);
            let forbidden: &[&str] = match what {
                "rehearsed" => &["/Encrypt", "/ObjStm"],
                _ => &["/Font", "/Encrypt", "/Filter /F", "/ObjStm"],
            };
            for key in forbidden {
                assert!(!added.contains(key), "{name} {what} {key}");
            }
        }
    }
}
