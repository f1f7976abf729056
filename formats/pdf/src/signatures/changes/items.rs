//! Comparison of lists of annotations or fields.

use std::collections::BTreeSet;

use crate::structure::{ArrayItems, as_reference, same_value};

/// Objects referenced by only one of two arrays.
pub(super) struct DifferingItems {
    /// Includes references in both arrays whose target was missing before.
    pub(super) added: BTreeSet<u32>,
    pub(super) removed: BTreeSet<u32>,
}

/// Items of an array of references, in order. Parsed lazily, because there may
/// be many.
#[derive(Clone, Copy)]
pub(super) struct Items<'s>(&'s [u8]);

#[derive(Clone, Copy)]
enum Item<'s> {
    /// Includes the generation: with another one, readers find another object
    /// or none.
    Reference(u32, u16),
    /// A direct item must not change, and must be a dictionary: names could
    /// give the array another meaning.
    Direct(&'s [u8]),
}

impl<'s> Items<'s> {
    /// Reads an array; `None` if it has other items.
    pub(super) fn of(array: &'s [u8]) -> Option<Self> {
        let mut items = ArrayItems::of(array).ok()?;
        let are_sound = items.all(|item| item.is_ok_and(|item| Item::of(item).is_some()));
        are_sound.then_some(Self(array))
    }

    fn iter(self) -> impl Iterator<Item = Item<'s>> {
        let items = ArrayItems::of(self.0).into_iter().flatten();
        items.filter_map(|item| Item::of(item.ok()?))
    }

    /// Returns added and removed items; `None` if the remaining items or their
    /// order differ, or if an added item occurs twice.
    pub(super) fn differ_from(
        self,
        old: Self,
        is_new: impl Fn(u32) -> bool,
    ) -> Option<DifferingItems> {
        let (old_references, new_references) = (old.references(), self.references());
        let is_in =
            |references: &[(u32, u16)], reference| references.binary_search(&reference).is_ok();
        let stays = |item: &Item<'_>| match *item {
            Item::Reference(number, generation) => {
                let reference = (number, generation);
                !is_new(number)
                    && is_in(&old_references, reference)
                    && is_in(&new_references, reference)
            }
            Item::Direct(_) => true,
        };
        let mut stayed = self.iter().filter(stays);
        let mut stayed_before = old.iter().filter(stays);
        let same = stayed_before
            .by_ref()
            .all(|old| stayed.next().is_some_and(|new| old.is_same_as(new)));
        if !same || stayed.next().is_some() {
            return None;
        }
        let added = self.iter().filter(|item| !stays(item));
        let added: Vec<u32> = added.filter_map(Item::number).collect();
        let removed = old_references.iter();
        let removed = removed.filter(|reference| !is_in(&new_references, **reference));
        let differing = DifferingItems {
            added: added.iter().copied().collect(),
            removed: removed.map(|(number, _)| *number).collect(),
        };
        (differing.added.len() == added.len()).then_some(differing)
    }

    /// Returns the references, sorted and deduplicated.
    fn references(self) -> Vec<(u32, u16)> {
        let references = self.iter().filter_map(|item| match item {
            Item::Reference(number, generation) => Some((number, generation)),
            Item::Direct(_) => None,
        });
        let mut references: Vec<_> = references.collect();
        references.sort_unstable();
        references.dedup();
        references
    }
}

impl<'s> Item<'s> {
    fn of(item: &'s [u8]) -> Option<Self> {
        match as_reference(item) {
            Some((number, generation)) => Some(Self::Reference(number, generation)),
            None if item.starts_with(b"<<") || item == b"null" => Some(Self::Direct(item)),
            None => None,
        }
    }

    fn number(self) -> Option<u32> {
        match self {
            Self::Reference(number, _) => Some(number),
            Self::Direct(_) => None,
        }
    }

    fn is_same_as(self, other: Item<'_>) -> bool {
        match (self, other) {
            (Self::Direct(one), Item::Direct(other)) => same_value(one, other),
            (Self::Reference(number, generation), Item::Reference(other, others)) => {
                (number, generation) == (other, others)
            }
            _ => false,
        }
    }
}
