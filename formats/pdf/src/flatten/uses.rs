//! Use of resources and text by a content stream (ISO 32000-2, 7.8).

use std::collections::BTreeSet;

use super::resources::Named;
use crate::page_content::{ContentDecoder, Operand, Operators};
use crate::structure::as_string;

/// Maximum number of names per stream.
const MAX_NAMES: usize = 2_000;

/// Resources and text used by a content stream.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) named: BTreeSet<Named>,
    /// Paints non-blank characters or an inline image.
    pub(super) draws_text: bool,
}

impl Uses {
    /// Scans a content stream; `None` if it uses too many names.
    pub(super) fn of(content: &[u8], decoder: &mut ContentDecoder) -> Option<Self> {
        decoder.with_operators(content, Self::followed)
    }

    fn followed(operators: &mut Operators<'_>) -> Option<Self> {
        let mut uses = Self::default();
        let mut operands = Operands::default();
        let mut text = TextPainting::default();
        while let Some(operand) = operators.next() {
            let Operand::Operator(operator) = operand else {
                operands.add(operand, operators.written());
                continue;
            };
            let operands = std::mem::take(&mut operands);
            text.follow(operator, operands.last);
            uses.draws_text |= match operator {
                b"BI" => true,
                b"Tj" | b"TJ" | b"'" | b"\"" => operands.has_text && text.is_painted,
                _ => false,
            };
            if let Some(name) = operands.name_for(operator)
                && let Some(named) = Named::by_operator(operator, name)
                && uses.named.insert(named)
                && uses.named.len() > MAX_NAMES
            {
                return None;
            }
        }
        Some(uses)
    }
}

/// Relevant operands before an operator.
#[derive(Default)]
struct Operands<'c> {
    /// The last name operand.
    name: Option<&'c [u8]>,
    /// The name is the last operand.
    is_name_last: bool,
    /// The last operand, as written.
    last: &'c [u8],
    /// At least one string is not blank.
    has_text: bool,
}

impl<'c> Operands<'c> {
    fn add(&mut self, operand: Operand<'c>, written: &'c [u8]) {
        self.is_name_last = false;
        match operand {
            Operand::Name(name) => {
                self.name = Some(name);
                self.is_name_last = true;
            }
            Operand::String { .. } => {
                self.has_text = self.has_text || !is_blank(written);
            }
            Operand::Operator(_) | Operand::Other => {}
        }
        self.last = written;
    }

    /// Returns the name that an operator uses. For marked-content operators it
    /// must be the last operand: an inline property list contains names too.
    fn name_for(&self, operator: &[u8]) -> Option<&'c [u8]> {
        let is_property_list = matches!(operator, b"BDC" | b"DP");
        self.name.filter(|_| self.is_name_last || !is_property_list)
    }
}

/// Effect of the text rendering mode, in the current and the saved graphics
/// states.
struct TextPainting {
    is_painted: bool,
    saved: Vec<bool>,
}

impl Default for TextPainting {
    fn default() -> Self {
        Self {
            is_painted: true,
            saved: Vec::new(),
        }
    }
}

impl TextPainting {
    fn follow(&mut self, operator: &[u8], operand: &[u8]) {
        match operator {
            b"Q" => self.is_painted = self.saved.pop().unwrap_or(self.is_painted),
            b"Tr" => self.is_painted = paints(operand),
            b"q" => self.saved.push(self.is_painted),
            _ => {}
        }
    }
}

/// Returns whether a text rendering mode paints text (9.3.6).
fn paints(mode: &[u8]) -> bool {
    /// Modes that neither fill nor stroke.
    const UNPAINTED: [f64; 2] = [3.0, 7.0];

    let mode = std::str::from_utf8(mode).ok();
    let mode = mode.and_then(|mode| mode.parse().ok());
    mode.is_some_and(|mode| !UNPAINTED.contains(&mode))
}

