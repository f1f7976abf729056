//! The chain of cross-reference sections (ISO 32000-2, 7.5.4 to 7.5.8).

mod chain;
mod section;

use std::ops::Range;

pub(crate) use chain::{Chain, read_chain};

/// How a cross-reference section is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum XrefForm {
    /// A table whose trailer has `/XRefStm` (ISO 32000-2, 7.5.8.4).
    Hybrid,
    /// A cross-reference stream (7.5.8).
    Stream,
    /// A table with a trailer (7.5.4).
    Table,
}

/// Where an object is, as a section says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum XrefEntry {
    /// A member of an object stream.
    Compressed {
        /// Object number of the object stream.
        container: u32,
        /// Position among its members, from 0.
        index: u32,
    },
    /// Not in use.
    Free,
    /// At a byte of the file.
    InUse {
        /// First byte of the object's header.
        offset: usize,
        /// The object's generation.
        generation: u16,
    },
}

impl XrefEntry {
    /// The generation of the object, `None` when it is not in use. Members of
    /// object streams have generation 0 (7.5.7).
    pub(crate) fn generation(self) -> Option<u16> {
        match self {
            Self::Free => None,
            Self::Compressed { .. } => Some(0),
            Self::InUse { generation, .. } => Some(generation),
        }
    }
}

/// One cross-reference section with its trailer.
#[derive(Clone, Debug)]
pub(crate) struct XrefSection {
    /// How it is written.
    pub(crate) form: XrefForm,
    /// Where it starts: the keyword `xref`, or the stream's object header.
    pub(crate) offset: usize,
    /// The offset under which `startxref` or a newer section names it: some
    /// programs count the white space before it.
    pub(crate) named_offset: usize,
    /// The trailer dictionary, `<<` to `>>`.
    pub(crate) trailer: Range<usize>,
    /// Just after the `%%EOF` of the revision that this section completes.
    pub(crate) marker_end: usize,
    /// End of the revision that this section completes: just after its
    /// `%%EOF` and the end-of-line marker that follows.
    pub(crate) revision_end: usize,
    /// Entries in ascending order of their object numbers.
    pub(crate) entries: Vec<(u32, XrefEntry)>,
    /// `/Size`.
    pub(crate) size: u32,
    /// Objects that it lists at the start of the file, and that are not in use so.
    pub(crate) at_start: Vec<u32>,
    /// Where the stream beside a hybrid table is.
    pub(crate) hybrid_stream: Option<usize>,
    /// Objects that a hybrid table lists as free and its stream as in use.
    pub(crate) hidden: Vec<u32>,
    /// Whether its table is written as it should be, in entries of 20 bytes.
    pub(crate) is_regular: bool,
    /// Object numbers of the streams that hold the section itself.
    pub(crate) stream_numbers: Vec<u32>,
}

impl XrefSection {
    /// The entry of an object.
    pub(crate) fn entry(&self, number: u32) -> Option<XrefEntry> {
        find(&self.entries, number, |number| *number).map(|(_, entry)| *entry)
    }
}

/// An item of a list in ascending order of object numbers.
pub(super) fn find<K, T>(
    items: &[(K, T)],
    number: u32,
    number_of: impl Fn(&K) -> u32,
) -> Option<&(K, T)> {
    let place = items.binary_search_by_key(&number, |(key, _)| number_of(key));
    items.get(place.ok()?)
}
