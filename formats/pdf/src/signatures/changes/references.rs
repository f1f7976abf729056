//! References between objects in the newest state of a file.

use std::collections::BTreeSet;

use parafa_format_core::Refusal;

use super::sources::{damaged_references, entries};
use crate::structure::{Link, LinkKind, PdfFile, links};

/// Number that stands for the trailer; no object has it.
pub(super) const TRAILER: u32 = 0;

/// A reference from one object to another.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Reference {
    pub(super) to: u32,
    /// [`TRAILER`] for the trailer.
    pub(super) from: u32,
    pub(super) kind: LinkKind,
}

/// All references reachable from the catalog and the document information.
/// Everything else is invisible.
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
        // No other trailer entry is visible.
        let trailer = entries(newest.trailer())?;
        for key in [&b"Root"[..], b"Info"] {
            add(TRAILER, trailer.value(key).unwrap_or_default())?;
        }
        for (from, _) in file.listed().filter(|(number, _)| *number != TRAILER) {
            if let Some(object) = newest.raw(from)? {
                add(from, &object.bytes)?;
            }
        }
        // Each phase has its own budget: comparison before, and the following
        // steps.
        newest.renew_values(file.limits());
        let reached = reached(&by_source);
        let mut by_target = by_source;
        by_target
            .retain(|reference| reference.from == TRAILER || reached.contains(&reference.from));
        by_target.sort_unstable();
        Ok(Self { by_target, reached })
    }

    /// Returns whether an object is reachable from the trailer.
    pub(super) fn reach(&self, number: u32) -> bool {
        self.reached.contains(&number)
    }

    /// Returns the references to an object, grouped by source.
    pub(super) fn to(&self, number: u32) -> &[Reference] {
        let start = self
            .by_target
            .partition_point(|reference| reference.to < number);
        let rest = self.by_target.get(start..).unwrap_or_default();
        let len = rest.partition_point(|reference| reference.to == number);
        rest.get(..len).unwrap_or_default()
    }
}

/// Returns the objects reachable from the trailer, given references sorted by
/// source.
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
