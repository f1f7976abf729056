//! Position of the banner on a page.

use parafa_fixtures::PdfBuilder;

use super::programs::{
    assert_says_so, assert_says_so_on_every_page, assert_shows_the_banner,
    assert_shows_the_same_below_the_banner, shows_the_banner, tool,
};
use super::{page, rehearsed};
use crate::flatten_rendering::{MAX_DIFFERENCE_PPM, difference, renderers};
use crate::intake::{inspected, table};
use crate::renderers::Renderer;

/// A content without drawings of its own: a grey square in the middle.
const SQUARE: &[u8] = b"0.5 g 200 300 150 150 re f";

#[test]
fn the_banner_is_upright_at_the_upper_edge_of_every_kind_of_page() {
    let boxes = [
        ("/MediaBox [0 0 595 842]", 595.0, 842.0),
        ("/MediaBox [595.276 841.89 0 0]", 595.276, 841.89),
        ("/MediaBox [-100 -200 495 642]", 595.0, 842.0),
        ("/MediaBox [100000 100000 100595 100842]", 595.0, 842.0),
        (
            "/MediaBox [0 0 595 842] /CropBox [100 100 400 700]",
            300.0,
            600.0,
        ),
        (
            "/MediaBox [0 0 595 842] /CropBox [400 700 -50 300]",
            400.0,
            400.0,
        ),
        ("/MediaBox [0 0 10 10]", 10.0, 10.0),
        ("/MediaBox [0 0 14400 14400]", 14_400.0, 14_400.0),
        ("/MediaBox [0 0 3000 20]", 3000.0, 20.0),
        ("/MediaBox [0 0 20 3000]", 20.0, 3000.0),
        ("/MediaBox [0 0 59.5 84.2] /UserUnit 10", 59.5, 84.2),
    ];
    for (page_boxes, across, up) in boxes {
        for (rotate, width, height) in [
            ("", across, up),
            ("/Rotate 90", up, across),
            ("/Rotate 180", across, up),
            ("/Rotate -90", up, across),
            ("/Rotate 450", up, across),
        ] {
            let made = rehearsed(&page(&format!("{page_boxes} {rotate}"), SQUARE)).unwrap();

            let Some(text) = tool("pdftotext", &["-bbox", "-cropbox"], &made) else {
                return;
            };
            let words = Box::of_words(&text);
            assert!(!words.is_empty(), "{page_boxes} {rotate}: {text}");
            for word in words {
                let what = format!("{page_boxes} {rotate}: {word:?}");
                assert!(word.top > -0.02 * height, "{what}");
                assert!(word.bottom < 0.13 * height, "{what}");
                assert!(word.left > 0.0 && word.right < width, "{what}");
                assert!(word.right - word.left > word.bottom - word.top, "{what}");
            }
        }
    }
}

#[test]
fn the_banner_on_top_looks_like_the_one_below_however_the_page_is_turned() {
    // The displayed area has the same width and height as before the rotation.
    let boxes = [
        ("/MediaBox [0 0 300 600]", "/MediaBox [0 0 600 300]"),
        (
            "/MediaBox [0 0 595 842] /CropBox [100 100 400 700]",
            "/MediaBox [0 0 842 595] /CropBox [0 150 600 450]",
        ),
    ];
    let blank = rehearsed(&page(boxes[0].0, b"")).unwrap();
    let below = with_hidden_stamp(&blank);
    for (upright, lying) in boxes {
        for (page_boxes, rotate) in [(upright, 0), (lying, 90), (upright, 180), (lying, 270)] {
            let entries = format!("{page_boxes} /Rotate {rotate}");
            let made = rehearsed(&page(&entries, b"1 g -999 -999 3000 3000 re f")).unwrap();
            for (renderer, render) in renderers() {
                let what = format!("{renderer}: {entries}");
                let shown = difference(&below, &made, render);
                assert!(
                    shown.unwrap() <= MAX_DIFFERENCE_PPM,
                    "{what}: {shown:?} ppm"
                );
                let covered = difference(&below, &with_hidden_stamp(&made), render);
                assert!(covered.unwrap() > 10_000, "{what}: {covered:?} ppm");
            }
        }
    }
}

/// Returns a rehearsal without the banner on top.
fn with_hidden_stamp(made: &[u8]) -> Vec<u8> {
    let flags = b"/F 196 ";
    let mut hidden = made.to_vec();
    let place = made
        .windows(flags.len())
        .rposition(|window| window == flags);
    hidden[place.unwrap()..][..flags.len()].copy_from_slice(b"/F 198 ");
    hidden
}

