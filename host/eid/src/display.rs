//! Texts on the screens of devices.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Prefix of the relying party's name in a login.
const LOG_IN: &str = "Prisijungti / Log in: ";

/// Text shown by a device for a login: the relying party on one line. Characters that change the
/// text's direction or are invisible are left out.
pub(crate) fn login_text(relying_party: &str) -> String {
    let is_format = |c: &char| get_general_category(*c) == GeneralCategory::Format;
    let visible = relying_party.chars().filter(|c| !is_format(c));
    let spaced = visible.map(|c| if c.is_control() { ' ' } else { c });
    let name: String = spaced.nfc().collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    format!("{LOG_IN}{}", words.join(" "))
}

/// The text, or its beginning and `ellipsis`, in `longest` units at most. No
/// letter loses its accents.
pub(crate) fn shortened(
    text: &str,
    longest: usize,
    ellipsis: &str,
    units: fn(char) -> usize,
) -> String {
    let length = |text: &str| text.chars().map(units).sum::<usize>();
    if length(text) <= longest {
        return text.to_owned();
    }
    let room = longest.saturating_sub(length(ellipsis));
    let mut kept = 0;
    let mut used = 0;
    for (at, c) in text.char_indices() {
        if used <= room && !is_combining_mark(c) {
            kept = at;
        }
        used += units(c);
    }
    let beginning = text.get(..kept).unwrap_or_default();
    format!("{}{ellipsis}", beginning.trim_end())
}

/// A text that cannot be shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidDisplayText {
    /// The text has no visible characters.
    #[error("the text to be shown is blank")]
    Blank,
    /// The text is too long.
    #[error("the text to be shown has {length} characters, more than {longest}")]
    TooLong {
        /// Its length in characters.
        length: usize,
        /// Maximum length with these characters.
        longest: usize,
    },
    /// Characters outside the basic multilingual plane, which Mobile-ID does not show.
    #[error("the text to be shown has characters outside UCS-2")]
    BeyondUcs2,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_characters(text: &str, longest: usize) -> String {
        shortened(text, longest, "…", |_| 1)
    }

    #[test]
    fn a_login_names_the_relying_party_in_one_visible_line() {
        let told = login_text(" UAB\n\u{202E}„Z\u{030C}al\u{AD}ioji\u{200B}\u{E0041}“\u{2028}");

        assert_eq!(told, "Prisijungti / Log in: UAB „Žalioji“");
    }

    #[test]
    fn a_text_is_cut_between_whole_letters() {
        assert_eq!(by_characters("Sutartis", 8), "Sutartis");
        assert_eq!(by_characters("Sutartis", 7), "Sutart…");
        // Letters that have no precomposed form.
        assert_eq!(
            by_characters("ab\u{0323}\u{0300}cd", 5),
            "ab\u{0323}\u{0300}…"
        );
        assert_eq!(by_characters("ab\u{0323}\u{0300}cd", 4), "a…");
        assert_eq!(by_characters("ab\u{0323}\u{0300}cd", 3), "a…");
        assert_eq!(shortened("🖋🖋🖋", 5, "…", char::len_utf16), "🖋🖋…");
    }
}
