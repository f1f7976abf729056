//! Times as RFC 3339 has them.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;

/// `full-date`, and the separator after it.
const DATE_LENGTH: usize = "2026-03-01T".len();

/// The point of a fraction of a second, and digits down to nanoseconds.
const LONGEST_FRACTION: usize = ".123456789".len();

/// A `date-time` of RFC 3339, 5.6. `jiff` reads all forms of ISO 8601 and RFC 9557, so the form is
/// checked first. Digits beyond nanoseconds are dropped. Times after the last one that `jiff`
/// represents, in the last hours of the year 9999, become that one.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = to_the_nanosecond(text)?;
    let pieces = Pieces::parse(text.as_ref()).ok()?;
    let local = pieces.date().to_datetime(pieces.time()?);
    let time = pieces.to_numeric_offset()?.to_timestamp(local);
    Some(time.unwrap_or(Timestamp::MAX))
}

/// The text without digits beyond nanoseconds, if its form is valid.
fn to_the_nanosecond(text: &str) -> Option<Cow<'_, str>> {
    let (date, time) = text.split_at_checked(DATE_LENGTH)?;
    let (clock, offset) = time.split_at(time.find(['Z', 'z', '+', '-'])?);
    let (clock, fraction) = match clock.find('.') {
        Some(at) => clock.split_at(at),
        None => (clock, ".0"),
    };
    let has_form = matches(date, b"dddd-dd-ddT")
        && matches(clock, b"dd:dd:dd")
        && fraction.len() > 1
        && fraction.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        && (matches(offset, b"Z") || matches(offset, b"+dd:dd") || matches(offset, b"-dd:dd"));
    if !has_form {
        return None;
    }
    Some(match fraction.get(..LONGEST_FRACTION) {
        Some(fraction) => Cow::Owned([date, clock, fraction, offset].concat()),
        None => Cow::Borrowed(text),
    })
}

/// Returns true if `text` has the form of `pattern`: `d` matches a digit, and letters match
/// themselves in either case.
fn matches(text: &str, pattern: &[u8]) -> bool {
    text.len() == pattern.len()
        && text
            .bytes()
            .zip(pattern)
            .all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                wanted => byte.eq_ignore_ascii_case(wanted),
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rfc_3339_allows_is_read() {
        for (text, same) in [
            ("2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z"),
            ("2026-03-01t08:00:00.5z", "2026-03-01T08:00:00.5Z"),
            (
                "2026-03-01T10:00:00.123456+02:00",
                "2026-03-01T08:00:00.123456Z",
            ),
            ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            (
                "2026-03-01T08:00:00.1234567899Z",
                "2026-03-01T08:00:00.123456789Z",
            ),
        ] {
            assert_eq!(parse(text), same.parse().ok(), "{text}");
        }
    }

    #[test]
    fn every_year_of_four_digits_is_read() {
        let last = Timestamp::MAX;
        for text in [
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59.999999999-23:59",
            "9999-12-30T22:00:01Z",
        ] {
            assert_eq!(parse(text), Some(last), "{text}");
        }
        assert!(parse("9999-12-30T21:59:59Z").is_some_and(|time| time < last));
        let first = parse("0000-01-01T00:00:00+23:59").unwrap();
        assert_eq!(Some(first), "-000001-12-31T00:01:00Z".parse().ok());
    }

    #[test]
    fn everything_else_is_no_time() {
        for text in [
            "",
            "2026-03-01",
            "2026-03-01T08:00:00",
            "2026-03-01 08:00:00Z",
            "2026-03-01T08:00Z",
            "20260301T080000Z",
            "2026-02-29T08:00:00Z",
            "2026-03-01T25:00:00Z",
            "9999-12-32T00:00:00Z",
            "9999-12-31T24:00:00Z",
            "2026-03-01T08:00:00.Z",
            "2026-03-01T08:00:00+0200",
            "2026-03-01T08:00:00Z[Europe/Vilnius]",
            "2026-03-01T08:00:00 Z",
            "+002026-03-01T08:00:00Z",
            "\u{661}026-03-01T08:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
