//! Documents with signatures that forbid changes, or with changes after
//! signatures.

use parafa_fixtures::signed::{Identity, SignedPdf, Signing};
use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::Operation;

use crate::ceremony::{P256, P384};
use crate::intake::{carried, inspected, notes, refused, table};

/// Adds an update per object, with a classic table.
pub(crate) fn updated(document: &[u8], objects: &[(u32, &str)]) -> Vec<u8> {
    let mut bytes = document.to_vec();
    let prev = number_after(&bytes, "startxref\n");
    let size = number_after(&bytes, "/Size ").max(
        objects
            .iter()
            .map(|(number, _)| *number as usize + 1)
            .max()
            .unwrap(),
    );
    let mut entries = String::new();
    for (number, body) in objects {
        entries.push_str(&format!("{number} 1\n{:010} 00000 n \n", bytes.len()));
        bytes.extend_from_slice(format!("{number} 0 obj\n{body}\nendobj\n").as_bytes());
    }
    let start = bytes.len();
    let tail = format!(
        "xref\n{entries}trailer\n<< /Size {size} /Root 1 0 R /Prev {prev} >>\nstartxref\n{start}\n%%EOF\n"
    );
    bytes.extend_from_slice(tail.as_bytes());
    bytes
}

pub(crate) fn number_after(bytes: &[u8], text: &str) -> usize {
    let at = bytes
        .windows(text.len())
        .rposition(|window| window == text.as_bytes())
        .unwrap()
        + text.len();
    let digits: String = bytes[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .map(|byte| char::from(*byte))
        .collect();
    digits.parse().unwrap()
}

fn object_after(bytes: &[u8], text: &str) -> u32 {
    number_after(bytes, text).try_into().unwrap()
}

/// Returns the newest source of an object.
pub(crate) fn object(bytes: &[u8], number: u32) -> String {
    let header = format!("\n{number} 0 obj\n");
    let at = bytes
        .windows(header.len())
        .rposition(|window| window == header.as_bytes())
        .unwrap()
        + header.len();
    let text = String::from_utf8_lossy(&bytes[at..]).into_owned();
    text[..text.find("\nendobj").unwrap()].to_owned()
}

pub(crate) fn with_entries(dictionary: &str, entries: &str) -> String {
    format!(
        "{} {entries} >>",
        dictionary.trim_end().strip_suffix(">>").unwrap()
    )
}

fn signed() -> Vec<u8> {
    P256.signs(&plain(1)).unwrap()
}

/// Returns a document whose only field has a signature dictionary; nothing is
/// signed, but the ranges are correct.
pub(crate) fn with_signature(signature: &str, field: &str) -> Vec<u8> {
    with_right_ranges(&with_blank_ranges(signature, field))
}

fn with_blank_ranges(signature: &str, field: &str) -> Vec<u8> {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] /SigFlags 3 >> >>",
    );
    objects.set(7, format!("<< /FT /Sig /T (Signed) /V 8 0 R {field} >>"));
    objects.set(8, format!("<< /Type /Sig /ByteRange {BLANK_RANGES} /Contents <3000> /M (D:20260102030405Z) {signature} >>"));
    table(&objects)
}

/// Sets the ranges of the document's only signature to cover all of it.
fn with_right_ranges(bytes: &[u8]) -> Vec<u8> {
    let contents = bytes
        .windows(6)
        .position(|window| window == b"<3000>")
        .unwrap();
    let (start, end) = (contents, contents + 6);
    let right = format!("[0 {start:010} {end:010} {:010}]", bytes.len() - end);
    replaced(bytes, BLANK_RANGES, &right)
}

const BLANK_RANGES: &str = "[0 1111111111 2222222222 3333333333]";

fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes
        .windows(old.len())
        .position(|window| window == old.as_bytes())
        .unwrap();
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

#[test]
fn signatures_are_told_in_the_order_in_which_they_were_made() {
    for layout in CrossReference::ALL {
        let document = PdfBuilder::new().cross_reference(layout).build();
        let report = inspected(&P384.signs(&P256.signs(&document).unwrap()).unwrap()).unwrap();

        let signers: Vec<_> = report
            .signatures
            .iter()
            .map(|signature| signature.signer.as_deref())
            .collect();
        assert_eq!(
            signers,
            [Some("Elena Pirmoji"), Some("Elena Antroji")],
            "{layout:?}"
        );
        assert_eq!(report.signatures[0].claimed_time, Some(1_795_242_275));
        assert_eq!(report.notes[0].code, "signed");
    }
}

