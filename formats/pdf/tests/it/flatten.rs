//! Forms drawn into pages, or refused with every field that cannot be.

use parafa_fixtures::{CrossReference, MEDIUM, Objects, PdfBuilder, plain};
use parafa_format_core::{DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment, Refusal};
use parafa_format_pdf::flatten;
use proptest::prelude::*;

use crate::ceremony::P256;
use crate::intake::inspected;
use crate::referees::assert_qpdf_accepts;

/// Objects that every form here has.
const PAGE: u32 = 5;
const TEXT: &str = "50 0 R";
const EMPTY: &str = "51 0 R";
const BOX: &str = "52 0 R";

pub(crate) fn flattened(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    flattened_by(document, &request())
}

fn request() -> DeriveRequest {
    DeriveRequest {
        time: 1_795_242_275,
        seed: vec![7; 32],
        params: Vec::new(),
    }
}

fn flattened_by(document: &[u8], request: &DeriveRequest) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    flatten(&NativeEnvironment, &document, request, &mut out).map(|made| {
        assert_eq!(made.media_type, "application/pdf");
        out.0
    })
}

/// A page with these widgets, their entries after type and rectangle.
pub(crate) fn form(widgets: &[&str]) -> Objects {
    let mut objects = PdfBuilder::new().objects();
    let mut fields = String::new();
    for (number, widget) in (20..).zip(widgets) {
        fields.push_str(&format!("{number} 0 R "));
        let bottom = 30 * (number - 19);
        let rectangle = if widget.contains("/Rect") {
            String::new()
        } else {
            format!("/Rect [72 {bottom} 172 {}]", bottom + 20)
        };
        objects.set(
            number,
            format!("<< /Type /Annot /Subtype /Widget {rectangle} {widget} >>"),
        );
    }
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> >>"),
    );
    objects.set(
        PAGE,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.275590551 841.889763780] \
             /Resources << /Font << /F1 3 0 R >> >> /Contents 6 0 R /Annots [{fields}] >>"
        ),
    );
    let appearance = "/Type /XObject /Subtype /Form /BBox [0 0 100 20]";
    objects.set_deflated(
        50,
        &format!("{appearance} /Resources << /Font << /F1 3 0 R >> >>"),
        b"/Tx BMC q BT /F1 12 Tf 2 5 Td (Ona) Tj ET Q EMC",
    );
    objects.set_deflated(51, appearance, b"/Tx BMC EMC");
    objects.set_deflated(52, appearance, b"0 0 100 20 re f");
    objects
}

pub(crate) fn written(objects: &Objects) -> Vec<u8> {
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R /ID [<01> <02>]")
}

fn text(document: &[u8]) -> String {
    document.iter().copied().map(char::from).collect()
}

/// The fields that keep a form of these widgets from being flattened.
fn failing(widgets: &[&str]) -> Vec<String> {
    match flattened(&written(&form(widgets))) {
        Ok(_) => Vec::new(),
        Err(refusal) => {
            assert_eq!(refusal.code, "flatten-refused", "{refusal}");
            refusal.subjects
        }
    }
}

/// How many drawings a form of these widgets adds to its page.
fn drawn(widgets: &[&str]) -> usize {
    let flattened = flattened(&written(&form(widgets))).unwrap();
    assert_form_is_gone(&flattened);
    text(&flattened).matches(" Do Q").count()
}

pub(crate) fn assert_form_is_gone(document: &[u8]) {
    for word in ["/AcroForm", "/Widget", "/FT"] {
        assert!(!text(document).contains(word), "{word}");
    }
    let report = inspected(document).unwrap();
    assert!(report.fields.is_empty());
}

