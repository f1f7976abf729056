use std::{fmt, str::FromStr};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::check_digit::digits;
use crate::held_as_text::held_as_text;

/// A Lithuanian personal code (asmens kodas): eleven digits. The first encodes century and sex, the
/// next six the date of birth, the last is a check digit.
///
/// Neither the date nor the check digit is verified here, because the issuer has done so. Some
/// certificates have codes with another check digit, such as `36009067968` in a provider's test
/// certificate. `Debug` does not show it.
#[derive(Clone, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct PersonalCode(String);

/// Reason why a text is not a personal code. The text itself is not repeated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a personal code has exactly eleven digits")]
pub struct InvalidPersonalCode;

impl PersonalCode {
    /// The date of birth; `None` if the code contains no valid date.
    #[must_use]
    pub fn birth_date(&self) -> Option<Date> {
        digits(&self.0).and_then(|digits| birth_date(&digits))
    }
}

impl FromStr for PersonalCode {
    type Err = InvalidPersonalCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        digits::<11>(text).ok_or(InvalidPersonalCode)?;
        Ok(Self(text.to_owned()))
    }
}

fn birth_date(digits: &[u8; 11]) -> Option<Date> {
    let century = match digits[0] {
        1 | 2 => 1800,
        3 | 4 => 1900,
        5 | 6 => 2000,
        _ => return None,
    };
    let two = |at: usize| i16::from(digits[at] * 10 + digits[at + 1]);
    let month = i8::try_from(two(3)).ok()?;
    let day = i8::try_from(two(5)).ok()?;
    Date::new(century + two(1), month, day).ok()
}

held_as_text!(PersonalCode, InvalidPersonalCode);

impl fmt::Debug for PersonalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonalCode(…)")
    }
}
