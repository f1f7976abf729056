//! ASN.1 times.

use der::{DateTime, Tag};

use crate::Error;
use crate::asn1::Element;

/// Returns seconds since the Unix epoch for a UTCTime or GeneralizedTime in UTC
/// (RFC 5280, 4.1.2.5). Fractions of a second, as in RFC 3161 and from some
/// responders, are truncated.
pub(crate) fn seconds_since_epoch(what: &'static str, element: Element<'_>) -> Result<i64, Error> {
    parse(element).ok_or_else(|| Error::unexpected(what))
}

/// Returns whether an element is a time.
pub(crate) fn is_time(element: &Element<'_>) -> bool {
    matches!(element.tag, Tag::UtcTime | Tag::GeneralizedTime)
}

/// First two-digit year that belongs to the 20th century.
const PIVOT_YEAR: u16 = 50;

fn parse(element: Element<'_>) -> Option<i64> {
    let text = element.value.strip_suffix(b"Z")?;
    let (year, rest) = match element.tag {
        Tag::GeneralizedTime => {
            let whole = text.split(|byte| *byte == b'.').next()?;
            let fraction = text.get(whole.len()..)?;
            if !is_fraction(fraction) {
                return None;
            }
            let (year, rest) = whole.split_at_checked(4)?;
            (number(year)?, rest)
        }
        Tag::UtcTime => {
            let (year, rest) = text.split_at_checked(2)?;
            let year = number(year)?;
            let century = if year < PIVOT_YEAR { 2000 } else { 1900 };
            (century + year, rest)
        }
        _ => return None,
    };
    let pairs = rest
        .chunks(2)
        .map(|pair| u8::try_from(number(pair)?).ok())
        .collect::<Option<Vec<u8>>>()?;
    if rest.len() != 10 {
        return None;
    }
    let [month, day, hour, minute, second] = pairs.try_into().ok()?;
    let time = DateTime::new(year, month, day, hour, minute, second).ok()?;
    i64::try_from(time.unix_duration().as_secs()).ok()
}

fn is_fraction(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn number(digits: &[u8]) -> Option<u16> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asn1::encode;

    fn seconds(tag: Tag, text: &str) -> Option<i64> {
        let der = encode(tag, text.as_bytes());
        seconds_since_epoch("Time", Element::parse("Time", &der).unwrap()).ok()
    }

    #[test]
    fn both_kinds_of_time_are_seconds_since_the_epoch() {
        assert_eq!(
            seconds(Tag::GeneralizedTime, "20261121062435Z"),
            Some(1_795_242_275)
        );
        assert_eq!(
            seconds(Tag::GeneralizedTime, "20261121062435.75Z"),
            Some(1_795_242_275)
        );
        assert_eq!(seconds(Tag::UtcTime, "261121062435Z"), Some(1_795_242_275));
        assert_eq!(seconds(Tag::UtcTime, "700101000000Z"), Some(0));
    }

    #[test]
    fn what_is_no_time_in_utc_is_none() {
        for text in [
            "20261121062435",
            "20261121062435+0200",
            "20261121062435.Z",
            "20261321062435Z",
            "2026112106243Z",
            "+0261121062435Z",
            "Z",
        ] {
            assert_eq!(seconds(Tag::GeneralizedTime, text), None, "{text}");
        }
    }
}
