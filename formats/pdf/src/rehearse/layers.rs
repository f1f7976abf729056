//! Layers (ISO 32000-2, 8.11): one that is hidden, and that the content of a
//! page leaves open, hides the annotations of the page in some readers.

use std::collections::BTreeMap;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::page_content::{ContentDecoder, PageDrawings};
use crate::structure::{PdfFile, RawDictionary, as_reference};
use crate::write::{Edits, reference, without_entry};

/// Resources by which content names layers.
const PROPERTIES: &[u8] = b"Properties";

/// Keeps layers from reaching beyond the content of pages.
pub(super) struct Layers {
    /// `None` in a document without layers.
    decoder: Option<ContentDecoder>,
    /// Pages where nobody knows which layers are open at the end.
    unclosed: Vec<ObjectId>,
}

impl Layers {
    pub(super) fn new(file: &PdfFile<'_>) -> Result<Self, Refusal> {
        let layers = file.entry(file.catalog()?, b"OCProperties");
        Ok(Self {
            decoder: layers.map(|_| ContentDecoder::new(file.limits())),
            unclosed: Vec::new(),
        })
    }

    /// Has the layers closed that the content of a page leaves open.
    pub(super) fn close(&mut self, page: ObjectId, drawings: &mut PageDrawings<'_, '_>) {
        if let Some(decoder) = &mut self.decoder
            && drawings.close(page, decoder).is_err()
        {
            self.unclosed.push(page);
        }
    }

    /// Takes the names of layers from the pages where these could not be
    /// closed: what has no name hides nothing. The pages have resources of
    /// their own by then.
    pub(super) fn show_unclosed(&self, edits: &mut Edits<'_, '_>) -> Result<(), Refusal> {
        let mut copies = BTreeMap::new();
        for page in &self.unclosed {
            let source = edits.source(*page)?;
            let dictionary = RawDictionary::scan(&source).map_err(damaged)?;
            let resources = dictionary.value(b"Resources").unwrap_or(b"<<>>");
            let value = match as_reference(resources) {
                None => without_names(resources)?,
                Some(id) => {
                    let copy = match copies.get(&id) {
                        Some(copy) => *copy,
                        None => {
                            let resources = edits.source(id)?;
                            let copy = edits.add(without_names(&resources)?)?;
                            copies.insert(id, copy);
                            copy
                        }
                    };
                    reference(copy).into_bytes()
                }
            };
            edits.set_entry(*page, b"Resources", &value)?;
        }
        Ok(())
    }
}

fn without_names(resources: &[u8]) -> Result<Vec<u8>, Refusal> {
    let dictionary = RawDictionary::scan(resources).map_err(damaged)?;
    Ok(without_entry(resources, &dictionary, PROPERTIES))
}

fn damaged(error: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        "page-invalid",
        format!("The resources of a page cannot be read: {error}."),
    )
}
