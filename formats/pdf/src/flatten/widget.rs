//! The annotations of pages that have widgets (ISO 32000-2, 12.5 and 12.5.6.19).

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use crate::page_content::{Rectangle, page_attribute};
use crate::structure::PdfFile;

/// Annotation flags (12.5.3).
const HIDDEN: i64 = 1 << 1;
const NO_ROTATE: i64 = 1 << 4;
const NO_VIEW: i64 = 1 << 5;

/// A page with at least one widget.
pub(super) struct AnnotatedPage<'f> {
    /// The page.
    pub(super) id: ObjectId,
    /// Its number, the first being 1.
    pub(super) number: usize,
    /// By how much it is turned clockwise when it is shown.
    pub(super) rotation: Rotation,
    /// Its annotations in the order in which they are drawn.
    pub(super) annotations: Vec<Annotation<'f>>,
}

/// An annotation of a page.
pub(super) struct Annotation<'f> {
    /// Its place in the array of annotations, the first being 0.
    pub(super) index: usize,
    /// Its object, `None` when it stands in the array of annotations itself.
    pub(super) id: Option<ObjectId>,
    /// Its entries.
    pub(super) dictionary: &'f Dictionary,
    /// Whether it is a widget.
    pub(super) is_widget: bool,
    flags: i64,
}

/// `/Rotate` of a page (7.7.3.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Rotation {
    /// Upright.
    None,
    /// 90 degrees.
    Quarter,
    /// 180 degrees.
    Half,
    /// 270 degrees.
    ThreeQuarters,
}

/// The pages that have widgets, in order.
///
/// # Errors
/// `too-many-objects` when pages share so many annotations that all of them
/// together are more than a document may have objects.
pub(super) fn annotated_pages<'f>(
    file: &'f PdfFile<'_>,
    pages: &[ObjectId],
) -> Result<Vec<AnnotatedPage<'f>>, Refusal> {
    let mut annotated = Vec::new();
    let mut remaining = file.limits().objects;
    for (id, number) in pages.iter().zip(1..) {
        let items = items(file, *id);
        remaining = remaining.checked_sub(items.len()).ok_or_else(|| {
            Refusal::new("too-many-objects", "The pages have too many annotations.")
        })?;
        let annotations = annotations(file, items);
        if annotations.iter().any(|annotation| annotation.is_widget) {
            let rotation = page_attribute(file, *id, b"Rotate");
            annotated.push(AnnotatedPage {
                id: *id,
                number,
                rotation: rotation.map_or(Rotation::None, Rotation::of),
                annotations,
            });
        }
    }
    Ok(annotated)
}

/// The array of annotations of a page.
fn items<'f>(file: &'f PdfFile<'_>, page: ObjectId) -> &'f [Object] {
    let page = file.object(page).and_then(|page| page.as_dict().ok());
    let items = page.and_then(|page| file.entry(page, b"Annots")?.as_array().ok());
    items.map_or(&[], Vec::as_slice)
}

fn annotations<'f>(file: &'f PdfFile<'_>, items: &'f [Object]) -> Vec<Annotation<'f>> {
    let annotations = items.iter().enumerate().filter_map(|(index, item)| {
        let Some(Object::Dictionary(dictionary)) = file.resolve(item) else {
            return None;
        };
        let text = |key: &[u8]| file.entry(dictionary, key)?.as_name().ok();
        let flags = file.entry(dictionary, b"F");
        Some(Annotation {
            index,
            id: item.as_reference().ok(),
            dictionary,
            is_widget: text(b"Subtype") == Some(b"Widget"),
            flags: flags.map_or(0, |flags| flags.as_i64().unwrap_or(0)),
        })
    });
    annotations.collect()
}

impl Annotation<'_> {
    /// Whether the page is shown without it: the flag Print does not count,
    /// because what is signed is what is seen.
    pub(super) fn is_invisible(&self) -> bool {
        self.flags & (HIDDEN | NO_VIEW) != 0
    }

    /// Whether it stays upright when the page is turned.
    pub(super) fn is_upright(&self) -> bool {
        self.flags & NO_ROTATE != 0
    }

    /// Where it is on the page; `None` when that is not known.
    pub(super) fn rectangle(&self, file: &PdfFile<'_>) -> Option<Rectangle> {
        numbers(file, self.dictionary, b"Rect").map(Rectangle::of_corners)
    }
}

impl Rotation {
    fn of(degrees: &Object) -> Self {
        let degrees = degrees.as_float().unwrap_or(0.0);
        match degrees.rem_euclid(360.0) {
            90.0 => Self::Quarter,
            180.0 => Self::Half,
            270.0 => Self::ThreeQuarters,
            // Other angles are not allowed, and readers pass over them.
            _ => Self::None,
        }
    }
}

/// The numbers of an array of exactly so many.
pub(super) fn numbers<const COUNT: usize>(
    file: &PdfFile<'_>,
    dictionary: &Dictionary,
    key: &[u8],
) -> Option<[f64; COUNT]> {
    /// Beyond it numbers are no coordinates, and cannot be computed with.
    const LARGEST: f64 = 1e9;

    let items = file.entry(dictionary, key)?.as_array().ok()?;
    let numbers = items
        .iter()
        .map(|item| {
            let number = f64::from(file.resolve(item)?.as_float().ok()?);
            (number.abs() <= LARGEST).then_some(number)
        })
        .collect::<Option<Vec<_>>>()?;
    numbers.try_into().ok()
}