#[test]
fn signatures_that_are_not_intact_are_told_of_and_keep_nobody_from_signing() {
    let once = SignedPdf::unsigned().sign(Signing::by(Identity::Ona));
    let told = |document: &[u8]| {
        let mut notes = inspected(document).unwrap().notes.into_iter();
        let broken = notes.find(|note| note.code == "signature-broken");
        broken.map(|note| note.detail)
    };
    let twice = once.clone().sign(Signing::by(Identity::Jonas));
    assert_eq!(told(&twice.clone().build()), None);

    for (document, named) in [
        (
            once.clone().with_replaced("(Sutartis", "(SutartYs"),
            "\"Signature1\" (digest-mismatch)",
        ),
        (
            once.clone().with_other_value(),
            "\"Signature1\" (signature-mismatch)",
        ),
        (once.with_garbage_for_value(), "\"Signature1\" (malformed)"),
        (
            twice.with_replaced("(Sutartis", "(SutartYs"),
            "\"Signature1\" (digest-mismatch), \"Signature2\" (digest-mismatch)",
        ),
    ] {
        let document = document.build();

        let detail = format!("Signatures in the document that are not intact: {named}.");
        assert_eq!(told(&document).as_ref(), Some(&detail));
        let signed = P256.signs(&document).unwrap();
        assert_eq!(told(&signed), Some(detail));
    }
}

#[test]
fn of_many_signatures_that_are_not_intact_the_first_are_named() {
    let mut document = SignedPdf::unsigned();
    for _ in 0..12 {
        document = document.sign(Signing::by(Identity::Ona));
    }
    let document = document.with_replaced("(Sutartis", "(SutartYs").build();

    let notes = inspected(&document).unwrap().notes;
    let broken = notes.iter().find(|note| note.code == "signature-broken");
    let detail = &broken.unwrap().detail;
    assert!(detail.contains("\"Signature10\""), "{detail}");
    assert!(detail.ends_with(" and 2 others."), "{detail}");
}

#[test]
fn changed_page_content_is_refused_and_names_the_signature() {
    let bytes = updated(
        &signed(),
        &[(6, "<< /Length 5 >>\nstream\nBT ET\nendstream")],
    );
    let refusal = inspected(&bytes).unwrap_err();

    assert_eq!(refusal.code, "modified-after-signing");
    assert_eq!(refusal.subjects, ["Signature1"]);
}

#[test]
fn a_changed_page_is_refused() {
    let signed = signed();
    let page = object(&signed, 5);

    assert_eq!(
        refused(&updated(
            &signed,
            &[(5, &with_entries(&page, "/Rotate 90"))]
        )),
        "modified-after-signing"
    );
    let annotated = with_entries(&page, "/Annots [40 0 R]");
    let note = "<< /Type /Annot /Subtype /FreeText /Rect [0 0 99 99] >>";
    assert_eq!(
        refused(&updated(&signed, &[(5, &annotated), (40, note)])),
        "modified-after-signing"
    );
}

#[test]
fn a_changed_catalog_is_refused() {
    let signed = signed();
    let catalog = with_entries(&object(&signed, 1), "/OpenAction [5 0 R /Fit]");

    assert_eq!(
        refused(&updated(&signed, &[(1, &catalog)])),
        "modified-after-signing"
    );
}

#[test]
fn a_changed_font_is_refused() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>";

    assert_eq!(
        refused(&updated(&signed(), &[(3, font)])),
        "modified-after-signing"
    );
}

#[test]
fn an_object_that_was_referred_to_before_it_came_is_refused() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        5,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Annots [40 0 R] >>",
    );
    let signed = P256.signs(&table(&objects)).unwrap();

    assert_eq!(notes(&signed), ["signed"]);
    let note = "<< /Type /Annot /Subtype /FreeText /Rect [0 0 99 99] >>";
    assert_eq!(
        refused(&updated(&signed, &[(40, note)])),
        "modified-after-signing"
    );
}

#[test]
fn an_object_that_nothing_leads_to_changes_nothing() {
    assert_eq!(
        notes(&updated(&signed(), &[(40, "<< /Producer (x) >>")])),
        ["signed"]
    );
}

#[test]
fn the_same_object_written_anew_changes_nothing() {
    let signed = signed();
    let page = object(&signed, 5).replace(' ', "\n");

    assert_eq!(notes(&updated(&signed, &[(5, &page)])), ["signed"]);
}

