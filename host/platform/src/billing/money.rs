use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The currency of every amount (ISO 4217).
pub const CURRENCY: &str = "EUR";

/// An amount of euros, exact to the cent and without VAT.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Amount {
    cents: u64,
}

/// A text that is not an amount.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not an amount in euros, such as 12.50")]
pub struct NoAmount(String);

impl Amount {
    /// Creates an amount of cents.
    pub const fn from_cents(cents: u64) -> Self {
        Self { cents }
    }

    /// Returns the amount in cents.
    pub const fn cents(self) -> u64 {
        self.cents
    }

    /// Returns the sum, at most the largest amount.
    pub fn plus(self, other: Self) -> Self {
        Self::from_cents(self.cents.saturating_add(other.cents))
    }

    /// Returns the difference; `None` if it is negative.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.cents.checked_sub(other.cents).map(Self::from_cents)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.cents / 100, self.cents % 100)
    }
}

impl FromStr for Amount {
    type Err = NoAmount;

    /// Parses whole euros, with up to two digits after a point.
    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "00"));
        let parse = || {
            let scale = match fraction.len() {
                1 => 10,
                2 => 1,
                _ => return None,
            };
            digits(whole)?
                .checked_mul(100)?
                .checked_add(digits(fraction)? * scale)
        };
        let cents = parse().ok_or_else(|| NoAmount(text.to_owned()))?;
        Ok(Self::from_cents(cents))
    }
}

/// Parses a number without a sign.
fn digits(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_to_the_cent() {
        for (text, cents) in [("0", 0), ("25", 2500), ("0.5", 50), ("12.09", 1209)] {
            assert_eq!(text.parse::<Amount>().unwrap(), Amount::from_cents(cents));
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "1.005",
            "-1",
            "+1",
            "1,50",
            "1e3",
            "NaN",
            "1.+5",
            "184467440737095516.16",
        ] {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_amount_is_shown_with_its_cents() {
        assert_eq!(Amount::from_cents(5).to_string(), "0.05");
        assert_eq!(Amount::from_cents(1230).to_string(), "12.30");
    }
}
