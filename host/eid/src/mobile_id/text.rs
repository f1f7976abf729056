use parafa_eid_protocols::mobile_id::{
    LONGEST_GSM_7, LONGEST_UCS_2, MOST_OF_GSM_7_EXTENSION, is_gsm_7, is_gsm_7_extension, is_ucs_2,
};
use unicode_normalization::UnicodeNormalization as _;

use crate::display::{self, InvalidDisplayText};

/// Text for the phone, in GSM-7 if that has all of its characters, otherwise in UCS-2.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DisplayText {
    text: String,
    format: &'static str,
}

impl DisplayText {
    /// # Errors
    /// [`InvalidDisplayText`] when the text is blank, too long, or has characters
    /// that no phone shows.
    pub fn new(text: &str) -> Result<Self, InvalidDisplayText> {
        if text.trim().is_empty() {
            return Err(InvalidDisplayText::Blank);
        }
        let length = text.chars().count();
        let of_extension = text.chars().filter(|c| is_gsm_7_extension(*c)).count();
        let is_gsm_7 = of_extension <= MOST_OF_GSM_7_EXTENSION && text.chars().all(is_gsm_7);
        let (format, longest) = match is_gsm_7 {
            true => ("GSM-7", LONGEST_GSM_7),
            false => ("UCS-2", LONGEST_UCS_2),
        };
        if length > longest {
            return Err(InvalidDisplayText::TooLong { length, longest });
        }
        if !text.chars().all(is_ucs_2) {
            return Err(InvalidDisplayText::BeyondUcs2);
        }
        Ok(Self {
            text: text.to_owned(),
            format,
        })
    }

    /// As much of a text as phones show. The text is kept if it fits. Otherwise it is
    /// transliterated to GSM-7, which fits twice as many characters; failing that, it is in UCS-2.
    ///
    /// # Errors
    /// [`InvalidDisplayText::Blank`].
    pub fn fitting(text: &str) -> Result<Self, InvalidDisplayText> {
        if let Ok(whole) = Self::new(text) {
            return Ok(whole);
        }
        let transliterated: Option<String> = text.chars().map(in_gsm_7).collect();
        let shown = match transliterated {
            Some(text) => display::shortened(&text, LONGEST_GSM_7, "...", |_| 1),
            None => {
                let in_ucs_2 = |c| if is_ucs_2(c) { c } else { '?' };
                let text: String = text.chars().map(in_ucs_2).collect();
                display::shortened(&text, LONGEST_UCS_2, "…", |_| 1)
            }
        };
        Self::new(&shown)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `displayTextFormat`.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.format
    }
}

/// Replacement of a character in the basic table of GSM-7; `None` if there is none.
fn in_gsm_7(character: char) -> Option<String> {
    let in_its_place = match character {
        '„' | '“' | '”' | '«' | '»' => "\"",
        '‘' | '’' | '‚' | '`' | '´' => "'",
        '–' | '—' | '−' | '~' => "-",
        '…' => "...",
        '€' => "EUR",
        '[' | '{' => "(",
        ']' | '}' => ")",
        '|' | '\\' => "/",
        '^' => " ",
        _ if is_gsm_7(character) => return Some(character.to_string()),
        _ => {
            let base = character.nfkd().next()?;
            return is_gsm_7(base).then(|| base.to_string());
        }
    };
    Some(in_its_place.to_owned())
}

/// Language of the phone's own text. The service uses English if it lacks the language in the
/// phone's country.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Estonian.
    Estonian,
    /// Lithuanian.
    Lithuanian,
    /// Russian.
    Russian,
}

impl Language {
    /// The language with this ISO 639-2 code; English if the service lacks it.
    #[must_use]
    pub fn of(code: &str) -> Self {
        match code {
            "est" => Self::Estonian,
            "lit" => Self::Lithuanian,
            "rus" => Self::Russian,
            _ => Self::English,
        }
    }

    /// `language`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "ENG",
            Self::Estonian => "EST",
            Self::Lithuanian => "LIT",
            Self::Russian => "RUS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Result<&'static str, InvalidDisplayText> {
        DisplayText::new(text).map(|text| text.format())
    }

    #[test]
    fn a_text_goes_as_gsm_7_where_it_can_and_else_as_ucs_2() {
        assert_eq!(format("Sign: à Ñ @ (1)?"), Ok("GSM-7"));
        assert_eq!(format("[5] {€}"), Ok("GSM-7"));
        assert_eq!(format("Pasirašyti?"), Ok("UCS-2"));
        assert_eq!(format("{{{{{{"), Ok("UCS-2"), "six of the extension");
        assert_eq!(format("a`b"), Ok("UCS-2"));
    }

    #[test]
    fn a_text_is_as_long_as_its_format_allows() {
        assert_eq!(format(&"a".repeat(100)), Ok("GSM-7"));
        assert_eq!(format(&"š".repeat(50)), Ok("UCS-2"));
        for (text, length, longest) in [("a".repeat(101), 101, 100), ("š".repeat(51), 51, 50)] {
            let refused = InvalidDisplayText::TooLong { length, longest };
            assert_eq!(format(&text), Err(refused));
        }
        assert_eq!(format(" \n"), Err(InvalidDisplayText::Blank));
        assert_eq!(format("🖋"), Err(InvalidDisplayText::BeyondUcs2));
    }

    #[test]
    fn what_does_not_fit_as_it_is_is_shown_in_other_letters_or_cut() {
        let fitting = |text: &str| {
            let shown = DisplayText::fitting(text).unwrap();
            (shown.as_str().to_owned(), shown.format())
        };
        let lithuanian = "VšĮ „Vilniaus universiteto ligoninė“ – Santaros klinikos";
        for (text, shown, format) in [
            ("Pasirašyti?", "Pasirašyti?", "UCS-2"),
            (
                lithuanian,
                "VsI \"Vilniaus universiteto ligonine\" - Santaros klinikos",
                "GSM-7",
            ),
            ("Parduotuvė 🛒", "Parduotuvė ?", "UCS-2"),
        ] {
            assert_eq!(fitting(text), (shown.to_owned(), format));
        }
        let of_extension = format!("{}[{{€|^", "ž".repeat(50));
        let shown = format!("{}((EUR/ ", "z".repeat(50));
        assert_eq!(fitting(&of_extension), (shown, "GSM-7"));
        let cut = |character: &str, kept: usize, ellipsis: &str| {
            format!("{}{ellipsis}", character.repeat(kept))
        };
        assert_eq!(fitting(&"ž".repeat(101)), (cut("z", 97, "..."), "GSM-7"));
        assert_eq!(fitting(&"я".repeat(51)), (cut("я", 49, "…"), "UCS-2"));
        assert!(DisplayText::fitting(" ").is_err());
    }

    #[test]
    fn a_language_that_the_service_has_not_is_english() {
        assert_eq!(Language::of("lit").name(), "LIT");
        assert_eq!(Language::of("pol").name(), "ENG");
    }
}