#[test]
fn every_layout_comes_out_as_one_revision_without_a_form() {
    for layout in [
        CrossReference::Hybrid,
        CrossReference::Stream,
        CrossReference::Table,
    ] {
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
    let document = written(&form(&[&format!(
        "/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>"
    )]));

    let flattened = flattened(&document).unwrap();

    let flattened = text(&flattened);
    assert!(flattened.contains("/MediaBox [0 0 595.275590551 841.889763780]"));
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
fn long_content_is_gone_through() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    let content = [b"0 0 9 9 re f\n".repeat(10_000), b"q q".to_vec()].concat();
    objects.set_stream(6, "", content);

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(text(&flattened).contains("stream\n\nQ\nQ\nQ\nq "));
}

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
fn a_widget_that_is_not_seen_draws_nothing() {
    let hidden = format!("/FT /Tx /T (a) /V (Ona) /F 2 /AP << /N {TEXT} >>");
    let not_viewed = format!("/FT /Tx /T (b) /V (Ona) /F 36 /AP << /N {TEXT} >>");
    let flat = format!("/FT /Tx /T (c) /V (Ona) /Rect [9 9 9 20] /AP << /N {TEXT} >>");

    assert_eq!(drawn(&[&hidden, &not_viewed, &flat]), 0);
}

#[test]
fn a_widget_that_is_not_printed_is_drawn_because_it_is_seen() {
    let unprinted = format!("/FT /Tx /T (a) /V (Ona) /F 0 /AP << /N {TEXT} >>");

    assert_eq!(drawn(&[&unprinted]), 1);
}

#[test]
fn a_text_or_choice_needs_an_appearance_that_draws_its_value() {
    let kinds = ["Tx", "Ch"];
    for kind in kinds {
        let drawn_value = format!("/FT /{kind} /T (a) /V (Ona) /AP << /N {TEXT} >>");
        let empty = format!("/FT /{kind} /T (b) /AP << /N {EMPTY} >>");
        let blank = format!("/FT /{kind} /T (c) /V <FEFF>");
        assert_eq!(drawn(&[&drawn_value, &empty, &blank]), 2);

        let none = format!("/FT /{kind} /T (d) /V (Ona)");
        let not_drawn = format!("/FT /{kind} /T (e) /V (Ona) /AP << /N {EMPTY} >>");
        let list = format!("/FT /{kind} /T (f) /V [(Ona)] /AP << /N {EMPTY} >>");
        let background = format!("/FT /{kind} /T (g) /MK << /BG [1] >>");
        assert_eq!(
            failing(&[&none, &not_drawn, &list, &background]),
            [
                "d: no-appearance",
                "e: value-not-drawn",
                "f: value-not-drawn",
                "g: no-appearance"
            ]
        );
    }
}

#[test]
fn text_inside_a_form_of_the_appearance_is_drawn() {
    let mut objects = form(&["/FT /Tx /T (a) /V (Ona) /AP << /N 60 0 R >>"]);
    objects.set_deflated(
        60,
        "/BBox [0 0 100 20] /Resources << /XObject << /Fm 50 0 R >> >>",
        b"/Fm Do",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    // A form XObject must say that it is one.
    assert_eq!(text(&flattened).matches("/Subtype /Form").count(), 2);
}

#[test]
fn the_state_of_a_button_selects_its_appearance() {
    let states = format!("/AP << /N << /Yes {BOX} >> >>");
    let on = format!("/FT /Btn /T (a) /V /Yes /AS /Yes {states}");
    let off = format!("/FT /Btn /T (b) /V /Off /AS /Off {states}");
    let stateless_off = format!("/FT /Btn /T (c) {states}");
    let disagreeing = format!("/FT /Btn /T (d) /V /Off /AS /Yes {states}");
    assert_eq!(drawn(&[&on, &off, &stateless_off, &disagreeing]), 2);

    let unknown = format!("/FT /Btn /T (e) /V /Yes /AS /Ja {states}");
    let stateless_on = format!("/FT /Btn /T (f) /V /Yes {states}");
    let drawn_off = format!("/FT /Btn /T (g) /AP << /N << /Yes {BOX} /Off {BOX} >> >>");
    assert_eq!(
        failing(&[&unknown, &stateless_on, &drawn_off]),
        ["e: unknown-state", "f: no-state", "g: no-state"]
    );
}

#[test]
fn a_button_without_appearance_must_show_nothing() {
    let push = "/FT /Btn /Ff 65536 /T (a)";
    let off = "/FT /Btn /T (b) /V /Off /AS /Off";
    let signature = "/FT /Sig /T (c) /MK << /BC [0] >>";
    assert_eq!(drawn(&[push, off, signature]), 0);

    let caption = "/FT /Btn /Ff 65536 /T (d) /MK << /CA (Send) >>";
    let on = "/FT /Btn /T (e) /V /Yes /AS /Yes";
    let unknown = "/T (f)";
    assert_eq!(
        failing(&[caption, on, unknown]),
        [
            "d: no-appearance",
            "e: no-appearance",
            "f: unknown-field-type"
        ]
    );
}

#[test]
fn an_appearance_must_have_an_extent_and_content() {
    let mut objects = form(&[
        "/FT /Btn /T (a) /AP << /N 60 0 R >>",
        "/FT /Btn /T (b) /AP << /N 61 0 R >>",
        "/FT /Btn /T (c) /AP << /N 62 0 R >>",
        "/FT /Btn /T (d) /Rect [0 0 9] /AP << /N 52 0 R >>",
        "/FT /Btn /T (e) /OC << /Type /OCG /Name (x) >> /AP << /N 52 0 R >>",
    ]);
    objects.set_deflated(60, "/BBox [0 0 0 9]", b"0 0 9 9 re f");
    objects.set_deflated(61, "/BBox [0 0 9 9] /Matrix [0 0 0 1 0 0]", b"0 0 9 9 re f");
    objects.set_stream(62, "/BBox [0 0 9 9] /Filter /FlateDecode", *b"not deflated");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.code, "flatten-refused");
    assert_eq!(
        refusal.subjects,
        [
            "a: bad-bbox",
            "b: bad-bbox",
            "c: undecodable-appearance",
            "d: bad-rect",
            "e: optional-content"
        ]
    );
}

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
fn a_widget_of_no_form_is_drawn_too() {
    let mut objects = form(&[&format!("/FT /Tx /T (a) /V (Ona) /AP << /N {TEXT} >>")]);
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches(" Do Q").count(), 1);
}

