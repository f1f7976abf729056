//! What can be seen of a text, and what can be done with it unseen.

use super::patterns::LINE;

/// What is said of a text of which nothing can be seen.
pub(super) const NOTHING_VISIBLE: &str = "must have at least one visible character";

/// What is wrong with a text that is to be a line of at most `longest` characters,
/// one of them visible: what requests are told of such a member, for texts that
/// come another way.
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

/// Whether a text has a character that a line of plain text has no use for: a
/// control character (Unicode's category Cc, tabs and line breaks among them),
/// or one that turns the direction of what stands around it (UAX #9, 2.1 and
/// 2.4). Where the text is shown, such a character could begin a line of its own
/// or show what is not there.
pub(super) fn disturbs_line(text: &str) -> bool {
    text.chars().any(disturbs)
}

/// Whether a text of several lines has such a character. Line feeds, carriage
/// returns and tabs belong there.
pub(super) fn disturbs_lines(text: &str) -> bool {
    let is_layout = |c: &char| matches!(c, '\t' | '\n' | '\r');
    text.chars().filter(|c| !is_layout(c)).any(disturbs)
}

fn disturbs(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text has a character that leaves a mark: not white space, not a
/// control character, and none of those that Unicode draws as nothing.
pub(super) fn is_visible(text: &str) -> bool {
    text.chars()
        .any(|c| !c.is_whitespace() && !c.is_control() && !is_ignorable(c))
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
    fn control_characters_and_turns_of_direction_disturb() {
        for c in [
            '\u{0}', '\u{8}', '\u{B}', '\u{1B}', '\u{1F}', '\u{7F}', '\u{80}', '\u{85}', '\u{9F}',
            '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}',
        ] {
            let text = format!("a{c}b");
            assert!(disturbs_line(&text) && disturbs_lines(&text), "{text:?}");
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
            "עברית",
            "a\u{200F}b",
            "\u{1F468}\u{200D}\u{1F469}",
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
