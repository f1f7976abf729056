//! Values of names, strings and numbers, independent of spelling.

use std::borrow::Cow;

use lopdf::{Object, decode_text_string};

use super::dictionary::{RawDictionary, array_items};
use super::scan::{Scanner, Token};

/// Decodes a text string (ISO 32000-2, 7.9.2.2); `None` if invalid.
/// Little-endian UTF-16 is not allowed, but some writers produce it and some
/// readers accept it.
pub(crate) fn text_string(value: &Object) -> Option<String> {
    let Some(units) = value.as_str().ok()?.strip_prefix(b"\xFF\xFE") else {
        return decode_text_string(value).ok();
    };
    let (units, _) = units.as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    let characters = char::decode_utf16(units);
    Some(
        characters
            .map(|character| character.unwrap_or('\u{FFFD}'))
            .collect(),
    )
}

/// Decodes a name (ISO 32000-2, 7.3.5) with its `#xx` escapes.
pub(crate) fn decode_name(written: &[u8]) -> Cow<'_, [u8]> {
    if written.contains(&b'#') {
        Cow::Owned(name_bytes(written).collect())
    } else {
        Cow::Borrowed(written)
    }
}

fn name_bytes(written: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = written;
    std::iter::from_fn(move || {
        let (byte, tail) = rest.split_first()?;
        match (byte, tail) {
            (b'#', [high, low, after @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                rest = after;
                Some(hex_value(*high) << 4 | hex_value(*low))
            }
            _ => {
                rest = tail;
                Some(*byte)
            }
        }
    })
}

/// Decodes a hexadecimal string (7.3.4.3); `digits` are inside the angle
/// brackets, and a missing last digit is 0.
pub(crate) fn decode_hex(digits: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digits.len().div_ceil(2));
    bytes.extend(hex_bytes(digits));
    bytes
}

fn hex_bytes(digits: &[u8]) -> impl Iterator<Item = u8> {
    let digits = digits.iter().filter(|byte| byte.is_ascii_hexdigit());
    let mut digits = digits.map(|byte| hex_value(*byte));
    std::iter::from_fn(move || {
        let high = digits.next()?;
        Some(high << 4 | digits.next().unwrap_or(0))
    })
}

/// Decodes a literal string (7.3.4.2); `text` is inside the outer parentheses.
pub(crate) fn decode_literal(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend(literal_bytes(text));
    bytes
}

fn literal_bytes(text: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (byte, tail) = rest.split_first()?;
            rest = tail;
            match byte {
                b'\r' => {
                    rest = tail.strip_prefix(b"\n").unwrap_or(tail);
                    return Some(b'\n');
                }
                b'\\' => {
                    let (decoded, after) = escape(tail);
                    rest = after;
                    if decoded.is_some() {
                        return decoded;
                    }
                }
                _ => return Some(*byte),
            }
        }
    })
}

/// Maximum depth at which keys may be reordered.
const UNORDERED_LEVELS: usize = 16;

/// Returns whether two sources have equal values. Blanks, escapes, string
/// notation and key order are ignored.
pub(crate) fn same_value(left: &[u8], right: &[u8]) -> bool {
    same_below(left, right, UNORDERED_LEVELS)
}

fn same_below(left: &[u8], right: &[u8], levels: usize) -> bool {
    left == right || same_tokens(left, right) || same_members(left, right, levels)
}

fn same_tokens(left: &[u8], right: &[u8]) -> bool {
    let (mut left, mut right) = (Scanner::new(left, 0), Scanner::new(right, 0));
    loop {
        match (left.token(), right.token()) {
            (Ok(None), Ok(None)) => return true,
            (Ok(Some((left, _))), Ok(Some((right, _)))) if same_token(left, right) => {}
            _ => return false,
        }
    }
}

/// Compares dictionaries by key and arrays by item. For duplicate keys the
/// order counts: readers differ in the one they use.
fn same_members(left: &[u8], right: &[u8], levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else {
        return false;
    };
    if let (Ok(left), Ok(right)) = (array_items(left), array_items(right)) {
        let mut pairs = left.iter().zip(&right);
        return left.len() == right.len()
            && pairs.all(|(left, right)| same_below(left, right, levels));
    }
    let (Ok(left), Ok(right)) = (RawDictionary::scan(left), RawDictionary::scan(right)) else {
        return false;
    };
    let (left, right) = (by_key(&left), by_key(&right));
    let mut pairs = left.iter().zip(&right);
    left.len() == right.len()
        && pairs.all(|(left, right)| left.0 == right.0 && same_below(left.1, right.1, levels))
}

