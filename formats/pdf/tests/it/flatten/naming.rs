//! Names of the fields that prevent flattening.

use super::{PAGE, failing, flattened, form, set_pages, written};

#[test]
fn fields_are_named_in_full_each_once_in_the_order_of_the_pages() {
    let mut objects = form(&[
        "/FT /Tx /T (last) /V (x)",
        "/Parent 30 0 R /T <FEFF0160017E>",
        "/Parent 31 0 R",
        "/Parent 31 0 R",
        "/FT /Tx /V (x)",
    ]);
    objects.set(30, "<< /T (sutartis) /FT /Tx /V (x) /Kids [21 0 R] >>");
    objects.set(31, "<< /T (b) /FT /Tx /V (x) /Kids [22 0 R 23 0 R] >>");
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 30 0 R 31 0 R] >> >>",
    );
    objects.set(
        2,
        "<< /Type /Pages /Count 2 /Kids [7 0 R 5 0 R] /MediaBox [0 0 9 9] >>",
    );
    objects.set(
        7,
        "<< /Type /Page /Parent 2 0 R /Annots [21 0 R 22 0 R 24 0 R] >>",
    );
    objects.set(
        PAGE,
        "<< /Type /Page /Parent 2 0 R /Annots [20 0 R 23 0 R] >>",
    );

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(
        refusal.subjects,
        [
            "sutartis.Šž: no-appearance",
            "b: no-appearance",
            "(unnamed p1 #2): no-appearance",
            "last: no-appearance"
        ]
    );
}

#[test]
fn a_name_is_read_in_every_encoding_that_readers_take() {
    assert_eq!(
        failing(&[
            "/FT /Tx /V (x) /T (\\227)",
            "/FT /Tx /V (x) /T <FEFF017E>",
            "/FT /Tx /V (x) /T <FFFE60017E01>",
            "/FT /Tx /V (x) /T <EFBBBFC5A0>",
        ]),
        ["Š: no-appearance", "ž: no-appearance", "Šž: no-appearance"]
    );
}

#[test]
fn an_empty_name_is_none() {
    let mut objects = form(&[
        "/FT /Tx /V (x) /T ()",
        "/Parent 30 0 R /T ()",
        "/Parent 31 0 R /T (last)",
        "/FT /Tx /V (x) /T <FEFF>",
    ]);
    objects.set(30, "<< /T (A) /FT /Tx /V (x) /Kids [21 0 R] >>");
    objects.set(31, "<< /T () /FT /Tx /V (x) /Kids [22 0 R] >>");
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R \
         /AcroForm << /Fields [20 0 R 30 0 R 31 0 R 23 0 R] >> >>",
    );

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(
        refusal.subjects,
        [
            "(unnamed p1 #0): no-appearance",
            "A: no-appearance",
            "last: no-appearance",
            "(unnamed p1 #3): no-appearance"
        ]
    );
}

#[test]
fn a_field_of_many_widgets_is_named_once_however_long_its_name_is() {
    let name = "long".repeat(200_000);
    let mut objects = form(&[&format!("/FT /Tx /V (x) /T ({name})")]);
    set_pages(&mut objects, 200, "/Annots 41 0 R");
    objects.set(41, "[20 0 R]");
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, [format!("{name}: no-appearance")]);
}

#[test]
fn names_that_take_too_long_to_read_are_refused() {
    let name = "long".repeat(500_000);
    let kids = ["/Parent 30 0 R"; 5];
    let mut objects = form(&kids);
    objects.set(30, format!("<< /FT /Tx /V (x) /T ({name}) >>"));
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.code, "form-tree");
}
