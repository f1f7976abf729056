//! Number trees (ISO 32000-2, 7.9.7), such as the parent tree of the document
//! structure.

use std::collections::BTreeSet;

use super::comparison::{ChangeScope, Comparison, Stop};
use crate::structure::{ArrayItems, ObjectSource, RawDictionary, as_reference};

/// Entries of a node.
const NODE_KEYS: [&[u8]; 3] = [b"Kids", b"Limits", b"Nums"];

/// Message about a tree that readers may resolve differently.
const UNSOUND: &str = "The parent tree of the structure is not sound.";

/// One of the two compared states.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    Old,
    New,
}

/// A tree during reading.
#[derive(Default)]
struct NumberTree {
    /// Keys with their values as written.
    entries: Vec<(i64, Vec<u8>)>,
    /// Objects of the tree.
    visited: BTreeSet<u32>,
    depth: usize,
}

impl<'a> Comparison<'_, '_, 'a> {
    /// Returns the keys of a tree with their values as written, in order.
    /// Objects of the new tree may be new, and are permitted as references from
    /// the tree.
    pub(super) fn number_tree(
        &mut self,
        side: Side,
        root: Option<&[u8]>,
    ) -> Result<Vec<(i64, Vec<u8>)>, Stop> {
        let mut tree = NumberTree::default();
        if let Some(root) = root {
            self.read_node(side, root, &mut tree)?;
        }
        let keys = tree.entries.iter().map(|(key, _)| *key);
        if keys.is_sorted_by(|one, next| one < next) {
            Ok(tree.entries)
        } else {
            Err(unsound())
        }
    }

    fn read_node(&mut self, side: Side, node: &[u8], tree: &mut NumberTree) -> Result<(), Stop> {
        let is_root = tree.depth == 0;
        let source = self.part(side, node, tree)?;
        let dictionary = RawDictionary::scan(&source).map_err(|_| unsound())?;
        tree.depth += 1;
        if !has_only(&dictionary, &NODE_KEYS) || tree.depth > self.file.limits().tree_depth {
            return Err(unsound());
        }
        let first = tree.entries.len();
        if let Some(numbers) = dictionary.value(b"Nums") {
            let numbers = self.part(side, numbers, tree)?;
            let mut items = ArrayItems::of(&numbers).map_err(|_| unsound())?;
            while let Some(key) = items.next() {
                let (Ok(key), Some(Ok(value))) = (key, items.next()) else {
                    return Err(unsound());
                };
                tree.entries.push((integer(key)?, value.to_vec()));
            }
        }
        if let Some(kids) = dictionary.value(b"Kids") {
            let kids = self.part(side, kids, tree)?;
            for kid in ArrayItems::of(&kids).map_err(|_| unsound())? {
                let kid = kid.map_err(|_| unsound())?;
                as_reference(kid).ok_or_else(unsound)?;
                self.read_node(side, kid, tree)?;
            }
        }
        tree.depth -= 1;
        let own = tree.entries.get(first..).unwrap_or_default();
        if is_root || has_limits(&dictionary, own)? {
            Ok(())
        } else {
            Err(unsound())
        }
    }

    /// Resolves a value; each object may be used once in the tree.
    fn part<'v>(
        &mut self,
        side: Side,
        value: &'v [u8],
        tree: &mut NumberTree,
    ) -> Result<ObjectSource<'v>, Stop>
    where
        'a: 'v,
    {
        let Some((number, _)) = as_reference(value) else {
            return Ok(ObjectSource::File(value));
        };
        let source = self.state(side, number)?;
        let source = source.filter(|_| tree.visited.insert(number));
        let source = source.ok_or_else(unsound)?;
        if side == Side::New {
            self.explain_part(number, &source)?;
        }
        Ok(source)
    }

    /// Permits references to an object of the new tree from where it was found.
    pub(super) fn explain_part(&mut self, number: u32, source: &[u8]) -> Result<(), Stop> {
        self.permit_reference(number, b"", source)?;
        self.explain_if_changed(number);
        Ok(())
    }

    pub(super) fn explain_if_changed(&mut self, number: u32) {
        if self.changed.contains_key(&number) {
            self.explain_as(number, ChangeScope::Parts);
        }
    }

    /// Returns an object of one side; it must not be a stream.
    pub(super) fn state(&self, side: Side, number: u32) -> Result<Option<ObjectSource<'a>>, Stop> {
        let object = match side {
            Side::Old => self.old.raw(number)?,
            Side::New => self.detector.newest(number)?,
        };
        let source = object.filter(|object| object.data.is_none());
        let source = source.map(|object| object.bytes);
        self.take_structure(source.as_ref().map_or(0, |source| source.len()))?;
        Ok(source)
    }

    /// Charges compared bytes of the structure against the budget.
    fn take_structure(&self, bytes: usize) -> Result<(), Stop> {
        let left = self.detector.structure_bytes.get().checked_sub(bytes);
        let left = left.ok_or_else(|| {
            Stop::Change("The structure takes too much work to compare.".to_owned())
        })?;
        self.detector.structure_bytes.set(left);
        Ok(())
    }
}

/// Returns whether a dictionary has only these entries, each at most once.
pub(super) fn has_only(dictionary: &RawDictionary<'_>, keys: &[&[u8]]) -> bool {
    let mut seen = BTreeSet::new();
    let mut written = dictionary.entries().iter().map(|entry| &*entry.key);
    written.all(|key| keys.contains(&key) && seen.insert(key))
}

/// Returns whether `/Limits` of a node match the keys below it.
fn has_limits(node: &RawDictionary<'_>, entries: &[(i64, Vec<u8>)]) -> Result<bool, Stop> {
    let limits = ArrayItems::of(node.value(b"Limits").unwrap_or_default());
    let limits = limits.and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let (Ok(limits), [(first, _), ..], [.., (last, _)]) = (limits, entries, entries) else {
        return Ok(false);
    };
    let limits = limits.into_iter().map(integer);
    Ok(limits.collect::<Result<Vec<_>, _>>()? == [*first, *last])
}

/// Parses an integer.
pub(super) fn integer(written: &[u8]) -> Result<i64, Stop> {
    let number = std::str::from_utf8(written).ok();
    number
        .and_then(|number| number.parse().ok())
        .ok_or_else(unsound)
}

fn unsound() -> Stop {
    Stop::Change(UNSOUND.to_owned())
}
