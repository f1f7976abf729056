//! Annotations that are no widgets: as part of the page a widget comes to lie
//! under all of them, whether it was drawn after them (ISO 32000-2, 12.5.2) or,
//! as by readers that draw all widgets last, on top of those that follow it.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Object};

use super::mapping::{grown, turned_back};
use super::widget::{AnnotatedPage, Annotation, has_appearance, subtype};
use crate::page_content::{Rectangle, Rotation};
use crate::structure::PdfFile;

/// Most places that are told apart; the last takes in all further.
const MAX_PLACES: usize = 200;

/// Most numbers of an annotation that are looked at; one of more is taken to be
/// everywhere.
const MAX_NUMBERS: usize = 500;

/// The greatest sign that readers draw from the upper left corner of an
/// annotation, whatever its rectangle is, in points.
const SIGN_IN_CORNER: f64 = 24.0;

/// The greatest sign that readers draw around the middle of an annotation,
/// whatever its rectangle is, in points.
const SIGN_IN_MIDDLE: f64 = 18.0;

/// So much of a border may lie over the edge of its neighbour, in points:
/// readers round edges to pixels by as much.
const HAIRLINE: f64 = 0.5;

/// How far the ends of lines reach beyond them, in widths of the line.
const LINE_ENDING: f64 = 10.0;

/// Entries with points through which annotations without appearance are drawn
/// (12.5.6.5 to 12.5.6.13).
const POINTS: [&[u8]; 6] = [b"CL", b"InkList", b"L", b"Path", b"QuadPoints", b"Vertices"];

/// Where annotations may be seen, each found out once: pages may share them.
#[derive(Default)]
pub(super) struct VisibilityCache(BTreeMap<(*const Dictionary, Rotation), Option<Rectangle>>);

impl VisibilityCache {
    /// Where an annotation may be seen on a page that is turned by so much; `None`
    /// when nobody knows.
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

/// Where there are annotations that widgets could change places with.
#[derive(Default)]
pub(super) struct Others {
    places: Vec<Rectangle>,
    /// Whether there is one of which nobody knows where.
    is_everywhere: bool,
}

impl Others {
    /// All of a page that some readers draw under its widgets, also where they
    /// follow them.
    pub(super) fn under_all_widgets(
        file: &PdfFile<'_>,
        page: &AnnotatedPage<'_>,
        places: &mut VisibilityCache,
    ) -> Self {
        let mut others = Self::default();
        let annotations = page.annotations.iter();
        for annotation in annotations.filter(|annotation| !annotation.goes_with_form()) {
            // A link is drawn in its turn, or not at all.
            if subtype(file, annotation.dictionary) != Some(b"Link") {
                others.add(file, annotation, page.rotation, places);
            }
        }
        others
    }

    /// Adds an annotation of a page that is turned by so much.
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

    /// Whether one of them reaches into the box.
    pub(super) fn reaches(&self, bounds: &Rectangle) -> bool {
        self.is_everywhere || self.places.iter().any(|place| place.overlaps(bounds))
    }
}

/// Whether readers draw nothing for an annotation that is not hidden.
fn shows_nothing(file: &PdfFile<'_>, annotation: &Dictionary) -> bool {
    match subtype(file, annotation) {
        Some(b"Popup") => true,
        // Some readers show the appearance all the same.
        None => file.entry(annotation, b"Subtype").is_none() && !has_appearance(file, annotation),
        Some(b"Link") => {
            !has_appearance(file, annotation) && border_width(file, annotation) == Some(0.0)
        }
        _ => false,
    }
}

/// Where an annotation may be seen; of one without rectangle nobody knows.
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

/// Where the sign may be seen that readers draw for an annotation: in its
/// rectangle, or from its upper left corner, or around its middle. Some turn it
/// with the page, and some do not.
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

/// How far the border of a link may be seen beyond its rectangle, on the edges
/// of which it is drawn.
fn border_beyond(file: &PdfFile<'_>, link: &Dictionary) -> Option<f64> {
    let width = border_width(file, link)?;
    Some((width / 2.0 - HAIRLINE).max(0.0))
}

/// `/Rect` as readers take it: what is missing in it, or is no number, is 0.
fn rectangle(file: &PdfFile<'_>, annotation: &Dictionary) -> Option<Rectangle> {
    let items = file.entry(annotation, b"Rect")?.as_array().ok()?;
    let mut corners = [0.0; 4];
    for (corner, item) in corners.iter_mut().zip(items) {
        let number = file.resolve(item).and_then(|item| item.as_float().ok());
        *corner = number.map_or(0.0, f64::from);
    }
    Some(Rectangle::of_corners(corners))
}

/// The width of an annotation's border or line (12.5.4), the greatest that any
/// reader takes; `None` when that may be anything.
fn border_width(file: &PdfFile<'_>, annotation: &Dictionary) -> Option<f64> {
    /// Where neither `/BS` nor `/Border` says it, also for what is no number.
    const DEFAULT: f64 = 1.0;
    /// A border of more could be anywhere.
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
            // Some readers then look for the border, and some do not.
            Err(_) => border().map_or(DEFAULT, |width| width.max(DEFAULT)),
        },
    };
    (0.0..=GREATEST).contains(&width).then_some(width)
}

/// A rectangle with all points that are drawn; `None` when that is not known.
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
