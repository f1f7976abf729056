//! Output of flattening.

use parafa_fixtures::{CrossReference, MEDIUM, PdfBuilder, WidgetPage};
use parafa_format_core::DeriveRequest;
use proptest::prelude::*;

use super::{
    BOX, PAGE, TEXT, assert_form_is_gone, flattened, flattened_by, form, request, set_pages, text,
    written,
};
use crate::referees::assert_qpdf_accepts;

#[test]
fn every_layout_comes_out_as_one_revision_without_a_form() {
    for layout in CrossReference::ALL {
        let document = PdfBuilder::new()
            .cross_reference(layout)
            .text_field("Vardas", "Ona")
            .build();

        let flattened = flattened(&document).unwrap();

        assert_form_is_gone(&flattened);
        assert_eq!(text(&flattened).matches("startxref").count(), 1);
        assert_eq!(text(&flattened).matches(" Do Q").count(), 1);
        assert_qpdf_accepts(&flattened);
    }
}

#[test]
fn the_table_has_one_subsection_without_gaps() {
    let mut objects = form(&[&format!("/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>")]);
    objects.set(90, "<< /S /D >>");
    objects.set(
        3,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Own 90 0 R >>",
    );

    let flattened = text(&flattened(&written(&objects)).unwrap());
    let table = flattened.rsplit_once("\nxref\n").unwrap().1;
    let (head, entries) = table.split_once('\n').unwrap();
    let entries = entries.split("trailer").next().unwrap();
    let size = entries.len() / 20;

    assert_eq!(head, format!("0 {size}"));
    assert!(entries.starts_with("0000000000 65535 f\r\n"));
    assert!(entries.matches(" f\r\n").count() > 30);
    assert!(flattened.contains(&format!("/Size {size}\n")));
}

#[test]
fn what_is_not_touched_keeps_its_source() {
    let widget = format!("/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>");
    let media_box = "/MediaBox [0 0 595.275590551 841.889763780]";
    let page =
        format!("<< /Type /Page /Parent 2 0 R {media_box} /Contents 6 0 R /Annots [20 0 R] >>");
    let document = WidgetPage::of(&[&widget]).with(PAGE, page).build();

    let flattened = flattened(&document).unwrap();

    let flattened = text(&flattened);
    assert!(flattened.contains(media_box));
    let content = text(&document);
    let content = content.split("\n6 0 obj\n").nth(1).unwrap();
    let content = content.split("endobj").next().unwrap();
    assert!(flattened.contains(content));
}

#[test]
fn the_same_request_gives_the_same_bytes_and_another_seed_another_identifier() {
    let document = written(&form(&[&format!(
        "/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>"
    )]));
    let other = DeriveRequest {
        seed: vec![8; 32],
        ..request()
    };

    let first = flattened(&document).unwrap();

    assert_eq!(first, flattened(&document).unwrap());
    let second = flattened_by(&document, &other).unwrap();
    assert_ne!(first, second);
    let identifiers = |document: &[u8]| {
        let document = text(document);
        let identifiers = document.rsplit_once("/ID [").unwrap().1;
        let identifiers = identifiers.split(']').next().unwrap();
        let (first, second) = identifiers.split_once(' ').unwrap();
        (first.to_owned(), second.to_owned())
    };
    assert_eq!(identifiers(&first).0, "<01>");
    assert_eq!(identifiers(&second).0, "<01>");
    assert_ne!(identifiers(&first).1, identifiers(&second).1);
}

#[test]
fn long_data_is_copied_as_it_is() {
    let document = PdfBuilder::new()
        .text_field("Vardas", "Ona")
        .build_of_size(MEDIUM);

    let flattened = flattened(&document).unwrap();

    assert_form_is_gone(&flattened);
    assert_qpdf_accepts(&flattened);
    let image = |document: &[u8]| {
        let start = memchr::memmem::find(document, b"/Subtype /Image").unwrap();
        let end = memchr::memmem::find(&document[start..], b"endstream").unwrap();
        document[start..start + end].to_vec()
    };
    assert!(image(&document).len() > 900_000);
    assert_eq!(image(&flattened), image(&document));
}

