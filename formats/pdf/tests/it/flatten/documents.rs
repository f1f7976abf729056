//! Whole documents: accepted, refused, and content removed with the form.

use parafa_fixtures::{Objects, PdfBuilder, plain};
use parafa_format_core::DeriveRequest;

use super::{
    BOX, PAGE, TEXT, assert_form_is_gone, flattened, flattened_by, form, made_by, request, text,
    written,
};
use crate::ceremony::P256;
use crate::intake::inspected;

#[test]
fn a_document_without_a_form_comes_out_as_it_is() {
    let document = plain(2);

    assert_eq!(flattened(&document).unwrap(), document);
}

#[test]
fn a_form_without_widgets_is_dropped() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] >> >>",
    );
    objects.set(20, "<< /FT /Tx /T (a) /V (kept nowhere) >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(!text(&flattened).contains("kept nowhere"));
}

#[test]
fn the_request_must_have_a_seed_and_no_parameters() {
    let document = plain(1);
    let with = |change: fn(&mut DeriveRequest)| {
        let mut request = request();
        change(&mut request);
        flattened_by(&document, &request).unwrap_err().code
    };

    assert_eq!(with(|request| request.seed.truncate(31)), "bad-request");
    let parameter = |request: &mut DeriveRequest| request.params.push(Default::default());
    assert_eq!(with(parameter), "bad-request");
}

#[test]
fn actions_on_fields_that_are_gone_keep_no_field_alive() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] >> /OpenAction 40 0 R >>",
    );
    objects.set(40, "<< /S /Hide /T [20 0 R] >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(text(&flattened).contains("<< /S /Hide /T  [] >>"));
}

#[test]
fn signed_documents_are_refused_whole() {
    let code = |document: &[u8]| flattened(document).unwrap_err().code;
    assert_eq!(code(&P256.signs(&plain(1)).unwrap()), "signed");

    let mut orphan = form(&[
        "/FT /Sig /T (a) /V << /Type /Sig >>",
        "/FT /Tx /T (b) /V (x)",
    ]);
    orphan.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    assert_eq!(code(&written(&orphan)), "signed");

    let mut certified = form(&["/FT /Sig /T (a)"]);
    certified.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP << /Type /Sig >> >> >>",
    );
    assert_eq!(code(&written(&certified)), "signed");
}

#[test]
fn fields_that_show_signatures_are_named_in_the_order_of_the_pages() {
    let named = |document: &[u8]| flattened(document).unwrap_err().subjects;
    let of_widgets = form(&[
        "/FT /Sig /T (second) /V << /Type /Sig >>",
        "/FT /Tx /T (text) /V (x)",
        "/FT /Sig /T (empty)",
        "/FT /Sig /T (first) /V << /Type /Sig >>",
    ]);
    assert_eq!(
        named(&written(&of_widgets)),
        ["second: signed", "first: signed"]
    );

    let mut without_widgets = PdfBuilder::new().objects();
    without_widgets.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] >> >>",
    );
    without_widgets.set(20, "<< /FT /Sig /T (a) /V << /Type /Sig >> >>");
    assert!(named(&written(&without_widgets)).is_empty());
}

#[test]
fn rights_to_fill_in_the_form_go_with_it() {
    let mut objects = form(&["/FT /Sig /T (a)"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /Perms << /UR3 << /Type /Sig >> >> >>",
    );

    let (flattened, notes) = made_by(&written(&objects), &request()).unwrap();

    assert_form_is_gone(&flattened);
    assert!(!text(&flattened).contains("/Perms"));
    assert_eq!(notes, ["usage-rights"]);
}

#[test]
fn xfa_forms_are_refused_whole() {
    let mut objects = form(&["/FT /Tx /T (a) /V (x)"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] /XFA [] >> >>",
    );

    assert_eq!(flattened(&written(&objects)).unwrap_err().code, "xfa");
    let mut objects = form(&["/FT /Tx /T (a)"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] /XFA null >> >>",
    );
    assert_form_is_gone(&flattened(&written(&objects)).unwrap());
}

#[test]
fn a_flattened_document_can_be_signed_twice() {
    let document = PdfBuilder::new().text_field("Vardas", "Ona").build();

    let flattened = flattened(&document).unwrap();

    let signed = P256.signs(&P256.signs(&flattened).unwrap()).unwrap();
    assert!(signed.starts_with(&flattened));
    assert_eq!(inspected(&signed).unwrap().signatures.len(), 2);
}

#[test]
fn a_signature_is_one_in_any_field() {
    let signature = "<< /ByteRange [0 10 20 30] /Contents <00> >>";
    let objects = form(&[&format!(
        "/FT /Tx /T (a) /V {signature} /AP << /N {TEXT} >>"
    )]);

    assert_eq!(flattened(&written(&objects)).unwrap_err().code, "signed");
}

#[test]
fn a_page_that_hangs_from_another_parent_is_refused() {
    let code = |parent: &str| {
        let mut objects: Objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
        objects.set(
            PAGE,
            format!("<< /Type /Page {parent} /MediaBox [0 0 9 9] /Annots [20 0 R] >>"),
        );
        objects.set(7, "<< /Type /Pages /Kids [] /Count 0 /Rotate 90 >>");
        flattened(&written(&objects)).map_err(|refusal| refusal.code.into_owned())
    };

    for parent in ["/Parent 2 0 R", "/Parent null", ""] {
        assert!(code(parent).is_ok(), "{parent}");
    }
    for parent in ["/Parent 7 0 R", "/Parent << >>"] {
        assert_eq!(code(parent), Err("page-tree".to_owned()), "{parent}");
    }
}
