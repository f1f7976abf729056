//! Flattening: forms are drawn into pages, or refused with every field that
//! cannot be drawn.

mod annotations;
mod choices;
mod content;
mod documents;
mod naming;
mod output;
mod resources;
mod rules;
mod sharing;
mod tagged;

use parafa_fixtures::{CrossReference, Objects, WidgetPage};
use parafa_format_core::{DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment, Refusal};
use parafa_format_pdf::flatten;

use crate::intake::inspected;

const PAGE: u32 = WidgetPage::PAGE;
const TEXT: &str = WidgetPage::TEXT;
const EMPTY: &str = WidgetPage::EMPTY;
const BOX: &str = WidgetPage::BOX;

pub(crate) fn flattened(document: &[u8]) -> Result<Vec<u8>, Refusal> {
    flattened_by(document, &request())
}

fn request() -> DeriveRequest {
    DeriveRequest {
        time: 1_795_242_275,
        seed: vec![7; 32],
        params: Vec::new(),
    }
}

fn flattened_by(document: &[u8], request: &DeriveRequest) -> Result<Vec<u8>, Refusal> {
    made_by(document, request).map(|(flattened, _)| flattened)
}

/// Returns the output and its notes.
fn made_by(document: &[u8], request: &DeriveRequest) -> Result<(Vec<u8>, Vec<String>), Refusal> {
    let mut out = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    flatten(&NativeEnvironment, &document, request, &mut out).map(|made| {
        assert_eq!(made.media_type, "application/pdf");
        let notes = made.notes.into_iter().map(Into::into);
        (out.0, notes.collect())
    })
}

/// Returns the notes for a form with these widgets and entries.
fn notes(widgets: &[&str], entries: &str) -> Vec<String> {
    let document = WidgetPage::of(widgets).entries(entries).build();
    made_by(&document, &request()).unwrap().1
}

/// Returns a page with these widgets, given by the entries after type and
/// rectangle.
pub(crate) fn form(widgets: &[&str]) -> Objects {
    WidgetPage::of(widgets).into_objects()
}

/// Replaces the one page by this many pages with these entries.
fn set_pages(objects: &mut Objects, count: u32, entries: &str) {
    let pages = 100..100 + count;
    let kids: String = pages.clone().map(|page| format!("{page} 0 R ")).collect();
    objects.set(
        2,
        format!("<< /Type /Pages /Count {count} /Kids [{kids}] /MediaBox [0 0 9 9] >>"),
    );
    for page in pages {
        objects.set(page, format!("<< /Type /Page /Parent 2 0 R {entries} >>"));
    }
}

pub(crate) fn written(objects: &Objects) -> Vec<u8> {
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R /ID [<01> <02>]")
}

fn text(document: &[u8]) -> String {
    document.iter().copied().map(char::from).collect()
}

/// Returns the fields that prevent flattening of a form with these widgets.
fn failing(widgets: &[&str]) -> Vec<String> {
    match flattened(&written(&form(widgets))) {
        Ok(_) => Vec::new(),
        Err(refusal) => {
            assert_eq!(refusal.code, "flatten-refused", "{refusal}");
            refusal.subjects
        }
    }
}

/// Returns the number of drawings on the page for a form with these widgets.
fn drawn(widgets: &[&str]) -> usize {
    let flattened = flattened(&written(&form(widgets))).unwrap();
    assert_form_is_gone(&flattened);
    text(&flattened).matches(" Do Q").count()
}

pub(crate) fn assert_form_is_gone(document: &[u8]) {
    for word in ["/AcroForm", "/Widget", "/FT"] {
        assert!(!text(document).contains(word), "{word}");
    }
    let report = inspected(document).unwrap();
    assert!(report.fields.is_empty());
}
