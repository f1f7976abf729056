//! Tagged documents.

use parafa_fixtures::Objects;

use super::{BOX, assert_form_is_gone, flattened, form, text, written};
use crate::referees::assert_qpdf_accepts;

#[test]
fn the_structure_tree_has_the_drawing_in_place_of_the_widget() {
    let mut objects = form(&[
        &format!("/FT /Btn /T (a) /StructParent 1 /AP << /N {BOX} >>"),
        "/FT /Btn /T (b) /StructParent 2 /F 2",
    ]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 21 0 R] >> \
         /MarkInfo << /Marked true >> /StructTreeRoot 40 0 R >>",
    );
    objects.set(
        40,
        "<< /Type /StructTreeRoot /K [41 0 R 42 0 R] /ParentTree 43 0 R /ParentTreeNextKey 3 >>",
    );
    objects.set(
        41,
        "<< /S /Form /P 40 0 R /Pg 5 0 R /K << /Type /OBJR /Obj 20 0 R >> >>",
    );
    objects.set(42, "<< /S /Form /P 40 0 R /Pg 5 0 R /K [44 0 R] >>");
    objects.set(43, "<< /Nums [1 41 0 R 2 42 0 R] >>");
    objects.set(44, "<< /Type /OBJR /Obj 21 0 R /Pg 5 0 R >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_qpdf_accepts(&flattened);
    let flattened = text(&flattened);
    let target = flattened.split("/Type /OBJR /Obj  ").nth(1).unwrap();
    let target = target.split(' ').next().unwrap();
    let item = flattened
        .split(&format!("\n{target} 0 obj\n"))
        .nth(1)
        .unwrap();
    assert!(item.starts_with("<< /Type /XObject /Subtype /Form /BBox "));
    assert!(
        item.split("stream")
            .next()
            .unwrap()
            .contains("/StructParent 1")
    );
    assert_eq!(flattened.matches("/OBJR").count(), 1);
    assert!(flattened.contains("/K  []"));
    assert!(flattened.contains("<< /Nums [1 41 0 R] >>"));
}

/// Returns a tagged document with these widgets and the structure for them.
fn tagged(widgets: &[&str]) -> Objects {
    let mut objects = form(widgets);
    let fields = (20..).take(widgets.len());
    let fields: String = fields.map(|field| format!("{field} 0 R ")).collect();
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> \
             /MarkInfo << /Marked true >> /StructTreeRoot 40 0 R >>"
        ),
    );
    objects.set(
        40,
        "<< /Type /StructTreeRoot /K 41 0 R /ParentTree << /Nums [1 41 0 R] >> >>",
    );
    objects.set(
        41,
        "<< /S /Form /P 40 0 R /Pg 5 0 R /K << /Type /OBJR /Obj 20 0 R /Pg 7 0 R >> >>",
    );
    objects
}

#[test]
fn a_widget_that_the_structure_does_not_have_is_an_artifact() {
    let objects = tagged(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches("/Artifact BMC ").count(), 1);
}

#[test]
fn a_widget_of_two_pages_is_the_content_of_the_first() {
    let mut objects = tagged(&[&format!(
        "/FT /Btn /T (a) /StructParent 1 /AP << /N {BOX} >>"
    )]);
    objects.set(
        2,
        "<< /Type /Pages /Count 2 /Kids [5 0 R 7 0 R] /MediaBox [0 0 99 99] >>",
    );
    objects.set(7, "<< /Type /Page /Parent 2 0 R /Annots [20 0 R] >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    let flattened = text(&flattened);
    assert_eq!(flattened.matches("/StructParent 1").count(), 1);
    assert_eq!(flattened.matches("/Artifact BMC ").count(), 1);
    let reference = flattened.split("/Type /OBJR").nth(1).unwrap();
    assert!(reference.split(">>").next().unwrap().contains("/Pg  5 0 R"));
}

#[test]
fn the_parent_tree_is_written_anew_without_what_is_gone() {
    let mut objects = tagged(&[&format!(
        "/FT /Btn /T (a) /F 2 /StructParent 7 /AP << /N {BOX} >>"
    )]);
    objects.set(
        40,
        "<< /Type /StructTreeRoot /K 41 0 R /ParentTree << /Kids [43 0 R 44 0 R] >> >>",
    );
    objects.set(43, "<< /Limits [1 2] /Nums [1 41 0 R 2 [41 0 R null]] >>");
    objects.set(44, "<< /Limits [7 7] /Nums [7 41 0 R] >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_qpdf_accepts(&flattened);
    let flattened = text(&flattened);
    assert!(flattened.contains("<< /Nums [1 41 0 R 2 [41 0 R null]] >>"));
    assert!(!flattened.contains("/Limits"));
}
