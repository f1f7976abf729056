//! Field trees in real files: with remains of deleted pages, and with fields
//! listed twice.

use crate::ceremony::P256;
use crate::flatten::{assert_form_is_gone, flattened, form, written};
use crate::intake::{inspected, refused};
use crate::referees::{assert_openssl_accepts, assert_pyhanko_accepts, assert_qpdf_accepts};

/// Returns a page with a checkbox 20 and a text field 21 with a value, and a
/// form with this field list.
fn document(fields: &str) -> Vec<u8> {
    with_objects(fields, &[])
}

/// Like `document`, with more objects.
fn with_objects(fields: &str, others: &[(u32, &str)]) -> Vec<u8> {
    let mut objects = form(&[
        "/FT /Btn /T (a) /AS /On /V /On /AP << /N << /On 52 0 R >> >>",
        "/FT /Tx /T (b) /V (Ona) /AP << /N 50 0 R >>",
    ]);
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> >>"),
    );
    for (number, object) in others {
        objects.set(*number, *object);
    }
    written(&objects)
}

fn names(document: &[u8]) -> Vec<String> {
    let fields = inspected(document).unwrap().fields;
    fields.into_iter().map(|field| field.name).collect()
}

#[test]
fn what_is_null_or_missing_or_listed_twice_is_no_other_field() {
    let others = [
        (60, "null"),
        (
            61,
            "<< /T (group) /Kids [null 20 0 R 90 0 R 20 0 R 60 0 R] >>",
        ),
    ];
    for (fields, expected) in [
        ("null 20 0 R 21 0 R", ["a", "b"]),
        ("20 0 R 90 0 R 60 0 R 21 0 R", ["a", "b"]),
        ("20 0 R 21 0 R 20 0 R 21 0 R", ["a", "b"]),
        ("61 0 R 21 0 R", ["group.a", "b"]),
        ("20 0 R 61 0 R 21 0 R", ["group.a", "b"]),
        ("61 0 R 21 0 R 20 0 R 61 0 R", ["group.a", "b"]),
    ] {
        let document = with_objects(fields, &others);

        assert_eq!(names(&document), expected, "{fields}");
        assert_form_is_gone(&flattened(&document).unwrap());
        let signed = P256.signs(&document).unwrap();
        let [first, second] = expected;
        assert_eq!(names(&signed), [first, second, "Signature1"], "{fields}");
        assert_openssl_accepts(&signed);
        assert_qpdf_accepts(&signed);
    }
}

#[test]
fn other_validators_accept_the_signature_in_such_a_form() {
    for (fields, is_lenient) in [
        ("null 20 0 R 21 0 R", false),
        ("20 0 R 90 0 R 21 0 R", true),
        ("20 0 R 21 0 R 20 0 R", false),
    ] {
        let signed = P256.signs(&document(fields)).unwrap();

        assert_pyhanko_accepts(&signed, 1, is_lenient);
    }
}

#[test]
fn fields_that_are_above_themselves_or_below_two_others_are_refused() {
    let kid = "<< /T (kid) /Kids [62 0 R] >>";
    for others in [
        [
            (61, "<< /T (own) /Kids [61 0 R] >>"),
            (62, "null"),
            (63, "null"),
        ],
        [
            (61, kid),
            (62, "<< /T (kid) /Kids [63 0 R] >>"),
            (63, "<< /T (kid) /Kids [61 0 R] >>"),
        ],
        [
            (61, kid),
            (62, "<< /T (kid) /Kids [63 0 R] >>"),
            (63, "<< /T (kid) /Kids [62 0 R] >>"),
        ],
        [
            (61, "<< /T (p) /Kids [62 0 R 63 0 R] >>"),
            (62, "<< /T (q) /Kids [20 0 R] >>"),
            (63, "<< /T (r) /Kids [20 0 R] >>"),
        ],
    ] {
        assert_eq!(
            refused(&with_objects("61 0 R", &others)),
            "form-tree",
            "{others:?}"
        );
    }
}

#[test]
fn what_is_there_but_no_field_is_refused() {
    for fields in ["20 0 R (text)", "20 0 R << /T (direct) >>"] {
        assert_eq!(refused(&document(fields)), "form-tree", "{fields}");
    }
    // No reader takes it for a field.
    let with_text = with_objects("20 0 R 61 0 R", &[(61, "(text)")]);
    assert_eq!(names(&with_text), ["a"]);
}
