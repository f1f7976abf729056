//! Object numbers of a rewritten document.

use std::borrow::Cow;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use super::syntax::reference;
use crate::structure::{PdfFile, reference_places};

/// Maximum number of free table entries per object, in addition to
/// [`FREE_ENTRIES`]; beyond it, objects are renumbered.
const FREE_ENTRIES_PER_OBJECT: usize = 1;

/// Number of free entries that any table may have.
const FREE_ENTRIES: usize = 10_000;

/// The objects of the new document.
pub(super) struct Numbering {
    /// Old numbers, sorted.
    old: Vec<u32>,
    /// Old identifiers, if objects are renumbered without gaps, starting at 1.
    renumbered: Option<Vec<ObjectId>>,
}

impl Numbering {
    /// Numbers the live objects.
    pub(super) fn of(file: &PdfFile<'_>, live: &[bool]) -> Self {
        let numbers = live.iter().zip(0_u32..).filter(|(is_live, _)| **is_live);
        let old: Vec<u32> = numbers.map(|(_, number)| number).collect();
        let is_sparse = live.len() > old.len() * (1 + FREE_ENTRIES_PER_OBJECT) + FREE_ENTRIES;
        let renumbered = is_sparse.then(|| {
            let ids = old
                .iter()
                .map(|number| (*number, generation(file, *number)));
            ids.collect()
        });
        Self { old, renumbered }
    }

    /// Returns the numbers in the old document.
    pub(super) fn old_numbers(&self) -> &[u32] {
        &self.old
    }

    /// Returns one more than the highest number in the new document.
    pub(super) fn next(&self) -> u32 {
        match &self.renumbered {
            Some(ids) => u32::try_from(ids.len())
                .unwrap_or(u32::MAX)
                .saturating_add(1),
            None => self.old.last().map_or(1, |last| last.saturating_add(1)),
        }
    }

    /// Maps an old object to its new identifier; `None` if it is gone.
    pub(super) fn id(&self, old: ObjectId) -> Option<ObjectId> {
        match &self.renumbered {
            None => Some(old),
            Some(ids) => {
                let index = ids.binary_search(&old).ok()?;
                Some((u32::try_from(index).ok()?.checked_add(1)?, 0))
            }
        }
    }

    /// Returns a source with renumbered references.
    pub(super) fn renumbered<'s>(&self, source: &'s [u8]) -> Result<Cow<'s, [u8]>, Refusal> {
        if self.renumbered.is_none() {
            return Ok(Cow::Borrowed(source));
        }
        let places = reference_places(source).map_err(|error| {
            Refusal::new(
                "object-damaged",
                format!("The references of an object cannot be read: {error}."),
            )
        })?;
        let mut written = Vec::with_capacity(source.len());
        let mut from = 0;
        for (old, place) in places {
            written.extend_from_slice(source.get(from..place.start).unwrap_or_default());
            // A dangling reference is null (7.3.10).
            let new = old.and_then(|old| self.id(old));
            let new = new.map_or_else(|| "null".to_owned(), reference);
            written.extend_from_slice(new.as_bytes());
            from = place.end;
        }
        written.extend_from_slice(source.get(from..).unwrap_or_default());
        Ok(Cow::Owned(written))
    }
}

/// Returns the generation of an object; 0 for new ones.
pub(super) fn generation(file: &PdfFile<'_>, number: u32) -> u16 {
    file.newest().generation(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse() -> Numbering {
        let ids = vec![(3, 0), (700, 2), (90_000, 0)];
        Numbering {
            old: ids.iter().map(|(number, _)| *number).collect(),
            renumbered: Some(ids),
        }
    }

    #[test]
    fn references_follow_their_objects_to_new_numbers() {
        let source = b"<</A 3 0 R/B[700 2 R 90000 0 R](5 0 R)/C 3>>";

        let renumbered = sparse().renumbered(source).unwrap().into_owned();

        assert_eq!(
            String::from_utf8(renumbered).unwrap(),
            "<</A 1 0 R/B[2 0 R 3 0 R](5 0 R)/C 3>>"
        );
        assert_eq!(sparse().next(), 4);
    }

    #[test]
    fn a_reference_to_nothing_stays_one() {
        let source = b"[700 0 R 4 0 R 99999999999 0 R]";

        let renumbered = sparse().renumbered(source).unwrap();

        assert_eq!(*renumbered, *b"[null null null]");
    }

    #[test]
    fn numbers_that_are_close_together_stay() {
        let numbering = Numbering {
            old: vec![1, 4],
            renumbered: None,
        };

        assert_eq!(numbering.id((4, 0)), Some((4, 0)));
        assert_eq!(*numbering.renumbered(b"4 0 R").unwrap(), *b"4 0 R");
        assert_eq!(numbering.next(), 5);
    }
}
