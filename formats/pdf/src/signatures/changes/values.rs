//! Comparison of values of two revisions.

use parafa_format_core::Refusal;

use super::comparison::{Change, ChangeScope, Comparison, Stop};
use super::items::{DifferingItems, Items};
use crate::structure::{
    ObjectSource, RawDictionary, RawEntry, RawObject, Revision, as_reference, same_value,
};

/// Maximum length of a key in a message.
const MAX_SHOWN_KEY_BYTES: usize = 127;

impl<'a> Comparison<'_, '_, 'a> {
    /// Returns the objects referenced by only one of two arrays, each the value
    /// of a key, or newly resolvable. `None` if the arrays differ in anything
    /// else, such as order: it decides which annotation is drawn on top.
    pub(super) fn differing_items(
        &mut self,
        (holder, key): (u32, &[u8]),
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<Option<DifferingItems>, Refusal> {
        let old_source = self.old_value(old)?;
        let new_source = new.map_or(Ok(None), |new| self.new_value(new))?;
        let old_items = Items::of(old_source.as_deref().unwrap_or(b"[]"));
        let new_items = Items::of(new_source.as_deref().unwrap_or(b"[]"));
        let (Some(old_items), Some(new_items)) = (old_items, new_items) else {
            return Ok(None);
        };
        let Some(differing) = new_items.differ_from(old_items, |number| self.is_added(number))
        else {
            return Ok(None);
        };
        if let Some(new) = new {
            if let Some((array, _)) = as_reference(new) {
                self.permit_reference(holder, key, new)?;
                self.permit_each_reference(array, b"", &differing.added);
            } else {
                self.permit_each_reference(holder, key, &differing.added);
            }
            self.explain_compared(old, new);
        }
        Ok(Some(differing))
    }

    /// Explains the object referenced by a value whose content has been
    /// compared: it kept its role, is new, or is unchanged.
    pub(super) fn explain_compared(&mut self, old: Option<&[u8]>, new: &[u8]) {
        if let Some((number, _)) = as_reference(new)
            && (self.is_added(number)
                || !self.changed.contains_key(&number)
                || old
                    .and_then(as_reference)
                    .is_some_and(|(old, _)| old == number))
        {
            self.explain_as(number, ChangeScope::Parts);
        }
    }

    /// Explains a dictionary rewritten under its number and referenced as
    /// before; its content has been checked.
    pub(super) fn explain_rewritten(
        &mut self,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<(), Refusal> {
        let Some((number, _)) = new.and_then(as_reference) else {
            return Ok(());
        };
        let is_dictionary =
            |object: &RawObject<'_>| object.data.is_none() && object.bytes.starts_with(b"<<");
        if old.and_then(as_reference).map(|(old, _)| old) != Some(number)
            || !self.is_on_both_sides(number, is_dictionary)
        {
            return Ok(());
        }
        if let Some(Change { new: Some(new), .. }) = self.changed.get(&number) {
            let new = new.bytes.clone();
            self.explain_as(number, ChangeScope::Whole);
            self.explain_added(&new)?;
        }
        Ok(())
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

    pub(super) fn old_value<'v>(
        &self,
        value: Option<&'v [u8]>,
    ) -> Result<Option<ObjectSource<'v>>, Refusal>
    where
        'a: 'v,
    {
        value.map_or(Ok(None), |value| resolved(&self.old, value))
    }

    pub(super) fn new_value<'v>(&self, value: &'v [u8]) -> Result<Option<ObjectSource<'v>>, Refusal>
    where
        'a: 'v,
    {
        resolved(self.file.newest(), value)
    }
}

/// Returns a value as written, reference followed; `None` if missing or null.
fn resolved<'v, 'a: 'v>(
    revision: &Revision<'a>,
    value: &'v [u8],
) -> Result<Option<ObjectSource<'v>>, Refusal> {
    let value = match as_reference(value) {
        Some((number, _)) => revision.raw(number)?.map(|object| object.bytes),
        None => Some(ObjectSource::File(value)),
    };
    Ok(value.filter(|value| **value != *b"null"))
}

pub(super) fn refuse_other_keys(
    part: &str,
    old: &RawDictionary<'_>,
    new: &RawDictionary<'_>,
    permitted: &[&[&[u8]]],
) -> Result<(), Stop> {
    let is_permitted = |key: &[u8]| permitted.iter().any(|keys| keys.contains(&key));
    match differing_keys(old, new)
        .iter()
        .find(|key| !is_permitted(key))
    {
        None => Ok(()),
        Some(key) => {
            let key = key.get(..MAX_SHOWN_KEY_BYTES).unwrap_or(key);
            let key = String::from_utf8_lossy(key);
            Err(Stop::Change(format!(
                "The /{key} of the {part} was changed."
            )))
        }
    }
}

/// Returns keys that only one of two dictionaries has or whose values differ. A
/// duplicate key that only viewers read must not gain another value: TCPDF
/// writes `/PageMode` twice, and some programs keep one of both.
pub(super) fn differing_keys<'d>(
    old: &'d RawDictionary<'_>,
    new: &'d RawDictionary<'_>,
) -> Vec<&'d [u8]> {
    let (old_entries, new_entries) = (ByKey::new(old), ByKey::new(new));
    let differs = |entry: &&RawEntry<'_>| {
        let mut said = new_entries.read_values(&entry.key).peekable();
        let mut is_known = |value| {
            let mut before = old_entries.read_values(&entry.key);
            before.any(|before| same_value(before, value))
        };
        said.peek().is_none() || !said.all(&mut is_known)
    };
    let is_added = |entry: &&RawEntry<'_>| old_entries.of(&entry.key).is_empty();
    let differing = old.entries().iter().filter(differs);
    let added = new.entries().iter().filter(is_added);
    let mut keys: Vec<&[u8]> = differing.chain(added).map(|entry| &*entry.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A dictionary sorted by key, for lookups of many keys.
struct ByKey<'d, 's>(Vec<&'d RawEntry<'s>>);

impl<'d, 's> ByKey<'d, 's> {
    fn new(dictionary: &'d RawDictionary<'s>) -> Self {
        let mut entries: Vec<_> = dictionary.entries().iter().collect();
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        Self(entries)
    }

    /// Returns all entries of a key, in file order.
    fn of(&self, key: &[u8]) -> &[&'d RawEntry<'s>] {
        let after = self.0.partition_point(|entry| *entry.key < *key);
        let of_key = self.0.get(after..).unwrap_or_default();
        let end = of_key.partition_point(|entry| *entry.key == *key);
        of_key.get(..end).unwrap_or_default()
    }

    /// Returns the values of a key that readers use: some use the first, some
    /// the last.
    fn read_values(&self, key: &[u8]) -> impl Iterator<Item = &'s [u8]> {
        let entries = self.of(key);
        let last = entries.last().filter(|_| entries.len() > 1);
        let read = entries.first().into_iter().chain(last);
        read.map(|entry| entry.value)
    }
}
