//! Existing page content below a drawing.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::Objects;
use proptest::prelude::*;

use crate::flatten::{flattened, form, written};
use crate::flatten_rendering::assert_look_alike;
use crate::referees::assert_qpdf_accepts;

/// Always shown by the page.
const SQUARE: &str = "0.5 g 200 300 150 150 re f ";

/// Contents that leave a state behind, but an unambiguous one.
const CLEAR: [&str; 18] = [
    "q q 3 0 0 3 0 0 cm 0.5 g 20 30 90 90 re f",
    "0 0 1 1 re W n",
    "BT /F1 12 Tf 3 Tr",
    "/Span << /ActualText (x) >> BDC /A BMC",
    "EMC EMC",
    "ET ET",
    "Q Q Q",
    "% the end",
    "0.0001 0 0 0.0001 0 0 cm 5 Tr 90 Tz",
    "",
    "q 40 0 0 40 9 9 cm BI /W 2 /H 2 /BPC 8 /CS /G ID \x01\x7F Q EI Q 0.1 0 0 0.1 0 0 cm",
    "BX EX /A << /B [(Q) (] Q) <51>] >> DP 0.1 0 0 0.1 0 0 cm",
    "0.1 0 0 0.1 0 0 cm 0 0 m 9 9 l",
    "BT 0 0 9 9 re",
    "BX /Sh0 foo (a) 1 bar EX 0.1 0 0 0.1 0 0 cm",
    "q 40 0 0 40 9 9 cm BI /W 8 /H 1 /BPC 8 /CS /G ID 12EI5678 EI Q 0.1 0 0 0.1 0 0 cm",
    "q 40 0 0 40 9 9 cm BI /W 2 /H 1 /BPC 8 /CS /G /F /AHx ID\r\n0180>\r\nEI Q 0.1 0 0 0.1 0 0 cm",
    "q 40 0 0 40 9 9 cm BI /W 33 /H 1 /BPC 8 /CS /G /F /RL ID \u{800} EI Q 9 0 0 9 0 0 cm",
];

/// Contents that readers may parse differently, or that are incomplete.
const UNCLEAR: [&str; 23] = [
    "/OC /Hidden BDC",
    "0 0 1 1 re W",
    "Q\nq Q",
    "BT /F1 12 Tf (never (ends",
    "[ (a) 3 <41",
    "[ 1 2",
    "<41",
    "/A << /B [",
    "/A << /B",
    "BI /W 1 /H 1 /BPC 8 /CS /G ID \x01",
    "0.1 0 0 0.1 0 0 cm q [Q] 0 d",
    "0.1 0 0 0.1 0 0 cm q /A [Q] DP",
    "0.1 0 0 0.1 0 0 cm q /A << /B Q >> DP",
    "0Q 0.1 0 0 0.1 0 0 cm",
    "q 0.1 0 0 0.1 0 0 cm q BI /W 14 /H 1 /BPC 8 /CS /G ID \nEI Q 0 0 0 m \nEI",
    "0.1 0 0 0.1 0 0 cm q BI /W 1 /H 1 /BPC 8 /F /DCT ID \x01 EI Q",
    "ID q 0 0 1 1 re W n",
    "0 0 1 1 re W n EI",
    "Q 3 0 0 3 0 0 cm",
    "1 0 cm",
    "0.5",
    "unknown",
    ") q",
];

/// Fragments for generated content: most of it is clear, but not in every
/// order.
const WORDS: [&str; 30] = [
    "q ",
    "q ",
    "Q ",
    "Q ",
    "BT ",
    "ET ",
    "/A BMC ",
    "/S << /A (x) >> BDC ",
    "/OC /Hidden BDC ",
    "EMC ",
    "0.1 0 0 0.1 0 0 cm ",
    "2 0 0 2 9 9 cm ",
    "0 0 m 9 9 l S ",
    "10 10 50 50 re f ",
    "0 0 5 5 re W n ",
    "0 0 9 9 re ",
    "/F1 9 Tf (Q) Tj ",
    "/F1 9 Tf [(q) 3 <41>] TJ ",
    "/F1 12 Tf ",
    "7 Tr ",
    "1 0 0 rg ",
    "% Q\n",
    "% Q ",
    "\x00",
    "BI /W 2 /H 1 /BPC 8 /CS /G ID ab EI ",
    "BX ",
    "EX ",
    "n",
    "(",
    "[",
];

/// Returns a page with this content; its widget is a black box.
fn page(content: &[u8]) -> Objects {
    let mut objects = form(&["/FT /Btn /Ff 65536 /T (a) /AP << /N 52 0 R >>"]);
    objects.set_stream(6, "", content);
    objects
}

