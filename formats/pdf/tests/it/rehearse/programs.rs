//! Rehearsals as seen by other programs.

use std::fs;
use std::process::{Command, Output};

use parafa_fixtures::tool::program;

use super::TEXT;
use crate::renderers::Renderer;

pub(super) fn assert_says_so_on_every_page(document: &[u8], pages: usize) {
    for renderer in Renderer::all() {
        assert_says_so(renderer, document, pages);
    }
}

pub(super) fn assert_says_so(renderer: Renderer, document: &[u8], pages: usize) {
    let text = renderer.text(document);
    match renderer {
        // MuPDF also extracts purely visual text.
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

/// Asserts that the banner is red in the upper left corner, beside its text.
pub(super) fn assert_shows_the_banner(what: &str, document: &[u8]) {
    for renderer in Renderer::all() {
        assert!(shows_the_banner(renderer, document), "{renderer:?}: {what}");
    }
}

pub(super) fn shows_the_banner(renderer: Renderer, document: &[u8]) -> bool {
    let is_red = |[red, green, blue]: [u8; 3]| red > 120 && green < 90 && blue < 90;
    let pixels: Vec<[u8; 3]> = renderer.picture(document).upper_left().collect();
    !pixels.is_empty() && pixels.into_iter().all(is_red)
}

pub(super) fn assert_qpdf_complains_no_more(before: &[u8], after: &[u8]) {
    let check = |document: &[u8]| Some(run("qpdf", &["--check"], document)?.status.code());
    if let (Some(before), Some(after)) = (check(before), check(after)) {
        assert!(after <= before, "{before:?}, then {after:?}");
    }
}

/// Compares the first pages below the banner, with a small margin for
/// smoothing.
pub(super) fn assert_shows_the_same_below_the_banner(what: &str, before: &[u8], after: &[u8]) {
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

/// Renders the first page with poppler, 300 pixels wide.
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

pub(super) fn page_count(document: &[u8]) -> Option<usize> {
    let said = run("pdfinfo", &[], document)?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let pages = said.lines().find_map(|line| line.strip_prefix("Pages:"))?;
    pages.trim().parse().ok()
}

/// Returns the output of a program; `None` if it is missing.
pub(super) fn tool(name: &str, options: &[&str], document: &[u8]) -> Option<String> {
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