#[test]
fn a_page_whose_boxes_viewers_take_for_different_areas_is_shown_with_the_banner() {
    for boxes in [
        "/MediaBox [0 0 595 842] /CropBox [1000 1000 1200 1200]",
        "/MediaBox [0 0 595 842] /CropBox [0 842 595 1000]",
        "/MediaBox [0 0 595 842] /CropBox [0 841.5 595 1000]",
        "/MediaBox [0 0 595 842] /CropBox [100 100 100 400]",
        "/MediaBox [0 0 595 842] /CropBox [100 100 400 null]",
        "/MediaBox [0 0 595 842] /CropBox [100 100 400 400 9]",
        "/MediaBox [0 0 595 842] /CropBox [100 100 400]",
        "/MediaBox [0 0 0 842]",
        "/MediaBox [0 0 0 842] /CropBox [100 100 400 400]",
        "/MediaBox [0 0 595 842] /CropBox [1000 1000 1200 1200] /Rotate 90",
    ] {
        let document = page(boxes, SQUARE);
        assert!(inspected(&document).is_ok(), "{boxes}");

        let made = rehearsed(&document).unwrap();

        assert!(inspected(&made).is_ok(), "{boxes}");
        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(boxes, &made);
    }
}

#[test]
fn a_page_of_less_than_a_unit_is_widened_until_it_is_shown_with_the_banner() {
    // Poppler ignores `/UserUnit`: such a page is a single point to it.
    let renderer = Renderer::MuPdf;
    if !Renderer::all().contains(&renderer) {
        return;
    }
    for boxes in [
        "/MediaBox [1000 1000 1000.5 1000.7] /UserUnit 1000",
        "/MediaBox [1000 1000 1002 1000.7] /CropBox [1000 1000 1001 1000.5] /UserUnit 500",
    ] {
        let document = page(boxes, SQUARE);

        let made = rehearsed(&document).unwrap();

        assert!(inspected(&made).is_ok(), "{boxes}");
        assert_says_so(renderer, &made, 1);
        assert!(shows_the_banner(renderer, &made), "{boxes}");
    }
}

#[test]
fn a_page_whose_boxes_are_clear_keeps_them() {
    for boxes in [
        "/MediaBox [0 0 595 842]",
        "/MediaBox [0 0 595 842] /CropBox [100 100 400 700]",
        "/MediaBox [0 0 595 842] /CropBox [-100 -100 4000 7000]",
        "/MediaBox [0 0 595 842] /CropBox null",
    ] {
        let document = page(boxes, SQUARE);

        let made = rehearsed(&document).unwrap();

        let update = String::from_utf8_lossy(&made[document.len()..]);
        assert!(update.contains(boxes), "{update}");
    }
}

#[test]
fn attributes_of_pages_may_be_inherited() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        2,
        "<< /Type /Pages /Count 1 /Kids [20 0 R] /MediaBox [0 0 842 595] /Rotate 90 >>",
    );
    objects.set(
        20,
        "<< /Type /Pages /Count 1 /Kids [5 0 R] /Parent 2 0 R /CropBox [0 0 842 300] \
         /Resources << /Font << /F1 3 0 R >> /XObject << /UnsignedBanner 21 0 R >> >> >>",
    );
    objects.set(5, "<< /Type /Page /Parent 20 0 R /Contents 6 0 R >>");
    objects.set_stream(
        21,
        "/Type /XObject /Subtype /Form /BBox [0 0 842 595]",
        SQUARE,
    );
    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    assert_says_so_on_every_page(&made, 1);
    assert_shows_the_same_below_the_banner("inherited", &document, &made);
}

/// A word from `pdftotext -bbox`, measured from the upper left corner of the
/// displayed page.
#[derive(Clone, Copy, Debug)]
struct Box {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Box {
    fn of_words(listing: &str) -> Vec<Self> {
        let words = listing.lines().filter(|line| line.contains("<word"));
        words
            .map(|line| {
                let number = |key: &str| {
                    let (_, rest) = line.split_once(&format!("{key}=\"")).unwrap();
                    rest.split('"').next().unwrap().parse().unwrap()
                };
                Self {
                    left: number("xMin"),
                    top: number("yMin"),
                    right: number("xMax"),
                    bottom: number("yMax"),
                }
            })
            .collect()
    }
}
