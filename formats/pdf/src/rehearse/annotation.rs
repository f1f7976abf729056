//! Annotation that shows the banner on top of the page (ISO 32000-2, 12.5).

use std::borrow::Cow;
use std::collections::BTreeMap;

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::banner;
use super::placement::DisplayedPage;
use crate::page_content::{Rectangle, node_entries};
use crate::structure::{PdfFile, RawDictionary};
use crate::write::{Edits, encoded, reference, with_item};

/// Print, ReadOnly and Locked (12.5.3).
const FLAGS: u32 = 196;

/// `NEPASIRAŠYTA · UNSIGNED` in PDFDocEncoding (D.2), for readers without
/// appearances.
const CONTENTS: &str = r"(NEPASIRA\227YTA \267 UNSIGNED)";

/// Maximum total size of the pages' `/Annots` arrays, in bytes. Pages may share
/// a long one, and each gets its own copy.
const MAX_ANNOTATIONS_BYTES: usize = 16 * 1024 * 1024;

/// Maximum total size of the appearances before encoding, in bytes.
const MAX_DRAWN_BYTES: usize = 32 * 1024 * 1024;

/// Ends marked content (14.6).
const CLOSING: &[u8] = b"EMC\n";

/// Draws the banner.
const DRAWING: &[u8] = b"/Banner Do";

/// The banner as a rubber stamp annotation (12.5.6.12) on pages.
pub(super) struct Annotations {
    banner: ObjectId,
    /// Appearance streams by dictionary and number of sequences to close: pages
    /// of equal width share one.
    appearances: BTreeMap<(String, usize), ObjectId>,
    remaining_bytes: usize,
    remaining_drawn_bytes: usize,
}

impl Annotations {
    /// Starts without annotations; `banner` is the form XObject they show.
    pub(super) fn new(banner: ObjectId) -> Self {
        Self {
            banner,
            appearances: BTreeMap::new(),
            remaining_bytes: MAX_ANNOTATIONS_BYTES,
            remaining_drawn_bytes: MAX_DRAWN_BYTES,
        }
    }

    /// Adds an annotation to a page, after all existing ones. The array becomes
    /// the page's own. `open` is the number of marked-content sequences that
    /// may be open layers.
    pub(super) fn add(
        &mut self,
        page: ObjectId,
        displayed: &DisplayedPage,
        open: usize,
        edits: &mut Edits<'_, '_>,
    ) -> Result<(), Refusal> {
        let appearance = self.appearance(displayed, open, edits)?;
        let annotation = format!(
            "<< /Type /Annot /Subtype /Stamp /Rect {} /F {FLAGS} /Contents {CONTENTS} \
             /AP << /N {} >> >>",
            displayed.strip(),
            reference(appearance)
        );
        let annotation = reference(edits.add(annotation.into_bytes())?);
        let annotations = annotations(edits.file(), page)?;
        let left = self.remaining_bytes.checked_sub(annotations.len());
        self.remaining_bytes = left.ok_or_else(too_much)?;
        let annotations = with_item(&annotations, annotation.as_bytes());
        edits.set_entry(page, b"Annots", &annotations)
    }

    /// Returns the appearance: the part of the banner that fits the page. Some
    /// readers continue with annotations in the state at the end of the page;
    /// for them, it ends open sequences. In other readers this has no effect.
    fn appearance(
        &mut self,
        displayed: &DisplayedPage,
        open: usize,
        edits: &mut Edits<'_, '_>,
    ) -> Result<ObjectId, Refusal> {
        let half = displayed.width() / 2.0;
        let dictionary = format!(
            "<< /Type /XObject /Subtype /Form /BBox {} /Matrix [{}] \
             /Resources << /XObject << /Banner {} >> >> >>",
            Rectangle::of_corners([-half, 0.0, half, banner::HEIGHT]),
            displayed.turn(),
            reference(self.banner)
        );
        let key = (dictionary, open);
        if let Some(known) = self.appearances.get(&key) {
            return Ok(*known);
        }
        let len = open.saturating_mul(CLOSING.len()) + DRAWING.len();
        let left = self.remaining_drawn_bytes.checked_sub(len);
        self.remaining_drawn_bytes = left.ok_or_else(too_much)?;
        let drawing = [&CLOSING.repeat(open), DRAWING].concat();
        let (dictionary, data) = encoded(key.0.as_bytes(), drawing);
        let id = edits.add_stream(&dictionary, Cow::Owned(data))?;
        self.appearances.insert(key, id);
        Ok(id)
    }
}

fn too_much() -> Refusal {
    Refusal::new(
        "too-many-objects",
        "The annotations of the pages would take too much room.",
    )
}

/// Returns the source of a page's `/Annots`; readers ignore other values.
fn annotations<'a>(file: &PdfFile<'a>, page: ObjectId) -> Result<Cow<'a, [u8]>, Refusal> {
    let value = node_entries(file, page).and_then(|page| page.get(b"Annots").ok());
    let array = value.filter(|value| matches!(file.resolve(value), Some(Object::Array(_))));
    match array.map(|array| file.resolve_id(array)) {
        None => Ok(Cow::Borrowed(b"[]")),
        Some(Some(id)) => Ok(file.raw_object(id)?.bytes.into()),
        Some(None) => {
            let source = file.raw_object(page)?;
            let page = RawDictionary::scan(&source.bytes).map_err(|error| {
                Refusal::new(
                    "object-damaged",
                    format!("The page {} cannot be read: {error}.", page.0),
                )
            })?;
            Ok(Cow::Owned(page.value(b"Annots").unwrap_or(b"[]").to_vec()))
        }
    }
}