/// Returns whether a string has only blank characters, in any font. Two bytes
/// may encode any glyph (9.7.4), even if both are blanks.
fn is_blank(written: &[u8]) -> bool {
    let characters = as_string(written).unwrap_or_default();
    [b' ', 0]
        .iter()
        .any(|blank| characters.iter().all(|byte| byte == blank))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;
    use crate::flatten::resources::ResourceKind;
    use crate::limits::Limits;

    fn uses(content: &[u8]) -> Option<Uses> {
        Uses::of(content, &mut ContentDecoder::new(&Limits::default()))
    }

    fn draws_text(content: &[u8]) -> bool {
        uses(content).unwrap().draws_text
    }

    #[test]
    fn only_operators_that_show_characters_draw_text() {
        assert!(draws_text(b"BT /F 9 Tf (Ona) Tj ET"));
        assert!(draws_text(b"[()-20(A)] TJ"));
        assert!(draws_text(b"BI /W 1 /H 1 /BPC 8 /CS /G ID x EI"));
        assert!(!draws_text(b"/Tx BMC BT /F 9 Tf () Tj [<>] TJ ET EMC"));
        assert!(!draws_text(b"(Ona) pop () Tj 0 0 9 9 re f"));
        assert!(!draws_text(b"/Sh sh"));
    }

    #[test]
    fn characters_that_nobody_sees_are_no_text() {
        assert!(!draws_text(b"BT ( ) Tj <0000> Tj (  ) ' ET"));
        assert!(!draws_text(b"BT 3 Tr (Ona) Tj ET"));
        assert!(!draws_text(b"7 Tr q 0 Tr Q BT (Ona) Tj ET"));
        assert!(draws_text(b"q 3 Tr Q BT (Ona) Tj ET"));
        assert!(draws_text(b"3 Tr 0 Tr (Ona) Tj"));
    }

    #[test]
    fn two_bytes_that_look_like_blanks_may_be_a_glyph() {
        for glyph in ["<000D>", "<0020>", "<200A>"] {
            assert!(
                draws_text(format!("BT {glyph} Tj ET").as_bytes()),
                "{glyph}"
            );
        }
    }

    #[test]
    fn resources_are_known_by_the_operators_that_use_them() {
        let content = b"/DeviceRGB cs /Cs1 CS /P1 scn /F#31 9 Tf /Fm Do /G gs /Tx BMC 1 g \
            /OC /Layer BDC /Span << /Lang (lt) >> BDC /Span << /ActualText /T >> DP";
        let uses = uses(content).unwrap();
        let names = uses.named.iter();
        let names: Vec<_> = names
            .map(|named| (named.kind, named.name.clone()))
            .collect();

        assert_eq!(
            names,
            [
                (ResourceKind::ColorSpace, b"Cs1".to_vec()),
                (ResourceKind::ExtGState, b"G".to_vec()),
                (ResourceKind::Font, b"F1".to_vec()),
                (ResourceKind::Pattern, b"P1".to_vec()),
                (ResourceKind::Properties, b"Layer".to_vec()),
                (ResourceKind::XObject, b"Fm".to_vec()),
            ]
        );
    }

    #[test]
    fn a_stream_of_too_many_names_is_not_looked_through() {
        let mut content = String::new();
        for number in 0..=MAX_NAMES {
            content.push_str(&format!("/F{number} 9 Tf "));
        }

        assert!(uses(content.as_bytes()).is_none());
    }

    #[test]
    fn the_inline_images_of_all_streams_are_inflated_at_the_cost_of_the_document() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&[0; 100_000]).unwrap();
        let entries = b"BI /W 100000 /H 1 /BPC 8 /CS /G /F /Fl ID ";
        let content = [&entries[..], &encoder.finish().unwrap(), b" EI"].concat();
        let limits = Limits {
            content_total_bytes: 250_000,
            ..Limits::default()
        };
        let mut decoder = ContentDecoder::new(&limits);

        let left = [(); 3].map(|()| {
            assert!(Uses::of(&content, &mut decoder).unwrap().draws_text);
            decoder.remaining_bytes()
        });

        assert!((100_000..=150_000).contains(&left[0]), "{left:?}");
        assert!((1..=50_000).contains(&left[1]), "{left:?}");
        assert_eq!(left[2], 0);
    }
}