#[test]
fn validation_data_may_follow_a_signature() {
    let signed = signed();
    let catalog = with_entries(&object(&signed, 1), "/DSS 40 0 R");
    let stream = "<< /Length 2 >>\nstream\n0\0\nendstream";
    let bytes = updated(
        &signed,
        &[(1, &catalog), (40, "<< /Certs [41 0 R] >>"), (41, stream)],
    );
    assert_eq!(notes(&bytes), ["signed"]);

    let more = updated(
        &bytes,
        &[(40, "<< /Certs [41 0 R 42 0 R] >>"), (42, stream)],
    );
    assert_eq!(notes(&more), ["signed"]);
}

#[test]
fn validation_data_do_not_excuse_a_change_of_what_they_refer_to() {
    let signed = signed();
    let catalog = with_entries(&object(&signed, 1), "/DSS << /Certs [6 0 R] >>");
    let content = "<< /Length 5 >>\nstream\nBT ET\nendstream";

    assert_eq!(
        refused(&updated(&signed, &[(1, &catalog), (6, content)])),
        "modified-after-signing"
    );
}

#[test]
fn a_field_may_be_filled_in_but_not_moved() {
    let document = PdfBuilder::new().text_field("Vardas", "Ona").build();
    let signed = P256.signs(&document).unwrap();
    let field = object(&signed, 7);

    assert_eq!(
        notes(&updated(
            &signed,
            &[(7, &field.replace("(Ona)", "(Jonas)"))]
        )),
        ["signed"]
    );
    let moved = field.replace("/Rect [", "/Rect [1");
    assert_ne!(moved, field);
    assert_eq!(
        refused(&updated(&signed, &[(7, &moved)])),
        "modified-after-signing"
    );
}

#[test]
fn a_signature_may_not_be_exchanged() {
    let signed = signed();
    let field = object_after(&signed, "/Fields [");
    let source = object(&signed, field);
    let exchanged = source.replacen("/V ", "/V 40 0 R /Was ", 1);
    let copy = object(&signed, object_after(source.as_bytes(), "/V "));

    assert_ne!(exchanged, source);
    assert_eq!(
        refused(&updated(&signed, &[(field, &exchanged), (40, &copy)])),
        "signature-byterange"
    );
}

#[test]
fn a_signature_may_not_be_taken_away_from_another() {
    let signed = signed();
    let field = object_after(&signed, "/Fields [");
    let signed_twice = P384.signs(&signed).unwrap();
    let emptied = object(&signed, field);
    let value = format!("/V {} 0 R", object_after(emptied.as_bytes(), "/V "));
    let emptied = emptied.replace(&value, "");

    assert_eq!(
        refused(&updated(&signed_twice, &[(field, &emptied)])),
        "modified-after-signing"
    );
}

#[test]
fn a_document_that_takes_no_signature_may_be_carried() {
    let certified = "/Reference [<< /TransformMethod /DocMDP /TransformParams << /P 1 >> >>]";
    let document = with_signature(certified, "");
    let report = carried(&document).unwrap();

    let [obstacle] = &report.obstacles[..] else {
        panic!("one obstacle: {report:?}")
    };
    assert_eq!(obstacle.operation, Operation::Sign);
    assert_eq!(obstacle.refusal.code, "certified-no-changes");
    assert_eq!(P384.signs(&document).unwrap_err(), obstacle.refusal);
}

#[test]
fn a_certification_without_changes_forbids_signing() {
    let reference = |permission: &str| {
        format!("/Reference [<< /TransformMethod /DocMDP /TransformParams << {permission} >> >>]")
    };

    assert_eq!(
        refused(&with_signature(&reference("/P 1"), "")),
        "certified-no-changes"
    );
    assert_eq!(
        notes(&with_signature(&reference("/P 3"), "")),
        ["certified", "signed", "signature-broken"]
    );
    assert_eq!(
        notes(&with_signature(&reference(""), "")),
        ["certified", "signed", "signature-broken"]
    );
}

#[test]
fn a_certification_that_permits_what_no_table_knows_forbids_signing() {
    let permission = |value: &str| {
        format!("/Reference [<< /TransformMethod /DocMDP /TransformParams << /P {value} >> >>]")
    };
    for value in ["1.0", "0", "/None"] {
        assert_eq!(
            refused(&with_signature(&permission(value), "")),
            "certified-no-changes"
        );
    }
    assert!(notes(&with_signature(&permission("3"), "")).contains(&"certified".to_owned()));
}

