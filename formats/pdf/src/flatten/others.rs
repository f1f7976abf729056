//! Annotations other than widgets. A flattened widget lies under all of them.
//! Before, it may have lain on top: of those drawn earlier (ISO 32000-2,
//! 12.5.2), or of later ones in readers that draw all widgets last.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Object};

use super::mapping::{grown, turned_back};
use super::widget::{AnnotatedPage, Annotation, has_appearance, subtype};
use crate::page_content::{Rectangle, Rotation};
use crate::structure::PdfFile;

/// Maximum number of distinct areas; the last one absorbs all further areas.
const MAX_PLACES: usize = 200;

/// Maximum count of numbers examined per annotation; one with more counts as
/// everywhere.
const MAX_NUMBERS: usize = 500;

/// Size of the largest icon that readers draw from the upper left corner of an
/// annotation, regardless of its rectangle, in points.
const SIGN_IN_CORNER: f64 = 24.0;

/// Size of the largest icon that readers draw around the centre of an
/// annotation, regardless of its rectangle, in points.
const SIGN_IN_MIDDLE: f64 = 18.0;

/// Tolerated overlap of a border with its neighbour, in points: readers round
/// edges to pixels by as much.
const HAIRLINE: f64 = 0.5;

/// Reach of line endings beyond the line, in line widths.
const LINE_ENDING: f64 = 10.0;

/// Entries with coordinates of annotations drawn without an appearance
/// (12.5.6.5 to 12.5.6.13).
const POINTS: [&[u8]; 6] = [b"CL", b"InkList", b"L", b"Path", b"QuadPoints", b"Vertices"];

/// Visible areas of annotations, each computed once: pages may share
/// annotations.
#[derive(Default)]
pub(super) struct VisibilityCache(BTreeMap<(*const Dictionary, Rotation), Option<Rectangle>>);

impl VisibilityCache {
    /// Returns the visible area of an annotation on a rotated page; `None` if
    /// unknown.
    fn of(
        &mut self,
        file: &PdfFile<'_>,
        annotation: &Annotation<'_>,
        rotation: Rotation,
    ) -> Option<Rectangle> {
        let key = (std::ptr::from_ref(annotation.dictionary), rotation);
        let known = self.0.entry(key);
        *known.or_insert_with(|| place(file, annotation, rotation))
    }
}

/// Areas of annotations that could change drawing order with widgets.
#[derive(Default)]
pub(super) struct Others {
    places: Vec<Rectangle>,
    /// Contains an annotation with unknown area.
    is_everywhere: bool,
}

impl Others {
    /// Collects the annotations of a page that some readers draw under its
    /// widgets, even if they follow them.
    pub(super) fn under_all_widgets(
        file: &PdfFile<'_>,
        page: &AnnotatedPage<'_>,
        places: &mut VisibilityCache,
    ) -> Self {
        let mut others = Self::default();
        let annotations = page.annotations.iter();
        for annotation in annotations.filter(|annotation| !annotation.goes_with_form()) {
            // A link is drawn in `/Annots` order, or not at all.
            if subtype(file, annotation.dictionary) != Some(b"Link") {
                others.add(file, annotation, page.rotation, places);
            }
        }
        others
    }

    /// Adds an annotation of a rotated page.
    pub(super) fn add(
        &mut self,
        file: &PdfFile<'_>,
        annotation: &Annotation<'_>,
        rotation: Rotation,
        places: &mut VisibilityCache,
    ) {
        if annotation.is_invisible() == Some(true) || shows_nothing(file, annotation.dictionary) {
            return;
        }
        match places.of(file, annotation, rotation) {
            None => self.is_everywhere = true,
            Some(place) => match self.places.get_mut(MAX_PLACES - 1) {
                Some(last) => *last = last.with(&place),
                None => self.places.push(place),
            },
        }
    }

    /// Returns whether any annotation overlaps the box.
    pub(super) fn reaches(&self, bounds: &Rectangle) -> bool {
        self.is_everywhere || self.places.iter().any(|place| place.overlaps(bounds))
    }
}

/// Returns whether readers draw nothing for an annotation that is not hidden.
fn shows_nothing(file: &PdfFile<'_>, annotation: &Dictionary) -> bool {
    match subtype(file, annotation) {
        Some(b"Popup") => true,
        // Some readers show an appearance even without a subtype.
        None => file.entry(annotation, b"Subtype").is_none() && !has_appearance(file, annotation),
        Some(b"Link") => {
            !has_appearance(file, annotation) && border_width(file, annotation) == Some(0.0)
        }
        _ => false,
    }
}

