//! Objects of hybrid-reference files (ISO 32000-2, 7.5.8.4): a stream tells of
//! them, and the table beside it hides them from readers that know no streams.

use std::collections::BTreeMap;

use super::{XrefEntry, XrefSection};

/// How a table differs from the stream beside it, which has an object in use, or
/// has freed one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum InTable {
    /// It says that it is free.
    Free,
    /// It does not list it.
    Unlisted,
}

/// Adds to the entries of a table what the stream beside it tells of objects
/// that the table does not have in use, and says how the table differs; `Err`
/// with an object that the two have at different places.
pub(super) fn merge(
    table: &mut BTreeMap<u32, XrefEntry>,
    stream: BTreeMap<u32, XrefEntry>,
) -> Result<BTreeMap<u32, InTable>, u32> {
    let mut hidden = BTreeMap::new();
    for (number, told) in stream {
        let how = match table.get(&number) {
            None => InTable::Unlisted,
            Some(listed) if told == XrefEntry::Free || told == *listed => continue,
            Some(XrefEntry::Free) => InTable::Free,
            Some(_) => return Err(number),
        };
        hidden.insert(number, how);
        table.insert(number, told);
    }
    Ok(hidden)
}

/// Objects that were hidden in the sections seen so far, from the newest on, and
/// of which an older one may tell something else.
#[derive(Default)]
pub(super) struct Hidden {
    /// With what the stream says where the table says nothing.
    open: BTreeMap<u32, Option<XrefEntry>>,
}

impl Hidden {
    /// Goes on to the next older section, of which these objects are hidden;
    /// `Err` with an object that its table has in use: who reads tables only
    /// finds something else than who reads the streams.
    pub(super) fn add_older(
        &mut self,
        section: &XrefSection,
        hidden: &BTreeMap<u32, InTable>,
    ) -> Result<(), u32> {
        // One of the two may be long, and it must not be gone through again and
        // again.
        let listed: Vec<(u32, XrefEntry)> = if section.entries.len() < self.open.len() {
            let listed = section.entries.iter();
            let listed = listed.filter(|(number, _)| self.open.contains_key(number));
            listed.copied().collect()
        } else {
            let open = self.open.keys();
            let listed = open.filter_map(|number| Some((*number, section.entry(*number)?)));
            listed.collect()
        };
        for (number, entry) in listed {
            let in_table = match hidden.get(&number) {
                Some(InTable::Unlisted) => continue,
                Some(InTable::Free) => XrefEntry::Free,
                None => entry,
            };
            let told = self.open.remove(&number).flatten();
            if in_table != XrefEntry::Free && told != Some(in_table) {
                return Err(number);
            }
        }
        for (number, how) in hidden {
            let told = section.entry(*number);
            let told = told.filter(|_| *how == InTable::Unlisted);
            self.open.entry(*number).or_insert(told);
        }
        Ok(())
    }
}
