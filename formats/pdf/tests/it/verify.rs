//! Reports of `verify` on sound and tampered documents.

use std::fs;

use parafa_fixtures::referees::signed_parts;
use parafa_fixtures::tool::samples;
use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::{
    CoverageKind, DigestAlgorithm, Environment, Evidence, Integrity, MemoryBlob, NativeEnvironment,
    Part, SignatureEvidence,
};
use parafa_format_pdf::verify;

use crate::ceremony::{P256, P384, PKI, RSA_3072_PSS};
use crate::earlier_signatures::{object, updated, with_entries};
use crate::watched::Watched;

#[test]
fn every_signature_in_a_row_is_intact() {
    for layout in CrossReference::ALL {
        let document = PdfBuilder::new().cross_reference(layout).build();
        let signed = [&RSA_3072_PSS, &P384, &P256]
            .iter()
            .fold(document, |document, person| {
                person.signs(&document).unwrap()
            });

        let evidence = evidence(&signed);

        let ids: Vec<&str> = evidence
            .iter()
            .map(|signature| signature.id.as_str())
            .collect();
        assert_eq!(ids, ["Signature1", "Signature2", "Signature3"]);
        assert!(
            evidence
                .iter()
                .all(|signature| signature.integrity == Integrity::Intact),
            "{layout:?}"
        );
        assert!(
            evidence
                .iter()
                .all(|signature| signature.level == "PAdES-B-T")
        );
        let coverage: Vec<CoverageKind> = evidence
            .iter()
            .map(|signature| signature.coverage.kind)
            .collect();
        assert_eq!(
            coverage,
            [
                CoverageKind::EntireRevision,
                CoverageKind::EntireRevision,
                CoverageKind::EntireFile
            ]
        );
    }
}

#[test]
fn the_evidence_is_what_the_device_signed_and_gave() {
    let signed = P256.signs(&plain(1)).unwrap();

    let evidence = all_evidence(&signed);
    let [signature] = &evidence.signatures[..] else {
        panic!("one signature")
    };

    let attributes = signature.signed.as_bytes().unwrap();
    let signed_bytes: [Part<'_, MemoryBlob>; 1] = [Part::Bytes(attributes)];
    let digest = NativeEnvironment.digest(DigestAlgorithm::Sha256, &signed_bytes);
    let spki = P256.holder.key.public_key_to_der().unwrap();
    assert_eq!(signature.algorithm, Some(P256.algorithm));
    assert_eq!(
        NativeEnvironment.verify(&spki, P256.algorithm, &digest, &signature.value),
        Ok(true)
    );
    assert_eq!(
        evidence.signer_certificate(signature),
        Some(&P256.holder.certificate.to_der().unwrap()[..])
    );
    assert!(
        PKI.chain(&P256.holder)
            .iter()
            .all(|certificate| evidence.certificates.contains(certificate))
    );
    assert_eq!(signature.timestamps.len(), 1);
    assert!(signature.revocation.is_empty());
}

#[test]
fn a_changed_byte_is_a_digest_mismatch() {
    let signed = P256.signs(&plain(1)).unwrap();
    let tampered = replaced(&signed, b"Sutartis", b"Dovanoju");

    assert_eq!(integrity(&tampered), Integrity::DigestMismatch);
}

#[test]
fn a_changed_signature_value_is_a_signature_mismatch() {
    let signed = P256.signs(&plain(1)).unwrap();
    let value = &evidence(&signed)[0].value;
    let hex: String = value.iter().map(|byte| format!("{byte:02X}")).collect();
    let mut other = hex.clone();
    other.replace_range(20..22, if &hex[20..22] == "00" { "01" } else { "00" });

    assert_eq!(
        integrity(&replaced(&signed, hex.as_bytes(), other.as_bytes())),
        Integrity::SignatureMismatch
    );
}

#[test]
fn a_changed_byte_range_is_not_taken() {
    let signed = P256.signs(&plain(1)).unwrap();
    let text = String::from_utf8_lossy(&signed).into_owned();
    let written = text
        .split("/ByteRange ")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    let last = written.rsplit(' ').next().unwrap();
    let shorter = format!(
        "{:<width$}",
        last.parse::<usize>().unwrap() - 10,
        width = last.len()
    );
    let tampered = replaced(
        &signed,
        format!(" {last}]").as_bytes(),
        format!(" {shorter}]").as_bytes(),
    );

    assert_eq!(integrity(&tampered), Integrity::ByteRange);
}

#[test]
fn a_page_that_a_later_revision_replaces_modifies_the_document() {
    let document = plain(1);
    let signed = P256.signs(&document).unwrap();
    let startxref = String::from_utf8_lossy(&signed)
        .rsplit("startxref\n")
        .next()
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    let page =
        "5 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1 1] /Resources << >> >>\nendobj\n";
    let size = "/Size ";
    let text = String::from_utf8_lossy(&signed).into_owned();
    let size: String = text
        .rsplit(size)
        .next()
        .unwrap()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let update = format!(
        "{page}xref\n5 1\n{:010} 00000 n\r\ntrailer\n<< /Size {size} /Root 1 0 R /Prev {startxref} >>\nstartxref\n{}\n%%EOF\n",
        signed.len(),
        signed.len() + page.len()
    );

    assert_eq!(
        integrity(&[signed.as_slice(), update.as_bytes()].concat()),
        Integrity::Modified
    );
}

#[test]
fn a_signature_that_cannot_be_read_is_malformed() {
    let signed = P256.signs(&plain(1)).unwrap();
    let cms: String = signed_parts(&signed, 0)[0]
        .cms
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02X}"))
        .collect();

    let tampered = replaced(&signed, cms.as_bytes(), b"3003020101000000");

    assert_eq!(integrity(&tampered), Integrity::Malformed);
}

