//! Documents as the page draws them.

use parafa_fixtures::{CrossReference, Objects, plain, tool};
use serde_json::{Value, json};

use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Documents of others: of many pages, of landscape, turned, with forms, with
/// fonts and pictures of all kinds.
const SAMPLES: [&str; 6] = [
    "pdf/made__matrix_rotate90.pdf",
    "pdf/pdflib__with_rotated_image_button.pdf",
    "pdf/qpdf__manual-appearances.pdf",
    "real/dss__pdfa2a-rgb.pdf",
    "real/it8_dss__bdoc-spec21.pdf",
    "real/pdfbox__cweb.pdf",
];
/// A black line of 64 dots as scanners encode it (ITU-T T.4, 4.1): no white, 64
/// and no more black.
const BLACK_LINE: &[u8] = &[0x35, 0x03, 0xc3, 0x70];
/// Whether something was drawn on the first sheet, and the text that it has.
const FIRST_SHEET: &str = "
    const sheet = document.querySelector('.sheet');
    const canvas = sheet.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const ink = new Uint32Array(data.buffer).some((pixel) => (pixel & 0xffffff) < 0x808080);
    return [ink, sheet.innerText, sheet.clientWidth, document.querySelectorAll('.sheet').length];
";

async fn open(browser: &Browser, demo: &Demo, document: &[u8]) {
    let signers = json!([{"email": "ona@example.lt", "language": "en"}]);
    let signing = demo.signing().create(document, signers).await;
    let link = signing.signers[0].link();
    browser.goto(link.as_str()).await.expect("the page");
    browser.shown(".sheet[data-drawn]").await;
}

async fn first_sheet(browser: &Browser) -> (bool, String, u64, u64) {
    let told = browser.execute(FIRST_SHEET, Vec::new()).await;
    serde_json::from_value(told.expect("the sheet")).expect("what was asked for")
}

/// Whether what the document may cover, and the document itself, are out of reach.
async fn behind(browser: &Browser) -> Value {
    let asked = "return ['header', '.skip', '.steps', '#sheets']
        .map((css) => Boolean(document.querySelector(css).closest('[inert]')))";
    let told = browser.execute(asked, Vec::new()).await;
    told.expect("what can be reached")
}

async fn click(browser: &Browser, css: &str) {
    let element = browser.shown(css).await;
    element.click().await.expect("a click");
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
    assert_eq!(browser.text("#viewer-status").await, "p. 1/3");
    click(&browser, "#viewer-in").await;
    browser.shown(".sheet[data-drawn]").await;
    let (_, _, larger, _) = first_sheet(&browser).await;
    assert!(larger > width, "{larger} {width}");
    click(&browser, "#viewer-size").await;
    browser
        .shown(".viewer.large #viewer-size[aria-pressed=true]")
        .await;
    browser.assert_accessible("the full window").await;
    assert_eq!(behind(&browser).await, json!([true, true, true, false]));
    click(&browser, "#viewer-size").await;
    browser
        .shown(".viewer:not(.large) #viewer-size[aria-pressed=false]")
        .await;
    assert_eq!(behind(&browser).await, json!([false, false, false, false]));
    browser.shown("#choose").await;
    browser.close().await;
}

/// A page that is a picture as scanners make them.
fn scan() -> Vec<u8> {
    let mut objects = Objects::new();
    objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
    objects.set(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
                /Resources << /XObject << /Scan 5 0 R >> >> >>";
    objects.set(3, page);
    objects.set_stream(4, "", "400 0 0 400 90 200 cm /Scan Do");
    let picture = "/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent 1 \
                   /ColorSpace /DeviceGray /Filter /CCITTFaxDecode \
                   /DecodeParms << /K 0 /Columns 64 /Rows 64 /EncodedByteAlign true >>";
    objects.set_stream(5, picture, BLACK_LINE.repeat(64));
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R")
}

#[tokio::test]
async fn pictures_of_scanners_are_drawn() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();

    open(&browser, &demo, &scan()).await;

    let (ink, ..) = first_sheet(&browser).await;
    assert!(ink);
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
    assert_eq!(browser.text("#viewer-status").await, "p. 60/60");
    browser.close().await;
}
