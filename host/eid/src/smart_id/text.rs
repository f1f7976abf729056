use crate::display::{self, InvalidDisplayText};

/// Text for the app, of at most `MAX` characters. Counted in UTF-16 code units, the strictest
/// counting of the service.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DisplayText<const MAX: usize>(String);

impl<const MAX: usize> DisplayText<MAX> {
    /// # Errors
    /// [`InvalidDisplayText`] when the text is blank or too long.
    pub fn new(text: &str) -> Result<Self, InvalidDisplayText> {
        let length = text.encode_utf16().count();
        if text.trim().is_empty() {
            Err(InvalidDisplayText::Blank)
        } else if length > MAX {
            Err(InvalidDisplayText::TooLong {
                length,
                longest: MAX,
            })
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// A text that fits, shortened with an ellipsis.
    ///
    /// # Errors
    /// [`InvalidDisplayText::Blank`].
    pub fn shortened(text: &str) -> Result<Self, InvalidDisplayText> {
        let text = display::shortened(text.trim(), MAX, "…", char::len_utf16);
        Self::new(&text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_at_most_its_length_in_characters() {
        assert!(DisplayText::<60>::new(&"ž".repeat(60)).is_ok());
        let too_long = InvalidDisplayText::TooLong {
            length: 61,
            longest: 60,
        };
        assert_eq!(DisplayText::<60>::new(&"ž".repeat(61)), Err(too_long));
        assert!(DisplayText::<60>::new(&"🖋".repeat(31)).is_err());
        assert_eq!(
            DisplayText::<60>::new(" \n"),
            Err(InvalidDisplayText::Blank)
        );
    }

    #[test]
    fn a_long_text_can_be_shortened() {
        let shortened = DisplayText::<10>::shortened("Nuomos sutartis").unwrap();
        assert_eq!(shortened.as_str(), "Nuomos su…");
        assert_eq!(
            DisplayText::<10>::shortened("Sutartis").unwrap().as_str(),
            "Sutartis"
        );
        assert_eq!(
            DisplayText::<9>::shortened("Sutartis nuomos")
                .unwrap()
                .as_str(),
            "Sutartis…"
        );
    }
}