#[test]
fn objects_whose_numbers_are_far_apart_get_new_ones() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set(9_000_000, "<< >>");
    objects.set(
        3,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Own 9000000 0 R >>",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_qpdf_accepts(&flattened);
    assert!(flattened.len() < 10_000);
    assert!(!text(&flattened).contains("9000000"));
}

#[test]
fn document_information_becomes_an_object() {
    let objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    let with_trailer = |entries: &str| {
        let entries = format!("/Root 1 0 R {entries}");
        let document = objects.write("1.7", CrossReference::Table, &entries);
        let flattened = flattened(&document).unwrap();
        assert_qpdf_accepts(&flattened);
        text(&flattened)
    };

    let direct = with_trailer("/Info << /Title (Sutartis) >>");
    let (_, reference) = direct.rsplit_once("/Info ").unwrap();
    let number = reference.split_once(" 0 R\n").unwrap().0;
    assert!(direct.contains(&format!(
        "\n{number} 0 obj\n<< /Title (Sutartis) >>\nendobj"
    )));
    assert!(with_trailer("/Info 4 0 R").contains("\n/Info 4 0 R\n"));
    assert!(!with_trailer("/Info null").contains("/Info"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_flattened_stays_as_it_is(
        widgets in proptest::collection::vec(any_widget(), 0..6),
        layout in prop::sample::select(CrossReference::ALL.to_vec()),
        rotation in 0..4_u32,
    ) {
        let widgets: Vec<&str> = widgets.iter().map(String::as_str).collect();
        let mut objects = form(&widgets);
        let space = "/Type /XObject /Subtype /Form /BBox [0 0 100 20]";
        objects.set_deflated(60, &format!("{space} /OC 61 0 R"), b"0 0 100 20 re f");
        objects.set(61, "<< /Type /OCG /Name (layer) >>");
        objects.set(2, format!("<< /Type /Pages /Count 1 /Kids [5 0 R] /Rotate {} >>", 90 * rotation));
        let document = objects.write("1.7", layout, "/Root 1 0 R");
        match flattened(&document) {
            Ok(once) => {
                assert_form_is_gone(&once);
                // A layer may hide page content, but not an appearance.
                prop_assert!(!text(&once).contains("/OC "));
                prop_assert_eq!(&flattened(&once).unwrap(), &once);
            }
            Err(refusal) => {
                prop_assert_eq!(&refusal.code, "flatten-refused");
                prop_assert!(!refusal.subjects.is_empty());
            }
        }
    }
}

fn any_widget() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["Tx", "Ch", "Btn", "Sig"]);
    let appearance = prop::sample::select(vec![
        String::new(),
        format!("/AP << /N {TEXT} >>"),
        format!("/AP << /N << /On {BOX} >> >> /AS /On"),
        format!("/AP << /N << /On {BOX} >> >> /AS /Off"),
        "/AP << /N 60 0 R >>".to_owned(),
        format!("/AP << /N << /On 60 0 R /Off {BOX} >> >> /AS /On"),
    ]);
    let value = prop::sample::select(vec!["", "/V (Ona)", "/V /Off"]);
    (kind, appearance, value, any::<u8>(), "[a-z]{1,3}").prop_map(
        |(kind, appearance, value, flags, name)| {
            format!("/FT /{kind} /T ({name}) {appearance} {value} /F {flags}")
        },
    )
}

#[test]
fn pages_that_share_much_do_not_make_the_output_grow_out_of_proportion() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    set_pages(&mut objects, 100, "/Contents 6 0 R /Annots [20 0 R]");
    let surplus = b"Q\n".repeat(10_000);
    let open = b"q\n".repeat(10_000);
    for content in [surplus, open] {
        objects.set_deflated(6, "", &content);
        let document = written(&objects);

        match flattened(&document) {
            Ok(flattened) => assert!(flattened.len() < 10 * document.len(), "{}", flattened.len()),
            Err(refusal) => assert_eq!(refusal.subjects, ["a: page-content"]),
        }
    }
}
