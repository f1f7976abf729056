//! Page annotations that are widgets or fields (ISO 32000-2, 12.5 and
//! 12.5.6.19).

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::page_content::{PageTree, Rectangle, Rotation, coordinates};
use crate::structure::PdfFile;

/// Annotation flags (12.5.3).
const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 1 << 1;
const NO_ROTATE: i64 = 1 << 4;
const NO_VIEW: i64 = 1 << 5;

/// A page with at least one annotation that is removed with the form.
pub(super) struct AnnotatedPage<'f> {
    pub(super) id: ObjectId,
    /// Page number, from 1.
    pub(super) number: usize,
    /// Clockwise rotation when shown.
    pub(super) rotation: Rotation,
    /// Annotations in drawing order.
    pub(super) annotations: Vec<Annotation<'f>>,
    /// Length of `/Annots`, including items that are no annotations.
    pub(super) items: usize,
}

/// An annotation of a page.
pub(super) struct Annotation<'f> {
    /// Index in `/Annots`.
    pub(super) index: usize,
    /// Object identifier; `None` for a direct object.
    pub(super) id: Option<ObjectId>,
    pub(super) dictionary: &'f Dictionary,
    pub(super) is_widget: bool,
    /// A field of the form that is no widget.
    pub(super) is_other_field: bool,
    /// Occurs more than once in `/Annots`.
    pub(super) is_repeated: bool,
    /// `/F`; `None` if it is no integer.
    flags: Option<i64>,
}

/// Returns the pages with widgets, or with one of these fields in `/Annots`, in
/// order.
///
/// # Errors
/// `too-many-objects` when shared annotations, counted per page, exceed the
/// object limit of a document.
pub(super) fn annotated_pages<'f>(
    file: &'f PdfFile<'_>,
    tree: &PageTree,
    fields: &BTreeSet<ObjectId>,
) -> Result<Vec<AnnotatedPage<'f>>, Refusal> {
    let mut annotated = Vec::new();
    let mut remaining = file.limits().objects;
    for (id, number) in tree.pages().iter().zip(1..) {
        let items = items(file, *id);
        remaining = remaining.checked_sub(items.len()).ok_or_else(|| {
            Refusal::new("too-many-objects", "The pages have too many annotations.")
        })?;
        let annotations = annotations(file, items, fields);
        if annotations.iter().any(Annotation::goes_with_form) {
            let rotation = tree.attribute(file, *id, b"Rotate");
            annotated.push(AnnotatedPage {
                id: *id,
                number,
                rotation: rotation.map_or(Rotation::None, Rotation::of),
                annotations,
                items: items.len(),
            });
        }
    }
    Ok(annotated)
}

/// Returns the `/Annots` array of a page.
fn items<'f>(file: &'f PdfFile<'_>, page: ObjectId) -> &'f [Object] {
    let page = file.object(page).and_then(|page| page.as_dict().ok());
    let items = page.and_then(|page| file.entry(page, b"Annots")?.as_array().ok());
    items.map_or(&[], Vec::as_slice)
}

fn annotations<'f>(
    file: &'f PdfFile<'_>,
    items: &'f [Object],
    fields: &BTreeSet<ObjectId>,
) -> Vec<Annotation<'f>> {
    let mut once = BTreeSet::new();
    let references = items.iter().filter_map(|item| item.as_reference().ok());
    let repeated: BTreeSet<_> = references.filter(|id| !once.insert(*id)).collect();
    let annotations = items.iter().enumerate().filter_map(|(index, item)| {
        let Some(Object::Dictionary(dictionary)) = file.resolve(item) else {
            return None;
        };
        let id = item.as_reference().ok();
        let is_widget = subtype(file, dictionary) == Some(b"Widget");
        let is_field = || file.resolve_id(item).is_some_and(|id| fields.contains(&id));
        Some(Annotation {
            index,
            id,
            dictionary,
            is_widget,
            is_other_field: !is_widget && is_field(),
            is_repeated: id.is_some_and(|id| repeated.contains(&id)),
            flags: flags(file, dictionary),
        })
    });
    annotations.collect()
}

/// Returns `/Subtype` of an annotation.
pub(super) fn subtype<'f>(file: &'f PdfFile<'_>, annotation: &'f Dictionary) -> Option<&'f [u8]> {
    file.entry(annotation, b"Subtype")?.as_name().ok()
}

/// Returns whether an annotation has a normal appearance.
pub(super) fn has_appearance(file: &PdfFile<'_>, annotation: &Dictionary) -> bool {
    let appearances = file.entry_dictionary(annotation, b"AP");
    appearances.is_some_and(|appearances| file.entry(appearances, b"N").is_some())
}

/// Returns `/F` of an annotation; `None` if it is no integer. Some readers take
/// other values for 0, others round them.
fn flags(file: &PdfFile<'_>, annotation: &Dictionary) -> Option<i64> {
    let flags = file.entry(annotation, b"F");
    flags.map_or(Some(0), |flags| flags.as_i64().ok())
}

impl Annotation<'_> {
    /// Returns whether the annotation is removed with the form.
    pub(super) fn goes_with_form(&self) -> bool {
        self.is_widget || self.is_other_field
    }

    /// Returns whether a reader may show it although it is no widget: some show
    /// an appearance of any subtype.
    pub(super) fn may_be_shown(&self, file: &PdfFile<'_>) -> bool {
        self.is_invisible() != Some(true)
            && (has_appearance(file, self.dictionary) || subtype(file, self.dictionary).is_some())
    }

    /// Returns whether flags hide it on screen; `None` if they are unreadable.
    /// The flag Print does not count: the screen shows the content to be
    /// signed.
    pub(super) fn is_invisible(&self) -> Option<bool> {
        self.flags.map(|flags| flags & (HIDDEN | NO_VIEW) != 0)
    }

    /// Returns whether the flag Invisible is set. It applies only to unknown
    /// annotation types, but some readers hide every annotation with it.
    pub(super) fn has_invisible_flag(&self) -> bool {
        self.flags.is_some_and(|flags| flags & INVISIBLE != 0)
    }

    /// Returns whether it stays upright on a rotated page.
    pub(super) fn is_upright(&self) -> bool {
        self.flags.is_some_and(|flags| flags & NO_ROTATE != 0)
    }

    /// Returns its rectangle on the page; `None` if unknown.
    pub(super) fn rectangle(&self, file: &PdfFile<'_>) -> Option<Rectangle> {
        numbers(file, self.dictionary, b"Rect").map(Rectangle::of_corners)
    }
}

/// Returns the numbers of an array with exactly this length.
pub(super) fn numbers<const COUNT: usize>(
    file: &PdfFile<'_>,
    dictionary: &Dictionary,
    key: &[u8],
) -> Option<[f64; COUNT]> {
    coordinates(file, file.entry(dictionary, key)?)
}
