//! Annotations other than widgets, and widgets among them.

use parafa_fixtures::Objects;

use super::{BOX, PAGE, assert_form_is_gone, flattened, form, set_pages, text, written};

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
    // Some readers draw all widgets last.
    assert_eq!(
        with_stamp("[20 0 R 40 0 R]", "[0 0 60 60]", 4),
        Err(vec!["a: annotation-above".to_owned()])
    );
    for annotations in ["[40 0 R 20 0 R]", "[20 0 R 40 0 R]"] {
        assert!(with_stamp(annotations, "[0 0 50 50]", 4).is_ok());
        assert!(with_stamp(annotations, "[0 0 60 60]", 2).is_ok());
    }
}

/// Flattens a widget at (50, 50) to (99, 99) over an annotation with these
/// entries, on a page with this rotation.
fn over(annotation: &str, rotation: u32) -> Result<(), Vec<String>> {
    beside(annotation, rotation, "[40 0 R 20 0 R]")
}

/// Like `over`, with the annotation after the widget.
fn under(annotation: &str, rotation: u32) -> Result<(), Vec<String>> {
    beside(annotation, rotation, "[20 0 R 40 0 R]")
}

/// Like `over`, with the widget 20 and the annotation 40 in this order.
fn beside(annotation: &str, rotation: u32, annotations: &str) -> Result<(), Vec<String>> {
    let widget = format!("/FT /Btn /T (a) /Rect [50 50 99 99] /AP << /N {BOX} >>");
    let mut objects = form(&[&widget]);
    objects.set(40, format!("<< /Type /Annot {annotation} >>"));
    objects.set(
        PAGE,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Rotate {rotation} \
             /Contents 6 0 R /Annots {annotations} >>"
        ),
    );
    let flattened = flattened(&written(&objects));
    flattened.map(drop).map_err(|refusal| refusal.subjects)
}

#[test]
fn an_annotation_that_readers_draw_without_appearance_counts_too() {
    let below = Err(vec!["a: annotation-below".to_owned()]);
    let above = Err(vec!["a: annotation-above".to_owned()]);
    for annotation in [
        "/Subtype /Square /Rect [0 0 60 60]",
        "/Subtype /Line /Rect [0 0 9 9] /L [0 0 70 70]",
        "/Subtype /Ink /Rect [0 0 9 9] /InkList [[0 0] [70 70 1 1]]",
        "/Subtype /Highlight /Rect [0 0 9 9] /QuadPoints [0 0 70 0 0 70 70 70]",
        "/Subtype /Text /Rect [30 40 35 65]",
        "/Subtype /Square /Rect [0 0 60 60 7]",
        "/Subtype /Square /Rect [/None 0 60 60]",
        "/Subtype /Square /F 2.0 /Rect [0 0 60 60]",
        "/Subtype /Square /Rect [0 0 20 20] /Border [0 0 9]",
        "/Subtype /Square /Rect [0 0 20 20] /BS << >> /Border [0 0 9]",
        "/Subtype /Square",
        "/Subtype /Stamp",
    ] {
        assert_eq!(over(annotation, 0), below, "{annotation}");
        assert_eq!(under(annotation, 0), above, "{annotation}");
    }
    for annotation in [
        "/Subtype /Square /Rect [0 0 20 20]",
        "/Subtype /Popup /Rect [0 0 60 60]",
        "/Subtype /Link /Rect [0 0 60 60] /Border [0 0 0]",
        "/Subtype /Link /Rect [0 0 60 60] /BS << /W 0 >>",
        "/Subtype /Square /F 2 /Rect [0 0 60 60]",
        "/Subtype /Square /Rect [0 0 60]",
        "/Subtype /Square /Rect [0 0 20 20] /Border []",
        "/Subtype /Square /Rect [0 0 20 20] /Border [0 0]",
        "/Subtype /Square /Rect [0 0 20 20] /Border [0 0 /None]",
        "/Rect [0 0 60 60]",
        "",
    ] {
        assert_eq!(over(annotation, 0), Ok(()), "{annotation}");
        assert_eq!(under(annotation, 0), Ok(()), "{annotation}");
    }
}

