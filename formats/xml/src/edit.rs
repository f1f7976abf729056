//! Text edits that keep every other byte.

use std::ops::Range;

use crate::Element;

/// A text to insert into the text of a document.
#[derive(Clone, Debug)]
pub struct Insertion {
    range: Range<usize>,
    text: String,
}

impl Insertion {
    /// Inserts a text before the end tag of an element; an empty-element tag
    /// gets one.
    #[must_use]
    pub fn at_the_end_of(element: Element<'_>, text: &str) -> Self {
        let range = element.range();
        let written = &element.document().source()[range.clone()];
        match (written.strip_suffix("/>"), written.rfind("</")) {
            (Some(_), _) | (None, None) => Self {
                range: range.end - "/>".len()..range.end,
                text: format!(">{text}</{}>", element.qualified_name()),
            },
            (None, Some(end_tag)) => Self::at(range.start + end_tag, text),
        }
    }

    /// Inserts a text before the start tag of an element.
    #[must_use]
    pub fn before(element: Element<'_>, text: &str) -> Self {
        Self::at(element.range().start, text)
    }

    /// Inserts a text after the end tag of an element.
    #[must_use]
    pub fn behind(element: Element<'_>, text: &str) -> Self {
        Self::at(element.range().end, text)
    }

    fn at(place: usize, text: &str) -> Self {
        Self {
            range: place..place,
            text: text.to_owned(),
        }
    }
}

/// Returns the text with all insertions; at most one may be at the end of an
/// element.
#[must_use]
pub fn inserted(text: &str, mut insertions: Vec<Insertion>) -> String {
    insertions.sort_by_key(|insertion| insertion.range.start);
    let mut result = String::new();
    let mut done = 0;
    for insertion in insertions {
        result.push_str(&text[done..insertion.range.start]);
        result.push_str(&insertion.text);
        done = insertion.range.end;
    }
    result.push_str(&text[done..]);
    result
}
