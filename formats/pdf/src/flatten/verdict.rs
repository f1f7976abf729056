//! What becomes of a widget: nothing, a drawing, or the reason why it cannot
//! be drawn as readers show it.

use std::fmt;

use lopdf::{Dictionary, Object, ObjectId};

use super::field::Field;
use super::widget::Annotation;
use crate::page_content::Rectangle;
use crate::structure::{FieldKind, PdfFile, is_decorated};

/// What becomes of a widget, before its appearance is looked into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It shows nothing.
    Nothing,
    /// It shows this appearance stream in this rectangle.
    Shows {
        /// The stream.
        appearance: ObjectId,
        /// Where it is on the page.
        rectangle: Rectangle,
    },
}

/// Why a widget cannot be drawn as readers show it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Reason {
    /// Its appearance uses a name that the page and the interactive form
    /// define differently, or that only some readers find in the form.
    AmbiguousResource,
    /// An annotation follows it that only some readers draw on top of it.
    AnnotationAbove,
    /// It covers an annotation that would come to lie on top of it.
    AnnotationBelow,
    /// The appearance has no usable `/BBox` or `/Matrix`, or no extent.
    BadBoundingBox,
    /// The flags of the widget or of its field are no integer.
    BadFlags,
    /// The widget has no usable `/Rect`.
    BadRectangle,
    /// Its flag Invisible is set, which only some readers go by.
    InvisibleFlag,
    /// The page has it more than once.
    ListedTwice,
    /// The form asks readers to make its appearance anew, and the one that it has
    /// cannot be shown to have the text of its value.
    NeedAppearances,
    /// It has something to show, but no appearance; readers make one up.
    NoAppearance,
    /// It has appearances for states, but says not which one it is in.
    NoState,
    /// It is a field that its page has as another annotation than a widget.
    NotAWidget,
    /// Whether it is shown depends on optional content (8.11).
    OptionalContent,
    /// The content of its page cannot be read.
    PageContent,
    /// It shows a signature, which flattening would break.
    Signed,
    /// The data of the appearance cannot be decoded.
    UndecodableAppearance,
    /// Its kind of field is not known; only some readers show such a widget.
    UnknownFieldType,
    /// There is no appearance for the state that it is in.
    UnknownState,
    /// It has a value, but the appearance draws no text.
    ValueNotDrawn,
}

impl Reason {
    /// The catalogue code.
    fn code(self) -> &'static str {
        match self {
            Self::AmbiguousResource => "ambiguous-resource",
            Self::AnnotationAbove => "annotation-above",
            Self::AnnotationBelow => "annotation-below",
            Self::BadBoundingBox => "bad-bbox",
            Self::BadFlags => "bad-flags",
            Self::BadRectangle => "bad-rect",
            Self::InvisibleFlag => "invisible-flag",
            Self::ListedTwice => "listed-twice",
            Self::NeedAppearances => "need-appearances",
            Self::NoAppearance => "no-appearance",
            Self::NoState => "no-state",
            Self::NotAWidget => "not-a-widget",
            Self::OptionalContent => "optional-content",
            Self::PageContent => "page-content",
            Self::Signed => "signed",
            Self::UndecodableAppearance => "undecodable-appearance",
            Self::UnknownFieldType => "unknown-field-type",
            Self::UnknownState => "unknown-state",
            Self::ValueNotDrawn => "value-not-drawn",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// Judges a widget by its entries (12.5.5 and 12.7.5).
pub(super) fn judge(
    file: &PdfFile<'_>,
    widget: &Annotation<'_>,
    field: &Field<'_>,
) -> Result<Verdict, Reason> {
    if widget.is_invisible().ok_or(Reason::BadFlags)? {
        return Ok(Verdict::Nothing);
    }
    match judge_visible(file, widget, field) {
        Ok(Verdict::Nothing) => Ok(Verdict::Nothing),
        _ if widget.is_repeated => Err(Reason::ListedTwice),
        Ok(Verdict::Shows { .. }) if widget.has_invisible_flag() => Err(Reason::InvisibleFlag),
        verdict => verdict,
    }
}

fn judge_visible(
    file: &PdfFile<'_>,
    widget: &Annotation<'_>,
    field: &Field<'_>,
) -> Result<Verdict, Reason> {
    if file.entry(widget.dictionary, b"OC").is_some() {
        return Err(Reason::OptionalContent);
    }
    let rectangle = widget.rectangle(file).ok_or(Reason::BadRectangle)?;
    let selected = selected(file, widget.dictionary, field)?;
    if rectangle.is_empty() {
        return Ok(Verdict::Nothing);
    }
    match selected {
        Selected::Nothing => Ok(Verdict::Nothing),
        Selected::Stream(_) if field.kind() == FieldKind::Unknown => Err(Reason::UnknownFieldType),
        Selected::Stream(appearance) => Ok(Verdict::Shows {
            appearance,
            rectangle,
        }),
        Selected::Missing => without_appearance(file, widget.dictionary, field),
    }
}

/// Which normal appearance a widget shows.
enum Selected {
    /// There is none at all.
    Missing,
    /// None, by its state.
    Nothing,
    Stream(ObjectId),
}

fn selected(
    file: &PdfFile<'_>,
    widget: &Dictionary,
    field: &Field<'_>,
) -> Result<Selected, Reason> {
    let appearances = file.entry_dictionary(widget, b"AP");
    let Some(normal) = appearances.and_then(|appearances| appearances.get(b"N").ok()) else {
        return Ok(Selected::Missing);
    };
    let states = match file.resolve(normal) {
        // One appearance for all states, whatever `/AS` says.
        Some(Object::Stream(_)) => {
            let stream = file.resolve_id(normal);
            return Ok(stream.map_or(Selected::Missing, Selected::Stream));
        }
        Some(Object::Dictionary(states)) => states,
        _ => return Ok(Selected::Missing),
    };
    let Some(state) = file.entry(widget, b"AS") else {
        let is_off = !field.has_value() && file.entry(states, b"Off").is_none();
        return if is_off {
            Ok(Selected::Nothing)
        } else {
            Err(Reason::NoState)
        };
    };
    let state = state.as_name().map_err(|_| Reason::UnknownState)?;
    let appearance = states
        .get(state)
        .ok()
        .filter(|appearance| matches!(file.resolve(appearance), Some(Object::Stream(_))));
    match appearance.and_then(|appearance| file.resolve_id(appearance)) {
        Some(appearance) => Ok(Selected::Stream(appearance)),
        None if state == b"Off" => Ok(Selected::Nothing),
        None => Err(Reason::UnknownState),
    }
}

fn without_appearance(
    file: &PdfFile<'_>,
    widget: &Dictionary,
    field: &Field<'_>,
) -> Result<Verdict, Reason> {
    let shows = match field.kind() {
        FieldKind::Signature => false,
        FieldKind::Choice => {
            field.has_value() || field.lists_options()? || is_decorated(file, widget)
        }
        FieldKind::Text => field.has_value() || is_decorated(file, widget),
        FieldKind::Button if field.is_pushbutton()? => is_decorated(file, widget),
        FieldKind::Button => {
            let state = file.entry(widget, b"AS");
            let is_on = state.is_some_and(|state| state.as_name().ok() != Some(b"Off"));
            is_on || field.has_value() || is_decorated(file, widget)
        }
        FieldKind::Unknown => return Err(Reason::UnknownFieldType),
    };
    if shows {
        Err(Reason::NoAppearance)
    } else {
        Ok(Verdict::Nothing)
    }
}
