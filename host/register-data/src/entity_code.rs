use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check_digit::{check_digit, digits};
use crate::held_as_text::held_as_text;

/// The code of a legal entity (juridinio asmens kodas): nine digits, the last of
/// them a check digit. It is assigned by the Register of Legal Entities and does
/// not change with name, form or seat.
#[derive(
    Clone, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9]{9}$"))]
pub struct EntityCode(String);

/// Reason why a text is not the code of a legal entity.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidEntityCode {
    /// The length or a character is wrong.
    #[error("the code of a legal entity has exactly nine digits")]
    Shape,
    /// The check digit is wrong.
    #[error("the check digit of the code is wrong: after {first_eight:08} it must be {expected}")]
    CheckDigit {
        /// Digits before the check digit.
        first_eight: u32,
        /// Correct check digit.
        expected: u8,
    },
}

impl FromStr for EntityCode {
    type Err = InvalidEntityCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: [u8; 9] = digits(text).ok_or(InvalidEntityCode::Shape)?;
        let (given, first) = digits.split_last().ok_or(InvalidEntityCode::Shape)?;
        let expected = check_digit(first);
        if expected != *given {
            let number = |sum, digit: &u8| sum * 10 + u32::from(*digit);
            return Err(InvalidEntityCode::CheckDigit {
                first_eight: first.iter().fold(0, number),
                expected,
            });
        }
        Ok(Self(text.to_owned()))
    }
}

held_as_text!(EntityCode, InvalidEntityCode);

impl fmt::Display for EntityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
