//! Plugins' text for people and logs.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Longest name or code, in bytes.
pub(crate) const NAME_BYTES: usize = 128;
/// Longest sentence, in bytes.
pub(crate) const SENTENCE_BYTES: usize = 1024;
/// Longest subject of a refusal, in bytes: far above the length of fields' names.
pub(crate) const SUBJECT_BYTES: usize = 64 * 1024;

/// Returns the beginning of `text`, at most `limit` bytes of it, on one line. Invisible characters
/// are escaped, such as control characters and those that change the direction of writing.
#[must_use]
pub fn line(text: &str, limit: usize) -> Cow<'_, str> {
    let (kept, rest) = text.split_at(text.floor_char_boundary(limit));
    if rest.is_empty() && !kept.chars().any(is_hidden) {
        return Cow::Borrowed(kept);
    }
    let mut line = String::with_capacity(kept.len());
    for character in kept.chars() {
        if is_hidden(character) {
            // Writing to memory does not fail.
            let _ = write!(line, "{}", character.escape_default());
        } else {
            line.push(character);
        }
    }
    if !rest.is_empty() {
        line.push('…');
    }
    Cow::Owned(line)
}

/// Returns `text` on one line. If it is longer than `limit` bytes, the middle is left out: a name's
/// beginning shows its origin, its end its kind.
pub(crate) fn both_ends(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return line(text, limit);
    }
    let half = limit / 2;
    let (beginning, rest) = text.split_at(text.floor_char_boundary(half));
    let (_, end) = rest.split_at(rest.ceil_char_boundary(rest.len() - half));
    let [beginning, end] = [beginning, end].map(|part| line(part, half));
    Cow::Owned(format!("{beginning}…{end}"))
}

/// Returns true if `text` is a short name of lower-case letters, digits and hyphens.
pub(crate) fn is_plain_name(text: &str) -> bool {
    (1..=NAME_BYTES).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Decides by the general category (UAX #44, 5.7.1). Joiners are allowed, because they change how
/// their neighbours join.
fn is_hidden(character: char) -> bool {
    !matches!(character, '\u{200C}' | '\u{200D}')
        && matches!(
            get_general_category(character),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cannot_pretend_to_be_two_or_to_run_backwards() {
        assert_eq!(
            line("a\nb\x1b[31m\u{202e}c", 64),
            r"a\nb\u{1b}[31m\u{202e}c"
        );
        assert_eq!(line("žalia", 64), "žalia");
        for hidden in "\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2029}\u{2060}\u{2068}\u{e000}\u{feff}\u{fff9}\u{e0041}".chars() {
            let shown = line(&format!("a{hidden}b"), 64).into_owned();
            assert_eq!(shown, format!("a{}b", hidden.escape_unicode()));
        }
        assert_eq!(line("می\u{200c}خواهم", 64), "می\u{200c}خواهم");
    }

    #[test]
    fn what_is_too_long_ends_between_two_characters() {
        assert_eq!(line("zwölf", 3), "zw…");
        assert_eq!(line("zwölf", 4), "zwö…");
        assert_eq!(line("zwölf", 6), "zwölf");
    }

    #[test]
    fn what_is_cut_in_the_middle_keeps_both_ends_on_one_line() {
        assert_eq!(both_ends("zwölf", 6), "zwölf");
        assert_eq!(both_ends("eins\nzwei: drei", 8), "eins…drei");
        assert_eq!(both_ends("a\nbcd\ne", 6), r"a\nb…d\ne");
        assert_eq!(both_ends("žžžž", 4), "ž…ž");
        assert_eq!(both_ends("žžžž", 3), "…");
        assert_eq!(both_ends("ažžžb", 4), "a…b");
    }

    #[test]
    fn a_name_is_short_and_plain() {
        assert!(is_plain_name("not-a-pdf"));
        for other in ["", "Not", "a b", "a\n", &"a".repeat(NAME_BYTES + 1)] {
            assert!(!is_plain_name(other), "{other}");
        }
    }
}
