//! Pages that say that they are not signed.

use std::fs;
use std::io::Write;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::tool::program;
use parafa_fixtures::{CrossReference, Objects, PdfBuilder, plain};
use parafa_format_core::{DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment, Refusal};
use parafa_format_pdf::rehearse;
use proptest::prelude::*;

use crate::ceremony::P256;
use crate::intake::{inspected, table};
use crate::referees::samples;
use crate::renderers::Renderer;
use crate::verdicts::verdict;

const TEXT: &str = "NEPASIRAŠYTA · UNSIGNED";

/// A content that has no page of its own drawing: a grey square in the middle.
const SQUARE: &[u8] = b"0.5 g 200 300 150 150 re f";

#[test]
fn every_page_says_that_it_is_not_signed_and_the_document_is_kept() {
    for layout in [
        CrossReference::Hybrid,
        CrossReference::Stream,
        CrossReference::Table,
    ] {
        let document = PdfBuilder::new().cross_reference(layout).pages(3).build();

        let made = rehearsed(&document).unwrap();

        assert!(made.starts_with(&document));
        assert_eq!(inspected(&made).unwrap().signatures, []);
        assert_says_so_on_every_page(&made, 3);
        assert_qpdf_complains_no_more(&document, &made);
    }
}

#[test]
fn a_signed_document_comes_out_as_it_is() {
    let signed = P256.signs(&plain(2)).unwrap();

    assert_eq!(rehearsed(&signed).unwrap(), signed);
}

#[test]
fn what_may_not_be_signed_is_refused() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /F (x) >> >>",
    );

    assert_eq!(
        rehearsed(&table(&objects)).unwrap_err().code,
        "launch-action"
    );
    assert_eq!(rehearsed(b"%PDF").unwrap_err().code, "not-a-pdf");
}

#[test]
fn an_xfa_form_is_marked_as_any_document() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] /XFA (x) >> >>",
    );
    let document = table(&objects);
    assert_eq!(inspected(&document).unwrap_err().code, "xfa");

    let made = rehearsed(&document).unwrap();

    assert_says_so_on_every_page(&made, 1);
    assert_shows_the_banner("xfa", &made);
}

