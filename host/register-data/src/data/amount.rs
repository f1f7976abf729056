//! Decimal numbers, exact, as text: money and other quantities.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most digits before the point.
const WHOLE_DIGITS: usize = 18;
/// The largest amount, in hundredths.
const MOST_HUNDREDTHS: u128 = 10_u128.pow(20) - 1;
/// Most digits after the point of an amount as a source writes it: more than
/// those of a double-precision number.
const WRITTEN_DIGITS: usize = 32;

/// An amount of money that is not negative: up to 18 digits, and always two
/// after the point. Of an amount that a source wrote with more, the rest is
/// rounded to the nearest cent, half a cent up.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = r"^[0-9]{1,18}\.[0-9]{2}$"))]
pub struct Amount(String);

/// A text that is not an [`Amount`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an amount is up to 18 digits, and digits after a point")]
pub struct InvalidAmount;

/// A decimal number that is not negative, as the register writes it: up to 18
/// digits, and up to 8 after a point.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = r"^[0-9]{1,18}(\.[0-9]{1,8})?$"))]
pub struct Quantity(String);

/// A text that is not a [`Quantity`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a quantity is up to 18 digits, and up to 8 after a point")]
pub struct InvalidQuantity;

impl Amount {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Amount {
    type Err = InvalidAmount;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, fraction) = parts(text, WRITTEN_DIGITS).ok_or(InvalidAmount)?;
        let (cents, rest) = match fraction.split_at_checked(2) {
            Some((cents, rest)) => (cents.to_owned(), rest),
            None => (format!("{fraction:0<2}"), ""),
        };
        let is_rounded_up = rest.starts_with(|digit| digit >= '5');
        let hundredths: u128 = format!("{whole}{cents}").parse().or(Err(InvalidAmount))?;
        let hundredths = hundredths + u128::from(is_rounded_up);
        if hundredths > MOST_HUNDREDTHS {
            return Err(InvalidAmount);
        }
        Ok(Self(format!(
            "{}.{:02}",
            hundredths / 100,
            hundredths % 100
        )))
    }
}

impl FromStr for Quantity {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_quantity = parts(text, 8).is_some();
        is_quantity
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidQuantity)
    }
}

/// The digits before and after the point.
fn parts(text: &str, longest_fraction: usize) -> Option<(&str, &str)> {
    let is_number = |part: &str, longest| {
        (1..=longest).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (text, "0"),
    };
    let is_decimal = is_number(whole, WHOLE_DIGITS) && is_number(fraction, longest_fraction);
    is_decimal.then_some((whole, fraction))
}

macro_rules! read_from_text {
    ($number:ident, $invalid:ident) => {
        impl TryFrom<String> for $number {
            type Error = $invalid;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$number> for String {
            fn from(number: $number) -> Self {
                number.0
            }
        }
    };
}

read_from_text!(Amount, InvalidAmount);
read_from_text!(Quantity, InvalidQuantity);
