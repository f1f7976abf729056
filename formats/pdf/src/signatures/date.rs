//! PDF dates (ISO 32000-2, 7.9.4).

/// Returns the seconds since the Unix epoch of `D:YYYYMMDDHHmmSSOHH'mm'`.
/// Everything after the year is optional; no zone means UTC.
pub(super) fn seconds_since_epoch(date: &[u8]) -> Option<i64> {
    let mut rest = date.strip_prefix(b"D:").unwrap_or(date);
    let year = digits(&mut rest, 4)?;
    let mut field = |default: i64, range: std::ops::RangeInclusive<i64>| {
        let value = if rest.first().is_some_and(u8::is_ascii_digit) {
            digits(&mut rest, 2)?
        } else {
            default
        };
        range.contains(&value).then_some(value)
    };
    let (month, day) = (field(1, 1..=12)?, field(1, 1..=31)?);
    let (hour, minute, second) = (field(0, 0..=23)?, field(0, 0..=59)?, field(0, 0..=59)?);
    let days = days_since_epoch(year, month, day);
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second - zone_offset(rest)?)
}

/// Returns the offset from UTC in seconds, positive to the east.
fn zone_offset(zone: &[u8]) -> Option<i64> {
    let (sign, mut rest) = match zone {
        [] | [b'Z', ..] => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let hours = digits(&mut rest, 2)?;
    let mut rest = rest.strip_prefix(b"'").unwrap_or(rest);
    let minutes = if rest.is_empty() {
        0
    } else {
        digits(&mut rest, 2)?
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Years start in March, so that the leap day is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719 468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + day_of_year - 719_468
}

fn digits(rest: &mut &[u8], len: usize) -> Option<i64> {
    let (digits, after) = rest.split_at_checked(len)?;
    *rest = after;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |value, digit| value * 10 + i64::from(digit - b'0')),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_the_instant_that_its_zone_makes_it() {
        assert_eq!(seconds_since_epoch(b"D:19700101000000Z"), Some(0));
        assert_eq!(
            seconds_since_epoch(b"D:20240229120000+02'00'"),
            Some(1_709_200_800)
        );
        assert_eq!(
            seconds_since_epoch(b"D:20240229120000-02'30"),
            Some(1_709_217_000)
        );
        assert_eq!(seconds_since_epoch(b"D:2024"), Some(1_704_067_200));
    }

    #[test]
    fn what_is_no_date_has_no_time() {
        for other in [
            &b""[..],
            b"D:",
            b"D:20241301",
            b"yesterday",
            b"D:20240101000000+2",
        ] {
            assert_eq!(seconds_since_epoch(other), None);
        }
    }
}
