//! Lists of annotations and of fields beside each other.

use std::collections::BTreeSet;

use crate::structure::{ArrayItems, as_reference, same_value};

/// Object numbers that only one of two arrays refers to.
pub(super) struct DifferingItems {
    /// Also those that both refer to and that stood for nothing before.
    pub(super) added: BTreeSet<u32>,
    pub(super) removed: BTreeSet<u32>,
}

/// The items of an array of references, in order. There may be many: they are
/// read when they are asked for.
#[derive(Clone, Copy)]
pub(super) struct Items<'s>(&'s [u8]);

#[derive(Clone, Copy)]
enum Item<'s> {
    /// With the generation: under another one readers find another object, or
    /// none.
    Reference(u32, u16),
    /// What is no reference stays as it is, and may be a dictionary only: with
    /// names an array could mean something else.
    Direct(&'s [u8]),
}

impl<'s> Items<'s> {
    /// `None` when there is anything else among them.
    pub(super) fn of(array: &'s [u8]) -> Option<Self> {
        let mut items = ArrayItems::of(array).ok()?;
        let are_sound = items.all(|item| item.is_ok_and(|item| Item::of(item).is_some()));
        are_sound.then_some(Self(array))
    }

    fn iter(self) -> impl Iterator<Item = Item<'s>> {
        let items = ArrayItems::of(self.0).into_iter().flatten();
        items.filter_map(|item| Item::of(item.ok()?))
    }

    /// What was added and removed; `None` when the rest is not the same in the
    /// same order, or an added item stands there twice.
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

    /// In the order of their numbers, each once.
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
