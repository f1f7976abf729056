//! References and hidden objects that readers resolve differently.

use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::{MemoryBlob, NativeEnvironment};
use parafa_format_pdf::verify;

use crate::ceremony::P256;
use crate::earlier_signatures::{number_after, object, updated};
use crate::intake::{inspected, refused};

#[test]
fn a_reference_has_the_generation_of_its_object() {
    let refers = |to: &str| {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {to} >>"),
        );
        objects
    };
    for layout in CrossReference::ALL {
        let written = |to| refers(to).write("1.7", layout, "/Root 1 0 R /Info 4 0 R");

        assert!(inspected(&written("6 0 R")).is_ok(), "{layout:?}");
        assert_eq!(refused(&written("6 3 R")), "xref-ambiguous", "{layout:?}");
        // No reader finds anything there.
        assert!(inspected(&written("[6 0 R 600 3 R]")).is_ok(), "{layout:?}");
    }
}

#[test]
fn a_reference_that_is_led_astray_after_a_signature_is_refused() {
    let signed = P256.signs(&plain(1)).unwrap();
    let form = number_after(&signed, "/AcroForm ");
    let catalog = object(&signed, 1);
    let astray = catalog.replace(
        &format!("/AcroForm {form} 0 R"),
        &format!("/AcroForm {form} 3 R"),
    );
    assert_ne!(astray, catalog);

    let forged = updated(&signed, &[(1, &astray)]);

    assert_eq!(refused(&forged), "xref-ambiguous");
    let verified = verify(&NativeEnvironment, &MemoryBlob(forged));
    assert_eq!(verified.unwrap_err().code, "xref-ambiguous");
}

/// Returns a document with an update whose table has one entry for the page
/// content. Its hybrid stream lists the original offset or, with another entry
/// type, something else.
fn with_hidden_content(in_table: &str, kind: u8) -> Vec<u8> {
    let mut bytes = plain(1);
    let prev = number_after(&bytes, "startxref\n");
    let content = b"\n6 0 obj";
    let content = bytes
        .windows(content.len())
        .position(|window| window == content)
        .unwrap()
        + 1;
    let size = number_after(&bytes, "/Size ");
    let stream = bytes.len();
    let row: Vec<u8> = [kind]
        .into_iter()
        .chain(u32::try_from(content).unwrap().to_be_bytes())
        .chain([0, 0])
        .collect();
    bytes.extend_from_slice(
        format!(
            "{size} 0 obj\n<< /Type /XRef /Size {} /W [1 4 2] /Index [6 1] /Length 7 >>\nstream\n",
            size + 1
        )
        .as_bytes(),
    );
    bytes.extend_from_slice(&row);
    bytes.extend_from_slice(b"\nendstream\nendobj\n");
    let start = bytes.len();
    let in_table = in_table.replace("OFFSET", &format!("{content:010}"));
    let tail = format!(
        "xref\n{in_table}trailer\n<< /Size {} /Root 1 0 R /Info 4 0 R /Prev {prev} /XRefStm {stream} >>\n\
         startxref\n{start}\n%%EOF\n",
        size + 1
    );
    bytes.extend_from_slice(tail.as_bytes());
    bytes
}

#[test]
fn a_table_counts_before_the_stream_beside_it_and_both_before_what_is_older() {
    let nothing = "0 1\n0000000000 65535 f \n";
    let same = format!("{nothing}6 1\nOFFSET 00000 n \n");
    let freed = format!("{nothing}6 1\n0000000000 00001 f \n");
    let elsewhere = format!("{nothing}6 1\n0000000009 00000 n \n");

    for in_table in [nothing, &same] {
        assert!(inspected(&with_hidden_content(in_table, 1)).is_ok());
    }
    assert_eq!(
        refused(&with_hidden_content(&freed, 1)),
        "xref-ambiguous",
        "for some readers the older content is gone"
    );
    assert_eq!(refused(&with_hidden_content(&elsewhere, 1)), "xref-damaged");
    assert!(inspected(&with_hidden_content(nothing, 0)).is_ok());
}

#[test]
fn the_trailer_refers_to_objects_by_their_generations_too() {
    let written = |information: &str| {
        let objects = PdfBuilder::new().objects();
        let trailer = format!("/Root 1 0 R /Info {information}");
        objects.write("1.7", CrossReference::Table, &trailer)
    };

    assert!(inspected(&written("4 0 R")).is_ok());
    assert_eq!(refused(&written("4 7 R")), "xref-ambiguous");
}

#[test]
fn a_document_that_draws_its_catalog_is_refused_because_only_one_could_sign_it() {
    // The object 8 is the cross-reference stream, whose /Root is the catalog.
    for (layout, font) in [
        (CrossReference::Table, 1),
        (CrossReference::Stream, 1),
        (CrossReference::Stream, 8),
    ] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R \
                 /Resources << /Font << /F1 {font} 0 R >> >> >>"
            ),
        );
        let document = objects.write("1.7", layout, "/Root 1 0 R /Info 4 0 R");

        assert_eq!(refused(&document), "object-damaged", "{layout:?} {font}");
        assert_eq!(P256.signs(&document).unwrap_err().code, "object-damaged");
    }
}

#[test]
fn a_document_whose_catalog_is_a_field_is_refused_because_only_one_could_sign_it() {
    let field = "<< /FT /Tx /T (Kita) /Kids [1 0 R] >>";
    for (own, fields) in [("", "1 0 R"), ("/FT /Tx /T (Ji)", "1 0 R"), ("", "7 0 R")] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            1,
            format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> {own} >>"),
        );
        objects.set(7, field);
        let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R");

        assert_eq!(refused(&document), "object-damaged", "{own} {fields}");
    }
}

#[test]
fn a_page_tree_that_goes_on_to_the_catalog_can_be_signed_by_many() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(2, "<< /Type /Pages /Count 1 /Kids [5 0 R] /Parent 1 0 R >>");
    let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R");

    let signed = P256.signs(&P256.signs(&document).unwrap()).unwrap();

    assert_eq!(inspected(&signed).unwrap().signatures.len(), 2);
}

#[test]
fn a_form_whose_fields_are_not_there_gets_its_first_field() {
    for fields in ["7 0 R", "99 0 R", "null"] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            1,
            format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields {fields} >> >>"),
        );
        objects.set(7, "null");
        let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R");

        let signed = P256.signs(&P256.signs(&document).unwrap()).unwrap();

        assert_eq!(inspected(&signed).unwrap().signatures.len(), 2, "{fields}");
    }
}
