use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Language of a signer's page and mail.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    En,
    /// Lithuanian.
    #[default]
    Lt,
}

impl Language {
    /// The BCP 47 tag.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Lt => "lt",
        }
    }
}

/// A Lithuanian personal code (*asmens kodas*): eleven digits. `Debug` and
/// `Display` never show it.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PersonalCode(String);

impl PersonalCode {
    /// The eleven digits.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Returns true if the last digit is the check digit of the first ten. Codes in real
    /// certificates may fail this; only typed codes are tested.
    #[must_use]
    pub fn has_valid_check_digit(&self) -> bool {
        const FIRST: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1];
        const SECOND: [u32; 10] = [3, 4, 5, 6, 7, 8, 9, 1, 2, 3];

        let digits: Vec<u32> = self
            .0
            .chars()
            .filter_map(|digit| digit.to_digit(10))
            .collect();
        let remainder = |weights: [u32; 10]| {
            digits
                .iter()
                .zip(weights)
                .map(|(digit, weight)| digit * weight)
                .sum::<u32>()
                % 11
        };
        let check = match remainder(FIRST) {
            10 => remainder(SECOND) % 10,
            check => check,
        };
        digits.last() == Some(&check)
    }
}

impl FromStr for PersonalCode {
    type Err = PersonalCodeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() == 11 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(PersonalCodeError)
        }
    }
}

impl TryFrom<String> for PersonalCode {
    type Error = PersonalCodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PersonalCode> for String {
    fn from(code: PersonalCode) -> Self {
        code.0
    }
}

impl fmt::Debug for PersonalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonalCode(…)")
    }
}

/// A text that is not eleven digits.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a personal code has exactly 11 digits")]
pub struct PersonalCodeError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_tells_a_typing_error() {
        for code in [
            "33309240064",
            "38703181745",
            "50001018865",
            "51001091072",
            "40504040001",
        ] {
            assert!(
                code.parse::<PersonalCode>()
                    .unwrap()
                    .has_valid_check_digit(),
                "{code}"
            );
        }
        assert!(
            !"33309240164"
                .parse::<PersonalCode>()
                .unwrap()
                .has_valid_check_digit()
        );
    }

    #[test]
    fn anything_but_eleven_digits_is_refused() {
        for text in [
            "",
            "3330924006",
            "333092400644",
            "3330924006a",
            "３３３０９２４００６４",
        ] {
            assert_eq!(
                text.parse::<PersonalCode>(),
                Err(PersonalCodeError),
                "{text}"
            );
        }
    }

    #[test]
    fn debug_shows_no_digit() {
        let code: PersonalCode = "33309240064".parse().unwrap();

        assert!(!format!("{code:?}").contains(|shown: char| shown.is_ascii_digit()));
    }
}
