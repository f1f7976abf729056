//! `xs:dateTime` (XML Schema 1.1 part 2, 3.3.7).

use std::time::Duration;

use der::DateTime;

/// Returns seconds since the Unix epoch. Fractions are truncated, and a time
/// without a zone is UTC. `None` for an invalid time or one before 1970.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_once('T')?;
    let zone_at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone_at);
    let time = match time.split_once('.') {
        Some((time, fraction)) if !fraction.is_empty() && is_number(fraction) => time,
        Some(_) => return None,
        None => time,
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let byte = |number: u16| u8::try_from(number).ok();
    let local = DateTime::new(
        year,
        byte(month)?,
        byte(day)?,
        byte(hour)?,
        byte(minute)?,
        byte(second)?,
    )
    .ok()?;
    let local = i64::try_from(local.unix_duration().as_secs()).ok()?;
    let seconds = local.checked_sub(offset(zone)?)?;
    (seconds >= 0).then_some(seconds)
}

/// Returns a signing time, given in seconds since the Unix epoch, as
/// `xs:dateTime` in UTC. `None` if the time is out of range.
#[must_use]
pub fn write(seconds: i64) -> Option<String> {
    let seconds = u64::try_from(seconds).ok()?;
    let time = DateTime::from_unix_duration(Duration::from_secs(seconds)).ok()?;
    Some(time.to_string())
}

/// Returns the seconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.bytes().next() {
        None => return Some(0),
        Some(b'Z') => return (zone == "Z").then_some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let [hours, minutes] = numbers(zone.get(1..)?, ':', [2, 2])?;
    Some(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u16; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    let parts: [&str; N] = parts.try_into().ok()?;
    let mut numbers = [0; N];
    for (index, part) in parts.into_iter().enumerate() {
        if part.len() != digits[index] || !is_number(part) {
            return None;
        }
        numbers[index] = part.parse().ok()?;
    }
    Some(numbers)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_zones() {
        assert_eq!(parse("2020-06-17T10:19:54+03:00"), Some(1_592_378_394));
        assert_eq!(parse("\n2020-06-17T07:19:54.123Z "), Some(1_592_378_394));
        assert_eq!(parse("2020-06-17T07:19:54"), Some(1_592_378_394));
        assert_eq!(parse("2020-06-17T02:19:54-05:00"), Some(1_592_378_394));
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for text in [
            "",
            "2020-06-17",
            "2020-13-17T07:19:54Z",
            "2020-06-17T07:19Z",
            "2020-06-17T07:19:54.Z",
            "2020-06-17T07:19:54+0300",
            "20-06-17T07:19:54Z",
            "1969-12-31T23:59:59Z",
            "2020-06-17T07:19:54ą",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(
            write(1_592_378_394).as_deref(),
            Some("2020-06-17T07:19:54Z")
        );
        assert_eq!(write(-1), None);
    }
}
