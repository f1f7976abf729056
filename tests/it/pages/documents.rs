//! Documents as rendered by the page.

use std::ops::Range;

use parafa_fixtures::{CrossReference, Objects, form, plain, tool};
use serde_json::{Value, json};

use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// External documents: with many pages, landscape, rotated, with forms, with
/// fonts and pictures of all kinds.
const SAMPLES: [&str; 6] = [
    "pdf/made__matrix_rotate90.pdf",
    "pdf/pdflib__with_rotated_image_button.pdf",
    "pdf/qpdf__manual-appearances.pdf",
    "real/dss__pdfa2a-rgb.pdf",
    "real/it8_dss__bdoc-spec21.pdf",
    "real/pdfbox__cweb.pdf",
];
/// A line of 64 black dots in fax encoding (ITU-T T.4, 4.1): white run 0, black
/// runs 64 and 0.
const BLACK_LINE: &[u8] = &[0x35, 0x03, 0xc3, 0x70];
/// 64 by 64 black dots in JPEG 2000, written by OpenJPEG 2.5.4.
const JPEG_2000: &str = "ff4fff510029000000000040000000400000000000000000000000400000004000000000000000000001070101ff52000c00000001000004040001ff5c00044040ff640025000143726561746564206279204f70656e4a5045472076657273696f6e20322e352e34ff90000a00000000001b0001ff93df8050115054afff7fe989607fffd9";
/// Script: whether the first sheet has any drawing, and its text.
const FIRST_SHEET: &str = "
    const sheet = document.querySelector('.sheet');
    const canvas = sheet.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const ink = new Uint32Array(data.buffer).some((pixel) => (pixel & 0xffffff) < 0x808080);
    return [ink, sheet.innerText, sheet.clientWidth, document.querySelectorAll('.sheet').length];
";

/// Script: number of dark lines that the middle column of the first drawn sheet
/// crosses.
const LINES: &str = "
    const canvas = document.querySelector('.sheet[data-drawn] canvas');
    const middle = Math.floor(canvas.width / 2);
    const { data } = canvas.getContext('2d').getImageData(middle, 0, 1, canvas.height);
    let lines = 0;
    for (let at = 0, was = false; at < data.length; at += 4) {
      const is = data[at] < 128;
      if (is && !was) lines += 1;
      was = is;
    }
    return lines;
";
/// Script: position of the longest dark run near the left edge of the last
/// sheet. Returns the line of its middle, counted from the top, out of a given
/// number of lines.
const BLOCK: &str = "
    const canvas = document.querySelector('.sheet:last-child canvas');
    const column = Math.floor(0.03 * canvas.width);
    const { data } = canvas.getContext('2d').getImageData(column, 0, 1, canvas.height);
    let [from, longest, middle] = [0, 0, 0];
    for (let line = 0; line < canvas.height; line += 1) {
      if (data[4 * line] >= 128) from = line + 1;
      else if (line - from > longest) [longest, middle] = [line - from, (from + line) / 2];
    }
    return Math.floor(middle / canvas.height * arguments[0]);
";
/// Script: whether a sheet is wider than high, and which of some boxes on it
/// have dark pixels.
const DARK: &str = "
    const [number, boxes] = arguments;
    const sheet = document.querySelector(`.sheet:nth-child(${number})`);
    const canvas = sheet.querySelector('canvas');
    const [across, down] = [canvas.width, canvas.height];
    const isDark = ([left, top, width, height]) => {
      const box = [left * across, top * down, width * across, height * down].map(Math.round);
      const { data } = canvas.getContext('2d').getImageData(...box);
      return new Uint32Array(data.buffer).some((pixel) => (pixel & 0xffffff) < 0x808080);
    };
    return [sheet.clientWidth > sheet.clientHeight, boxes.map(isDark)];
