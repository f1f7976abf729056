//! Objects that occur more than once in a file: the listed one counts, even if
//! it cannot be parsed.

use parafa_fixtures::{CrossReference, PdfBuilder};

use crate::ceremony::P256;
use crate::intake::{inspected, refused};

#[test]
fn an_object_that_cannot_be_parsed_is_not_taken_from_an_object_stream() {
    let document = PdfBuilder::new()
        .text_field("name", "Vardenis")
        .cross_reference(CrossReference::Stream)
        .build();
    let signed = P256.signs(&document).unwrap();
    let is_key = |at: &usize| signed[*at..].starts_with(b"/AcroForm");
    let catalog = (0..signed.len()).rev().find(is_key).unwrap();
    let mut damaged = signed;
    damaged[catalog..][..3].copy_from_slice(b"(A(");

    assert_eq!(refused(&damaged), "object-damaged");
}

#[test]
fn what_is_written_in_an_odd_way_is_taken_also_where_objects_have_other_copies() {
    for layout in [CrossReference::Stream, CrossReference::Table] {
        let mut document = PdfBuilder::new().cross_reference(layout).build();
        let line_end = document.iter().position(|byte| *byte == b'\n').unwrap();
        document[line_end] = b' ';

        let signed = P256.signs(&document).unwrap();
        assert_eq!(inspected(&signed).unwrap().signatures.len(), 1);
        assert!(P256.signs(&signed).is_ok());
    }
}