#[test]
fn a_field_below_a_signature_does_not_hide_it() {
    let certified = "/Reference [<< /TransformMethod /DocMDP /TransformParams << /P 1 >> >>]";

    let document = with_signature(certified, "/Kids [9 0 R]");
    let with_kid = updated(&document, &[(9, "<< /T (Kid) /Parent 7 0 R >>")]);

    assert_eq!(refused(&with_kid), "certified-no-changes");
}

#[test]
fn a_lock_of_the_whole_document_forbids_signing() {
    assert_eq!(
        refused(&with_signature("", "/Lock << /Action /All /P 1 >>")),
        "certified-no-changes"
    );
    assert_eq!(
        notes(&with_signature("", "/Lock << /Action /All /P 2 >>")),
        ["signed", "signature-broken"]
    );
}

#[test]
fn a_signature_has_its_field_and_its_claimed_time() {
    let report = inspected(&with_signature("", "")).unwrap();

    assert_eq!(report.signatures[0].id, "Signed");
    assert_eq!(report.signatures[0].signer, None);
    assert_eq!(report.signatures[0].claimed_time, Some(1_767_323_045));
}

#[test]
fn ranges_that_do_not_leave_out_exactly_the_contents_are_refused() {
    let right = with_signature("", "");
    let text = "/ByteRange [0 ";
    let start = number_after(&right, text);
    let ranges = |first: String| {
        replaced(
            &right,
            &format!("{text}{start:010}"),
            &format!("/ByteRange [{first}"),
        )
    };

    assert_eq!(notes(&right), ["signed", "signature-broken"]);
    assert_eq!(
        refused(&ranges(format!("0 {:010}", start - 1))),
        "signature-byterange"
    );
    assert_eq!(
        refused(&ranges(format!("1 {start:010}"))),
        "signature-byterange"
    );
    assert_eq!(
        refused(&ranges(format!("0 -{start:09}"))),
        "signature-byterange"
    );
    assert_eq!(
        refused(&replaced(&right, "<3000>", "(00ab)")),
        "signature-byterange"
    );
}

#[test]
fn ranges_that_do_not_end_with_a_revision_are_refused() {
    let right = with_signature("", "");
    let end = right.len()
        - (right
            .windows(6)
            .position(|window| window == b"<3000>")
            .unwrap()
            + 6);
    let with_length =
        |len: usize| replaced(&right, &format!(" {end:010}]"), &format!(" {len:010}]"));

    assert_eq!(notes(&with_length(end - 1)), ["signed", "signature-broken"]);
    assert_eq!(refused(&with_length(end - 2)), "signature-byterange");
    assert_eq!(refused(&with_length(end + 1)), "signature-byterange");
}

#[test]
fn a_range_may_end_with_white_space_after_the_revision_but_not_with_more() {
    let ending_with = |end: &[u8]| {
        let document = with_blank_ranges("", "");
        with_right_ranges(&[&document, end].concat())
    };

    let signed = P256.signs(&ending_with(b" \r\n\n")).unwrap();

    assert_eq!(inspected(&signed).unwrap().signatures.len(), 2);
    assert_eq!(refused(&ending_with(b"more")), "signature-byterange");
}

#[test]
fn signatures_of_fields_with_one_name_are_told_apart() {
    let first = signed();
    let second = replaced(&P384.signs(&first).unwrap(), "(Signature2)", "(Signature1)");

    let ids: Vec<_> = inspected(&second)
        .unwrap()
        .signatures
        .into_iter()
        .map(|signature| signature.id)
        .collect();

    assert_eq!(ids[0], "Signature1");
    assert!(ids[1].starts_with("Signature1 ["), "{ids:?}");
}

#[test]
fn a_permitted_role_does_not_excuse_a_change_of_what_had_another() {
    let signed = signed();
    let form_reference = format!("/AcroForm {} 0 R", object_after(&signed, "/AcroForm "));
    let form_over_content = object(&signed, 1).replace(&form_reference, "/AcroForm 6 0 R");
    assert_ne!(form_over_content, object(&signed, 1));
    let field = object_after(&signed, "/Fields [");
    let form = format!("<< /Fields [{field} 0 R] /SigFlags 3 >>");

    assert_eq!(
        refused(&updated(&signed, &[(1, &form_over_content), (6, &form)])),
        "modified-after-signing"
    );
    let annotations = with_entries(&object(&signed, 5), "/Annots 6 0 R");
    assert_eq!(
        refused(&updated(&signed, &[(5, &annotations), (6, "[]")])),
        "modified-after-signing"
    );
}