";
/// Box on a sheet: left, top, width and height as fractions of the sheet.
type Part = [f64; 4];
/// Top left, top right, bottom left, bottom right.
const CORNERS: [Part; 4] = [
    [0.01, 0.01, 0.04, 0.04],
    [0.95, 0.01, 0.04, 0.04],
    [0.01, 0.95, 0.04, 0.04],
    [0.95, 0.95, 0.04, 0.04],
];
/// Pages with a block at the origin of their coordinate space: their entries,
/// and whether they are landscape. The last value is the corner in which
/// readers show the block (ISO 32000-2, 7.7.3.3: pages are rotated clockwise).
const TURNED: [(&str, bool, usize); 4] = [
    ("/MediaBox [0 0 842 595]", true, 2),
    ("/MediaBox [0 0 595 842] /Rotate 90", true, 0),
    ("/MediaBox [0 0 595 842] /Rotate 180", false, 1),
    ("/MediaBox [0 0 595 842] /Rotate 270", true, 3),
];
/// Place of the value of a form's first field, within the field's frame.
const VALUE: Part = [300.0 / 595.0, 25.0 / 842.0, 200.0 / 595.0, 14.0 / 842.0];
/// Number of lines on a scanned page, and on a drawing.
const RULED: usize = 150;
/// Height of a scanned page, in dots.
const SCANNED: usize = 1754;
/// Maximum number of zoom steps.
const STEPS: usize = 12;

async fn open(browser: &Browser, demo: &Demo, document: &[u8]) {
    let signers = json!([{"email": "ona@example.lt", "language": "en"}]);
    let signing = demo.signing().create(document, signers).await;
    let link = signing.signers[0].link();
    browser.goto(link.as_str()).await.expect("the page");
    browser.shown(".sheet[data-drawn]").await;
}

async fn first_sheet(browser: &Browser) -> (bool, String, u64, usize) {
    let told = browser.execute(FIRST_SHEET, Vec::new()).await;
    serde_json::from_value(told.expect("the sheet")).expect("what was asked for")
}

/// Returns whether the background of the document, and the document itself, are
/// inert.
async fn behind(browser: &Browser) -> Value {
    let asked = "return ['header', '.skip', '.steps', '#sheets']
        .map((css) => Boolean(document.querySelector(css).closest('[inert]')))";
    let told = browser.execute(asked, Vec::new()).await;
    told.expect("what can be reached")
}

#[tokio::test]
async fn a_document_is_drawn_with_its_text_and_can_be_made_larger() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();

    open(&browser, &demo, &plain(3)).await;
    let (ink, text, width, sheets) = first_sheet(&browser).await;
    assert!(ink);
    assert!(!text.trim().is_empty());
    assert_eq!(sheets, 3);
    assert_eq!(browser.text("#viewer-status").await, "Page 1 of 3");
    browser.click("#viewer-in").await;
    browser.shown(".sheet[data-drawn]").await;
    let (_, _, larger, _) = first_sheet(&browser).await;
    assert!(larger > width, "{larger} {width}");
    browser.click("#viewer-size").await;
    browser.shown(".viewer.large #viewer-size").await;
    browser.assert_accessible("the full window").await;
    assert_eq!(behind(&browser).await, json!([true, true, true, false]));
    browser.click("#viewer-size").await;
    browser.shown(".viewer:not(.large) #viewer-size").await;
    assert_eq!(behind(&browser).await, json!([false, false, false, false]));
    browser.shown("#choose").await;
    browser.close().await;
}

/// Returns a page with one black picture of 64 by 64 dots, in this encoding.
fn scan(encoding: &str, stream: Vec<u8>) -> Vec<u8> {
    let mut objects = Objects::new();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    objects.set(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
                /Resources << /XObject << /Scan 5 0 R >> >> >>";
    objects.set(3, page);
    objects.set_stream(4, "", "400 0 0 400 90 200 cm /Scan Do");
    let picture = format!("/Type /XObject /Subtype /Image /Width 64 /Height 64 {encoding}");
    objects.set_stream(5, &picture, stream);
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
}

/// Returns a JBIG2 page (ITU-T T.88, 7.4) with one region, encoded by ITU-T
/// T.6.
fn jbig2() -> Vec<u8> {
    const SIZE: [u8; 8] = [0, 0, 0, 64, 0, 0, 0, 64];
    // Horizontal mode with white run 0, black runs 64 and 0; then 63 lines like
    // the one above.
    const FIRST_LINE: &str = "001 00110101 0000001111 0000110111";
    let lines = [FIRST_LINE, &"11".repeat(63)].concat().replace(' ', "");
    let lines: Vec<u8> = lines
        .as_bytes()
        .chunks(8)
        .map(|bits| {
            let bits = bits.iter().enumerate();
            bits.map(|(place, bit)| (bit - b'0') << (7 - place)).sum()
        })
        .collect();
    let information = [SIZE.as_slice(), &[0; 11]].concat();
    let region = [SIZE.as_slice(), &[0; 9], &[1], &lines].concat();
    [(0, 48, information), (1, 38, region)]
        .into_iter()
        .flat_map(|(number, kind, data)| {
            let length = u8::try_from(data.len()).expect("a short segment");
            [vec![0, 0, 0, number, kind, 0, 1, 0, 0, 0, length], data].concat()
        })
        .collect()
}

#[tokio::test]
async fn pictures_of_scanners_are_drawn() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    let gray = "/BitsPerComponent 1 /ColorSpace /DeviceGray";
    let fax = "/Filter /CCITTFaxDecode \
               /DecodeParms << /K 0 /Columns 64 /Rows 64 /EncodedByteAlign true >>";
    let jpeg_2000 = hex::decode(JPEG_2000).expect("hex digits");
    for (encoding, stream) in [
        (format!("{gray} {fax}"), BLACK_LINE.repeat(64)),
        (format!("{gray} /Filter /JBIG2Decode"), jbig2()),
        ("/Filter /JPXDecode".to_owned(), jpeg_2000),
    ] {
        open(&browser, &demo, &scan(&encoding, stream)).await;
        let (ink, ..) = first_sheet(&browser).await;
        assert!(ink, "{encoding}");
    }
    browser.close().await;
}

