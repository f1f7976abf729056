//! Base64 of documents.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use fast_base64::Engine as _;
use fast_base64::engine::Simd;
use fast_base64::engine::general_purpose::{
    PAD, STANDARD_PAD_INDIFFERENT, URL_SAFE_PAD_INDIFFERENT,
};
use memchr::memchr2_iter;

/// Standard base64 with padding, by the processor's vector instructions.
static BY_VECTORS: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));

/// Characters that carry three bytes.
const GROUP: usize = 4;

/// Reason why a text is not decoded.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum NotDecoded {
    Malformed,
    TooLong { longest: usize },
}

impl fmt::Display for NotDecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => {
                f.write_str("must be standard base64 with padding (line breaks are skipped)")
            }
            Self::TooLong { longest } => write!(f, "must decode to at most {longest} bytes"),
        }
    }
}

/// Decodes base64 of either alphabet, padded or not, with or without line breaks,
/// to 1 to `longest` bytes.
pub(super) fn decode_any(text: &str, longest: usize) -> Option<Vec<u8>> {
    let text = without_line_breaks(text);
    let engine = match text.contains(['-', '_']) {
        true => URL_SAFE_PAD_INDIFFERENT,
        false => STANDARD_PAD_INDIFFERENT,
    };
    let decoded = engine.decode(text.as_ref()).ok();
    decoded.filter(|octets| (1..=longest).contains(&octets.len()))
}

/// Decodes at most `longest` bytes; more are refused before they are decoded.
pub(super) fn decode(text: &str, longest: usize) -> Result<Vec<u8>, NotDecoded> {
    let text = without_line_breaks(text);
    let padding = text
        .bytes()
        .rev()
        .take(2)
        .filter(|byte| *byte == b'=')
        .count();
    let length = (text.len() / GROUP * 3).saturating_sub(padding);
    if length > longest {
        return Err(NotDecoded::TooLong { longest });
    }
    BY_VECTORS
        .decode(text.as_ref())
        .map_err(|_| NotDecoded::Malformed)
}

/// Removes the line breaks of mail encoders (RFC 2045, 6.8), wherever they are.
fn without_line_breaks(text: &str) -> Cow<'_, str> {
    let mut breaks = memchr2_iter(b'\r', b'\n', text.as_bytes()).peekable();
    if breaks.peek().is_none() {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut begin = 0;
    for at in breaks {
        kept.push_str(&text[begin..at]);
        begin = at + 1;
    }
    kept.push_str(&text[begin..]);
    kept.into()
}

#[cfg(test)]
mod tests {
    use fast_base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn the_limit_is_exact() {
        for length in 1..=7 {
            let text = STANDARD.encode(vec![7; length]);
            assert_eq!(decode(&text, length).map(|bytes| bytes.len()), Ok(length));
            assert_eq!(
                decode(&text, length - 1),
                Err(NotDecoded::TooLong {
                    longest: length - 1
                })
            );
        }
    }

    #[test]
    fn line_breaks_count_for_nothing() {
        let line = STANDARD.encode([7; 57]);
        assert_eq!(line.len(), 76);
        for lines in [
            format!("{line}\r\n{line}\r\n"),
            format!("{line}\n{line}"),
            format!("\n{line}{line}\n\n"),
        ] {
            assert_eq!(decode(&lines, 114), Ok(vec![7; 114]), "{lines:?}");
            assert_eq!(decode_any(&lines, 114), Some(vec![7; 114]), "{lines:?}");
            assert_eq!(
                decode(&lines, 113),
                Err(NotDecoded::TooLong { longest: 113 })
            );
        }
    }

    #[test]
    fn texts_that_are_decoded_by_vectors_are_judged_as_those_that_are_not() {
        const FOREIGN: [&str; 9] = ["=", "-", "_", " ", "\0", "\u{7f}", "\u{80}", "A", "/"];

        for length in 0..150_usize {
            let bytes: Vec<u8> = (0..length)
                .map(|at| (at * 37 + length).to_le_bytes()[0])
                .collect();
            let text = STANDARD.encode(&bytes);
            assert_eq!(decode(&text, length), Ok(bytes));
            for at in 0..text.len() {
                for foreign in FOREIGN {
                    let changed = [&text[..at], foreign, &text[at + 1..]].concat();
                    let expected = STANDARD.decode(&changed).ok();
                    assert_eq!(decode(&changed, usize::MAX).ok(), expected, "{changed}");
                }
            }
        }
    }

    #[test]
    fn only_the_standard_alphabet_with_padding_is_decoded() {
        for text in ["AA", "AA=", "AAA_", "AA==\t", "A A=", "====", "AB=="] {
            assert_eq!(decode(text, 100), Err(NotDecoded::Malformed), "{text}");
        }
    }
}
