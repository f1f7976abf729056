//! Removal of widgets and fields after drawing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::drawer::{ContentItem, has_structure};
use super::field::Fields;
use super::widget::{AnnotatedPage, Annotation};
use crate::structure::{PdfFile, RawDictionary, array_items};
use crate::write::Edits;

/// Maximum total size of the pages' `/Annots` arrays, in bytes. Pages may share
/// a long one, and each gets its own copy.
const MAX_ANNOTATIONS_BYTES: usize = 16 * 1024 * 1024;

/// Removes widgets and fields from the pages' `/Annots`. Each array becomes the
/// page's own: other pages may share it.
///
/// # Errors
/// `too-many-objects` when the arrays together are too long.
pub(super) fn remove_from_pages(
    pages: &[AnnotatedPage<'_>],
    edits: &mut Edits<'_, '_>,
) -> Result<(), Refusal> {
    let mut remaining_bytes = MAX_ANNOTATIONS_BYTES;
    for page in pages {
        remove_from_page(page, &mut remaining_bytes, edits)?;
    }
    Ok(())
}

fn remove_from_page(
    page: &AnnotatedPage<'_>,
    remaining_bytes: &mut usize,
    edits: &mut Edits<'_, '_>,
) -> Result<(), Refusal> {
    let damaged = |_| Refusal::new("page-invalid", "The annotations of a page cannot be read.");
    let file = edits.file();
    let entries = file.object(page.id).and_then(|page| page.as_dict().ok());
    let Some(value) = entries.and_then(|page| page.get(b"Annots").ok()) else {
        return Ok(());
    };
    let array = match file.resolve_id(value) {
        Some(id) => file.raw_object(id)?.bytes.into(),
        None => {
            let source = file.raw_object(page.id)?;
            let page = RawDictionary::scan(&source.bytes).map_err(damaged)?;
            Cow::Owned(page.value(b"Annots").unwrap_or_default().to_vec())
        }
    };
    *remaining_bytes = remaining_bytes.checked_sub(array.len()).ok_or_else(|| {
        let detail = "The annotations of the pages would take too much room.";
        Refusal::new("too-many-objects", detail)
    })?;
    let items = array_items(&array).map_err(damaged)?;
    if items.len() != page.items {
        return Err(Refusal::new(
            "page-invalid",
            "The annotations of a page are read in different ways.",
        ));
    }
    let others = page.annotations.iter().filter(|one| !one.goes_with_form());
    let kept: Vec<_> = others
        .filter_map(|one| items.get(one.index).copied())
        .collect();
    if kept.is_empty() {
        edits.remove_entry(page.id, b"Annots")
    } else {
        let kept = [b"[", kept.join(&b' ').as_slice(), b"]"].concat();
        edits.set_entry(page.id, b"Annots", &kept)
    }
}

/// Returns the removed annotations and the fields of the form, except objects
/// that also serve another purpose.
pub(super) fn gone(
    file: &PdfFile<'_>,
    fields: &Fields<'_, '_>,
    pages: &[AnnotatedPage<'_>],
) -> BTreeSet<ObjectId> {
    let annotations = pages.iter().flat_map(|page| &page.annotations);
    let lost = annotations
        .filter(|annotation| annotation.goes_with_form())
        .filter_map(|annotation| file.resolve_id(&Object::Reference(annotation.id?)));
    let lost: BTreeSet<_> = lost.collect();
    let is_only_a_field = |id: &ObjectId| {
        let Some(Object::Dictionary(dictionary)) = file.object(*id) else {
            return false;
        };
        let name = |key: &[u8]| file.entry(dictionary, key)?.as_name().ok();
        matches!(name(b"Type"), None | Some(b"Annot"))
            && (lost.contains(id) || matches!(name(b"Subtype"), None | Some(b"Widget")))
    };
    let candidates = lost.union(fields.nodes()).copied();
    candidates.filter(is_only_a_field).collect()
}

/// Returns the parent tree keys of removed widgets and fields that no drawing
/// uses.
pub(super) fn unused_keys(
    file: &PdfFile<'_>,
    pages: &[AnnotatedPage<'_>],
    drawn: &BTreeMap<ObjectId, ContentItem>,
) -> BTreeSet<i64> {
    if !has_structure(file) {
        return BTreeSet::new();
    }
    let annotations = pages.iter().flat_map(|page| &page.annotations);
    let lost = annotations.filter(|annotation| annotation.goes_with_form());
    let not_drawn = lost.filter(|widget| widget.id.is_none_or(|id| !drawn.contains_key(&id)));
    let key = |widget: &Annotation<'_>| {
        let key = file.entry(widget.dictionary, b"StructParent");
        key.and_then(|key| key.as_i64().ok())
    };
    not_drawn.filter_map(key).collect()
}