/// Zooms in on the document to the maximum.
async fn enlarge(browser: &Browser) {
    for _ in 0..STEPS {
        browser.click("#viewer-in").await;
    }
    browser.shown(".sheet[data-drawn]").await;
}

/// Returns the lines of the block of a scanned page.
fn block(page: usize) -> Range<usize> {
    let first = 200 + 20 * page;
    first..first + 20
}

/// Returns A4 pages, scanned in black and white at 150 dots per inch. Each has
/// lines as thick and as far apart as the strokes of small print, and a block
/// in a different place.
fn long_scan(pages: usize) -> Vec<u8> {
    const LINE_BYTES: usize = 155;

    let mut objects = Objects::new();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (0..pages)
        .map(|page| format!("{} 0 R ", 3 + 3 * page))
        .collect();
    objects.set(
        2,
        format!("<< /Type /Pages /Kids [{kids}] /Count {pages} >>"),
    );
    for page in 0..pages {
        let [number, content, picture] =
            [0, 1, 2].map(|part| u32::try_from(3 + 3 * page + part).expect("a number"));
        let resources = format!("/Resources << /XObject << /Scan {picture} 0 R >> >>");
        objects.set(
            number,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R \
                 {resources} >>"
            ),
        );
        objects.set_stream(content, "", "595 0 0 842 0 0 cm /Scan Do");
        let mut dots = vec![0xff; LINE_BYTES * SCANNED];
        for line in 0..RULED {
            let from = (200 + 8 * line) * LINE_BYTES;
            dots[from..from + 3 * LINE_BYTES].fill(0);
        }
        for line in block(page) {
            let from = line * LINE_BYTES;
            dots[from..from + 10].fill(0);
        }
        let entries = format!(
            "/Type /XObject /Subtype /Image /Width 1240 /Height {SCANNED} \
             /BitsPerComponent 1 /ColorSpace /DeviceGray"
        );
        objects.set_deflated(picture, &entries, &dots);
    }
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
}

/// Returns an A0 drawing with lines of a third of a millimetre, two millimetres
/// apart.
fn large_drawing() -> Vec<u8> {
    let mut objects = Objects::new();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    objects.set(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 3370 2384] /Contents 4 0 R >>";
    objects.set(3, page);
    let lines: String = (0..RULED)
        .map(|line| format!("1000 {0} m 2400 {0} l S ", 400 + 6 * line))
        .collect();
    objects.set_stream(4, "", format!("1 w {lines}"));
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
}