fn by_key<'d>(dictionary: &'d RawDictionary<'_>) -> Vec<(&'d [u8], &'d [u8])> {
    let entries = dictionary.entries().iter();
    let mut entries: Vec<_> = entries.map(|entry| (&*entry.key, entry.value)).collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

fn same_token(left: Token<'_>, right: Token<'_>) -> bool {
    if left == right {
        return true;
    }
    match (left, right) {
        (Token::Name(left), Token::Name(right)) => name_bytes(left).eq(name_bytes(right)),
        (Token::Number(left), Token::Number(right)) => number(left)
            .is_some_and(|left| number(right).is_some_and(|right| left.total_cmp(&right).is_eq())),
        (Token::HexString(left), Token::HexString(right)) => hex_bytes(left).eq(hex_bytes(right)),
        (Token::LiteralString(left), Token::LiteralString(right)) => {
            literal_bytes(left).eq(literal_bytes(right))
        }
        (Token::HexString(digits), Token::LiteralString(text))
        | (Token::LiteralString(text), Token::HexString(digits)) => {
            hex_bytes(digits).eq(literal_bytes(text))
        }
        _ => false,
    }
}

fn number(written: &[u8]) -> Option<f64> {
    std::str::from_utf8(written).ok()?.parse().ok()
}

fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        b'A'..=b'F' => digit - b'A' + 10,
        _ => 0,
    }
}

fn escape(text: &[u8]) -> (Option<u8>, &[u8]) {
    match text {
        [] => (None, text),
        [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => (None, rest),
        [b'n', rest @ ..] => (Some(b'\n'), rest),
        [b'r', rest @ ..] => (Some(b'\r'), rest),
        [b't', rest @ ..] => (Some(b'\t'), rest),
        [b'b', rest @ ..] => (Some(8), rest),
        [b'f', rest @ ..] => (Some(12), rest),
        [b'0'..=b'7', ..] => {
            let len = text
                .iter()
                .take(3)
                .take_while(|byte| matches!(byte, b'0'..=b'7'))
                .count();
            let (digits, rest) = text.split_at(len);
            let value = digits.iter().fold(0_u8, |value, digit| {
                value.wrapping_mul(8).wrapping_add(digit - b'0')
            });
            (Some(value), rest)
        }
        [other, rest @ ..] => (Some(*other), rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_may_be_written_in_many_ways() {
        assert!(same_value(
            b"<</A (\\101b\\\r\n)/B 1.50>>",
            b"<< /#41 <41 62>\n/B +1.5 >>"
        ));
        assert!(!same_value(b"[1 0 R]", b"[2 0 R]"));
        assert!(!same_value(b"(A)", b"/A"));
        assert!(!same_value(b"[1 2]", b"[1 2 3]"));
    }

    #[test]
    fn keys_have_no_order_but_those_that_are_there_twice() {
        let same = |left: &str, right: &str| same_value(left.as_bytes(), right.as_bytes());

        assert!(same("[<</A 1/B<</C 2/D 3>>>>]", "[<</B<</D 3/C 2>>/A 1>>]"));
        assert!(!same("<</A 1/B 2>>", "<</A 2/B 1>>"));
        assert!(!same("<</A 1/A 2>>", "<</A 2/A 1>>"));
        assert!(!same("[/A /B]", "[/B /A]"));
    }

    #[test]
    fn an_end_of_line_inside_a_literal_string_is_one_line_feed() {
        assert_eq!(decode_literal(b"a\r\nb\rc\\053\\("), b"a\nb\nc+(");
    }

    #[test]
    fn a_text_string_is_read_in_every_encoding_that_readers_take() {
        let text = |bytes: &[u8]| text_string(&Object::string_literal(bytes));

        let same = Some("Š\u{17E}".to_owned());
        assert_eq!(text(b"\xFE\xFF\x01\x60\x01\x7E"), same);
        assert_eq!(text(b"\xFF\xFE\x60\x01\x7E\x01"), same);
        assert_eq!(text("\u{FEFF}Šž".as_bytes()), same);
        assert_eq!(text(b"\x97\x9E"), Some("Š\u{17E}".to_owned()));
        assert_eq!(text_string(&Object::Null), None);
    }

    #[test]
    fn a_missing_hexadecimal_digit_is_zero() {
        assert_eq!(decode_hex(b"4 1 5"), b"AP");
    }
}
