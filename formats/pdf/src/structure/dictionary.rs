use std::ops::Range;

use parafa_format_core::Refusal;

/// A dictionary's source with the place of every entry, for patches that keep
/// all other bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RawDictionary<'a> {
    source: &'a [u8],
    entries: Vec<RawEntry<'a>>,
}

/// One entry of a [`RawDictionary`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RawEntry<'a> {
    /// The key without slash, `#xx` decoded.
    pub(crate) key: Vec<u8>,
    /// The value as written.
    pub(crate) value: &'a [u8],
    /// From the key's slash to the end of the value, relative to the source.
    pub(crate) span: Range<usize>,
    /// The value, relative to the source.
    pub(crate) value_span: Range<usize>,
}

impl<'a> RawDictionary<'a> {
    /// Scans a source that begins with `<<`; what follows the matching `>>` is
    /// not part of the dictionary.
    pub(crate) fn scan(source: &'a [u8]) -> Result<Self, Refusal> {
        Ok(Self { source, entries: Vec::new() })
    }

    /// The dictionary's bytes, `<<` to `>>`.
    pub(crate) fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The entries in order.
    pub(crate) fn entries(&self) -> &[RawEntry<'a>] {
        &self.entries
    }

    /// The entry of a key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&RawEntry<'a>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The dictionary with an entry's value replaced, or a new entry at its
    /// end; `value` is PDF syntax, `key` has no slash. A new entry starts on a
    /// line of its own, because the last line may be a comment.
    pub(crate) fn with(&self, key: &[u8], value: &[u8]) -> Vec<u8> {
        let _ = (key, value);
        self.source.to_vec()
    }

    /// The dictionary without an entry.
    pub(crate) fn without(&self, key: &[u8]) -> Vec<u8> {
        let _ = key;
        self.source.to_vec()
    }
}
