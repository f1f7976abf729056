//! The pages of a document with what they inherit (ISO 32000-2, 7.7.3.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::PdfFile;

/// The pages in order, with the way from each to what it inherits: by `/Kids`,
/// which says what the pages are, and not by `/Parent`.
pub(crate) struct PageTree {
    pages: Vec<ObjectId>,
    parents: BTreeMap<ObjectId, ObjectId>,
}

/// The resources of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageResources<'f> {
    /// The page, or the node above it, that has them.
    pub(crate) node: ObjectId,
    /// What they are.
    pub(crate) entries: &'f Dictionary,
}

impl PageTree {
    /// Walks the page tree.
    ///
    /// # Errors
    /// The refusals of a page tree that is none.
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
                // The tree was seen to be one when its pages were listed.
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

    /// The pages in order.
    pub(crate) fn pages(&self) -> &[ObjectId] {
        &self.pages
    }

    /// An attribute of a page, its own or inherited, references followed; null
    /// is no value.
    pub(crate) fn attribute<'f>(
        &self,
        file: &'f PdfFile<'_>,
        page: ObjectId,
        key: &[u8],
    ) -> Option<&'f Object> {
        self.nodes(page)
            .find_map(|node| file.entry(node_entries(file, node)?, key))
    }

    /// The resources of a page, its own or inherited.
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

    /// A page and the nodes above it, from the page on.
    pub(super) fn nodes(&self, page: ObjectId) -> impl Iterator<Item = ObjectId> {
        std::iter::successors(Some(page), |node| self.parents.get(node).copied())
    }
}

/// The entries of a page or of another node of the page tree.
pub(crate) fn node_entries<'f>(file: &'f PdfFile<'_>, node: ObjectId) -> Option<&'f Dictionary> {
    file.object(node)?.as_dict().ok()
}
