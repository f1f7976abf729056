//! The banner over layers (ISO 32000-2, 8.11).

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::programs::{
    assert_says_so_on_every_page, assert_shows_the_banner, assert_shows_the_same_below_the_banner,
};
use super::{objects, page, rehearsed};
use crate::intake::table;

const A4: &str = "/MediaBox [0 0 595 842]";

/// A hidden layer over the whole page, and a visible square.
const HIDDEN_AND_SEEN: &str = "/OC /Hidden BDC 0 0 595 842 re f EMC 0.5 g 200 300 150 150 re f ";

/// An inline image whose data contains an end and operators for some readers.
const AMBIGUOUS_IMAGE: &str = "q q BI /W 14 /H 1 /BPC 8 /CS /G ID \nEI Q Q 0 0 m \nEI ";

#[test]
fn a_layer_that_is_left_open_does_not_hide_the_banner() {
    // More than are followed, but no more than MuPDF draws.
    let many = "/OC /Hidden BDC ".repeat(1_010);
    for open in [
        "/OC /Hidden BDC",
        "/OC /Hidden BDC 0 0 m",
        "/A BMC /OC /Hidden BDC /B BMC q Q EMC",
        "/OC /Hidden BDC (never (ends",
        "/OC /Hidden BDC BI /W 900 /H 900 /BPC 8 /CS /G ID x",
        "Q /OC /Hidden BDC 0 g",
        &format!("{AMBIGUOUS_IMAGE} /OC /Hidden BDC"),
        &format!("/OC /Hidden BDC {AMBIGUOUS_IMAGE}"),
        &many,
    ] {
        let content = format!("1 g 0 0 595 842 re f {open}");
        let document = page(A4, content.as_bytes());

        let made = rehearsed(&document).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(&content, &made);
        assert_shows_the_same_below_the_banner(&content, &document, &made);
    }
}

#[test]
fn layers_hide_what_they_hid_before_whatever_else_the_content_is() {
    for (before, after) in [
        ("", ""),
        ("", "Q"),
        ("Q ", ""),
        ("q Q Q 0 g ", "Q"),
        (AMBIGUOUS_IMAGE, ""),
        ("", AMBIGUOUS_IMAGE),
        ("", "(never (ends"),
        ("0Q ", ""),
    ] {
        let content = format!("{before}{HIDDEN_AND_SEEN}{after}");
        let document = page(A4, content.as_bytes());

        let made = rehearsed(&document).unwrap();

        assert_shows_the_banner(&content, &made);
        assert_shows_the_same_below_the_banner(&content, &document, &made);
    }
}

#[test]
fn content_that_is_decoded_by_readers_alone_may_leave_any_number_of_layers_open() {
    let deflated = |content: &str, level| {
        let mut encoder = ZlibEncoder::new(Vec::new(), level);
        encoder.write_all(content.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let open = "/OC /Hidden BDC ".repeat(20_000);
    // Readers show the content before the truncated end.
    let mut damaged = deflated(&open, Compression::none());
    damaged.truncate(damaged.len() - 100);
    let vast = deflated(&(open + &" ".repeat(3 << 20)), Compression::best());
    for (entries, data) in [
        ("/Filter /FlateDecode", damaged),
        ("/Filter /FlateDecode", vast),
        ("/Filter /Unknown", b"0 g".to_vec()),
    ] {
        let mut objects = objects(A4);
        objects.set_stream(6, entries, data);

        let refusal = rehearsed(&table(&objects)).unwrap_err();

        assert_eq!(refusal.code, "too-many-objects");
        assert!(refusal.detail.contains("page 5"), "{refusal}");
    }
    let mut objects = objects(A4);
    objects.set(6, "(no stream)");

    let refusal = rehearsed(&table(&objects)).unwrap_err();

    assert_eq!(refusal.code, "too-many-objects");
}

#[test]
fn a_page_that_is_read_alike_by_all_keeps_its_content_and_resources() {
    let document = page(A4, HIDDEN_AND_SEEN.as_bytes());

    let made = rehearsed(&document).unwrap();

    let update = String::from_utf8_lossy(&made[document.len()..]);
    assert!(!update.contains("EMC\n/Banner"), "{update}");
    assert!(update.contains(" 6 0 R]"), "{update}");
    assert!(
        update.contains("/Properties << /Hidden 20 0 R >>"),
        "{update}"
    );
}

#[test]
fn pages_that_may_leave_millions_of_layers_open_have_no_room_for_the_banner() {
    let document = |pages: u32| {
        let mut objects = objects(A4);
        let numbers = 30..30 + pages;
        let kids: String = numbers.clone().map(|page| format!("{page} 0 R ")).collect();
        objects.set(
            2,
            format!("<< /Type /Pages /Count {pages} /Kids [{kids}] >>"),
        );
        for page in numbers {
            // Each has a unique width.
            let width = 842 + page;
            objects.set(
                page,
                format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} 595] /Contents 6 0 R >>"
                ),
            );
        }
        let content = [b"Q ".as_slice(), &b"BDC".repeat(1_000_000)].concat();
        objects.set_stream(6, "", content);
        table(&objects)
    };
    let code = |pages| {
        rehearsed(&document(pages))
            .err()
            .map(|refusal| refusal.code)
    };

    assert_eq!(code(2), None);
    assert_eq!(code(9).as_deref(), Some("too-many-objects"));
}
