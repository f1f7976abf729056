//! What the revisions after a signature changed (ISO 32000-2, 12.8.2.2.2).
//!
//! A change is explained when it is one of: a new signature field with its
//! value and widget, values and appearances of form fields, validation data in
//! the catalog's `/DSS`, metadata, the document information dictionary, and
//! the file's own bookkeeping. Everything else changed what was signed.

mod rules;

use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::Refusal;

use crate::structure::{
    PdfFile, RawDictionary, RawObject, Revision, XrefEntry, references, same_value,
};

/// The first change after an offset that nothing explains, as a sentence;
/// `None` when the signature that covers everything up to there still says
/// what it said.
pub(crate) fn unexplained_change(
    file: &PdfFile<'_>,
    end: usize,
) -> Result<Option<String>, Refusal> {
    if end >= file.end() {
        return Ok(None);
    }
    let Some(old) = file.revision_ending_at(end) else {
        return Ok(Some(format!("No revision ends at byte {end}.")));
    };
    let mut comparison = Comparison::new(file, old)?;
    if comparison.changed.is_empty() {
        return Ok(None);
    }
    match comparison.explain() {
        Ok(()) => Ok(comparison.unexplained()),
        Err(Stop::Change(change)) => Ok(Some(change)),
        Err(Stop::Refusal(refusal)) => Err(refusal),
    }
}

/// Why no more changes are looked at.
enum Stop {
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

struct Comparison<'f, 'a> {
    file: &'f PdfFile<'a>,
    old: Revision<'a>,
    /// What is listed elsewhere now and has another value.
    changed: BTreeMap<u32, Change<'a>>,
    explained: BTreeSet<u32>,
}

struct Change<'a> {
    old: Option<RawObject<'a>>,
    new: Option<RawObject<'a>>,
}

impl<'f, 'a> Comparison<'f, 'a> {
    fn new(file: &'f PdfFile<'a>, old: Revision<'a>) -> Result<Self, Refusal> {
        let new = file.newest();
        new.renew(file.limits());
        let numbers: BTreeSet<u32> = old
            .table()
            .keys()
            .chain(new.table().keys())
            .copied()
            .collect();
        let mut changed = BTreeMap::new();
        for number in numbers {
            if same_place(&old, new, number) {
                continue;
            }
            let change = Change {
                old: old.raw(number)?,
                new: new.raw(number)?,
            };
            if !same_object(change.old.as_ref(), change.new.as_ref()) {
                changed.insert(number, change);
            }
        }
        Ok(Self {
            file,
            old,
            changed,
            explained: BTreeSet::new(),
        })
    }

    fn unexplained(&self) -> Option<String> {
        let number = self
            .changed
            .keys()
            .find(|number| !self.explained.contains(number))?;
        let change = self.changed.get(number)?;
        Some(match (&change.old, &change.new) {
            (None, _) => {
                format!("The object {number} was added, and no permitted change leads to it.")
            }
            (_, None) => format!("The object {number} was removed."),
            _ => format!("The object {number} was changed."),
        })
    }

    fn explain(&mut self) -> Result<(), Stop> {
        self.explain_bookkeeping();
        self.explain_information();
        self.explain_catalog()?;
        self.explain_fields()?;
        self.explain_pages()?;
        Ok(self.explain_orphans()?)
    }

    /// Object streams and cross-reference streams hold nothing of their own.
    fn explain_bookkeeping(&mut self) {
        let is_bookkeeping = |object: &RawObject<'_>| {
            object.data.is_some()
                && RawDictionary::scan(&object.bytes).is_ok_and(|entries| {
                    matches!(entries.value(b"Type"), Some(b"/ObjStm" | b"/XRef"))
                })
        };
        let numbers = self.changed.iter().filter(|(_, change)| {
            change.old.as_ref().is_none_or(is_bookkeeping)
                && change.new.as_ref().is_none_or(is_bookkeeping)
        });
        self.explained.extend(numbers.map(|(number, _)| *number));
    }

    /// New objects that nothing in the document leads to. A reference that led
    /// nowhere before would lead to one now, so every object is asked.
    fn explain_orphans(&mut self) -> Result<(), Refusal> {
        let mut orphans: BTreeSet<u32> = self.changed.keys().copied().collect();
        orphans.retain(|number| self.is_added(*number) && !self.explained.contains(number));
        if orphans.is_empty() {
            return Ok(());
        }
        let mut reached = Vec::new();
        for number in self
            .file
            .newest()
            .table()
            .keys()
            .filter(|number| !orphans.contains(number))
        {
            if let Some(object) = self.file.newest().raw(*number)? {
                reached.extend(
                    referenced(&object.bytes)?
                        .into_iter()
                        .filter(|number| orphans.contains(number)),
                );
            }
        }
        while let Some(number) = reached.pop() {
            if orphans.remove(&number)
                && let Some(Change { new: Some(new), .. }) = self.changed.get(&number)
            {
                reached.extend(referenced(&new.bytes)?);
            }
        }
        self.explained.extend(orphans);
        Ok(())
    }

    fn is_added(&self, number: u32) -> bool {
        self.changed
            .get(&number)
            .is_some_and(|change| change.old.is_none() && change.new.is_some())
    }

    /// All new objects that a value leads to; what was there is not passed.
    fn explain_added(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let mut open = referenced(value)?;
        while let Some(number) = open.pop() {
            if !self.is_added(number) || !self.explained.insert(number) {
                continue;
            }
            if let Some(Change { new: Some(new), .. }) = self.changed.get(&number) {
                open.extend(referenced(&new.bytes)?);
            }
        }
        Ok(())
    }
}

fn same_place(old: &Revision<'_>, new: &Revision<'_>, number: u32) -> bool {
    let (old_entry, new_entry) = (old.table().get(&number), new.table().get(&number));
    let is_free = |entry: Option<&XrefEntry>| matches!(entry, None | Some(XrefEntry::Free));
    match (old_entry, new_entry) {
        (Some(XrefEntry::Compressed { container, .. }), Some(_)) if old_entry == new_entry => {
            old.table().get(container) == new.table().get(container)
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

fn entries(source: &[u8]) -> Result<RawDictionary<'_>, Refusal> {
    RawDictionary::scan(source).map_err(|error| {
        Refusal::new(
            "object-damaged",
            format!("A dictionary cannot be read: {error}."),
        )
    })
}

fn referenced(source: &[u8]) -> Result<Vec<u32>, Refusal> {
    references(source).map_err(|error| {
        Refusal::new(
            "object-damaged",
            format!("References cannot be read: {error}."),
        )
    })
}
