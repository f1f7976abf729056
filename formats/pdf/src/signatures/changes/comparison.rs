//! One comparison of the newest state of a file with an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::{ChangeKind, Refusal};

use super::detector::ChangeDetector;
use super::sources::referenced;
use crate::signatures::Permissions;
use crate::structure::{PdfFile, RawObject, Revision, XrefEntry, same_value};

/// Why no more changes are looked at.
pub(super) enum Stop {
    /// This one is not permitted.
    Change(String),
    /// The file cannot be read.
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
    /// What is listed elsewhere now and has another value.
    pub(super) changed: BTreeMap<u32, Change<'a>>,
    pub(super) explained: BTreeMap<u32, ChangeScope>,
    /// The values that permit what they refer to, by object and key.
    pub(super) permitting: BTreeSet<(u32, Vec<u8>)>,
    /// How often they refer from one object to another.
    pub(super) permitted_references: BTreeMap<(u32, u32), usize>,
    /// What may have become of arrays of annotations: pages may share them.
    pub(super) permitted_lists: BTreeSet<SharedLists>,
    /// The most that was changed of what was explained.
    pub(super) kind: ChangeKind,
}

pub(super) struct Change<'a> {
    pub(super) old: Option<RawObject<'a>>,
    pub(super) new: Option<RawObject<'a>>,
}

/// How an object may change, and from where it may be referred to therefore.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ChangeScope {
    /// In every way, as an annotation: from pages and other annotations.
    Annotation,
    /// In some entries: from the trailer, and from where it is not shown.
    Catalog,
    /// In what filling it in changes: from where fields are referred to.
    Field,
    /// In the items or entries that were compared: by the key that permits it.
    Parts,
    /// In its annotations, which are no part of anything but a page: from
    /// everywhere.
    Page,
    /// In its kids, which mean something to structure elements alone: from where
    /// those are referred to.
    Structure,
    /// In every way: by the key that permits it.
    Whole,
}

/// Two arrays of annotations, by number and generation.
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
        // An object stream that is listed anew brings its members along.
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
            // Whatever changed without being seen.
            kind: ChangeKind::ValidationData,
        })
    }

    /// Takes notice of a change that is explained.
    pub(super) fn find(&mut self, kind: ChangeKind) {
        self.kind = self.kind.max(kind);
    }

    pub(super) fn is_added(&self, number: u32) -> bool {
        self.changed
            .get(&number)
            .is_some_and(|change| change.old.is_none() && change.new.is_some())
    }

    /// The value of a key may be any other: so may all new objects that it
    /// leads to, as far as nothing else does. What was there is not passed.
    pub(super) fn permit(&mut self, holder: u32, key: &[u8], value: &[u8]) -> Result<(), Refusal> {
        self.permit_reference(holder, key, value)?;
        self.explain_added(value)
    }

    /// What the value of a key refers to may be referred to there.
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

    /// The objects that were added to a list may be referred to there.
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

    /// The first explanation of an object stays.
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
