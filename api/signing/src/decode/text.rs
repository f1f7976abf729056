//! What can be seen of a text.

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
