//! Layers (ISO 32000-2, 8.11): one that is hidden, and that the content of a
//! page leaves open, hides the annotations of the page in some readers.

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::page_content::{ContentDecoder, PageDrawings};
use crate::structure::PdfFile;

/// What pages leave open of layers.
pub(super) struct Layers {
    /// `None` in a document without layers.
    decoder: Option<ContentDecoder>,
}

impl Layers {
    pub(super) fn new(file: &PdfFile<'_>) -> Result<Self, Refusal> {
        let layers = file.entry(file.catalog()?, b"OCProperties");
        Ok(Self {
            decoder: layers.map(|_| ContentDecoder::new(file.limits())),
        })
    }

    /// How many marked contents (14.6) a reader may find open at the end of a
    /// page; none when no layer can be among them.
    ///
    /// # Errors
    /// `too-many-objects` when that is not known, because the content of the
    /// page cannot be decoded within the limits: it may be more than can be
    /// closed.
    pub(super) fn open_marked_contents(
        &mut self,
        page: ObjectId,
        drawings: &mut PageDrawings<'_, '_>,
    ) -> Result<usize, Refusal> {
        let Some(decoder) = self.decoder.as_mut() else {
            return Ok(0);
        };
        let open = drawings.open_marked_contents(page, decoder);
        open.map_err(|error| {
            let detail = format!(
                "The page {} may leave any number of layers open: {error}.",
                page.0
            );
            Refusal::new("too-many-objects", detail)
        })
    }
}
