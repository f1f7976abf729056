//! Attributes of pages, inherited ones too (ISO 32000-2, 7.7.3.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::PdfFile;

/// The pages in order, with the way from each to what it inherits: by `/Kids`,
/// which says what the pages are, and not by `/Parent`.
pub(super) struct PageAttributes {
    pages: Vec<ObjectId>,
    parents: BTreeMap<ObjectId, ObjectId>,
}

/// An attribute where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'f> {
    /// The page, or the node above it, whose dictionary has the entry.
    pub(super) holder: ObjectId,
    /// The value, references followed.
    pub(super) value: &'f Object,
}

impl PageAttributes {
    pub(super) fn read(file: &PdfFile<'_>) -> Result<Self, Refusal> {
        let pages = file.pages()?;
        let leaves: BTreeSet<&ObjectId> = pages.iter().collect();
        let mut parents = BTreeMap::new();
        let root = file.catalog()?.get(b"Pages").and_then(Object::as_reference);
        let mut open: Vec<ObjectId> = root.into_iter().collect();
        while let Some(node) = open.pop() {
            let kids = dictionary(file, node)
                .and_then(|node| file.entry(node, b"Kids"))
                .and_then(|kids| kids.as_array().ok());
            let kids = kids.into_iter().flatten();
            for kid in kids.filter_map(|kid| kid.as_reference().ok()) {
                // The tree was seen to be one when its pages were listed.
                if parents.insert(kid, node).is_none() && !leaves.contains(&kid) {
                    open.push(kid);
                }
            }
        }
        Ok(Self { pages, parents })
    }

    pub(super) fn pages(&self) -> &[ObjectId] {
        &self.pages
    }

    /// The value of an inheritable attribute; null is no value.
    pub(super) fn find<'f>(
        &self,
        file: &'f PdfFile<'_>,
        page: ObjectId,
        key: &[u8],
    ) -> Option<Attribute<'f>> {
        let mut node = Some(page);
        while let Some(holder) = node {
            let value = dictionary(file, holder).and_then(|node| file.entry(node, key));
            if let Some(value) = value {
                return Some(Attribute { holder, value });
            }
            node = self.parents.get(&holder).copied();
        }
        None
    }
}

/// A page or another node of the page tree.
pub(super) fn dictionary<'f>(file: &'f PdfFile<'_>, node: ObjectId) -> Option<&'f Dictionary> {
    file.object(node)
        .and_then(|dictionary| dictionary.as_dict().ok())
}
