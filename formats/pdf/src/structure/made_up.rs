//! What readers draw where they make the appearance of a widget up (ISO
//! 32000-2, 12.5.6.19 and 12.7.4.3).

use lopdf::{Dictionary, Object};

use super::{PdfFile, text_string};

/// Texts and icons of `/MK` (table 192).
const CAPTIONS_AND_ICONS: [&[u8]; 4] = [b"CA", b"I", b"IX", b"RI"];
/// Border and background of `/MK`.
const COLOURS: [&[u8]; 2] = [b"BC", b"BG"];

/// Most parts of a value that are looked at; one of more is taken for a value.
const MAX_VALUE_PARTS: usize = 100;

/// Longest string that is looked through for something but blanks, in bytes.
const MAX_BLANK_BYTES: usize = 1_000;

/// Whether readers that make an appearance up would draw a background, a
/// border, a caption or an icon. What cannot be read counts.
pub(crate) fn is_decorated(file: &PdfFile<'_>, widget: &Dictionary) -> bool {
    let characteristics = match file.entry(widget, b"MK") {
        None => return false,
        Some(Object::Dictionary(characteristics)) => characteristics,
        Some(_) => return true,
    };
    // A colour without components is transparent.
    let has_colour = |key: &&[u8]| {
        let colour = file.entry(characteristics, key);
        colour.is_some_and(|colour| colour.as_array().map_or(true, |colour| !colour.is_empty()))
    };
    COLOURS.iter().any(has_colour)
        || CAPTIONS_AND_ICONS
            .iter()
            .any(|key| file.entry(characteristics, key).is_some())
}

/// Whether a reader would want to see one of these values of a field. A byte
/// order mark alone, white space and the state `Off` are none.
pub(crate) fn says_something(file: &PdfFile<'_>, values: [Option<&Object>; 2]) -> bool {
    let mut open: Vec<_> = values.into_iter().flatten().collect();
    // Each reference in an array may lead to another array.
    let mut remaining = MAX_VALUE_PARTS;
    while let Some(value) = open.pop() {
        match value {
            Object::Array(items) => {
                let Some(left) = remaining.checked_sub(items.len() + 1) else {
                    return true;
                };
                remaining = left;
                open.extend(items.iter().filter_map(|item| file.resolve(item)));
            }
            Object::Name(name) if matches!(name.as_slice(), b"" | b"Off") => {}
            Object::String(..) if is_blank(value) => {}
            _ => return true,
        }
    }
    false
}

fn is_blank(text: &Object) -> bool {
    let len = text.as_str().map_or(0, <[u8]>::len);
    len <= MAX_BLANK_BYTES
        && text_string(text).is_some_and(|text| {
            text.chars().all(|character| {
                character.is_whitespace() || matches!(character, '\u{FEFF}' | '\0')
            })
        })
}
