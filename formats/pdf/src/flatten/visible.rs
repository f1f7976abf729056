//! Objects used to draw pages and annotations (ISO 32000-2, 7.8.3 and 12.5.5).

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};

use crate::structure::PdfFile;

/// Entries of page tree nodes that lead to drawn objects.
const OF_PAGES: [&[u8]; 3] = [b"Contents", b"Group", b"Resources"];

/// Types of structural objects: they link drawn objects to their containers.
const OF_STRUCTURE: [&[u8]; 6] = [
    b"Annot",
    b"Catalog",
    b"Page",
    b"Pages",
    b"StructElem",
    b"StructTreeRoot",
];

/// Returns all objects used by the content of pages and the appearances of
/// annotations.
pub(super) fn visible_objects(file: &PdfFile<'_>) -> BTreeSet<ObjectId> {
    let mut visible = BTreeSet::new();
    let mut open = roots(file);
    while let Some(object) = open.pop() {
        match object {
            Object::Reference(id) if visible.insert(*id) => {
                let target = file.object(*id);
                open.extend(target.filter(|target| !is_of_structure(target)));
            }
            Object::Array(items) => open.extend(items),
            Object::Dictionary(entries) => open.extend(values(entries)),
            Object::Stream(stream) => open.extend(values(&stream.dict)),
            _ => {}
        }
    }
    visible
}

/// Returns the entries through which pages, annotations and the interactive
/// form refer to drawn objects.
fn roots<'f>(file: &'f PdfFile<'_>) -> Vec<&'f Object> {
    let mut roots = Vec::new();
    let mut visited = BTreeSet::new();
    for (_, object) in file.objects() {
        let Object::Dictionary(entries) = object else {
            continue;
        };
        roots.extend(entries.get(b"AP").ok());
        if matches!(entries.get_type(), Ok(b"Page" | b"Pages")) {
            roots.extend(OF_PAGES.iter().filter_map(|key| entries.get(key).ok()));
            let annotations = file.entry(entries, b"Annots");
            let annotations = annotations.and_then(|annotations| annotations.as_array().ok());
            // Many pages may share one array.
            let annotations = annotations.filter(|one| visited.insert(std::ptr::from_ref(*one)));
            let direct = annotations.into_iter().flatten();
            let direct = direct.filter_map(|annotation| annotation.as_dict().ok());
            roots.extend(direct.filter_map(|annotation| annotation.get(b"AP").ok()));
        }
    }
    let catalog = file.catalog().ok();
    let form = catalog.and_then(|catalog| file.entry_dictionary(catalog, b"AcroForm"));
    roots.extend(form.and_then(|form| form.get(b"DR").ok()));
    roots
}

fn values(entries: &Dictionary) -> impl Iterator<Item = &Object> {
    entries.iter().map(|(_, value)| value)
}

fn is_of_structure(object: &Object) -> bool {
    let Object::Dictionary(entries) = object else {
        return false;
    };
    entries
        .get_type()
        .is_ok_and(|kind| OF_STRUCTURE.contains(&kind))
}
