//! The parent tree of the document structure without the keys of what is gone
//! (ISO 32000-2, 7.9.7 and 14.7.5.4).

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::structure::{PdfFile, RawDictionary, ScanError, array_items};
use crate::write::Edits;

/// Takes the entries of keys out of the parent tree. Nodes that are no objects
/// of their own are left alone: a key that nothing has is found by nobody.
pub(super) fn forget(keys: &BTreeSet<i64>, edits: &mut Edits<'_, '_>) -> Result<(), Refusal> {
    if keys.is_empty() {
        return Ok(());
    }
    let file = edits.file();
    for node in nodes(file)? {
        if let Some(pairs) = pairs_to_keep(file, node, keys)? {
            let limits = [pairs.first(), pairs.last()].map(|pair| pair.map(|(key, _)| *key));
            let pairs: Vec<_> = pairs
                .iter()
                .flat_map(|(key, value)| [key.to_string().into_bytes(), value.clone()])
                .collect();
            edits.set_entry(
                node,
                b"Nums",
                &[b"[", pairs.join(&b' ').as_slice(), b"]"].concat(),
            )?;
            if let ([Some(least), Some(greatest)], true) = (limits, has_limits(file, node)) {
                edits.set_entry(node, b"Limits", format!("[{least} {greatest}]").as_bytes())?;
            }
        }
    }
    Ok(())
}

/// The nodes of the parent tree that are objects of their own.
fn nodes(file: &PdfFile<'_>) -> Result<BTreeSet<ObjectId>, Refusal> {
    let root = file.entry_dictionary(file.catalog()?, b"StructTreeRoot");
    let mut open: Vec<_> = root
        .and_then(|root| root.get(b"ParentTree").ok())
        .into_iter()
        .collect();
    let mut nodes = BTreeSet::new();
    while let Some(node) = open.pop() {
        let Some(id) = file.resolve_id(node) else {
            continue;
        };
        let Some(Object::Dictionary(entries)) = file.object(id) else {
            continue;
        };
        if nodes.insert(id) {
            let kids = file.entry(entries, b"Kids");
            open.extend(
                kids.and_then(|kids| kids.as_array().ok())
                    .into_iter()
                    .flatten(),
            );
        }
    }
    Ok(nodes)
}

/// A key and its value as it is written.
type Pair = (i64, Vec<u8>);

/// The pairs of a leaf without those of the keys; `None` when it has none of
/// them.
fn pairs_to_keep(
    file: &PdfFile<'_>,
    node: ObjectId,
    keys: &BTreeSet<i64>,
) -> Result<Option<Vec<Pair>>, Refusal> {
    let damaged = |_: ScanError| {
        Refusal::new(
            "object-damaged",
            format!("The node {} of the parent tree cannot be read.", node.0),
        )
    };
    let Some(entries) = entries(file, node) else {
        return Ok(None);
    };
    let Some(value) = entries.get(b"Nums").ok() else {
        return Ok(None);
    };
    let Some(Object::Array(parsed)) = file.resolve(value) else {
        return Ok(None);
    };
    let (pairs, _) = parsed.as_chunks::<2>();
    let key = |object: &Object| file.resolve(object)?.as_i64().ok();
    if !pairs
        .iter()
        .any(|[number, _]| key(number).is_some_and(|key| keys.contains(&key)))
    {
        return Ok(None);
    }
    let source = file.raw_object(file.resolve_id(value).unwrap_or(node))?;
    let array = if file.resolve_id(value).is_some() {
        source.bytes.as_ref()
    } else {
        let node = RawDictionary::scan(&source.bytes).map_err(damaged)?;
        node.value(b"Nums").unwrap_or_default()
    };
    let items = array_items(array).map_err(damaged)?;
    let (sources, _) = items.as_chunks::<2>();
    let kept = pairs
        .iter()
        .zip(sources)
        .filter_map(|([number, _], [_, value])| {
            let number = key(number)?;
            (!keys.contains(&number)).then(|| (number, value.to_vec()))
        });
    Ok(Some(kept.collect()))
}

fn has_limits(file: &PdfFile<'_>, node: ObjectId) -> bool {
    entries(file, node).is_some_and(|entries| entries.has(b"Limits"))
}

fn entries<'f>(file: &'f PdfFile<'_>, node: ObjectId) -> Option<&'f Dictionary> {
    file.object(node)?.as_dict().ok()
}
