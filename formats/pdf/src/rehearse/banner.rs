//! The banner: a form XObject (ISO 32000-2, 8.10) for all pages. Its font is
//! embedded and its colours are device-independent, so that it is valid in any
//! PDF/A.

use std::borrow::Cow;
use std::fmt::Write;

use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::write::{Edits, reference};

/// Height of the banner in its own units; these are points on an A4 page.
pub(super) const HEIGHT: f64 = 16.0;

/// Width of the text, in the banner's units.
pub(super) const TEXT_WIDTH: f64 = 129.0;

/// Wider than any page; the page clips it.
const HALF_WIDTH: i32 = 32_000;

/// `NEPASIRAŠYTA · UNSIGNED` in WinAnsiEncoding (ISO 32000-2, D.2).
const TEXT: &[u8] = b"NEPASIRA\x8AYTA \xB7 UNSIGNED";

const FONT_SIZE: f64 = 9.0;

/// Space between characters, in the banner's units.
const CHARACTER_SPACING: f64 = 0.4;

const BASELINE: f64 = 4.8;

/// Noto Sans SemiBold, reduced to the characters of the text; see
/// `fonts/README.md`.
const FONT_FILE: &[u8] = include_bytes!("../../fonts/banner.ttf");

const FONT_NAME: &str = "PARAFA+NotoSans-SemiBold";

/// Characters of the font: WinAnsiEncoding code, Unicode, and advance width in
/// thousandths of the font size.
const CHARACTERS: [(u8, u16, u16); 15] = [
    (0x20, 0x0020, 260),
    (0x41, 0x0041, 672),
    (0x44, 0x0044, 732),
    (0x45, 0x0045, 558),
    (0x47, 0x0047, 726),
    (0x49, 0x0049, 370),
    (0x4E, 0x004E, 793),
    (0x50, 0x0050, 615),
    (0x52, 0x0052, 643),
    (0x53, 0x0053, 550),
    (0x54, 0x0054, 569),
    (0x55, 0x0055, 747),
    (0x59, 0x0059, 603),
    (0x8A, 0x0160, 550),
    (0xB7, 0x00B7, 276),
];

/// sRGB without a profile, as a calibrated colour space (8.6.5.3).
const COLOR_SPACE: &str = "[/CalRGB << /WhitePoint [0.9505 1 1.089] /Gamma [2.2 2.2 2.2] \
     /Matrix [0.4124 0.2126 0.0193 0.3576 0.7152 0.1192 0.1805 0.0722 0.9505] >>]";

/// A dark red; white text on it has a contrast above 6:1.
const BACKGROUND: &str = "0.70 0.13 0.10";

/// The banner as two form XObjects with the same look. The origin is the middle
/// of the lower edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Banner {
    /// With extractable text.
    pub(super) said: ObjectId,
    /// Without extractable text.
    pub(super) shown: ObjectId,
}

impl Banner {
    /// Adds the banner and the objects it uses.
    pub(super) fn add(edits: &mut Edits<'_, '_>) -> Result<Self, Refusal> {
        let font = add_font(edits)?;
        let dictionary = format!(
            "<< /Type /XObject /Subtype /Form /BBox [-{HALF_WIDTH} 0 {HALF_WIDTH} {HEIGHT}] \
             /Resources << /ColorSpace << /CS0 {COLOR_SPACE} >> /Font << /F0 {} >> >> >>",
            reference(font)
        );
        // As one unit, so that text extraction keeps it together over other
        // text.
        let said = TEXT.iter().copied().map(unicode_hex).collect::<String>();
        let mut form = |text: &str| {
            let drawing = Cow::Owned(drawing(text));
            edits.add_stream(dictionary.as_bytes(), drawing)
        };
        Ok(Self {
            said: form(&said)?,
            shown: form("")?,
        })
    }
}

