//! What the sandbox gives back in place of a signed document: the caller's own
//! pages, each with a banner that says that nothing is signed.
//!
//! The banner is added by an incremental update (ISO 32000-2, 7.5.6), so that
//! every byte of the document stays and PDF/A stays PDF/A.

mod banner;
mod content;
mod contents;
mod follow;
mod page_attributes;
mod placement;
mod resources;

use parafa_format_core::{
    Blob, DeriveRequest, Environment, Made, Refusal, Sink, expect_no_params, parse_seed,
};

use crate::MEDIA_TYPE;
use crate::intake;
use crate::limits::Limits;
use crate::structure::PdfFile;
use crate::update::{Update, file_identifier};

use contents::PageContents;
use page_attributes::PageAttributes;
use placement::DisplayedPage;
use resources::{PageResources, scan};

/// Name of the banner among the XObjects of a page, where it is not taken.
const RESOURCE_NAME: &str = "UnsignedBanner";

/// Most bytes that are appended: far above what the banner takes on the most
/// pages, far below what pages that share much could be blown up to.
const MAX_UPDATE_BYTES: usize = 64 * 1024 * 1024;

/// Marks every page of a document as unsigned: a banner across the top of the
/// page as it is displayed says `NEPASIRAŠYTA · UNSIGNED`, as text that can be
/// extracted. A document that has a signature already comes out as it is.
///
/// # Errors
/// A refusal of the document with the codes of `inspect`, `too-many-objects`
/// also when the banners would take too much room, or `bad-request` when the
/// request cannot be used.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    document: &E::Blob,
    request: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    parse_seed(&request.seed)?;
    expect_no_params(&request.params)?;
    let bytes = document.read_all();
    let file = PdfFile::parse(&bytes, &Limits::with_room_for_a_signature())?;
    let report = intake::examine(&file)?;
    let update = if report.signatures.is_empty() {
        with_banners(&file, &request.seed)?
    } else {
        Vec::new()
    };
    out.copy(document, 0, document.len());
    out.write(&update);
    Ok(Made {
        media_type: MEDIA_TYPE.to_owned(),
    })
}

fn with_banners(file: &PdfFile<'_>, seed: &[u8]) -> Result<Vec<u8>, Refusal> {
    let attributes = PageAttributes::read(file)?;
    let mut update = Update::new(file);
    let banner = banner::write(&mut update)?;
    let mut resources = PageResources::new(file, &attributes, banner, RESOURCE_NAME);
    let mut contents = PageContents::new(file);
    for page in attributes.pages() {
        let source = file.raw_object(*page)?;
        let dictionary = scan(&source.bytes)?;
        let resources = resources.extended(&mut update, *page)?;
        let drawing = drawing(
            &resources.name,
            &DisplayedPage::read(file, &attributes, *page),
        );
        let old = dictionary.value(b"Contents").unwrap_or_default();
        let contents = contents.extended(&mut update, old, &drawing)?;
        let patched = dictionary.with(b"Contents", &contents);
        let patched = scan(&patched)?.with(b"Resources", &resources.source);
        update.object(*page, &patched)?;
        if update.len() > MAX_UPDATE_BYTES {
            return Err(Refusal::new(
                "too-many-objects",
                format!("The banners would take more than {MAX_UPDATE_BYTES} bytes."),
            ));
        }
    }
    update.finish(&file_identifier(seed))
}

/// Content that draws the banner, as an artifact: no part of what the document
/// says (ISO 32000-2, 14.8.2.2).
fn drawing(name: &str, page: &DisplayedPage) -> String {
    let matrix = page.banner_matrix().map(real).join(" ");
    format!("/Artifact << /Type /Pagination >> BDC q {matrix} cm /{name} Do Q EMC\n")
}

/// A number as content has it: without exponent.
fn real(number: f64) -> String {
    let digits = format!("{number:.9}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if digits == "-0" { "0" } else { digits }.to_owned()
}
