//! Times as RFC 3339 has them.

use jiff::Timestamp;

/// `full-date`, and the separator after it.
const DATE_LENGTH: usize = "2026-03-01T".len();

/// A `date-time` of RFC 3339, 5.6. `jiff` reads everything that ISO 8601 and
/// RFC 9557 allow; the form is looked at first.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    has_form(text.as_bytes())
        .then(|| text.parse().ok())
        .flatten()
}

fn has_form(text: &[u8]) -> bool {
    let Some((date, time)) = text.split_at_checked(DATE_LENGTH) else {
        return false;
    };
    let (clock, offset) = match time.iter().position(|byte| b"Zz+-".contains(byte)) {
        Some(at) => time.split_at(at),
        None => return false,
    };
    let (clock, fraction) = match clock.iter().position(|byte| *byte == b'.') {
        Some(at) => clock.split_at(at),
        None => (clock, &b".0"[..]),
    };
    matches(date, b"dddd-dd-ddT")
        && matches(clock, b"dd:dd:dd")
        && fraction.len() > 1
        && fraction.iter().skip(1).all(u8::is_ascii_digit)
        && (matches(offset, b"Z") || matches(offset, b"+dd:dd") || matches(offset, b"-dd:dd"))
}

/// Whether `text` has the form of `pattern`, in which `d` stands for a digit
/// and letters for themselves in either case.
fn matches(text: &[u8], pattern: &[u8]) -> bool {
    text.len() == pattern.len()
        && text.iter().zip(pattern).all(|(byte, wanted)| match wanted {
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
        ] {
            assert_eq!(parse(text), same.parse().ok(), "{text}");
        }
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
