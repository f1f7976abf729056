//! The two fonts and their glyph metrics.

use krilla::Data;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

const REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");

/// Selects one of the fonts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Face {
    Bold,
    Regular,
}

/// Both fonts.
pub(crate) struct Fonts {
    regular: FontFile,
    bold: FontFile,
}

struct FontFile {
    reference: FontRef<'static>,
    units_per_em: f32,
}

impl Fonts {
    pub(crate) fn load() -> Self {
        Self {
            regular: FontFile::load(REGULAR),
            bold: FontFile::load(BOLD),
        }
    }

    /// Returns whether both fonts have a character.
    pub(crate) fn have(&self, character: char) -> bool {
        [Face::Bold, Face::Regular]
            .iter()
            .all(|face| self.file(*face).glyph(character).is_some())
    }

    /// Returns the width of a text, in units of the font size.
    pub(crate) fn width(&self, face: Face, text: &str) -> f32 {
        let file = self.file(face);
        text.chars().map(|character| file.advance(character)).sum()
    }

    /// Returns the glyphs of a text, one per character.
    pub(crate) fn glyphs(&self, face: Face, text: &str) -> Vec<KrillaGlyph> {
        let file = self.file(face);
        text.char_indices()
            .map(|(start, character)| {
                let glyph = file.glyph(character).unwrap_or_default();
                KrillaGlyph {
                    glyph_id: GlyphId::new(glyph.to_u32()),
                    text_range: start..start + character.len_utf8(),
                    x_advance: file.advance(character),
                    x_offset: 0.0,
                    y_offset: 0.0,
                    y_advance: 0.0,
                    location: None,
                }
            })
            .collect()
    }

    fn file(&self, face: Face) -> &FontFile {
        match face {
            Face::Bold => &self.bold,
            Face::Regular => &self.regular,
        }
    }
}

impl Face {
    /// Returns the font for embedding.
    pub(crate) fn embedded(self) -> Font {
        let bytes = match self {
            Self::Bold => BOLD,
            Self::Regular => REGULAR,
        };
        Font::new(Data::from(bytes), 0).expect("the fonts of the crate are fonts")
    }
}

impl FontFile {
    fn load(bytes: &'static [u8]) -> Self {
        let reference = FontRef::new(bytes).expect("the fonts of the crate are fonts");
        let metrics = reference.metrics(Size::unscaled(), LocationRef::default());
        Self {
            units_per_em: f32::from(metrics.units_per_em),
            reference,
        }
    }

    fn glyph(&self, character: char) -> Option<skrifa::GlyphId> {
        self.reference.charmap().map(character)
    }

    fn advance(&self, character: char) -> f32 {
        let metrics = self
            .reference
            .glyph_metrics(Size::unscaled(), LocationRef::default());
        self.glyph(character)
            .and_then(|glyph| metrics.advance_width(glyph))
            .unwrap_or(0.0)
            / self.units_per_em
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_have_the_letters_of_lithuanian_and_the_currency() {
        let fonts = Fonts::load();

        let text = "ĄČĘĖĮŠŲŪŽąčęėįšųūž „“–—€№§• Łódź Straße Жолтов Ελλάδα";
        assert!(text.chars().all(|character| fonts.have(character)));
        assert!(!fonts.have('中') && !fonts.have('\t') && !fonts.have('😀'));
    }

    #[test]
    fn a_bold_text_is_wider() {
        let fonts = Fonts::load();

        assert!(fonts.width(Face::Bold, "Sutartis") > fonts.width(Face::Regular, "Sutartis"));
    }
}
