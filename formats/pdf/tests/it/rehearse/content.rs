//! The banner together with other page content.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::PdfBuilder;
use proptest::prelude::*;

use super::programs::{
    assert_says_so_on_every_page, assert_shows_the_banner, assert_shows_the_same_below_the_banner,
};
use super::{page, rehearsed};
use crate::intake::{inspected, table};

#[test]
fn whatever_the_content_leaves_behind_the_banner_is_drawn_and_nothing_else_changes() {
    let contents: [&[u8]; 14] = [
        b"q q 3 0 0 3 0 0 cm 0.5 g 20 30 90 90 re f",
        b"0.5 g 200 300 150 150 re f 0 0 1 1 re W n",
        b"0.5 g 200 300 150 150 re f 0 0 1 1 re W",
        b"0.5 g 200 300 150 150 re f 0 0 m 9 9 l",
        b"0.5 g 200 300 150 150 re f BT /F1 12 Tf 3 Tr",
        b"0.5 g 200 300 150 150 re f /OC /Hidden BDC",
        b"0.5 g 200 300 150 150 re f EMC EMC",
        b"0.5 g 200 300 150 150 re f BT /F1 12 Tf (never (ends",
        b"0.5 g 200 300 150 150 re f [ (a) 3 <41",
        b"0.5 g 200 300 150 150 re f /A << /B [",
        b"0.5 g 200 300 150 150 re f BI /W 1 /H 1 /BPC 8 /CS /G ID \x00",
        b"0.5 g 200 300 150 150 re f % the end",
        b"0.5 g 200 300 150 150 re f 0.0001 0 0 0.0001 0 0 cm 5 Tr 90 Tz",
        b"",
    ];
    for content in contents {
        let document = page("/MediaBox [0 0 595 842]", content);
        let said = String::from_utf8_lossy(content);

        let made = rehearsed(&document).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(&said, &made);
        assert_shows_the_same_below_the_banner(&said, &document, &made);
    }
}

#[test]
fn whatever_the_content_is_the_banner_lies_on_top_of_it() {
    let deflated = |content: &[u8]| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    let hostile = "1 g 0 0 595 842 re f 0 0 1 1 re W n ";
    let contents: [(&str, Vec<u8>); 13] = [
        ("", format!("{hostile} ID q ").into_bytes()),
        ("", format!("ID q {hostile} q").into_bytes()),
        ("", format!("0Q {hostile}").into_bytes()),
        ("", format!("{hostile} q [Q] 0 d").into_bytes()),
        ("", format!("{hostile} (never ends").into_bytes()),
        ("", format!("{hostile}{}", "q ".repeat(10_002)).into_bytes()),
        (
            "",
            format!("{hostile} Q Q Q 0.01 0 0 0.01 0 0 cm").into_bytes(),
        ),
        (
            "",
            format!("{hostile} /Span << /ActualText (x) >> BDC").into_bytes(),
        ),
        (
            "",
            format!("{hostile} q q BI /W 14 /H 1 /BPC 8 /CS /G ID \nEI Q Q 0 0 m \nEI ")
                .into_bytes(),
        ),
        ("/Filter 20 0 R", deflated(hostile.as_bytes())),
        ("/Filter 99 0 R", deflated(hostile.as_bytes())),
        ("/Filter /FlateDecode", b"not deflated".to_vec()),
        (
            "/Filter /FlateDecode",
            deflated(format!("{hostile} q {}", "%comment\n".repeat(4_000_000)).as_bytes()),
        ),
    ];
    for (entries, content) in contents {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R >>",
        );
        objects.set_stream(6, entries, content.as_slice());
        objects.set(20, "/FlateDecode");
        let said = String::from_utf8_lossy(content.get(..80).unwrap_or(&content)).into_owned();

        let made = rehearsed(&table(&objects)).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(&format!("{entries} {said}"), &made);
    }
}

#[test]
fn the_banner_lies_on_top_of_other_annotations() {
    for annotations in ["[20 0 R]", "22 0 R", "[null 20 0 R 99 0 R % ]\n]"] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Annots {annotations} >>"
            ),
        );
        objects.set(
            20,
            "<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 700 595 842] /AP << /N 21 0 R >> >>",
        );
        objects.set_stream(
            21,
            "/Type /XObject /Subtype /Form /BBox [0 0 10 10]",
            *b"0 1 0 rg 0 0 10 10 re f",
        );
        objects.set(22, "[20 0 R]");
        let document = table(&objects);

        let made = rehearsed(&document).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(annotations, &made);
        assert_shows_the_same_below_the_banner(annotations, &document, &made);
    }
}

#[test]
fn a_page_may_lack_content_and_resources() {
    for entries in [
        "",
        "/Contents null /Resources null",
        "/Contents [] /Resources << >>",
        "/Contents 99 0 R /Resources 99 0 R",
        "/Contents [null 99 0 R] /Resources << /XObject 99 0 R >>",
        "/Resources << /XObject null >> % >>\n",
    ] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            5,
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {entries} >>"),
        );

        let made = rehearsed(&table(&objects)).unwrap();
        assert_says_so_on_every_page(&made, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_on_a_page_it_is_taken_afterwards(
        content in proptest::collection::vec(any::<u8>(), 0..300),
        corners in proptest::array::uniform4(-20_000.0..20_000.0_f32),
        rotate in -1000..1000_i32,
    ) {
        let [x1, y1, x2, y2] = corners;
        let document = page(&format!("/MediaBox [{x1} {y1} {x2} {y2}] /Rotate {rotate}"), &content);

        let made = rehearsed(&document).unwrap();

        prop_assert!(made.starts_with(&document));
        prop_assert_eq!(inspected(&made).unwrap().notes, inspected(&document).unwrap().notes);
    }
}
