//! Values of two revisions beside each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use parafa_format_core::Refusal;

use super::confinement::Standing;
use super::{Comparison, Stop};
use crate::structure::{RawDictionary, RawObject, Revision, array_items, as_reference, same_value};

impl<'a> Comparison<'_, '_, 'a> {
    /// Object numbers that only one of two arrays refers to, each the value of a
    /// key, or that led nowhere before; `None` when anything else about the
    /// arrays differs, such as the order of what is in both: annotations are
    /// drawn one above the other.
    pub(super) fn differing_items(
        &mut self,
        (holder, key): (u32, &[u8]),
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<Option<DifferingItems>, Refusal> {
        let old_source = self.old_value(old)?;
        let new_source = new.map_or(Ok(None), |new| self.new_value(new))?;
        let old_items = old_source
            .as_deref()
            .map_or(Some(Items::default()), Items::of);
        let new_items = new_source
            .as_deref()
            .map_or(Some(Items::default()), Items::of);
        let (Some(old_items), Some(new_items)) = (old_items, new_items) else {
            return Ok(None);
        };
        let Some(differing) = new_items.differ_from(&old_items, |number| self.is_added(number))
        else {
            return Ok(None);
        };
        if let Some(new) = new {
            if let Some((array, _)) = as_reference(new) {
                self.warrant(holder, key, new)?;
                self.warrant_each(array, b"", &differing.added);
            } else {
                self.warrant_each(holder, key, &differing.added);
            }
            self.explain_compared(old, new);
        }
        Ok(Some(differing))
    }

    /// The object that a value refers to and whose content has been compared:
    /// it was there before in the same role, it is new, or it is what it was.
    pub(super) fn explain_compared(&mut self, old: Option<&[u8]>, new: &[u8]) {
        if let Some((number, _)) = as_reference(new)
            && (self.is_added(number)
                || !self.changed.contains_key(&number)
                || old
                    .and_then(as_reference)
                    .is_some_and(|(old, _)| old == number))
        {
            self.explain_as(number, Standing::Parts);
        }
    }

    /// Whether a value of the form's resources is what it was but for names
    /// that were added to its dictionaries, down to a depth.
    pub(super) fn only_grew(
        &self,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
        depth: usize,
    ) -> Result<bool, Refusal> {
        let (old, new) = (
            self.old_value(old)?,
            new.map_or(Ok(None), |new| self.new_value(new))?,
        );
        let (old, new) = match (old, new) {
            (None, None) => return Ok(true),
            (Some(old), Some(new)) => (old, new),
            _ => return Ok(false),
        };
        if same_value(&old, &new) {
            return Ok(true);
        }
        let dictionaries = (RawDictionary::scan(&old), RawDictionary::scan(&new));
        let (Ok(old), Ok(new), Some(depth)) =
            (dictionaries.0, dictionaries.1, depth.checked_sub(1))
        else {
            return Ok(false);
        };
        for entry in old.entries() {
            if !self.only_grew(Some(entry.value), new.value(&entry.key), depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn is_on_both_sides(
        &self,
        number: u32,
        test: impl Fn(&RawObject<'_>) -> bool,
    ) -> bool {
        self.changed.get(&number).is_some_and(|change| {
            change.old.as_ref().is_none_or(&test) && change.new.as_ref().is_none_or(&test)
        })
    }

    pub(super) fn old_value(&self, value: Option<&[u8]>) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        value.map_or(Ok(None), |value| resolved(&self.old, value))
    }

    pub(super) fn new_value(&self, value: &[u8]) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        resolved(self.file.newest(), value)
    }
}

/// Object numbers that only one of two arrays refers to.
pub(super) struct DifferingItems {
    /// Also those that both refer to and that stood for nothing before.
    pub(super) added: BTreeSet<u32>,
    pub(super) removed: BTreeSet<u32>,
}

/// The items of an array of references, in order.
#[derive(Default)]
struct Items<'s>(Vec<Item<'s>>);

enum Item<'s> {
    /// With the generation: under another one readers find another object, or
    /// none.
    Reference(u32, u16),
    /// What is no reference stays as it is, and may be a dictionary only: with
    /// names an array could mean something else.
    Direct(&'s [u8]),
}

impl<'s> Items<'s> {
    fn of(array: &'s [u8]) -> Option<Self> {
        let items = array_items(array).ok()?.into_iter();
        let read = items.map(|item| match as_reference(item) {
            Some((number, generation)) => Some(Item::Reference(number, generation)),
            None if item.starts_with(b"<<") || item == b"null" => Some(Item::Direct(item)),
            None => None,
        });
        read.collect::<Option<_>>().map(Self)
    }

    /// What was added and removed; `None` when the rest is not the same in the
    /// same order, or an added item stands there twice.
    fn differ_from(&self, old: &Self, is_new: impl Fn(u32) -> bool) -> Option<DifferingItems> {
        let (old_references, new_references) = (old.references(), self.references());
        let stays = |item: &&Item<'_>| match item {
            Item::Reference(number, generation) => {
                let reference = (*number, *generation);
                !is_new(*number)
                    && old_references.contains(&reference)
                    && new_references.contains(&reference)
            }
            Item::Direct(_) => true,
        };
        let stayed: Vec<_> = self.0.iter().filter(stays).collect();
        let stayed_before: Vec<_> = old.0.iter().filter(stays).collect();
        let mut pairs = stayed_before.iter().zip(&stayed);
        if stayed.len() != stayed_before.len() || !pairs.all(|(old, new)| old.is_same_as(new)) {
            return None;
        }
        let added = self.0.iter().filter(|item| !stays(item));
        let added: Vec<u32> = added.filter_map(Item::number).collect();
        let differing = DifferingItems {
            added: added.iter().copied().collect(),
            removed: old_references
                .difference(&new_references)
                .map(|(number, _)| *number)
                .collect(),
        };
        (differing.added.len() == added.len()).then_some(differing)
    }

    fn references(&self) -> BTreeSet<(u32, u16)> {
        let references = self.0.iter().filter_map(|item| match item {
            Item::Reference(number, generation) => Some((*number, *generation)),
            Item::Direct(_) => None,
        });
        references.collect()
    }
}

impl Item<'_> {
    fn number(&self) -> Option<u32> {
        match self {
            Self::Reference(number, _) => Some(*number),
            Self::Direct(_) => None,
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Direct(one), Self::Direct(other)) => same_value(one, other),
            (Self::Reference(number, generation), Self::Reference(other, others)) => {
                (number, generation) == (other, others)
            }
            _ => false,
        }
    }
}

