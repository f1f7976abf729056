//! Who refers to whom in the newest state of a file.

use std::collections::BTreeSet;

use parafa_format_core::Refusal;

use super::sources::{damaged_references, entries};
use crate::structure::{Link, LinkKind, PdfFile, links};

/// Stands for the trailer, which has no number; no object has this one.
pub(super) const TRAILER: u32 = 0;

/// A reference from one object to another.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Reference {
    pub(super) to: u32,
    /// [`TRAILER`] for the trailer.
    pub(super) from: u32,
    pub(super) kind: LinkKind,
}

/// Every reference of what the catalog and the document information lead to.
/// Nobody gets to see the rest.
pub(super) struct References {
    by_target: Vec<Reference>,
    reached: BTreeSet<u32>,
}

impl References {
    pub(super) fn read(file: &PdfFile<'_>) -> Result<Self, Refusal> {
        let newest = file.newest();
        newest.renew_values(file.limits());
        let mut by_source = Vec::new();
        let mut add = |from: u32, source: &[u8]| -> Result<(), Refusal> {
            let found = links(source).map_err(|error| damaged_references(&error))?;
            by_source.extend(found.into_iter().map(|Link { to, kind }| Reference {
                to,
                from,
                kind,
            }));
            Ok(())
        };
        // Nothing else of the trailer is shown to anybody.
        let trailer = entries(newest.trailer())?;
        for key in [&b"Root"[..], b"Info"] {
            add(TRAILER, trailer.value(key).unwrap_or_default())?;
        }
        for (from, _) in file.listed().filter(|(number, _)| *number != TRAILER) {
            if let Some(object) = newest.raw(from)? {
                add(from, &object.bytes)?;
            }
        }
        // What was compared before has taken its part, what follows has its own.
        newest.renew_values(file.limits());
        let reached = reached(&by_source);
        let mut by_target = by_source;
        by_target
            .retain(|reference| reference.from == TRAILER || reached.contains(&reference.from));
        by_target.sort_unstable();
        Ok(Self { by_target, reached })
    }

    /// Whether the trailer leads to an object.
    pub(super) fn reach(&self, number: u32) -> bool {
        self.reached.contains(&number)
    }

    /// The references to an object, those from one object beside each other.
    pub(super) fn to(&self, number: u32) -> &[Reference] {
        let start = self
            .by_target
            .partition_point(|reference| reference.to < number);
        let rest = self.by_target.get(start..).unwrap_or_default();
        let len = rest.partition_point(|reference| reference.to == number);
        rest.get(..len).unwrap_or_default()
    }
}

/// What the trailer leads to, from references in the order of their sources.
fn reached(by_source: &[Reference]) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut open = vec![TRAILER];
    while let Some(from) = open.pop() {
        let start = by_source.partition_point(|reference| reference.from < from);
        let own = by_source.get(start..).unwrap_or_default();
        for reference in own.iter().take_while(|reference| reference.from == from) {
            if reached.insert(reference.to) && reference.to != TRAILER {
                open.push(reference.to);
            }
        }
    }
    reached
}