#[test]
fn signatures_of_other_people_have_the_levels_that_can_be_checked() {
    let Some(samples) = samples() else { return };
    for (name, level) in [
        ("pdfcpu__testPAdES_BB.pdf", "PAdES-B-B"),
        // The certificate of the time-stamping unit is missing.
        ("pdfcpu__testPAdES_BT.pdf", "PAdES-B-B"),
        ("pdfcpu__testPAdES_BLT.pdf", "PAdES-B-LT"),
    ] {
        let document = fs::read(samples.join("pdf").join(name)).unwrap();
        let signed = P256.signs(&document).unwrap();

        let [theirs, ours] = &evidence(&signed)[..] else {
            panic!("{name}")
        };

        assert_eq!(
            (theirs.level.as_str(), theirs.integrity),
            (level, Integrity::Intact),
            "{name}"
        );
        assert_eq!(
            (ours.level.as_str(), ours.integrity),
            ("PAdES-B-T", Integrity::Intact),
            "{name}"
        );
    }
}

#[test]
fn what_the_security_store_names_twice_is_evidence_once() {
    let signed = P256.signs(&plain(1)).unwrap();

    let extended = with_security_store(&signed);

    let evidence = all_evidence(&extended);
    assert_eq!(evidence.revocation, [ANSWER.as_bytes()]);
    assert_eq!(evidence.signatures[0].revocation, [0]);
    assert_eq!(evidence.signatures[0].level, "PAdES-B-T");
}

#[test]
fn revocation_data_are_evidence_for_the_signatures_before_them() {
    let signed = P256.signs(&plain(1)).unwrap();
    let signed_again = P384.signs(&with_security_store(&signed)).unwrap();

    let evidence = all_evidence(&signed_again);
    let [before, after] = &evidence.signatures[..] else {
        panic!("two signatures")
    };

    assert!(evidence.revocation(before).eq([ANSWER.as_bytes()]));
    assert!(after.revocation.is_empty());
}

const ANSWER: &str = "an answer";

/// Adds a revision with a security store that lists one answer twice.
fn with_security_store(signed: &[u8]) -> Vec<u8> {
    let catalog = with_entries(&object(signed, 1), "/DSS << /OCSPs [40 0 R 40 0 R] >>");
    let stream = format!(
        "<< /Length {} >>\nstream\n{ANSWER}\nendstream",
        ANSWER.len()
    );
    updated(signed, &[(1, &catalog), (40, &stream)])
}

pub(crate) fn evidence(document: &[u8]) -> Vec<SignatureEvidence> {
    all_evidence(document).signatures
}

/// Returns the integrity of the first signature.
pub(crate) fn first_integrity(document: &[u8]) -> Integrity {
    evidence(document)[0].integrity
}

pub(crate) fn all_evidence(document: &[u8]) -> Evidence {
    verify(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap()
}

fn integrity(document: &[u8]) -> Integrity {
    let [signature] = &evidence(document)[..] else {
        panic!("one signature")
    };
    signature.integrity
}

pub(crate) fn replaced(document: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = document
        .windows(from.len())
        .position(|window| window == from)
        .expect("what is to be replaced is there");
    [&document[..at], to, &document[at + from.len()..]].concat()
}

#[test]
fn a_signature_by_a_key_on_an_unknown_curve_is_unsupported_and_changed_content_is_told_all_the_same()
 {
    let host = Watched {
        is_without_curves: true,
        ..Watched::default()
    };
    let signed = P256.signs(&PdfBuilder::new().build()).unwrap();
    let integrity = |document: Vec<u8>| {
        let evidence = verify(&host, &MemoryBlob(document)).unwrap();
        evidence.signatures[0].integrity
    };

    let mut changed = signed.clone();
    changed[10] ^= 1;
    assert_eq!(integrity(signed), Integrity::Unsupported);
    assert_eq!(integrity(changed), Integrity::DigestMismatch);
}
