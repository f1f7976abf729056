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
    pub(super) fn open_marked_contents(
        &mut self,
        page: ObjectId,
        drawings: &mut PageDrawings<'_, '_>,
    ) -> usize {
        let decoder = self.decoder.as_mut();
        decoder.map_or(0, |decoder| drawings.open_marked_contents(page, decoder))
    }
}
