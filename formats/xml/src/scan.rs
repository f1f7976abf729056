//! Scan of the markup before parsing. Building the tree takes memory for every
//! piece of markup, and time for every pair of attributes.

use crate::{Error, Limits};

/// Refuses document type declarations and documents beyond the limits. The
/// parser refuses malformed documents.
pub(crate) fn check(text: &str, limits: &Limits) -> Result<(), Error> {
    let mut rest = text;
    let mut markup = 0;
    while let Some(position) = rest.find('<') {
        markup += 1;
        if markup > limits.markup {
            return Err(Error::TooMuch {
                what: "markup",
                most: limits.markup,
            });
        }
        rest = &rest[position + 1..];
        rest = match Markup::at(rest) {
            Markup::Doctype => return Err(Error::Doctype),
            Markup::Until(end) => rest.split_once(end).map_or("", |(_, rest)| rest),
            Markup::Tag => after_tag(rest, limits)?,
        };
    }
    Ok(())
}

enum Markup {
    Doctype,
    Until(&'static str),
    Tag,
}

impl Markup {
    fn at(rest: &str) -> Self {
        match rest.as_bytes() {
            [b'!', b'-', b'-', ..] => Self::Until("-->"),
            [b'!', b'[', ..] => Self::Until("]]>"),
            [b'!', ..] => Self::Doctype,
            [b'?', ..] => Self::Until("?>"),
            _ => Self::Tag,
        }
    }
}

/// Returns the text after a tag, counting its attributes by quotes.
fn after_tag<'a>(tag: &'a str, limits: &Limits) -> Result<&'a str, Error> {
    let mut rest = tag;
    let mut attributes = 0;
    while let Some(position) = rest.find(['"', '\'', '>']) {
        let (found, after) = rest[position..].split_at(1);
        if found == ">" {
            return Ok(after);
        }
        attributes += 1;
        if attributes > limits.attributes {
            return Err(Error::TooMuch {
                what: "attributes of an element",
                most: limits.attributes,
            });
        }
        let (value, behind) = after.split_once(found).unwrap_or((after, ""));
        if value.contains(['\t', '\n', '\r']) {
            return Err(Error::AttributeWhitespace);
        }
        rest = behind;
    }
    Ok("")
}
