//! Times, for `#[serde(serialize_with)]`.

use jiff::Timestamp;
use serde::Serializer;

/// A time as in all answers: a `date-time` of RFC 3339, 5.6, in UTC, with `Z` and milliseconds.
#[must_use]
pub fn date_time(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Writes a time.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date_time(*time))
}

/// The same for an optional time, with null for `None`.
pub mod nullable {
    use super::{Serializer, Timestamp};

    /// Writes a time, or null.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_to_the_millisecond_whatever_it_holds() {
        for (time, told) in [
            (
                "2026-03-01T10:00:00.123456789+02:00",
                "2026-03-01T08:00:00.123Z",
            ),
            ("2026-03-01T08:00:00Z", "2026-03-01T08:00:00.000Z"),
        ] {
            let time: Timestamp = time.parse().expect("a time");
            assert_eq!(date_time(time), told);
        }
    }
}
