//! References to objects that are there under another generation.
//!
//! To some readers they lead to the object, to others nowhere (ISO 32000-2,
//! 7.3.10).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::xref::XrefEntry;

/// The generations of the objects in use.
#[derive(Clone, Debug)]
pub(super) struct Generations {
    table: Rc<BTreeMap<u32, XrefEntry>>,
    /// Whether all of them are 0, as in most files.
    are_zero: bool,
}

impl Generations {
    /// Of what a cross-reference lists.
    pub(super) fn of(table: Rc<BTreeMap<u32, XrefEntry>>) -> Self {
        let mut generations = table.values().filter_map(|entry| entry.generation());
        Self {
            are_zero: generations.all(|generation| generation == 0),
            table,
        }
    }

    /// Whether an object is in use, and under another generation than this.
    pub(super) fn is_another(&self, number: u32, generation: u64) -> bool {
        if self.are_zero && generation == 0 {
            return false;
        }
        let live = self.table.get(&number).and_then(|entry| entry.generation());
        live.is_some_and(|live| u64::from(live) != generation)
    }
}
