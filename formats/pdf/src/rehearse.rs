//! Rehearsal: the sandbox returns the caller's pages, each with a banner that
//! states that nothing is signed, in place of a signed document.
//!
//! The banner is added by an incremental update (ISO 32000-2, 7.5.6): every
//! byte of the document stays, and PDF/A stays PDF/A. Every page has it twice:
//! drawn before the page's content, which cannot affect it there, and in the
//! last annotation, on top of everything. Nothing needs to be known about the
//! content, unless there are layers. The annotation then closes sequences that
//! may be left open; without a known bound on these, the rehearsal is refused.
//! Readers that draw form fields on top of all annotations may show a field
//! over the banner; its text remains extractable.

mod annotation;
mod banner;
mod layers;
mod placement;

use parafa_format_core::{
    Blob, DeriveRequest, Environment, Made, Refusal, Sink, expect_no_params, parse_seed,
};

use crate::MEDIA_TYPE;
use crate::intake;
use crate::limits::Limits;
use crate::page_content::{PageDrawings, PageTree, refuse_bombs};
use crate::structure::{PdfFile, with_file};
use crate::write::{Edits, append, file_identifier};

use annotation::Annotations;
use banner::Banner;
use layers::Layers;
use placement::DisplayedPage;

/// Marks every page of a document as unsigned. A banner across the top of the
/// displayed page says `NEPASIRAŠYTA · UNSIGNED`, as extractable text. A
/// document with a signature is returned unchanged. Pages of an XFA form are
/// marked as well. If viewers interpret the boxes of a page differently, such
/// as a `/CropBox` outside the `/MediaBox`, the page gets the box it is marked
/// in.
///
/// # Errors
/// The codes of `inspect` except `xfa`; `too-many-objects` also when the
/// banners would take too much room, or when undecodable content may leave
/// layers open; or `bad-request` when the request cannot be used.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    parse_seed(&request.seed)?;
    expect_no_params(&request.params)?;
    let limits = Limits::with_room_for_a_signature();
    let update = with_file(document, &limits, |file| {
        let report = intake::examine_even_xfa(file)?.report;
        refuse_bombs(file, document)?;
        if report.signatures.is_empty() {
            with_banners(file, &request.seed)
        } else {
            Ok(Vec::new())
        }
    })?;
    Limits::default().require_length(document.len() + update.len() as u64)?;
    out.copy(document, 0, document.len());
    out.write(&update);
    Ok(Made::new(MEDIA_TYPE))
}

/// Returns the update that adds the banners.
fn with_banners(file: &PdfFile<'_>, seed: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut edits = Edits::new(file);
    let banner = Banner::add(&mut edits)?;
    let tree = PageTree::read(file)?;
    let pages: Vec<_> = tree
        .pages()
        .iter()
        .map(|page| (*page, DisplayedPage::read(file, &tree, *page)))
        .collect();
    let mut drawings = PageDrawings::new(file, tree, seed);
    let mut annotations = Annotations::new(banner.shown);
    let mut layers = Layers::new(file)?;
    for (page, displayed) in pages {
        drawings.draw_artifact_below(page, banner.said, &displayed.banner_matrix());
        let open = layers.open_marked_contents(page, &mut drawings)?;
        annotations.add(page, &displayed, open, &mut edits)?;
        displayed.settle_boxes(page, &mut edits)?;
    }
    drawings.write(&mut edits)?;
    append(edits, &file_identifier(seed))
}
