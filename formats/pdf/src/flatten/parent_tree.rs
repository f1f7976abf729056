//! The parent tree of the document structure without the keys of what is gone
//! (ISO 32000-2, 7.9.7 and 14.7.5.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, array_items, as_reference};
use crate::write::{Edits, reference};

/// Takes the entries of keys out of the parent tree: it is written anew, with
/// all that is left in one node.
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

/// The keys of a number tree with their values as they are written; of several
/// values of one key the first.
fn entries(file: &PdfFile<'_>, root: &[u8]) -> Result<BTreeMap<i64, Vec<u8>>, Refusal> {
    let mut entries = BTreeMap::new();
    let mut visited: BTreeSet<ObjectId> = BTreeSet::new();
    let mut open = vec![root.to_vec()];
    while let Some(node) = open.pop() {
        if let Some(id) = as_reference(&node)
            && !visited.insert(id)
        {
            continue;
        }
        let node = followed(file, node);
        let Ok(node) = RawDictionary::scan(&node) else {
            continue;
        };
        let array = |key| {
            let array = followed(file, node.value(key).unwrap_or_default().to_vec());
            if array.starts_with(b"[") {
                array
            } else {
                b"[]".to_vec()
            }
        };
        let numbers = array(b"Nums");
        let numbers = array_items(&numbers).map_err(|_| damaged())?;
        let (pairs, _) = numbers.as_chunks::<2>();
        for [key, value] in pairs {
            let key = followed(file, key.to_vec());
            let key = std::str::from_utf8(&key)
                .ok()
                .and_then(|key| key.parse().ok());
            if let Some(key) = key {
                entries.entry(key).or_insert_with(|| value.to_vec());
            }
        }
        let kids = array(b"Kids");
        let kids = array_items(&kids).map_err(|_| damaged())?;
        open.extend(kids.into_iter().rev().map(<[u8]>::to_vec));
    }
    Ok(entries)
}

/// A value, or what a reference leads to.
fn followed(file: &PdfFile<'_>, source: Vec<u8>) -> Vec<u8> {
    match as_reference(&source).map(|id| file.raw_object(id)) {
        None => source,
        Some(Ok(object)) => object.bytes.into_owned(),
        Some(Err(_)) => b"null".to_vec(),
    }
}

fn damaged() -> Refusal {
    Refusal::new(
        "object-damaged",
        "The parent tree of the structure cannot be read.",
    )
}
