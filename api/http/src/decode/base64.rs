//! Base64 of documents.

use std::fmt;

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

/// Characters that carry three bytes.
const GROUP: usize = 4;

/// Why there are no bytes.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum NotDecoded {
    Malformed,
    TooLong { longest: usize },
}

impl fmt::Display for NotDecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => {
                f.write_str("must be standard base64 with padding and without line breaks")
            }
            Self::TooLong { longest } => write!(f, "must decode to at most {longest} bytes"),
        }
    }
}

/// Decodes at most `longest` bytes; more are refused before they are decoded.
pub(super) fn decode(text: &str, longest: usize) -> Result<Vec<u8>, NotDecoded> {
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
    STANDARD.decode(text).map_err(|_| NotDecoded::Malformed)
}

#[cfg(test)]
mod tests {
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
    fn only_the_standard_alphabet_with_padding_is_decoded() {
        for text in ["AA", "AA=", "AAA_", "AA==\n", "A A=", "====", "AB=="] {
            assert_eq!(decode(text, 100), Err(NotDecoded::Malformed), "{text}");
        }
    }
}