#[test]
fn a_link_changes_places_with_the_widgets_after_it_alone() {
    let below = Err(vec!["a: annotation-below".to_owned()]);
    for link in [
        "/Rect [0 0 60 60]".to_owned(),
        "/Rect [0 0 49 60] /Border [0 0 4]".to_owned(),
        "/Rect [99 50 120 60] /BS << /W 2 >>".to_owned(),
        format!("/Rect [0 0 60 60] /AP << /N {BOX} >>"),
        format!("/Rect [0 0 49 60] /BS << /W 4 >> /AP << /N {BOX} >>"),
    ] {
        let link = format!("/Subtype /Link {link}");
        assert_eq!(over(&link, 0), below, "{link}");
        assert_eq!(under(&link, 0), Ok(()), "{link}");
    }
}

#[test]
fn a_link_that_only_shares_an_edge_with_a_widget_is_not_below_it() {
    for link in [
        "/Rect [0 0 50 60]",
        "/Rect [0 0 60 50]",
        "/Rect [99 50 120 60]",
        "/Rect [50 99 99 120] /Border [0 0 1]",
        "/Rect [0 0 48 60] /Border [0 0 4]",
    ] {
        let link = format!("/Subtype /Link {link}");
        assert_eq!(over(&link, 0), Ok(()), "{link}");
    }
}

#[test]
fn a_sign_counts_where_readers_draw_it() {
    let below = Err(vec!["a: annotation-below".to_owned()]);
    // From the upper left corner, rotated with the page or not, or around the
    // middle.
    for (rectangle, rotation) in [
        ("[30 40 35 60]", 0),
        ("[30 120 35 122]", 0),
        ("[102 60 102 60]", 0),
        ("[30 20 40 30]", 90),
        ("[110 20 120 30]", 180),
        ("[110 110 120 120]", 270),
    ] {
        let sign = format!("/Rect {rectangle} /Contents (x)");
        for kind in ["FileAttachment", "Sound", "Text"] {
            let sign = format!("/Subtype /{kind} {sign}");
            assert_eq!(over(&sign, rotation), below, "{sign} {rotation}");
        }
    }
    for (rectangle, rotation) in [
        ("[10 60 30 80]", 0),
        ("[26 50 50 74]", 0),
        ("[60 20 80 40]", 0),
        ("[60 123 80 143]", 0),
        ("[60 20 80 26]", 90),
        ("[123 60 143 80]", 180),
        ("[60 123 80 143]", 270),
    ] {
        let sign = format!("/Subtype /Text /Rect {rectangle} /Contents (x)");
        assert_eq!(over(&sign, rotation), Ok(()), "{sign} {rotation}");
    }
}

#[test]
fn every_field_under_a_later_annotation_is_named_in_the_order_of_the_page() {
    let widgets: Vec<String> = (0..3)
        .map(|number| {
            let left = 100 * number;
            format!(
                "/FT /Btn /T (b{number}) /Rect [{left} 50 {} 99] /AP << /N {BOX} >>",
                left + 50
            )
        })
        .collect();
    let widgets: Vec<&str> = widgets.iter().map(String::as_str).collect();
    let mut objects = form(&widgets);
    let square = |left: u32| {
        format!(
            "<< /Subtype /Square /Rect [{left} 70 {} 80] /AP << /N {BOX} >> >>",
            left + 9
        )
    };
    objects.set(40, square(10));
    objects.set(41, square(210));
    objects.set(42, "[20 0 R 21 0 R 41 0 R 22 0 R 40 0 R]");
    set_pages(&mut objects, 2, "/Annots 42 0 R");

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(
        refusal.subjects,
        ["b0: annotation-above", "b2: annotation-below"]
    );
}

