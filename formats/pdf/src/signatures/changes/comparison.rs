//! Comparison of the newest state of a file with an earlier revision.

use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::{ChangeKind, Refusal};

use super::detector::ChangeDetector;
use super::sources::referenced;
use crate::signatures::Permissions;
use crate::structure::{PdfFile, RawObject, Revision, XrefEntry, same_value};

/// Reason for stopping a comparison.
pub(super) enum Stop {
    /// A change that is not permitted.
    Change(String),
    /// The file is unreadable.
    Refusal(Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

pub(super) struct Comparison<'d, 'f, 'a> {
    pub(super) detector: &'d ChangeDetector<'f, 'a>,
    pub(super) file: &'f PdfFile<'a>,
    pub(super) permissions: &'d Permissions,
    pub(super) old: Revision<'a>,
    /// Objects with another cross-reference entry and another value.
    pub(super) changed: BTreeMap<u32, Change<'a>>,
    pub(super) explained: BTreeMap<u32, ChangeScope>,
    /// Values that permit references, by object and key.
    pub(super) permitting: BTreeSet<(u32, Vec<u8>)>,
    /// Number of permitted references from one object to another.
    pub(super) permitted_references: BTreeMap<(u32, u32), usize>,
    /// Permitted replacements of `/Annots` arrays: pages may share them.
    pub(super) permitted_lists: BTreeSet<SharedLists>,
    /// Highest kind of change among the explained ones.
    pub(super) kind: ChangeKind,
}

pub(super) struct Change<'a> {
    pub(super) old: Option<RawObject<'a>>,
    pub(super) new: Option<RawObject<'a>>,
}

/// Permitted extent of an object's change, and therefore permitted references
/// to it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ChangeScope {
    /// Any change, as an annotation; referenced by pages and other annotations.
    Annotation,
    /// Some entries; referenced by the trailer and from where it is not shown.
    Catalog,
    /// Entries changed by filling in; referenced as fields are.
    Field,
    /// Compared items or entries; referenced by the permitting key.
    Parts,
    /// Its annotations, which matter only to a page; referenced from anywhere.
    Page,
    /// Its kids, which matter only to structure elements; referenced as those
    /// are.
    Structure,
    /// Any change; referenced by the permitting key.
    Whole,
}

/// Old and new `/Annots` arrays, by number and generation.
pub(super) type SharedLists = (Option<(u32, u16)>, (u32, u16));

impl<'d, 'f, 'a> Comparison<'d, 'f, 'a> {
    pub(super) fn new(
        detector: &'d ChangeDetector<'f, 'a>,
        permissions: &'d Permissions,
        old: Revision<'a>,
    ) -> Result<Self, Refusal> {
        let file = detector.file;
        let new = file.newest();
        new.renew_values(file.limits());
        // A relisted object stream relists its members.
        let numbers: BTreeSet<u32> = old
            .listed_later()
            .flat_map(|number| {
                let members = detector.members.get(&number);
                members.into_iter().flatten().copied().chain([number])
            })
            .collect();
        let mut changed = BTreeMap::new();
        for number in numbers {
            if same_place(&old, new, number) {
                continue;
            }
            let change = Change {
                old: old.raw(number)?,
                new: detector.newest(number)?,
            };
            if !same_object(change.old.as_ref(), change.new.as_ref()) {
                changed.insert(number, change);
            }
        }
        Ok(Self {
            detector,
            file,
            permissions,
            old,
            changed,
            explained: BTreeMap::new(),
            permitting: BTreeSet::new(),
            permitted_references: BTreeMap::new(),
            permitted_lists: BTreeSet::new(),
            // Lower bound, for changes that show nothing.
            kind: ChangeKind::ValidationData,
        })
    }

    /// Records an explained change.
    pub(super) fn find(&mut self, kind: ChangeKind) {
        self.kind = self.kind.max(kind);
    }

    pub(super) fn is_added(&self, number: u32) -> bool {
        self.changed
            .get(&number)
            .is_some_and(|change| change.old.is_none() && change.new.is_some())
    }

    /// Permits any value of a key, with all new objects reachable only through
    /// it. Existing objects are not followed.
    pub(super) fn permit(&mut self, holder: u32, key: &[u8], value: &[u8]) -> Result<(), Refusal> {
        self.permit_reference(holder, key, value)?;
        self.explain_added(value)
    }

    /// Permits the references in the value of a key.
    pub(super) fn permit_reference(
        &mut self,
        holder: u32,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), Refusal> {
        if self.permitting.insert((holder, key.to_vec())) {
            for number in referenced(value)? {
                *self
                    .permitted_references
                    .entry((holder, number))
                    .or_default() += 1;
            }
        }
        Ok(())
    }

    /// Permits references to the objects added to a list.
    pub(super) fn permit_each_reference(&mut self, holder: u32, key: &[u8], added: &BTreeSet<u32>) {
        if self.permitting.insert((holder, key.to_vec())) {
            for number in added {
                *self
                    .permitted_references
                    .entry((holder, *number))
                    .or_default() += 1;
            }
        }
    }

    pub(super) fn explain_added(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let mut open = referenced(value)?;
        while let Some(number) = open.pop() {
            if !self.is_added(number) || self.explained.contains_key(&number) {
                continue;
            }
            self.explained.insert(number, ChangeScope::Whole);
            open.extend(self.detector.referenced_by(number)?.iter());
        }
        Ok(())
    }

    /// Explains an object; the first explanation stays.
    pub(super) fn explain_as(&mut self, number: u32, standing: ChangeScope) {
        self.explained.entry(number).or_insert(standing);
    }
}

fn same_place(old: &Revision<'_>, new: &Revision<'_>, number: u32) -> bool {
    let (old_entry, new_entry) = (old.entry(number), new.entry(number));
    let is_free = |entry: Option<XrefEntry>| matches!(entry, None | Some(XrefEntry::Free));
    match (old_entry, new_entry) {
        (Some(XrefEntry::Compressed { container, .. }), Some(_)) if old_entry == new_entry => {
            old.entry(container) == new.entry(container)
        }
        _ => old_entry == new_entry || is_free(old_entry) && is_free(new_entry),
    }
}

fn same_object(old: Option<&RawObject<'_>>, new: Option<&RawObject<'_>>) -> bool {
    match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            old.generation == new.generation
                && old.data == new.data
                && same_value(&old.bytes, &new.bytes)
        }
        _ => false,
    }
}