#[test]
fn a_request_that_cannot_be_carried_out_is_refused() {
    let mut short_seed = request();
    short_seed.seed.pop();
    let mut parameter = request();
    parameter.params.push(("color".into(), "blue".into()));

    for request in [short_seed, parameter] {
        let refusal = rehearsed_by(&plain(1), &request).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_and_another_seed_another_identifier() {
    let mut other = request();
    other.seed = vec![8; 32];

    assert_eq!(rehearsed(&plain(1)), rehearsed(&plain(1)));
    assert_ne!(rehearsed(&plain(1)), rehearsed_by(&plain(1), &other));
}

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
fn a_layer_that_is_left_open_does_not_hide_the_banner() {
    for open in [
        "/OC /Hidden BDC",
        "/OC /Hidden BDC 0 0 m",
        "/OC /Hidden BDC (never ends",
        &"/OC /Hidden BDC ".repeat(2_000),
    ] {
        let content = format!("1 g 0 0 595 842 re f {open}");

        let made = rehearsed(&page("/MediaBox [0 0 595 842]", content.as_bytes())).unwrap();

        assert_says_so_on_every_page(&made, 1);
        assert_shows_the_banner(&content, &made);
    }
}

#[test]
fn layers_hide_what_they_hid_before() {
    let content = b"/OC /Hidden BDC 0 0 595 842 re f EMC 0.5 g 200 300 150 150 re f";
    let document = page("/MediaBox [0 0 595 842]", content);

    let made = rehearsed(&document).unwrap();

    assert_shows_the_same_below_the_banner("a hidden layer", &document, &made);
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

#[test]
fn what_pages_share_they_share_afterwards() {
    let mut objects = PdfBuilder::new().pages(3).objects();
    for number in [5, 7, 9] {
        objects.set(
            number,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources 20 0 R /Contents 21 0 R >>",
        );
    }
    objects.set(20, "<< /Font << /F1 3 0 R >> /XObject 22 0 R >>");
    objects.set(21, "[6 0 R % a comment ]\n23 0 R]");
    objects.set(22, "<< >>");
    objects.set_stream(23, "", "Q Q");
    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    assert_says_so_on_every_page(&made, 3);
    let update = String::from_utf8_lossy(&made[document.len()..]).into_owned();
    assert_eq!(update.matches("/Artifact").count(), 1, "{update}");
    let name = update.split_once("/Drawn").unwrap().1;
    let name = format!("/Drawn{} ", name.split_once(' ').unwrap().0);
    assert_eq!(update.matches(&name).count(), 2, "{update}");
    for kept in ["\n20 0 obj", "\n21 0 obj", "\n22 0 obj"] {
        assert!(!update.contains(kept), "{update}");
    }
}

#[test]
fn pages_that_share_a_long_content_share_the_one_with_the_banner() {
    let mut objects = PdfBuilder::new().pages(100).objects();
    for page in 0..100 {
        objects.set(
            5 + 2 * page,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 900 0 R >>",
        );
    }
    objects.set(900, format!("[{}]", "6 0 R ".repeat(1000)));
    let document = table(&objects);

    let made = rehearsed(&document).unwrap();

    let added = made.len() - document.len();
    assert!(added < 100 * 600 + 20_000, "{added} bytes for 100 pages");
}

#[test]
fn a_document_that_was_rehearsed_before_gets_a_second_banner() {
    let once = rehearsed(&plain(1)).unwrap();
    let twice = rehearsed(&once).unwrap();

    assert!(inspected(&twice).is_ok());
    for renderer in Renderer::all() {
        assert!(renderer.text(&twice).contains(TEXT), "{renderer:?}");
    }
    assert_shows_the_banner("twice", &twice);
    assert_qpdf_complains_no_more(&once, &twice);
}

#[test]
fn a_page_more_takes_little_more_room() {
    let document = plain(1000);

    let added = rehearsed(&document).unwrap().len() - document.len();

    assert!(added < 1000 * 500, "{added} bytes for 1000 pages");
}

#[test]
fn every_sample_that_is_taken_says_that_it_is_not_signed() {
    /// Its content is drawn for minutes.
    const TOO_SLOW: &str = "pdfjs__bomb_giant.pdf";
    /// Its `/Size` leaves no object numbers that MuPDF takes.
    const NUMBERED_TOO_HIGH: (&str, Renderer) = ("made__size_lie_8M.pdf", Renderer::MuPdf);

    let Some(folder) = samples().filter(|folder| folder.join("pdf.tsv").exists()) else {
        return;
    };
    let list = fs::read_to_string(folder.join("pdf.tsv")).unwrap();
    for line in list.lines().skip(1) {
        let (file, expected) = verdict(line);
        let document = fs::read(folder.join("pdf").join(file)).unwrap();
        let made = match (rehearsed(&document), expected.split_once(':')) {
            (Ok(made), _) => made,
            (Err(refusal), Some(("refuse", code))) => {
                assert_eq!(refusal.code, code.split(" (").next().unwrap(), "{file}");
                continue;
            }
            (Err(refusal), _) => panic!("{file}: {refusal}"),
        };
        let report = match inspected(&document) {
            Ok(report) => report,
            Err(refusal) => {
                assert_eq!(refusal.code, "xfa", "{file}");
                continue;
            }
        };
        // Readers do not agree where such a document ends.
        let is_read_alike = report.notes.iter().all(|note| note.code != "trailing-data");
        if !report.signatures.is_empty() {
            assert_eq!(made, document, "{file}");
        } else if file != TOO_SLOW {
            let Some(pages) = page_count(&document) else {
                return;
            };
            for renderer in Renderer::all() {
                if (file, renderer) != NUMBERED_TOO_HIGH {
                    assert_says_so(renderer, &made, pages);
                }
            }
            assert_qpdf_complains_no_more(&document, &made);
            if is_read_alike {
                assert_shows_the_same_below_the_banner(file, &document, &made);
            }
        }
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

fn request() -> DeriveRequest {
    DeriveRequest {
        time: 1_795_000_000,
        seed: vec![7; 32],
        params: Vec::new(),
    }
}

fn rehearsed(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    rehearsed_by(document, &request())
}

fn rehearsed_by(document: &[u8], request: &DeriveRequest) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    let blob = MemoryBlob(document.to_vec());
    rehearse(&NativeEnvironment, &blob, request, &mut out)?;
    Ok(out.0)
}

/// A document of one page with these entries and this content.
fn page(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut objects: Objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [20 0 R] /D << /OFF [20 0 R] >> >> >>",
    );
    objects.set(20, "<< /Type /OCG /Name (hidden) >>");
    objects.set(
        5,
        format!(
            "<< /Type /Page /Parent 2 0 R {entries} /Contents 6 0 R \
             /Resources << /Font << /F1 3 0 R >> /Properties << /Hidden 20 0 R >> >> >>"
        ),
    );
    objects.set_deflated(6, "", content);
    table(&objects)
}

fn assert_says_so_on_every_page(document: &[u8], pages: usize) {
    for renderer in Renderer::all() {
        assert_says_so(renderer, document, pages);
    }
}

fn assert_says_so(renderer: Renderer, document: &[u8], pages: usize) {
    let text = renderer.text(document);
    match renderer {
        // It extracts what is only there to be seen.
        Renderer::MuPdf => {
            let times = text.matches(TEXT).count();
            assert!((pages..=2 * pages).contains(&times), "{text}");
        }
        Renderer::Poppler => {
            let pages_said: Vec<&str> = text.split_terminator('\x0C').collect();
            assert_eq!(pages_said.len(), pages, "{text}");
            for page in pages_said {
                assert_eq!(page.matches(TEXT).count(), 1, "{page}");
            }
        }
    }
}

/// The banner must be red in the upper left corner, beside its text.
fn assert_shows_the_banner(what: &str, document: &[u8]) {
    for renderer in Renderer::all() {
        let picture = renderer.picture(document);
        let is_red = |[red, green, blue]: [u8; 3]| red > 120 && green < 90 && blue < 90;
        assert!(picture.upper_left().all(is_red), "{renderer:?}: {what}");
    }
}

fn assert_qpdf_complains_no_more(before: &[u8], after: &[u8]) {
    let check = |document: &[u8]| Some(run("qpdf", &["--check"], document)?.status.code());
    if let (Some(before), Some(after)) = (check(before), check(after)) {
        assert!(after <= before, "{before:?}, then {after:?}");
    }
}

/// Compares the first pages below the banner, and a hair more for smoothing.
fn assert_shows_the_same_below_the_banner(what: &str, before: &[u8], after: &[u8]) {
    let (Some(before), Some(after)) = (shown(before), shown(after)) else {
        return;
    };
    assert_eq!((before.width, before.height), (after.width, after.height));
    let banner = before.height / 8;
    let rows = |picture: &Picture| picture.pixels[picture.width * 3 * banner..].to_vec();
    let changed = rows(&before)
        .iter()
        .zip(rows(&after))
        .filter(|(before, after)| before.abs_diff(*after) > 8)
        .count();
    assert_eq!(changed, 0, "of {} values: {what}", before.pixels.len());
}

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// The first page as poppler shows it, 300 pixels wide.
fn shown(document: &[u8]) -> Option<Picture> {
    let options = ["-f", "1", "-l", "1", "-cropbox", "-scale-to", "300"];
    let output = run("pdftoppm", &options, document)?;
    let mut header = output.stdout.splitn(4, |byte| *byte == b'\n');
    assert_eq!(header.next(), Some(&b"P6"[..]));
    let size = String::from_utf8(header.next()?.to_vec()).unwrap();
    let (width, height) = size.split_once(' ').unwrap();
    let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
    let pixels = header.nth(1)?.to_vec();
    assert_eq!(pixels.len(), width * height * 3);
    Some(Picture {
        width,
        height,
        pixels,
    })
}

/// A word as `pdftotext -bbox` gives it, from the upper left corner of the page
/// as it is displayed.
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

fn page_count(document: &[u8]) -> Option<usize> {
    let said = run("pdfinfo", &[], document)?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let pages = said.lines().find_map(|line| line.strip_prefix("Pages:"))?;
    pages.trim().parse().ok()
}

/// What a program prints; `None` when it is missing.
fn tool(name: &str, options: &[&str], document: &[u8]) -> Option<String> {
    let output = run(name, options, document)?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(name: &str, options: &[&str], document: &[u8]) -> Option<Output> {
    let program = program(name)?;
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    let mut command = Command::new(program);
    command.args(options).arg(file.path());
    if name == "pdftotext" {
        command.arg("-");
    }
    Some(command.output().unwrap())
}
