//! Decorations that readers draw when they generate a widget's appearance (ISO
//! 32000-2, 12.5.6.19 and 12.7.4.3).

use lopdf::{Dictionary, Object};

use super::PdfFile;

/// Captions and icons in `/MK` (table 192).
const CAPTIONS_AND_ICONS: [&[u8]; 4] = [b"CA", b"I", b"IX", b"RI"];
/// Border and background colours in `/MK`.
const COLOURS: [&[u8]; 2] = [b"BC", b"BG"];

/// Returns whether readers that generate an appearance draw a background,
/// border, caption or icon. Unreadable entries count as such.
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
