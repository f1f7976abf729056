//! Judgement of a widget: invisible, drawable, or refused with the reason.

use lopdf::{Dictionary, Object, ObjectId};
pub(super) use parafa_format_core::FieldReason as Reason;

use super::field::Field;
use super::widget::Annotation;
use crate::page_content::Rectangle;
use crate::structure::{FieldKind, PdfFile, is_decorated};

/// Judgement of a widget before its appearance is parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Shows nothing.
    Nothing,
    /// Shows this appearance stream in this rectangle.
    Shows {
        appearance: ObjectId,
        /// Rectangle on the page.
        rectangle: Rectangle,
    },
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

/// The normal appearance that a widget shows.
enum Selected {
    /// No appearance at all.
    Missing,
    /// No appearance for the current state.
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
        // A single appearance applies to all states, regardless of `/AS`.
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
