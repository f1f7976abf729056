//! A month of the usage ledger.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A month in UTC, such as `2026-10`, by its first day.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Month(Date);

/// Text that is not a month.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a month: write one, such as 2026-10")]
pub struct NoMonth(String);

impl FromStr for Month {
    type Err = NoMonth;

    fn from_str(text: &str) -> Result<Self, NoMonth> {
        let first = (text.len() == "2026-10".len()).then(|| format!("{text}-01").parse());
        match first {
            Some(Ok(first)) => Ok(Self(first)),
            _ => Err(NoMonth(text.to_owned())),
        }
    }
}

impl Month {
    /// Returns its start.
    pub(crate) fn start(self) -> Timestamp {
        start_of(self.0)
    }

    /// Returns the start of the next one.
    pub(crate) fn end(self) -> Timestamp {
        let next = self.0.last_of_month().tomorrow();
        next.map_or(Timestamp::MAX, start_of)
    }
}

fn start_of(day: Date) -> Timestamp {
    let start = day.to_zoned(TimeZone::UTC);
    start.map_or(Timestamp::MAX, |start| start.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_where_the_next_one_begins() {
        for (month, start, end) in [
            ("2026-10", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
            ("2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2028-02", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
        ] {
            let month: Month = month.parse().unwrap();
            assert_eq!(month.start(), start.parse().unwrap());
            assert_eq!(month.end(), end.parse().unwrap());
        }
    }

    #[test]
    fn what_is_no_month_is_refused() {
        for text in [
            "",
            "2026",
            "2026-13",
            "2026-1",
            "2026-00",
            "10-2026",
            "2026-10-01",
        ] {
            assert!(text.parse::<Month>().is_err(), "{text:?}");
        }
    }
}
