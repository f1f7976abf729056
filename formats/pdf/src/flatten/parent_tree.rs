//! Removal of keys from the parent tree of the document structure (ISO 32000-2,
//! 7.9.7 and 14.7.5.4).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, array_items, as_reference};
use crate::write::{Edits, reference};

/// Removes keys from the parent tree; rewrites it with the remaining entries in
/// one node.
pub(super) fn forget(keys: &BTreeSet<i64>, edits: &mut Edits<'_, '_>) -> Result<(), Refusal> {
    let file = edits.file();
    let root = file.catalog()?.get(b"StructTreeRoot").ok();
    let Some(root) = root.and_then(|root| file.resolve_id(root)) else {
        return Ok(());
    };
    let source = file.raw_object(root)?.bytes;
    let source = RawDictionary::scan(&source).map_err(|_| damaged())?;
    let Some(tree) = source.value(b"ParentTree").filter(|_| !keys.is_empty()) else {
        return Ok(());
    };
    let mut entries = entries(file, tree)?;
    entries.retain(|key, _| !keys.contains(key));
    let pairs = entries.into_iter();
    let pairs = pairs.flat_map(|(key, value)| [key.to_string().into_bytes(), value]);
    let pairs: Vec<_> = pairs.collect();
    let tree = [b"<< /Nums [", pairs.join(&b' ').as_slice(), b"] >>"].concat();
    let tree = edits.add(tree)?;
    edits.set_entry(root, b"ParentTree", reference(tree).as_bytes())
}

/// Returns the keys of a number tree with their values as written; for
/// duplicate keys, the first value.
///
/// # Errors
/// Those of reading an object: unreadable entries are not skipped.
fn entries(file: &PdfFile<'_>, root: &[u8]) -> Result<BTreeMap<i64, Vec<u8>>, Refusal> {
    let mut entries = BTreeMap::new();
    let mut nodes = Followed::new(file);
    let mut numbers = Followed::new(file);
    let mut kids = Followed::new(file);
    let mut open = vec![root.to_vec()];
    while let Some(node) = open.pop() {
        let node = nodes.source(&node)?;
        if !node.starts_with(b"<<") {
            continue;
        }
        let node = RawDictionary::scan(&node).map_err(|_| damaged())?;
        let pairs = numbers.source(node.value(b"Nums").unwrap_or_default())?;
        let pairs = items(&pairs)?;
        let (pairs, _) = pairs.as_chunks::<2>();
        for [key, value] in pairs {
            if let Some(key) = number(file, key) {
                entries.entry(key).or_insert_with(|| value.to_vec());
            }
        }
        let kids = kids.source(node.value(b"Kids").unwrap_or_default())?;
        open.extend(items(&kids)?.into_iter().rev().map(<[u8]>::to_vec));
    }
    Ok(entries)
}

/// Values of one role, each object read once: direct nodes may share the
/// objects they refer to.
struct Followed<'f, 'a> {
    file: &'f PdfFile<'a>,
    visited: BTreeSet<ObjectId>,
}

impl<'f, 'a> Followed<'f, 'a> {
    fn new(file: &'f PdfFile<'a>) -> Self {
        Self {
            file,
            visited: BTreeSet::new(),
        }
    }

    /// Returns a value or the target of a reference; empty if it was visited or
    /// is missing.
    fn source<'s>(&mut self, value: &'s [u8]) -> Result<Cow<'s, [u8]>, Refusal>
    where
        'a: 's,
    {
        let Some(id) = as_reference(value) else {
            return Ok(Cow::Borrowed(value));
        };
        match self.file.resolve_id(&Object::Reference(id)) {
            Some(id) if self.visited.insert(id) => Ok(self.file.raw_object(id)?.bytes.into()),
            _ => Ok(Cow::Borrowed(b"")),
        }
    }
}

/// Returns the items of an array; none for other values.
fn items(source: &[u8]) -> Result<Vec<&[u8]>, Refusal> {
    if !source.starts_with(b"[") {
        return Ok(Vec::new());
    }
    array_items(source).map_err(|_| damaged())
}

/// Returns a key, following a reference.
fn number(file: &PdfFile<'_>, key: &[u8]) -> Option<i64> {
    match as_reference(key) {
        Some(id) => file.resolve(&Object::Reference(id))?.as_i64().ok(),
        None => std::str::from_utf8(key).ok()?.parse().ok(),
    }
}

fn damaged() -> Refusal {
    Refusal::new(
        "object-damaged",
        "The parent tree of the structure cannot be read.",
    )
}

#[cfg(test)]
mod tests {
    use parafa_fixtures::{CrossReference, Objects, PdfBuilder};

    use super::*;
    use crate::limits::Limits;

    fn with_numbers(layout: CrossReference, pairs: usize) -> Vec<u8> {
        let numbers: String = (0..pairs).map(|key| format!("{key} null ")).collect();
        let mut objects: Objects = PdfBuilder::new().objects();
        objects.set(40, format!("[{numbers}]"));
        objects.write("1.7", layout, "/Root 1 0 R /ID [<01> <02>]")
    }

    #[test]
    fn numbers_that_nodes_share_are_read_once() {
        let shared = "<</Nums 40 0 R>>".repeat(20_000);
        let tree = format!("<</Kids[{shared}<</Nums[200000 7 0 R]>>]>>");
        for layout in [CrossReference::Stream, CrossReference::Table] {
            let document = with_numbers(layout, 100_000);
            let file = PdfFile::parse(&document, &Limits::default()).unwrap();

            let entries = entries(&file, tree.as_bytes()).unwrap();

            assert_eq!(entries.len(), 100_001);
            assert_eq!(entries[&200_000], b"7 0 R");
        }
    }

    #[test]
    fn kids_that_nodes_share_are_read_once() {
        let mut objects = PdfBuilder::new().objects();
        objects.set(
            40,
            format!("[{}]", "<</Kids 40 0 R/Nums[1 7 0 R]>>".repeat(1000)),
        );
        let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /ID [<01> <02>]");
        let file = PdfFile::parse(&document, &Limits::default()).unwrap();

        let entries = entries(&file, b"<</Kids 40 0 R>>").unwrap();

        assert_eq!(entries, BTreeMap::from([(1, b"7 0 R".to_vec())]));
    }

    #[test]
    fn an_object_that_is_a_list_of_numbers_as_well_as_one_of_kids_is_both() {
        let mut objects = PdfBuilder::new().objects();
        objects.set(40, "[1 7 0 R <</Nums[2 8 0 R]>> null]");
        let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R /ID [<01> <02>]");
        let file = PdfFile::parse(&document, &Limits::default()).unwrap();

        let entries = entries(&file, b"<</Nums 40 0 R/Kids 40 0 R>>").unwrap();

        assert_eq!(entries.into_keys().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn numbers_that_cannot_be_read_are_not_left_out() {
        let document = with_numbers(CrossReference::Table, 100_000);
        let limits = Limits {
            loaded_bytes: 32 * 1024 * 1024,
            ..Limits::default()
        };
        let file = PdfFile::parse(&document, &limits).unwrap();
        let tree = b"<</Kids[<</Nums 40 0 R>><</Kids 40 0 R>>]>>";

        let refusal = entries(&file, tree).unwrap_err();

        assert_eq!(refusal.code, "too-many-objects");
    }
}
