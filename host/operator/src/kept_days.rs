//! For how many days a workspace keeps signings.

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Ten years at most.
const DAYS: RangeInclusive<u16> = 1..=3650;

/// The days, or none where signings are kept until somebody erases them.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KeptDays(pub Option<u16>);

/// A text that is no number of days.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is neither a number of days from 1 to 3650 nor none")]
pub struct NoKeptDays(String);

impl FromStr for KeptDays {
    type Err = NoKeptDays;

    fn from_str(text: &str) -> Result<Self, NoKeptDays> {
        if text == "none" {
            return Ok(Self(None));
        }
        let days = text.parse().ok().filter(|days| DAYS.contains(days));
        match days {
            Some(days) => Ok(Self(Some(days))),
            None => Err(NoKeptDays(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_one_to_ten_years_or_none() {
        for (text, days) in [("none", None), ("1", Some(1)), ("3650", Some(3650))] {
            assert_eq!(text.parse::<KeptDays>().unwrap(), KeptDays(days));
        }
        for text in ["0", "3651", "-1", "1.5", "", "never"] {
            assert!(text.parse::<KeptDays>().is_err(), "{text}");
        }
    }
}