fn is_page_content(objects: &Objects) -> bool {
    match flattened(&written(objects)) {
        Ok(_) => false,
        Err(refusal) => {
            assert_eq!(refusal.subjects, ["a: page-content"]);
            true
        }
    }
}

fn assert_looks_the_same(document: &[u8], what: &str) {
    let flattened = flattened(document).unwrap();
    assert_qpdf_accepts(&flattened);
    assert_look_alike(document, &flattened, what);
}

#[test]
fn whatever_is_left_behind_a_widget_looks_the_same_afterwards() {
    for content in CLEAR {
        let document = written(&page(format!("{SQUARE}{content}").as_bytes()));

        assert_looks_the_same(&document, content);
    }
}

#[test]
fn nothing_is_drawn_on_content_that_readers_may_take_for_different_things() {
    for content in UNCLEAR {
        let page = page(format!("{SQUARE}{content}").as_bytes());

        assert!(is_page_content(&page), "{content}");
    }
}

#[test]
fn states_are_closed_up_to_a_limit() {
    let open = |times: usize| page("q ".repeat(times).as_bytes());

    assert_looks_the_same(&written(&open(1_000)), "1000 states");
    assert!(is_page_content(&open(1_001)));
}

#[test]
fn content_whose_compressed_data_has_no_end_is_not_read() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let content: String = (0..5_000).map(|x| format!("{x} 0 m {x} 9 l S ")).collect();
    encoder.write_all(content.as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let is_refused = |data: &[u8]| {
        let mut objects = page(b"");
        objects.set_stream(6, "/Filter /FlateDecode", data);
        is_page_content(&objects)
    };

    assert!(!is_refused(&whole));
    assert!(!is_refused(&whole[..whole.len() - 4]), "no checksum");
    assert!(is_refused(&whole[..whole.len() / 2]));
}

#[test]
fn a_word_that_goes_on_in_the_next_stream_is_not_read() {
    let streams = |first: &[u8], second: &[u8]| {
        let mut objects = page(b"");
        objects.set_stream(70, "", first);
        objects.set_stream(71, "", second);
        objects.set(6, "[70 0 R 71 0 R]");
        objects
    };

    let text = streams(b"BT /F1 12 Tf 50 700 Td (Sum", b"Q Q 100) Tj ET");
    assert!(is_page_content(&text));
    let sound = streams(
        b"q BT /F1 12 Tf 50 700 Td [(Sum)",
        b"] TJ ET 9 0 0 9 0 0 cm",
    );
    assert_looks_the_same(&written(&sound), "an array in two streams");
}

#[test]
fn pages_that_share_their_content_share_what_closes_it() {
    for content in ["q 0 g ".repeat(900), "Q ".repeat(900)] {
        let mut objects = form(&["/FT /Btn /Ff 65536 /T (a) /AP << /N 52 0 R >>"]);
        objects.set_deflated(6, "", content.as_bytes());
        let numbers = 100..200;
        let kids: String = numbers.clone().map(|page| format!("{page} 0 R ")).collect();
        objects.set(
            2,
            format!("<< /Type /Pages /Count 100 /Kids [{kids}] /MediaBox [0 0 595 842] >>"),
        );
        for number in numbers {
            objects.set(
                number,
                "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Annots [20 0 R] >>",
            );
        }
        let document = written(&objects);

        let flattened = flattened(&document).unwrap();

        let added = flattened.len().saturating_sub(document.len());
        assert!(added < 100 * 200, "{added} bytes for 100 pages");
    }
}

#[test]
fn no_name_that_the_content_mentions_is_given_to_a_drawing() {
    let flattened = |name: &str| {
        let document = written(&page(format!("q /{name} Do Q").as_bytes()));
        String::from_utf8_lossy(&flattened(&document).unwrap()).into_owned()
    };

    let other = flattened("Drawn0");

    assert_eq!(other.matches("/Drawn0 ").count(), 1);
    let (_, name) = other.split_once("<<\n/Drawn").unwrap();
    let name = format!("Drawn{}", name.split_once(' ').unwrap().0);
    assert!(name.len() > 16, "{name} could be guessed");
}

#[test]
fn an_appearance_is_drawn_however_large_its_box_is() {
    let mut objects = page(b"");
    objects.set_stream(
        52,
        "/Type /XObject /Subtype /Form /BBox [0 0 400000000 400000000]",
        *b"1 0 0 rg 0 0 400000000 400000000 re f",
    );

    assert_looks_the_same(&written(&objects), "a large box");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_any_content_a_widget_looks_the_same_afterwards_or_is_refused(
        words in proptest::collection::vec(prop::sample::select(WORDS.to_vec()), 0..10),
    ) {
        let page = page(format!("{SQUARE}{}", words.concat()).as_bytes());
        if !is_page_content(&page) {
            assert_looks_the_same(&written(&page), &words.concat());
        }
    }
}
