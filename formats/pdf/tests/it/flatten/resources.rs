//! Resources of appearances and pages.

use super::{BOX, PAGE, assert_form_is_gone, flattened, form, text, written};
use crate::referees::assert_qpdf_accepts;

#[test]
fn pages_that_share_resources_get_a_copy_and_others_keep_the_original() {
    let mut objects = form(&[
        &format!("/FT /Btn /T (a) /AP << /N {BOX} >>"),
        &format!("/FT /Btn /T (b) /AP << /N {BOX} >>"),
    ]);
    objects.set(
        2,
        "<< /Type /Pages /Count 3 /Kids [5 0 R 7 0 R 8 0 R] /MediaBox [0 0 400 400] /Resources 41 0 R >>",
    );
    objects.set(41, "<< /XObject << /Drawn0 52 0 R >> >>");
    objects.set(
        PAGE,
        "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Annots [20 0 R] >>",
    );
    objects.set(
        7,
        "<< /Type /Page /Parent 2 0 R /Contents [6 0 R 6 0 R] /Annots [21 0 R] >>",
    );
    objects.set(8, "<< /Type /Page /Parent 2 0 R /Contents 6 0 R >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_qpdf_accepts(&flattened);
    let flattened = text(&flattened);
    assert!(flattened.contains("41 0 obj\n<< /XObject << /Drawn0 52 0 R >> >>\nendobj"));
    assert!(flattened.contains("8 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 6 0 R >>\nendobj"));
    // One copy, with one name for the one appearance.
    let before = flattened.split(" 52 0 R");
    let names = before.filter_map(|before| before.rsplit_once('/'));
    let is_new = |name: &&str| name.starts_with("Drawn") && *name != "Drawn0";
    let names: Vec<_> = names.map(|(_, name)| name).filter(is_new).collect();
    let [name] = names[..] else {
        panic!("{names:?}")
    };
    assert_eq!(flattened.matches(&format!("/{name} Do")).count(), 2);
}

#[test]
fn an_appearance_takes_what_it_needs_from_the_form_along() {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set_deflated(60, "/BBox [0 0 100 20]", b"BT /H#65lv 9 Tf (Ona) Tj ET");
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] /DR 61 0 R >> >>",
    );
    objects.set(61, "<< /Font 62 0 R >>");
    objects.set(62, "<< /Helv 3 0 R /Other 3 0 R >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    let flattened = text(&flattened);
    assert!(flattened.contains("/Helv 3 0 R"));
    assert!(!flattened.contains("/Other"));
}

/// Flattens an appearance without resources, with this font in the page and in
/// the interactive form.
fn with_fonts(of_page: &str, of_form: &str) -> Result<String, Vec<String>> {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set_deflated(
        60,
        "/Subtype /Form /BBox [0 0 100 20]",
        b"BT /Helv 9 Tf (Ona) Tj ET",
    );
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] \
             /DR << /Font << {of_form} >> >> >> >>"
        ),
    );
    objects.set(
        PAGE,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Annots [20 0 R] \
             /Resources << /Font << {of_page} >> >> >>"
        ),
    );
    objects.set(61, "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>");
    objects.set(62, "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>");
    let flattened = flattened(&written(&objects));
    flattened
        .map(|document| text(&document))
        .map_err(|refusal| refusal.subjects)
}

#[test]
fn an_appearance_takes_what_it_needs_from_the_page_along() {
    let flattened = with_fonts(
        "/Helv << /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
        "",
    );

    let flattened = flattened.unwrap();
    assert_eq!(flattened.matches("/BaseFont /Courier").count(), 2);
}

#[test]
fn an_appearance_takes_what_it_needs_from_a_node_above_the_page_along() {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set_deflated(
        60,
        "/Subtype /Form /BBox [0 0 100 20]",
        b"BT /Helv 9 Tf (Ona) Tj ET",
    );
    objects.set(
        2,
        "<< /Type /Pages /Count 1 /Kids [5 0 R] /MediaBox [0 0 400 400] /Resources \
         << /Font << /Helv << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >> >>",
    );
    objects.set(PAGE, "<< /Type /Page /Parent 2 0 R /Annots [20 0 R] >>");

    let flattened = text(&flattened(&written(&objects)).unwrap());

    // In the node, in the copy for the page, and in the appearance.
    assert_eq!(flattened.matches("/BaseFont /Courier").count(), 3);
}

#[test]
fn a_name_that_page_and_form_define_differently_is_ambiguous() {
    let ambiguous = Err(vec!["a: ambiguous-resource".to_owned()]);

    assert_eq!(with_fonts("/Helv 3 0 R", "/Helv 61 0 R"), ambiguous);
    assert!(with_fonts("/Helv 61 0 R", "/Helv 62 0 R").is_ok());
    assert!(with_fonts("", "/Helv 61 0 R").is_ok());
}

#[test]
fn a_name_that_a_form_inside_lacks_is_ambiguous() {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    let space = "/Subtype /Form /BBox [0 0 100 20]";
    objects.set_deflated(
        60,
        &format!("{space} /Resources << /XObject << /Fm 61 0 R >> >>"),
        b"/Fm Do",
    );
    objects.set_deflated(
        61,
        &format!("{space} /Resources << >>"),
        b"BT /Helv 9 Tf (Ona) Tj ET",
    );
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] \
         /DR << /Font << /Helv 3 0 R >> >> >> >>",
    );

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, ["a: ambiguous-resource"]);
}

#[test]
fn what_is_a_field_and_drawn_at_once_is_refused() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set(8, "<< /ca 0 >>");
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 8 0 R] >> >>",
    );
    objects.set(
        PAGE,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 6 0 R \
         /Annots [20 0 R] /Resources << /ExtGState << /K 8 0 R >> >> >>",
    );

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.code, "form-tree");
}

#[test]
fn an_appearance_that_lacks_thousands_of_names_is_refused() {
    let mut content = String::new();
    for number in 0..1_000 {
        content.push_str(&format!("/F{number} 9 Tf "));
    }
    let mut objects = form(&["/FT /Btn /T (a) /AP << /N 60 0 R >>"]);
    objects.set_deflated(60, "/Subtype /Form /BBox [0 0 100 20]", content.as_bytes());

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, ["a: undecodable-appearance"]);
}
