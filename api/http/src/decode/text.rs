//! Visible and invisible characters, and their effects.

use unicode_general_category::{GeneralCategory, get_general_category};

use super::patterns::LINE;

/// The fault of a text without visible characters.
pub(super) const NOTHING_VISIBLE: &str = "must have at least one visible character";

/// The fault of a text that must be a line of at most `longest` characters, one of them visible.
/// The words are those for members of requests, for texts from other sources.
#[must_use]
pub fn line_fault(text: &str, longest: usize) -> Option<String> {
    if text.chars().count() > longest {
        Some(format!("must have at most {longest} characters"))
    } else if disturbs_line(text) {
        Some(LINE.otherwise.to_owned())
    } else if !is_visible(text) {
        Some(NOTHING_VISIBLE.to_owned())
    } else {
        None
    }
}

/// Returns true if a text has characters that do not belong in a line of plain text: invisible
/// ones, line breaks and tabs. When displayed, they could begin a new line, change the direction of
/// the surrounding text (UAX #9, 2), or make two texts look the same. Joiners and variation
/// selectors are allowed where they have a visible effect.
pub(super) fn disturbs_line(text: &str) -> bool {
    disturbs(text, false)
}

/// Like [`disturbs_line`], but for several lines: line feeds, carriage returns and tabs are
/// allowed.
pub(super) fn disturbs_lines(text: &str) -> bool {
    disturbs(text, true)
}

fn disturbs(text: &str, may_break: bool) -> bool {
    let mut before = None;
    for c in text.chars() {
        let kind = Kind::of(c);
        let is_in_place = match kind {
            Kind::Break => may_break && before != Some(Kind::Joiner),
            Kind::Hidden => false,
            Kind::Joiner => matches!(before, Some(Kind::Letter | Kind::Selector)),
            Kind::Letter => true,
            Kind::Punctuation | Kind::Space => before != Some(Kind::Joiner),
            Kind::Selector => matches!(before, Some(Kind::Letter | Kind::Punctuation)),
        };
        if !is_in_place {
            return true;
        }
        before = Some(kind);
    }
    before == Some(Kind::Joiner)
}

/// Returns true if a text has a character that leaves a mark.
pub(super) fn is_visible(text: &str) -> bool {
    text.chars().any(|c| Kind::of(c).is_visible())
}

/// Visible effect of a character.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A tab or an end of a line.
    Break,
    /// Nothing, whatever its neighbours.
    Hidden,
    /// Joining of its neighbours: the zero-width joiner and non-joiner.
    Joiner,
    /// A mark: a letter, a digit, a sign that is not ASCII.
    Letter,
    /// A mark of ASCII that is neither a letter nor a digit.
    Punctuation,
    /// Variant of the mark before it (Unicode Standard, 23.4).
    Selector,
    /// Room.
    Space,
}

impl Kind {
    /// Kind by the character's general category (UAX #44, 5.7.1) and its visibility. Unassigned
    /// code points count as letters, as in later versions of Unicode.
    pub(super) fn of(c: char) -> Self {
        match c {
            '\t' | '\n' | '\r' => Self::Break,
            '\u{200C}' | '\u{200D}' => Self::Joiner,
            '\u{180B}'..='\u{180D}'
            | '\u{180F}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0100}'..='\u{E01EF}' => Self::Selector,
            _ if is_ignorable(c) || is_noncharacter(c) => Self::Hidden,
            _ if c.is_ascii_punctuation() => Self::Punctuation,
            _ => match get_general_category(c) {
                GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse => Self::Hidden,
                GeneralCategory::SpaceSeparator => Self::Space,
                _ => Self::Letter,
            },
        }
    }

    /// Returns true if it leaves a mark.
    pub(super) fn is_visible(self) -> bool {
        matches!(self, Self::Letter | Self::Punctuation)
    }
}

/// Noncharacters (Unicode Standard, 23.7).
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE
}

/// The `Default_Ignorable_Code_Point` property (Unicode Standard, 5.21), and
/// the blank Braille pattern.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_nobody_sees_disturb() {
        for c in [
            '\0',
            '\u{8}',
            '\u{B}',
            '\u{1B}',
            '\u{7F}',
            '\u{85}',
            '\u{AD}',
            '\u{61C}',
            '\u{115F}',
            '\u{180E}',
            '\u{200B}',
            '\u{200E}',
            '\u{200F}',
            '\u{2028}',
            '\u{2029}',
            '\u{202A}',
            '\u{202E}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{3164}',
            '\u{E000}',
            '\u{FEFF}',
            '\u{FFF9}',
            '\u{FFFF}',
            '\u{1D173}',
            '\u{E0001}',
            '\u{E0041}',
            '\u{F0000}',
        ] {
            for text in [format!("a{c}b"), format!("ž{c}"), c.to_string()] {
                assert!(disturbs_line(&text) && disturbs_lines(&text), "{text:?}");
            }
        }
        for c in ['\t', '\n', '\r'] {
            let text = format!("a{c}b");
            assert!(disturbs_line(&text), "{text:?}");
            assert!(!disturbs_lines(&text), "{text:?}");
        }
    }

    #[test]
    fn joiners_and_selectors_disturb_where_they_change_nothing() {
        for text in [
            "\u{200D}a",
            "a\u{200D}",
            "a\u{200C}\u{200C}b",
            "a \u{200D}b",
            "a\u{200D} b",
            "a\u{200D}.pdf",
            "\u{FE0F}a",
            "a\u{FE00}\u{FE01}",
            "a \u{E0100}",
        ] {
            assert!(disturbs_line(text) && disturbs_lines(text), "{text:?}");
        }
    }

    #[test]
    fn what_people_write_does_not_disturb() {
        for text in [
            "",
            "Sutartis Nr. 7",
            "šešių",
            "合同",
            "עברית",
            "می\u{200C}خواهم",
            "葛\u{E0100}城",
            "#\u{FE0F}\u{20E3}",
            "\u{1F468}\u{200D}\u{1F469}",
            "\u{1F441}\u{FE0F}\u{200D}\u{1F5E8}\u{FE0F}",
        ] {
            assert!(!disturbs_line(text), "{text:?}");
        }
    }

    #[test]
    fn blank_texts_are_not_visible() {
        for text in [
            "",
            " ",
            "\t\n",
            "\u{00A0}\u{3000}",
            "\u{200B}\u{FEFF}",
            "\u{2800}",
            "\u{0000}",
            "\u{3164}",
        ] {
            assert!(!is_visible(text), "{text:?}");
        }
    }

    #[test]
    fn one_mark_is_enough() {
        for text in ["a", " ą ", "\u{200B}.", "合同"] {
            assert!(is_visible(text), "{text:?}");
        }
    }
}
