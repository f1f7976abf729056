//! Long structures shared by many pages or widgets are processed once.

use std::fmt::Write;

use parafa_fixtures::Objects;

use super::{BOX, PAGE, assert_form_is_gone, flattened, form, set_pages, text, written};
use crate::intake::inspected;
use crate::memory::peak_of;

/// Memory limit in bytes: above the need of reading such a document, far below
/// that of processing the structure for every page.
const MAX_PEAK: usize = 256 * 1024 * 1024;

fn button() -> String {
    format!("/FT /Btn /T (a) /AP << /N {BOX} >>")
}

/// Returns a page of widgets, objects from 1000 on, with further entries of the
/// page and of the catalog.
fn with_widgets(count: u32, page: &str, catalog: &str, widget: impl Fn(u32) -> String) -> Objects {
    let mut objects = form(&[]);
    let numbers = 1_000..1_000 + count;
    let widgets: String = numbers
        .clone()
        .map(|number| format!("{number} 0 R "))
        .collect();
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R {catalog} \
             /AcroForm << /Fields [{widgets}] /DR << /Font << /Helv {font} >> >> >> >>"
        ),
    );
    objects.set(
        PAGE,
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [{widgets}] {page} >>"),
    );
    for number in numbers {
        let entries = format!("/T (a{number}) /Rect [0 0 9 9] {}", widget(number));
        objects.set(
            number,
            format!("<< /Type /Annot /Subtype /Widget {entries} >>"),
        );
    }
    objects
}

fn nulls(count: usize) -> String {
    "null ".repeat(count)
}

#[test]
fn annotations_of_pages_that_are_no_pages_of_the_document() {
    let mut objects = form(&[]);
    objects.set(9, format!("[{}]", "<</AP 0>>".repeat(50_000)));
    for number in 100..2_100 {
        objects.set(number, "<< /Type /Page /Annots 9 0 R >>");
    }
    let document = written(&objects);
    assert!(document.len() < 1_000_000);

    let (flattened, peak) = peak_of(|| flattened(&document).unwrap());

    assert_form_is_gone(&flattened);
    assert!(peak < MAX_PEAK, "{peak} bytes");
}

#[test]
fn annotations_that_the_pages_would_each_get_a_copy_of_have_to_fit() {
    let long = format!(
        "<< /Type /Annot /Subtype /Link /Rect [0 0 1 1] /Border [0 0 0] /Contents ({}) >>",
        "x".repeat(900_000)
    );
    let document = |pages| {
        let mut objects = form(&[&button()]);
        objects.set(9, format!("[{long} 20 0 R]"));
        set_pages(&mut objects, pages, "/Annots 9 0 R");
        written(&objects)
    };

    let kept = flattened(&document(2)).unwrap();
    let (refusal, peak) = peak_of(|| flattened(&document(2_000)).unwrap_err());

    assert_form_is_gone(&kept);
    assert_eq!(text(&kept).matches("/Link").count(), 2);
    assert_eq!(refusal.code, "too-many-objects");
    assert!(peak < MAX_PEAK, "{peak} bytes");
}

#[test]
fn contents_of_which_nothing_is_a_stream() {
    let mut objects = form(&[&button()]);
    objects.set(9, format!("[{} 6 0 R]", nulls(500_000)));
    set_pages(&mut objects, 5_000, "/Contents 9 0 R /Annots [20 0 R]");

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches(" 6 0 R ").count(), 5_000);
}

#[test]
fn contents_of_a_page_with_many_widgets_that_cannot_be_drawn_on_it() {
    let contents = format!("/Contents [{} 3 0 R]", nulls(400_000));
    let objects = with_widgets(10_000, &contents, "", |_| {
        format!("/FT /Btn /AP << /N {BOX} >>")
    });

    let refusal = flattened(&written(&objects)).unwrap_err();

    assert_eq!(refusal.subjects.len(), 10_000);
    assert_eq!(refusal.subjects[0], "a1000: page-content");
}

#[test]
fn entries_of_a_widget_that_all_pages_have() {
    let mut entries = button();
    for number in 0..200_000 {
        write!(entries, "/K{number} 0").unwrap();
    }
    let mut objects = form(&[&entries]);
    set_pages(&mut objects, 5_000, "/Annots [20 0 R]");

    assert_form_is_gone(&flattened(&written(&objects)).unwrap());
}

