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

/// Returns true if a text has characters that do not belong in a line of plain text: control
/// characters, line breaks, tabs, and explicit directional formatting (UAX #9, 2). When displayed,
/// they could begin a new line or reorder the surrounding text.
pub(super) fn disturbs_line(text: &str) -> bool {
    disturbs_lines(text) || text.chars().any(|c| Kind::of(c) == Kind::Break)
}

/// Like [`disturbs_line`], but for several lines: line feeds, carriage returns and tabs are
/// allowed.
pub(super) fn disturbs_lines(text: &str) -> bool {
    text.chars().any(|c| Kind::of(c) == Kind::Disturbing)
}

/// Returns true if a text has characters that leave neither a mark nor room. Joiners are allowed,
/// because they shape their neighbours.
pub(super) fn has_unseen(text: &str) -> bool {
    let is_unseen = |c: char| match Kind::of(c) {
        Kind::Break | Kind::Disturbing => true,
        Kind::Invisible => !matches!(c, '\u{200C}' | '\u{200D}'),
        Kind::Mark | Kind::Space => false,
    };
    text.chars().any(is_unseen)
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
    /// Control of the line or its direction, or a noncharacter.
    Disturbing,
    /// Nothing, or a change to its neighbours.
    Invisible,
    /// A letter, a digit, a sign.
    Mark,
    /// Room.
    Space,
}

impl Kind {
    /// Kind by the character's general category (UAX #44, 5.7.1) and its visibility. Unassigned
    /// code points count as marks, as in later versions of Unicode.
    pub(super) fn of(c: char) -> Self {
        match c {
            '\t' | '\n' | '\r' => Self::Break,
            '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Self::Disturbing,
            _ if is_noncharacter(c) => Self::Disturbing,
            _ if is_ignorable(c) => Self::Invisible,
            _ => match get_general_category(c) {
                GeneralCategory::Control => Self::Disturbing,
                GeneralCategory::Format | GeneralCategory::PrivateUse => Self::Invisible,
                GeneralCategory::SpaceSeparator => Self::Space,
                _ => Self::Mark,
            },
        }
    }

    /// Returns true if it leaves a mark.
    pub(super) fn is_visible(self) -> bool {
        self == Self::Mark
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
    fn control_of_the_line_and_of_its_direction_disturbs() {
        for c in [
            '\0',
            '\u{8}',
            '\u{B}',
            '\u{1B}',
            '\u{7F}',
            '\u{85}',
            '\u{2028}',
            '\u{2029}',
            '\u{202A}',
            '\u{202E}',
            '\u{2066}',
            '\u{2069}',
            '\u{FDD0}',
            '\u{FFFE}',
            '\u{1FFFF}',
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
    fn what_people_write_does_not_disturb() {
        for text in [
            "",
            "Sutartis Nr. 7",
            "šešių",
            "合同",
            "עברית\u{200F} (2)\u{200E}",
            "می\u{200C}خواهم",
            "bendradar\u{AD}biavimas",
            "\u{FEFF}a\u{200B}b",
            "葛\u{E0100}城 \u{E000}",
            "#\u{FE0F}\u{20E3}",
            "\u{1F468}\u{200D}\u{1F469}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
        ] {
            assert!(!disturbs_line(text), "{text:?}");
        }
    }

    #[test]
    fn only_joiners_are_not_seen_and_allowed_nevertheless() {
        for text in ["", "jonas", "合同 š", "می\u{200C}خواهم"] {
            assert!(!has_unseen(text), "{text:?}");
        }
        for c in [
            '\n',
            '\u{AD}',
            '\u{200B}',
            '\u{200E}',
            '\u{202E}',
            '\u{E000}',
            '\u{E0001}',
        ] {
            assert!(has_unseen(&format!("a{c}b")), "{c:?}");
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
