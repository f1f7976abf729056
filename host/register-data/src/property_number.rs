use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::held_as_text::held_as_text;

/// The unique number of a thing in the Real Property Register (unikalus daikto
/// numeris), in its canonical form `4400-4756-6034`; a part of a building, such
/// as a flat, has a suffix: `1234-5678-9011:4660`.
#[derive(
    Clone, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    with = "String",
    extend("pattern" = "^[0-9]{4}-[0-9]{4}-[0-9]{4}(:[0-9]{1,4})?$")
)]
pub struct PropertyNumber(String);

/// Reason why a text is not the unique number of a thing.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidPropertyNumber {
    /// The part before a colon is not twelve digits.
    #[error("a unique number has twelve digits in groups of four: 4400-4756-6034")]
    Number,
    /// The suffix after the colon is not one to four digits.
    #[error("after the colon a unique number has one to four digits: 1234-5678-9011:4660")]
    Suffix,
}

impl FromStr for PropertyNumber {
    type Err = InvalidPropertyNumber;

    /// Parses the groups with or without their dashes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, suffix) = match text.split_once(':') {
            Some((number, suffix)) => (number, Some(suffix)),
            None => (text, None),
        };
        let mut rest = number;
        let mut groups = Vec::with_capacity(3);
        for index in 0..3 {
            if index > 0 {
                rest = rest.strip_prefix('-').unwrap_or(rest);
            }
            let (group, after) = rest
                .split_at_checked(4)
                .ok_or(InvalidPropertyNumber::Number)?;
            if !group.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(InvalidPropertyNumber::Number);
            }
            groups.push(group);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(InvalidPropertyNumber::Number);
        }
        let number = groups.join("-");
        let Some(suffix) = suffix else {
            return Ok(Self(number));
        };
        let is_suffix = (1..=4).contains(&suffix.len());
        if !is_suffix || !suffix.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidPropertyNumber::Suffix);
        }
        Ok(Self(format!("{number}:{suffix}")))
    }
}

held_as_text!(PropertyNumber, InvalidPropertyNumber);

impl fmt::Display for PropertyNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