/// A value as written, behind its reference if it is one; `None` when there is
/// nothing, or null.
fn resolved<'a>(revision: &Revision<'a>, value: &[u8]) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
    let value = match as_reference(value) {
        Some((number, _)) => revision.raw(number)?.map(|object| object.bytes),
        None => Some(Cow::Owned(value.to_vec())),
    };
    Ok(value.filter(|value| value.as_ref() != b"null"))
}

pub(super) fn refuse_other_keys(
    part: &str,
    old: &RawDictionary<'_>,
    new: &RawDictionary<'_>,
    permitted: &[&[&[u8]]],
) -> Result<(), Stop> {
    let is_permitted = |key: &Vec<u8>| permitted.iter().any(|keys| keys.contains(&key.as_slice()));
    match differing_keys(old, new)
        .iter()
        .find(|key| !is_permitted(key))
    {
        None => Ok(()),
        Some(key) => {
            let key = String::from_utf8_lossy(key);
            Err(Stop::Change(format!(
                "The /{key} of the {part} was changed."
            )))
        }
    }
}

/// Keys that only one of two dictionaries has or whose values differ.
pub(super) fn differing_keys(old: &RawDictionary<'_>, new: &RawDictionary<'_>) -> Vec<Vec<u8>> {
    let mut values: BTreeMap<&Vec<u8>, [Option<&[u8]>; 2]> = BTreeMap::new();
    for entry in old.entries() {
        values.entry(&entry.key).or_default()[0] = Some(entry.value);
    }
    for entry in new.entries() {
        values.entry(&entry.key).or_default()[1] = Some(entry.value);
    }
    let differs = |[old, new]: &[Option<&[u8]>; 2]| match (old, new) {
        (Some(old), Some(new)) => !same_value(old, new),
        (old, new) => old.is_some() || new.is_some(),
    };
    values
        .into_iter()
        .filter(|(_, values)| differs(values))
        .map(|(key, _)| key.clone())
        .collect()
}
