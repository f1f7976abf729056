//! What the sandbox gives back in place of a signed document: the caller's own
//! pages, each with a banner that says that nothing is signed.
//!
//! The banner is added by an incremental update (ISO 32000-2, 7.5.6), so that
//! every byte of the document stays and PDF/A stays PDF/A. It stands on every
//! page twice: drawn before the page's own content, which cannot disturb it
//! there, and shown by the last annotation, above all that the page draws. So
//! nothing has to be known about the content, unless there are layers: the
//! annotation then closes those that the content may leave open, and there is no
//! rehearsal when it cannot be known how many these are.
//! Readers that draw the fields of a form above all annotations may show a
//! field above the banner; its text can be extracted all the same.

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

/// Marks every page of a document as unsigned: a banner across the top of the
/// page as it is displayed says `NEPASIRAŠYTA · UNSIGNED`, as text that can be
/// extracted. A document that has a signature already comes out as it is. The
/// pages of an XFA form are marked as well. A page whose boxes viewers take for
/// different areas, such as a `/CropBox` outside the `/MediaBox`, is given the
/// one that it is marked in.
///
/// # Errors
/// A refusal of the document with the codes of `inspect` but `xfa`,
/// `too-many-objects` also when the banners would take too much room, or layers
/// may be left open by a content that cannot be decoded, or `bad-request` when
/// the request cannot be used.
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

/// The update that adds the banners.
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
