//! Layers (ISO 32000-2, 8.11). In some readers, a hidden layer left open by
//! page content hides the annotations of the page.

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::page_content::{ContentDecoder, PageDrawings};
use crate::structure::PdfFile;

/// Layers left open by pages.
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

    /// Returns the maximum number of marked-content sequences (14.6) that may
    /// be open at the end of a page; 0 if none can be a layer.
    ///
    /// # Errors
    /// `too-many-objects` if the number is unknown, because the content cannot
    /// be decoded within the limits: there may be more than can be closed.
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