#[tokio::test]
async fn a_scan_of_sixty_pages_and_a_large_drawing_can_be_read_on_a_phone() {
    let Some(browser) = Browser::on(Screen::PHONE).await else {
        return;
    };
    let demo = Demo::start();
    for (document, pages) in [(long_scan(60), 60), (large_drawing(), 1)] {
        open(&browser, &demo, &document).await;
        let (_, _, width, sheets) = first_sheet(&browser).await;
        assert!(width <= u64::from(Screen::PHONE.width), "{width}");
        assert_eq!(sheets, pages);
        browser.assert_accessible("a document").await;

        enlarge(&browser).await;
        let lines = browser.execute(LINES, Vec::new()).await;
        assert_eq!(lines.expect("a number"), RULED);
        browser.assert_accessible("the largest").await;

        let down = "const sheets = document.getElementById('sheets');
            sheets.scrollTo(sheets.scrollWidth / 3, sheets.scrollHeight)";
        browser.execute(down, Vec::new()).await.expect("scrolled");
        browser.shown(".sheet:last-child[data-drawn]").await;
        assert_eq!(
            browser.text("#viewer-status").await,
            format!("Page {pages} of {pages}")
        );
        let drawn = "return document.querySelectorAll('.sheet canvas').length";
        let drawn = browser.execute(drawn, Vec::new()).await.expect("a number");
        assert!(drawn.as_u64().is_some_and(|drawn| drawn < 6), "{drawn}");
        if pages > 1 {
            let middle = browser.execute(BLOCK, vec![json!(SCANNED)]).await;
            let middle: usize = serde_json::from_value(middle.expect("a line")).expect("a number");
            assert!(block(pages - 1).contains(&middle), "{middle}");
        }
    }
    browser.close().await;
}

fn turned_pages() -> Vec<u8> {
    let mut objects = Objects::new();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids = "[3 0 R 4 0 R 5 0 R 6 0 R]";
    objects.set(2, format!("<< /Type /Pages /Kids {kids} /Count 4 >>"));
    for (number, (entries, ..)) in (3..).zip(TURNED) {
        let page = format!("<< /Type /Page /Parent 2 0 R /Contents 7 0 R {entries} >>");
        objects.set(number, page);
    }
    objects.set_stream(7, "", "0 0 100 100 re f");
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
}

#[tokio::test]
async fn wide_and_turned_pages_and_what_forms_are_filled_with_are_drawn_as_readers_show_them() {
    let Some(browser) = Browser::on(Screen::PHONE).await else {
        return;
    };
    let demo = Demo::start();
    let drawn = async |number: usize, boxes: &[Part]| {
        let asked = browser.execute(DARK, vec![json!(number), json!(boxes)]);
        asked.await.expect("what is drawn")
    };

    open(&browser, &demo, &turned_pages()).await;
    for (number, (entries, is_wide, corner)) in (1..).zip(TURNED) {
        let sheet = format!(".sheet:nth-child({number})");
        browser.scroll_to(&sheet).await;
        browser.shown(&format!("{sheet}[data-drawn]")).await;
        let dark = [0, 1, 2, 3].map(|other| other == corner);
        let expected = json!([is_wide, dark]);
        assert_eq!(drawn(number, &CORNERS).await, expected, "{entries}");
    }

    open(&browser, &demo, &form(1)).await;
    enlarge(&browser).await;
    assert_eq!(drawn(1, &[VALUE]).await, json!([false, [true]]));
    browser.close().await;
}

#[tokio::test]
async fn documents_of_others_are_drawn_on_a_phone() {
    let Some(samples) = tool::or_skip("PARAFA_SAMPLES", std::env::var_os("PARAFA_SAMPLES")) else {
        return;
    };
    let Some(browser) = Browser::on(Screen::PHONE).await else {
        return;
    };
    let demo = Demo::start();
    for sample in SAMPLES {
        let file = std::path::Path::new(&samples).join(sample);
        let document = std::fs::read(file).expect("a sample");
        open(&browser, &demo, &document).await;
        let (ink, _, width, _) = first_sheet(&browser).await;
        assert!(ink, "{sample}");
        assert!(width <= u64::from(Screen::PHONE.width), "{sample}");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_far_below_is_drawn_when_it_is_scrolled_to() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();
    open(&browser, &demo, &plain(60)).await;
    let drawn = "return document.querySelectorAll('.sheet canvas').length";
    let before = browser.execute(drawn, Vec::new()).await.expect("a number");

    let down =
        "const sheets = document.getElementById('sheets'); sheets.scrollTop = sheets.scrollHeight";
    browser.execute(down, Vec::new()).await.expect("scrolled");
    browser.shown(".sheet:last-child[data-drawn]").await;

    let after = browser.execute(drawn, Vec::new()).await.expect("a number");
    let few = |number: &Value| number.as_u64().is_some_and(|number| number < 12);
    assert!(few(&before) && few(&after), "{before} {after}");
    assert_eq!(browser.text("#viewer-status").await, "Page 60 of 60");
    browser.close().await;
}
