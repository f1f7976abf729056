//! The chain of cross-reference sections (ISO 32000-2, 7.5.4 to 7.5.8).

mod chain;
mod section;

use std::ops::Range;

pub(crate) use chain::{Chain, read_chain};

/// Form of a cross-reference section.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum XrefForm {
    /// A table whose trailer has `/XRefStm` (ISO 32000-2, 7.5.8.4).
    Hybrid,
    /// A cross-reference stream (7.5.8).
    Stream,
    /// A table with a trailer (7.5.4).
    Table,
}

/// Entry of an object in a section.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum XrefEntry {
    Compressed {
        /// Object number of the object stream.
        container: u32,
        /// Index among its members, from 0.
        index: u32,
    },
    /// Not in use.
    Free,
    InUse {
        /// Offset of the object header.
        offset: usize,
        /// Generation of the object.
        generation: u16,
    },
}

impl XrefEntry {
    /// Returns the generation of the object; `None` if it is not in use.
    /// Members of object streams have generation 0 (7.5.7).
    pub(crate) fn generation(self) -> Option<u16> {
        match self {
            Self::Free => None,
            Self::Compressed { .. } => Some(0),
            Self::InUse { generation, .. } => Some(generation),
        }
    }
}

/// A cross-reference section with its trailer.
#[derive(Clone, Debug)]
pub(crate) struct XrefSection {
    pub(crate) form: XrefForm,
    /// Start: the keyword `xref`, or the stream's object header.
    pub(crate) offset: usize,
    /// The offset in `startxref` or a newer section: some programs point to
    /// preceding white space.
    pub(crate) named_offset: usize,
    /// The trailer dictionary, `<<` to `>>`.
    pub(crate) trailer: Range<usize>,
    /// Offset after the `%%EOF` of the revision that this section completes.
    pub(crate) marker_end: usize,
    /// End of the revision that this section completes: after its `%%EOF` and
    /// the following end-of-line marker.
    pub(crate) revision_end: usize,
    /// Entries sorted by object number.
    pub(crate) entries: Vec<(u32, XrefEntry)>,
    /// `/Size`.
    pub(crate) size: u32,
    /// Objects listed at offset 0, and therefore not in use.
    pub(crate) at_start: Vec<u32>,
    /// Offset of the stream of a hybrid table.
    pub(crate) hybrid_stream: Option<usize>,
    /// Objects that a hybrid table lists as free and its stream as in use.
    pub(crate) hidden: Vec<u32>,
    /// The table has valid entries of 20 bytes.
    pub(crate) is_regular: bool,
    /// Object numbers of the streams that contain the section itself.
    pub(crate) stream_numbers: Vec<u32>,
}

impl XrefSection {
    /// Returns the entry of an object.
    pub(crate) fn entry(&self, number: u32) -> Option<XrefEntry> {
        find(&self.entries, number, |number| *number).map(|(_, entry)| *entry)
    }
}

/// Finds an item in a list sorted by object number.
pub(super) fn find<K, T>(
    items: &[(K, T)],
    number: u32,
    number_of: impl Fn(&K) -> u32,
) -> Option<&(K, T)> {
    let place = items.binary_search_by_key(&number, |(key, _)| number_of(key));
    items.get(place.ok()?)
}