/// Draws the banner; text extraction yields `extracted`, hexadecimal UTF-16.
fn drawing(extracted: &str) -> Vec<u8> {
    let before = format!(
        "/CS0 cs {BACKGROUND} sc -{HALF_WIDTH} 0 {} {HEIGHT} re f\n\
         1 1 1 sc BT /F0 {FONT_SIZE} Tf {CHARACTER_SPACING} Tc {:.2} {BASELINE} Td\n\
         /Span << /ActualText <FEFF{extracted}> >> BDC (",
        2 * HALF_WIDTH,
        -text_width() / 2.0,
    );
    [before.as_bytes(), TEXT, b") Tj EMC ET\n"].concat()
}

fn add_font(edits: &mut Edits<'_, '_>) -> Result<ObjectId, Refusal> {
    let dictionary = format!("<< /Length1 {} >>", FONT_FILE.len());
    let font_file = edits.add_stream(dictionary.as_bytes(), Cow::Borrowed(FONT_FILE))?;

    let source = format!(
        "<< /Type /FontDescriptor /FontName /{FONT_NAME} /Flags 32 /FontBBox [0 -10 752 938] \
         /ItalicAngle 0 /Ascent 1069 /Descent -293 /CapHeight 714 /StemV 140 /FontFile2 {} >>",
        reference(font_file)
    );
    let descriptor = edits.add(source.into_bytes())?;

    let to_unicode = Cow::Owned(to_unicode_cmap().into_bytes());
    let to_unicode = edits.add_stream(b"<< >>", to_unicode)?;

    let (first, last) = (CHARACTERS[0].0, CHARACTERS[CHARACTERS.len() - 1].0);
    let widths = (first..=last).fold(String::new(), |widths, code| {
        format!("{widths} {}", width(code).unwrap_or(0))
    });
    let source = format!(
        "<< /Type /Font /Subtype /TrueType /BaseFont /{FONT_NAME} /Encoding /WinAnsiEncoding \
         /FirstChar {first} /LastChar {last} /Widths [{widths} ] /FontDescriptor {} /ToUnicode {} >>",
        reference(descriptor),
        reference(to_unicode)
    );
    edits.add(source.into_bytes())
}

/// Returns the CMap from codes to Unicode (9.10.3).
fn to_unicode_cmap() -> String {
    let mut cmap = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<00> <FF>\nendcodespacerange\n{} beginbfchar\n",
        CHARACTERS.len()
    );
    for (code, unicode, _) in CHARACTERS {
        let _ = writeln!(cmap, "<{code:02X}> <{unicode:04X}>");
    }
    cmap + "endbfchar\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
}

fn text_width() -> f64 {
    let spacings = f64::from(u8::try_from(TEXT.len() - 1).unwrap_or(u8::MAX));
    let advances: u32 = TEXT
        .iter()
        .filter_map(|code| width(*code))
        .map(u32::from)
        .sum();
    f64::from(advances) * FONT_SIZE / 1000.0 + spacings * CHARACTER_SPACING
}

fn width(code: u8) -> Option<u16> {
    CHARACTERS
        .iter()
        .find_map(|(known, _, width)| (*known == code).then_some(*width))
}

fn unicode_hex(code: u8) -> String {
    CHARACTERS
        .iter()
        .find_map(|(known, unicode, _)| (*known == code).then(|| format!("{unicode:04X}")))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_character_of_the_text() {
        assert!(TEXT.iter().all(|code| width(*code).is_some()));
        let text: Vec<u16> = TEXT
            .iter()
            .map(|code| u16::from_str_radix(&unicode_hex(*code), 16).unwrap())
            .collect();
        assert_eq!(
            String::from_utf16(&text).unwrap(),
            "NEPASIRAŠYTA · UNSIGNED"
        );
    }

    #[test]
    fn the_text_is_as_wide_as_it_is_said_to_be() {
        assert!((text_width() - TEXT_WIDTH).abs() < 1.0, "{}", text_width());
    }
}