/// Returns the visible area of an annotation; `None` if unknown, as without a
/// rectangle.
fn place(file: &PdfFile<'_>, annotation: &Annotation<'_>, rotation: Rotation) -> Option<Rectangle> {
    let entries = annotation.dictionary;
    let rectangle = rectangle(file, entries)?;
    if has_appearance(file, entries) {
        let shown = match rotation {
            rotation if annotation.is_upright() => turned_back(&rectangle, rotation),
            _ => rectangle,
        };
        return Some(match subtype(file, entries) {
            Some(b"Link") => grown(&shown, border_beyond(file, entries)?),
            _ => shown,
        });
    }
    Some(match subtype(file, entries) {
        Some(b"FileAttachment" | b"Sound" | b"Text") => place_of_sign(&rectangle, rotation),
        Some(b"Link") => grown(&rectangle, border_beyond(file, entries)?),
        _ => {
            let width = border_width(file, entries)?;
            let drawn = with_points(file, entries, rectangle)?;
            grown(&drawn, LINE_ENDING * (1.0 + width))
        }
    })
}

/// Returns the area where readers may draw the icon of an annotation: in its
/// rectangle, from its upper left corner, or around its centre. Some rotate it
/// with the page, some do not.
fn place_of_sign(rectangle: &Rectangle, rotation: Rotation) -> Rectangle {
    let (left, top) = (rectangle.left, rectangle.top);
    let in_corner = Rectangle::of_corners([left, top - SIGN_IN_CORNER, left + SIGN_IN_CORNER, top]);
    let (x, y) = (
        left + rectangle.width() / 2.0,
        rectangle.bottom + rectangle.height() / 2.0,
    );
    let in_middle = grown(&Rectangle::of_corners([x, y, x, y]), SIGN_IN_MIDDLE / 2.0);
    let signs = [*rectangle, in_corner, in_middle];
    signs.iter().fold(*rectangle, |place, sign| {
        place.with(sign).with(&turned_back(sign, rotation))
    })
}

/// Returns how far the border of a link, drawn on its edges, extends beyond its
/// rectangle.
fn border_beyond(file: &PdfFile<'_>, link: &Dictionary) -> Option<f64> {
    let width = border_width(file, link)?;
    Some((width / 2.0 - HAIRLINE).max(0.0))
}

/// Reads `/Rect` as readers do: missing or non-numeric items are 0.
fn rectangle(file: &PdfFile<'_>, annotation: &Dictionary) -> Option<Rectangle> {
    let items = file.entry(annotation, b"Rect")?.as_array().ok()?;
    let mut corners = [0.0; 4];
    for (corner, item) in corners.iter_mut().zip(items) {
        let number = file.resolve(item).and_then(|item| item.as_float().ok());
        *corner = number.map_or(0.0, f64::from);
    }
    Some(Rectangle::of_corners(corners))
}

/// Returns the width of an annotation's border or line (12.5.4), the largest
/// that any reader uses; `None` if unbounded.
fn border_width(file: &PdfFile<'_>, annotation: &Dictionary) -> Option<f64> {
    /// Width if neither `/BS` nor `/Border` gives one, or gives no number.
    const DEFAULT: f64 = 1.0;
    /// Maximum width; a border beyond it could be anywhere.
    const GREATEST: f64 = 1e6;

    let number = |object: &Object| file.resolve(object)?.as_float().ok().map(f64::from);
    let border = || {
        let border = file.entry(annotation, b"Border")?.as_array().ok()?;
        number(border.get(2)?)
    };
    let width = match file.entry_dictionary(annotation, b"BS") {
        None => border().unwrap_or(DEFAULT),
        Some(style) => match style.get(b"W") {
            Ok(width) => number(width).unwrap_or(DEFAULT),
            // Some readers fall back to `/Border`, some do not.
            Err(_) => border().map_or(DEFAULT, |width| width.max(DEFAULT)),
        },
    };
    (0.0..=GREATEST).contains(&width).then_some(width)
}

/// Extends a rectangle to all drawn points; `None` if they are unknown.
fn with_points(
    file: &PdfFile<'_>,
    annotation: &Dictionary,
    mut drawn: Rectangle,
) -> Option<Rectangle> {
    let mut remaining = MAX_NUMBERS;
    let points = POINTS.iter().filter_map(|key| file.entry(annotation, key));
    let mut open: Vec<&Object> = points.collect();
    while let Some(object) = open.pop() {
        let items = object.as_array().ok()?;
        remaining = remaining.checked_sub(items.len())?;
        let items: Vec<_> = items.iter().filter_map(|item| file.resolve(item)).collect();
        if items.iter().any(|item| item.as_array().is_ok()) {
            open.extend(items);
            continue;
        }
        let (points, _) = items.as_chunks::<2>();
        for [x, y] in points {
            let [x, y] = [x, y].map(|number| number.as_float().ok().map(f64::from));
            let (x, y) = (x?, y?);
            let point = Rectangle::of_corners([x, y, x, y]);
            drawn = drawn.with(&point);
        }
    }
    Some(drawn)
}
