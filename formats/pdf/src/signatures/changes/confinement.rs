//! Confinement: a changed object must be visible only in roles that may change.
//!
//! An object may play other roles too: the metadata stream may also be drawn on
//! a page. Each reference to it is therefore checked by its place. These roles
//! may change: the trailer and its `/Info`; the catalog's `/DSS`, `/Metadata`,
//! `/Extensions`, `/MarkInfo` and `/AcroForm`; values and appearances of
//! fields; annotations of pages; kids of structure elements.

use super::comparison::{ChangeScope, Comparison, Stop};
use super::references::{Reference, TRAILER};
use crate::signatures::changes::annotations::is_annotation;
use crate::structure::LinkKind;

impl Comparison<'_, '_, '_> {
    /// Refuses changed objects that are reachable other than by the permitting
    /// reference. Such a reference may have been prepared before signing.
    pub(super) fn confine(&mut self) -> Result<(), Stop> {
        let references = self.detector.references()?;
        let mut open: Vec<u32> = self.explained.keys().copied().collect();
        while let Some(number) = open.pop() {
            let Some(standing) = self.explained.get(&number).copied() else {
                continue;
            };
            let found = references.to(number);
            for same_source in found.chunk_by(|one, other| one.from == other.from) {
                let mut unexplained = 0_usize;
                for reference in same_source {
                    match self.leave(reference, standing) {
                        ReferencePermission::Given => {}
                        ReferencePermission::GivenTo(source, its) => {
                            if self.explained.insert(source, its).is_none() {
                                open.push(source);
                            }
                        }
                        ReferencePermission::None => unexplained += 1,
                    }
                }
                let source = same_source.first().map_or(TRAILER, |first| first.from);
                if unexplained > self.permitted_references(standing, source, number) {
                    return Err(Stop::Change(format!(
                        "The object {number} may change, but is referred to from elsewhere."
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of references from one object to another under
    /// permitting keys.
    fn permitted_references(&self, standing: ChangeScope, from: u32, to: u32) -> usize {
        match standing {
            ChangeScope::Parts | ChangeScope::Whole => self
                .permitted_references
                .get(&(from, to))
                .copied()
                .unwrap_or_default(),
            ChangeScope::Annotation
            | ChangeScope::Catalog
            | ChangeScope::Field
            | ChangeScope::Page
            | ChangeScope::Structure => 0,
        }
    }

    fn leave(&self, reference: &Reference, standing: ChangeScope) -> ReferencePermission {
        let Reference { from, kind, .. } = *reference;
        let from_page = kind == LinkKind::Annotation && self.detector.is_page(from);
        let is_list = self.detector.is_annotation_array(reference.to);
        let source = self.explained.get(&from);
        if matches!(source, Some(ChangeScope::Annotation | ChangeScope::Whole)) {
            return ReferencePermission::Given;
        }
        match standing {
            ChangeScope::Page => ReferencePermission::Given,
            ChangeScope::Catalog if from == TRAILER || kind.may_lead_to_catalog() => {
                ReferencePermission::Given
            }
            ChangeScope::Field if kind.is_to_a_field() => ReferencePermission::Given,
            ChangeScope::Structure if kind == LinkKind::Structure => ReferencePermission::Given,
            ChangeScope::Structure if kind == LinkKind::Array => match source {
                Some(ChangeScope::Parts | ChangeScope::Structure) => ReferencePermission::Given,
                Some(_) => ReferencePermission::None,
                None => ReferencePermission::GivenTo(from, ChangeScope::Structure),
            },
            ChangeScope::Parts if from_page && is_list => ReferencePermission::Given,
            ChangeScope::Annotation if from_page || kind == LinkKind::StructureObject => {
                ReferencePermission::Given
            }
            ChangeScope::Annotation if source.is_none() => {
                if kind == LinkKind::Array && self.detector.is_annotation_array(from) {
                    ReferencePermission::GivenTo(from, ChangeScope::Parts)
                } else if self.is_newest_annotation(from) {
                    ReferencePermission::GivenTo(from, ChangeScope::Annotation)
                } else {
                    ReferencePermission::None
                }
            }
            ChangeScope::Annotation
                if kind == LinkKind::Array && self.detector.is_annotation_array(from) =>
            {
                ReferencePermission::Given
            }
            _ => ReferencePermission::None,
        }
    }

    fn is_newest_annotation(&self, number: u32) -> bool {
        matches!(self.file.newest().raw(number), Ok(Some(object)) if is_annotation(&object))
    }
}

/// Permission of a reference by its place alone.
enum ReferencePermission {
    Given,
    /// Given if the referring object is confined itself.
    GivenTo(u32, ChangeScope),
    /// Given only under a permitting key.
    None,
}

impl LinkKind {
    /// Returns whether such a reference to the catalog does not show it: from
    /// signatures, and from page trees via `/Parent`. No key of these kinds
    /// also names drawn objects.
    pub(super) fn may_lead_to_catalog(self) -> bool {
        matches!(self, Self::Field | Self::SignedData)
    }

    fn is_to_a_field(self) -> bool {
        matches!(
            self,
            Self::Annotation | Self::Array | Self::Field | Self::StructureObject
        )
    }
}