/// Returns a form with 20,000 fields that share these kids.
fn fields_with_kids(kids: &str) -> Objects {
    let mut objects = form(&[]);
    let numbers = 100..20_100;
    let fields: String = numbers
        .clone()
        .map(|number| format!("{number} 0 R "))
        .collect();
    objects.set(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{fields}] >> >>"),
    );
    objects.set(9, format!("[{kids}]"));
    for number in numbers {
        objects.set(number, format!("<< /FT /Tx /T (a{number}) /Kids 9 0 R >>"));
    }
    objects
}

#[test]
fn kids_of_fields_that_lead_to_none() {
    let objects = fields_with_kids(&nulls(200_000));
    let document = written(&objects);

    assert_eq!(inspected(&document).unwrap().fields.len(), 20_000);
    assert_form_is_gone(&flattened(&document).unwrap());
}

#[test]
fn kids_of_fields_that_all_claim_them() {
    let mut objects = fields_with_kids(&"8 0 R ".repeat(200_000));
    objects.set(8, "<< /T (kid) >>");

    assert_eq!(flattened(&written(&objects)).unwrap_err().code, "form-tree");
}

#[test]
fn resources_that_pages_and_form_have_twice() {
    let widgets: Vec<_> = (5_000..5_020)
        .map(|number| format!("/FT /Tx /V (Ona) /AP << /N {number} 0 R >>"))
        .collect();
    let widgets: Vec<_> = widgets.iter().map(String::as_str).collect();
    let font = format!("[{}]", "0 ".repeat(500_000));
    let mut objects = form(&widgets);
    for number in 5_000..5_020 {
        objects.set_deflated(
            number,
            "/Subtype /Form /BBox [0 0 100 20]",
            b"BT /Helv 9 Tf (Ona) Tj ET",
        );
    }
    objects.set(61, font.as_str());
    objects.set(62, font.as_str());
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] \
         /DR << /Font << /Helv 62 0 R >> >> >> >>",
    );
    let annotations: String = (20..40).map(|number| format!("{number} 0 R ")).collect();
    let resources = "/Resources << /Font << /Helv 61 0 R >> >>";
    set_pages(
        &mut objects,
        1_000,
        &format!("/Annots [{annotations}] {resources}"),
    );

    assert_form_is_gone(&flattened(&written(&objects)).unwrap());
}

#[test]
fn a_catalog_that_many_appearances_take_their_resources_from() {
    let catalog = format!("/Note ({})", "x".repeat(2_000_000));
    let mut objects = with_widgets(3_000, "", &catalog, |number| {
        format!("/FT /Tx /V (Ona) /AP << /N {} 0 R >>", 10_000 + number)
    });
    for number in 11_000..14_000 {
        objects.set_deflated(
            number,
            "/Subtype /Form /BBox [0 0 100 20]",
            b"BT /Helv 9 Tf (Ona) Tj ET",
        );
    }

    let flattened = flattened(&written(&objects)).unwrap();

    assert_form_is_gone(&flattened);
    assert_eq!(text(&flattened).matches("/Courier").count(), 3_000);
}

#[test]
fn values_of_blanks_that_widgets_of_all_pages_have() {
    let widgets = [(); 10].map(|()| "/FT /Tx /V 60 0 R /AP << /N 51 0 R >>");
    let mut objects = form(&widgets);
    objects.set(60, format!("[{}]", "61 0 R ".repeat(99)));
    objects.set(61, format!("({})", " ".repeat(1_000)));
    let annotations: String = (20..30).map(|number| format!("{number} 0 R ")).collect();
    set_pages(&mut objects, 1_000, &format!("/Annots [{annotations}]"));

    assert_form_is_gone(&flattened(&written(&objects)).unwrap());
}

#[test]
fn annotations_of_many_points_that_all_pages_have_below_a_widget() {
    let mut objects = form(&[&button()]);
    let points = "9 9 ".repeat(240);
    let others = 100_000..100_040;
    for number in others.clone() {
        objects.set(
            number,
            format!("<< /Type /Annot /Subtype /Ink /Rect [9 9 9 9] /InkList [[{points}]] >>"),
        );
    }
    let annotations: String = others.map(|number| format!("{number} 0 R ")).collect();
    objects.set(9, format!("[{annotations} 20 0 R]"));
    set_pages(&mut objects, 4_000, "/Annots 9 0 R");

    assert_form_is_gone(&flattened(&written(&objects)).unwrap());
}
