//! Third-party documents.

use std::fs;

use parafa_fixtures::tool::samples;

use super::programs::{
    assert_qpdf_complains_no_more, assert_says_so, assert_shows_the_same_below_the_banner,
    page_count,
};
use super::rehearsed;
use crate::intake::inspected;
use crate::renderers::Renderer;
use crate::verdicts::verdict;

#[test]
fn every_sample_that_is_taken_says_that_it_is_not_signed() {
    /// Its content takes minutes to draw.
    const TOO_SLOW: &str = "pdfjs__bomb_giant.pdf";
    /// Its `/Size` leaves no object numbers that MuPDF accepts.
    const NUMBERED_TOO_HIGH: (&str, Renderer) = ("made__size_lie_8M.pdf", Renderer::MuPdf);

    let Some(folder) = samples() else {
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
        // Readers disagree on the end of such a document.
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
