//! What a document has to hold for the highest level.

use parafa_fixtures::plain;
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, NeedKind, Step};
use parafa_format_pdf::verify;

use super::{signed, with_more, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, request, step};
use crate::ceremony::PKI;
use crate::earlier_signatures::{number_after, object, updated};

#[test]
fn a_time_stamp_over_everything_is_the_highest_level() {
    let archived = archived(&signed(&plain(1)));

    let stamped = stamped(&archived);

    assert_eq!(level_of_first(&stamped), "PAdES-B-LTA");
    let (again, nothing) = step(&stamped, &request(), &[]).unwrap();
    let Step::Done(outcome) = again else {
        panic!("nothing is to be asked")
    };
    assert_eq!(
        (outcome.level.as_str(), outcome.changed),
        ("PAdES-B-LTA", false)
    );
    assert!(nothing.is_empty());
}

#[test]
fn a_time_stamp_over_less_than_everything_is_none_over_it() {
    let before = stamped(&signed(&plain(1)));

    assert_eq!(level_of_first(&before), "PAdES-B-T");
    assert_eq!(level_of_first(&archived(&before)), "PAdES-B-LT");
}

#[test]
fn a_time_stamp_whose_chain_has_no_end_adds_nothing() {
    // Nothing holds the root: the chain of the one who stamps is cut off.
    let authority = HIERARCHY.authority.certificate.to_der().unwrap();
    let document = with_store(&signed(&plain(1)), &[authority], &[], &[]);

    assert_eq!(level_of_first(&stamped(&document)), "PAdES-B-T");
}

#[test]
fn what_a_time_stamp_is_over_stays_under_it_when_the_store_holds_it_again() {
    let mut responses = Vec::new();
    let (archived, _) = archived_with(&signed(&plain(1)), |need| {
        let answer = HIERARCHY.answer(need);
        if need.kind == NeedKind::Revocation {
            responses.extend(answer.outcome.clone());
        }
        answer
    })
    .unwrap();
    let stamped = stamped(&archived);

    let again = with_more(&stamped, "/OCSPs [", &responses);

    assert_eq!(level_of_first(&again), "PAdES-B-LTA");
}

fn level_of_first(document: &[u8]) -> String {
    let evidence = verify(&NativeEnvironment, &MemoryBlob(document.to_vec())).unwrap();
    assert_eq!(evidence[0].integrity, Integrity::Intact);
    evidence[0].level.clone()
}

/// A document with a document time-stamp (ISO 32000-2, 12.8.5).
fn stamped(document: &[u8]) -> Vec<u8> {
    const BLANK_RANGES: &str = "[0 1111111111 2222222222 3333333333]";
    const RESERVED_DIGITS: usize = 2 * 8192;

    let catalog = object(document, 1);
    let form = u32::try_from(number_after(catalog.as_bytes(), "/AcroForm ")).unwrap();
    let fields = object(document, form).replacen("/Fields [", "/Fields [90 0 R ", 1);
    let field =
        "<< /FT /Sig /T (Stamp) /V 91 0 R /Type /Annot /Subtype /Widget /Rect [0 0 0 0] /F 132 >>";
    let blank = "0".repeat(RESERVED_DIGITS);
    let signature = format!(
        "<< /Type /DocTimeStamp /Filter /Adobe.PPKLite /SubFilter /ETSI.RFC3161 \
         /ByteRange {BLANK_RANGES} /Contents <{blank}> >>"
    );
    let mut bytes = updated(
        document,
        &[
            (form, fields.as_str()),
            (90, field),
            (91, signature.as_str()),
        ],
    );
    let find = |bytes: &[u8], text: &[u8]| {
        let mut windows = bytes.windows(text.len());
        windows.rposition(|window| window == text).unwrap()
    };
    let start = find(&bytes, b"/Contents <") + "/Contents ".len();
    let end = start + RESERVED_DIGITS + 2;
    let ranges = format!("[0 {start:010} {end:010} {:010}]", bytes.len() - end);
    let at = find(&bytes, BLANK_RANGES.as_bytes());
    bytes[at..at + ranges.len()].copy_from_slice(ranges.as_bytes());
    let token = PKI.timestamp(&[&bytes[..start], &bytes[end..]].concat());
    let hex: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes[start + 1..=start + hex.len()].copy_from_slice(hex.as_bytes());
    bytes
}
