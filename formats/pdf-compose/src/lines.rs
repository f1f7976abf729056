//! Line breaking to a width.

use crate::fonts::{Face, Fonts};

/// Breaks a text into lines: after a space, after a hyphen or slash before a
/// letter, and anywhere in a word wider than a line. Spaces stay at the end of
/// their line, so that the text can be reassembled.
pub(crate) fn broken(fonts: &Fonts, face: Face, size: f32, text: &str, width: f32) -> Vec<String> {
    let room = width / size;
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut line_width = 0.0;
        for piece in pieces(paragraph) {
            let visible = fonts.width(face, piece.trim_end_matches(' '));
            if line_width + visible > room && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                line_width = 0.0;
            }
            if visible <= room {
                line.push_str(piece);
                line_width += fonts.width(face, piece);
                continue;
            }
            for character in piece.chars() {
                let advance = fonts.width(face, character.encode_utf8(&mut [0; 4]));
                if line_width + advance > room && !line.is_empty() && character != ' ' {
                    lines.push(std::mem::take(&mut line));
                    line_width = 0.0;
                }
                line.push(character);
                line_width += advance;
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns the parts of a text between possible line breaks.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let may_break = match (character, next) {
            (' ', Some(next)) => next != ' ',
            ('-' | '/' | '\u{2013}' | '\u{2010}', Some(next)) => next.is_alphabetic() && at > start,
            _ => false,
        };
        if may_break {
            let end = at + character.len_utf8();
            pieces.push(text.get(start..end).unwrap_or_default());
            start = end;
        }
    }
    pieces.push(text.get(start..).unwrap_or_default());
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str, width: f32) -> Vec<String> {
        broken(&Fonts::load(), Face::Regular, 10.0, text, width)
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(
            lines("Pasirašymo data ir laikas", 60.0),
            ["Pasirašymo ", "data ir laikas"]
        );
        assert_eq!(lines("iki 2026-11-21", 60.0), ["iki ", "2026-11-21"]);
        assert_eq!(
            lines("Ąžuolaitė-Šėškienė", 60.0),
            ["Ąžuolaitė-", "Šėškienė"]
        );
        assert_eq!(lines("viena\n\ndvi", 60.0), ["viena", "", "dvi"]);
    }

    #[test]
    fn a_word_wider_than_a_line_is_broken_anywhere() {
        let digest = "0123456789abcdef".repeat(4);
        let broken = lines(&digest, 100.0);

        assert!(broken.len() > 2);
        assert_eq!(broken.concat(), digest);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_character_is_lost_and_no_line_is_too_wide(text in "[a-ząč0-9 /-]{0,200}", width in 20.0..300.0_f32) {
            let fonts = Fonts::load();
            let lines = lines(&text, width);

            prop_assert_eq!(lines.concat(), text);
            for line in lines {
                prop_assert!(fonts.width(Face::Regular, line.trim_end()) * 10.0 <= width + 0.01);
            }
        }
    }
}