#[test]
fn other_annotations_stay() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set(40, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] >>");
    objects.set(41, "[20 0 R 40 0 R null]");
    objects.set(
        PAGE,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 6 0 R /Annots 41 0 R >>",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(text(&flattened).contains("/Annots  [40 0 R]"));
}

#[test]
fn a_widget_on_top_of_another_annotation_would_change_places_with_it() {
    let widget = format!("/FT /Btn /T (a) /Rect [50 50 99 99] /AP << /N {BOX} >>");
    let with_stamp = |annotations: &str, rectangle: &str, flags: u32| {
        let mut objects = form(&[&widget]);
        objects.set(
            40,
            format!(
                "<< /Type /Annot /Subtype /Stamp /Rect {rectangle} /F {flags} /AP << /N {BOX} >> >>"
            ),
        );
        objects.set(
            PAGE,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 6 0 R /Annots {annotations} >>"
            ),
        );
        flattened(&written(&objects)).map_err(|refusal| refusal.subjects)
    };

    assert_eq!(
        with_stamp("[40 0 R 20 0 R]", "[0 0 60 60]", 4),
        Err(vec!["a: annotation-below".to_owned()])
    );
    assert!(with_stamp("[20 0 R 40 0 R]", "[0 0 60 60]", 4).is_ok());
    assert!(with_stamp("[40 0 R 20 0 R]", "[0 0 50 50]", 4).is_ok());
    assert!(with_stamp("[40 0 R 20 0 R]", "[0 0 60 60]", 2).is_ok());
}

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
    assert_eq!(flattened.matches("/Drawn1 52 0 R").count(), 1);
    assert_eq!(flattened.matches("/Drawn1 Do").count(), 2);
}

#[test]
fn what_a_page_leaves_open_does_not_reach_the_drawings() {
    let contents = |content: &[u8]| {
        let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
        objects.set_stream(6, "", content);
        text(&flattened(&written(&objects)).unwrap())
    };

    let open = contents(b"q 2 0 0 2 0 0 cm q BT /OC /X BDC");
    assert!(open.contains("stream\n\nET\nEMC\nQ\nQ\nQ\nq "));
    let surplus = contents(b"1 g Q 0 0 9 9 re f");
    assert!(surplus.contains("stream\nq\n1 g   0 0 9 9 re f\n\nendstream"));
    let none = contents(b"");
    assert!(none.contains("stream\n\nQ\nq "));
}

#[test]
fn nothing_is_drawn_on_a_page_whose_content_cannot_be_read() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set_stream(6, "/Filter /FlateDecode", *b"not deflated");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects, ["a: page-content"]);
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
    assert!(flattened.contains("/Nums  [1 41 0 R]"));
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
fn rights_to_fill_in_the_form_go_with_it() {
    let mut objects = form(&["/FT /Sig /T (a)"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /Perms << /UR3 << /Type /Sig >> >> >>",
    );

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert!(!text(&flattened).contains("/Perms"));
}

#[test]
fn xfa_forms_are_refused_whole() {
    let mut objects = form(&["/FT /Tx /T (a) /V (x)"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] /XFA [] >> >>",
    );

    assert_eq!(flattened(&written(&objects)).unwrap_err().code, "xfa");
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
fn objects_whose_numbers_are_far_apart_are_refused() {
    let mut objects = form(&[&format!("/FT /Btn /T (a) /AP << /N {BOX} >>")]);
    objects.set(9_000_000, "<< >>");
    objects.set(
        3,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Own 9000000 0 R >>",
    );

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.code, "too-many-objects");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_flattened_stays_as_it_is(
        widgets in proptest::collection::vec(any_widget(), 0..6),
        layout in prop::sample::select(vec![
            CrossReference::Hybrid,
            CrossReference::Stream,
            CrossReference::Table,
        ]),
        rotation in 0..4_u32,
    ) {
        let widgets: Vec<&str> = widgets.iter().map(String::as_str).collect();
        let mut objects = form(&widgets);
        objects.set(2, format!("<< /Type /Pages /Count 1 /Kids [5 0 R] /Rotate {} >>", 90 * rotation));
        let document = objects.write("1.7", layout, "/Root 1 0 R");
        match flattened(&document) {
            Ok(once) => {
                assert_form_is_gone(&once);
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
    ]);
    let value = prop::sample::select(vec!["", "/V (Ona)", "/V /Off"]);
    (kind, appearance, value, any::<u8>(), "[a-z]{1,3}").prop_map(
        |(kind, appearance, value, flags, name)| {
            format!("/FT /{kind} /T ({name}) {appearance} {value} /F {flags}")
        },
    )
}
