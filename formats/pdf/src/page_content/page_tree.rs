//! Pages of a document with their inherited attributes (ISO 32000-2, 7.7.3.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::PdfFile;

/// The pages in order, with the ancestors of each. The structure follows
/// `/Kids`, which defines the pages, and not `/Parent`.
pub(crate) struct PageTree {
    pages: Vec<ObjectId>,
    parents: BTreeMap<ObjectId, ObjectId>,
}

/// The resources of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageResources<'f> {
    /// The page, or the ancestor that defines the resources.
    pub(crate) node: ObjectId,
    pub(crate) entries: &'f Dictionary,
}

impl PageTree {
    /// Walks the page tree.
    ///
    /// # Errors
    /// Those of an invalid page tree.
    pub(crate) fn read(file: &PdfFile<'_>) -> Result<Self, Refusal> {
        let pages = file.pages()?;
        let leaves: BTreeSet<&ObjectId> = pages.iter().collect();
        let mut parents = BTreeMap::new();
        let root = file.catalog()?.get(b"Pages").and_then(Object::as_reference);
        let mut open: Vec<ObjectId> = root.into_iter().collect();
        while let Some(node) = open.pop() {
            let kids = node_entries(file, node).and_then(|node| file.entry(node, b"Kids"));
            let kids = kids.and_then(|kids| kids.as_array().ok());
            for kid in kids.into_iter().flatten() {
                // The page listing has already validated the tree.
                if let Ok(kid) = kid.as_reference()
                    && parents.insert(kid, node).is_none()
                    && !leaves.contains(&kid)
                {
                    open.push(kid);
                }
            }
        }
        Ok(Self { pages, parents })
    }

    /// Returns the pages in order.
    pub(crate) fn pages(&self) -> &[ObjectId] {
        &self.pages
    }

    /// Returns an attribute of a page, own or inherited, references followed;
    /// null counts as missing.
    pub(crate) fn attribute<'f>(
        &self,
        file: &'f PdfFile<'_>,
        page: ObjectId,
        key: &[u8],
    ) -> Option<&'f Object> {
        self.nodes(page)
            .find_map(|node| file.entry(node_entries(file, node)?, key))
    }

    /// Returns the resources of a page, own or inherited.
    pub(crate) fn resources<'f>(
        &self,
        file: &'f PdfFile<'_>,
        page: ObjectId,
    ) -> Option<PageResources<'f>> {
        self.nodes(page).find_map(|node| {
            let entries = file.entry_dictionary(node_entries(file, node)?, b"Resources")?;
            Some(PageResources { node, entries })
        })
    }

    /// Returns a page and its ancestors, starting with the page.
    pub(super) fn nodes(&self, page: ObjectId) -> impl Iterator<Item = ObjectId> {
        std::iter::successors(Some(page), |node| self.parents.get(node).copied())
    }
}

/// Returns the entries of a page or another node of the page tree.
pub(crate) fn node_entries<'f>(file: &'f PdfFile<'_>, node: ObjectId) -> Option<&'f Dictionary> {
    file.object(node)?.as_dict().ok()
}