#[test]
fn an_appearance_counts_whatever_else_the_annotation_lacks() {
    for annotation in [
        "/Rect [0 0 60 60]",
        "/Subtype (Square) /Rect [0 0 60 60]",
        "/Subtype /Square /Rect [60 60]",
        "/Subtype /Square",
    ] {
        let shown = format!("{annotation} /AP << /N {BOX} >>");

        let below = Err(vec!["a: annotation-below".to_owned()]);
        assert_eq!(over(&shown, 0), below, "{annotation}");
    }
    let elsewhere = format!("/Rect [0 0 20 20] /AP << /N {BOX} >>");
    assert_eq!(over(&elsewhere, 0), Ok(()));
}

#[test]
fn an_annotation_counts_where_it_is_shown_on_a_turned_page() {
    // Upright, it extends from (40, 50) to (60, 90).
    let upright = format!("/Subtype /Stamp /F 20 /Rect [40 30 80 50] /AP << /N {BOX} >>");
    let turned = upright.replace("/F 20", "/F 4");

    assert_eq!(
        over(&upright, 90),
        Err(vec!["a: annotation-below".to_owned()])
    );
    assert_eq!(over(&turned, 90), Ok(()));
    assert_eq!(over(&upright, 0), Ok(()));
}

/// Returns a page with these annotations; the first is a kid of a field and has
/// these entries. The objects 20 and 40 are a widget and a link.
fn with_field_among_annotations(entries: &str, annotations: &str) -> Objects {
    let mut objects = form(&[&format!("/FT /Btn /T (button) /AP << /N {BOX} >>")]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 30 0 R] >> >>",
    );
    objects.set(30, "<< /T (form) /FT /Tx /V (Ona) /Kids [31 0 R] >>");
    objects.set(
        31,
        format!("<< /Parent 30 0 R /T (a) /Rect [200 200 299 299] {entries} >>"),
    );
    objects.set(32, "31 0 R");
    objects.set(40, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] >>");
    objects.set(41, "[31 0 R 20 0 R 40 0 R]");
    objects.set(
        PAGE,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 6 0 R \
             /Annots {annotations} >>"
        ),
    );
    objects
}

#[test]
fn a_field_that_only_some_readers_take_for_a_widget_is_refused_by_name() {
    let appearance = format!("/AP << /N {BOX} >>");
    for entries in [
        format!("/Type /Annot /F 4 {appearance}"),
        format!("/Type /Annot /F 4.0 {appearance}"),
        format!("/Subtype (Widget) {appearance}"),
        format!("/Subtype /Square {appearance}"),
        format!("/Subtype /Popup {appearance}"),
        "/AP << /N << /On 52 0 R >> >>".to_owned(),
        "/Subtype /Square".to_owned(),
    ] {
        for annotations in ["[31 0 R]", "[32 0 R]", "[20 0 R 31 0 R]", "41 0 R"] {
            let objects = with_field_among_annotations(&entries, annotations);

            let refusal = flattened(&written(&objects)).unwrap_err();

            assert_eq!(refusal.code, "flatten-refused", "{entries} {annotations}");
            assert_eq!(refusal.subjects, ["form.a: not-a-widget"], "{entries}");
        }
    }
}

#[test]
fn a_field_that_no_reader_shows_goes_with_the_form() {
    for entries in [
        format!("/Type /Annot /F 2 /AP << /N {BOX} >>"),
        format!("/Subtype /Square /F 32 /AP << /N {BOX} >>"),
        "/Type /Annot /F 4".to_owned(),
        "/Subtype (Widget)".to_owned(),
    ] {
        for annotations in [
            "[31 0 R 40 0 R]",
            "[32 0 R 40 0 R]",
            "[31 0 R 20 0 R 40 0 R]",
            "41 0 R",
        ] {
            let objects = with_field_among_annotations(&entries, annotations);

            let flattened = flattened(&written(&objects)).unwrap();

            assert_form_is_gone(&flattened);
            assert!(!text(&flattened).contains("/T (a)"), "{entries}");
            assert!(text(&flattened).contains("[40 0 R]"), "{annotations}");
        }
    }
}
