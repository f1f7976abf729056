//! Base64 of documents.

use std::fmt;

use ::base64::engine::DecodePaddingMode;
use ::base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use ::base64::{Engine as _, alphabet};

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

/// What text in base64 of either alphabet, padded or not, encodes: 1 to `longest`
/// bytes. Cards' apps have it from different libraries.
#[must_use]
pub fn any_base64(text: &str, longest: usize) -> Option<Vec<u8>> {
    const ANY: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, ANY);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, ANY);

    let engine = match text.contains(['-', '_']) {
        true => URL_SAFE,
        false => STANDARD,
    };
    let decoded = engine.decode(text).ok();
    decoded.filter(|octets| (1..=longest).contains(&octets.len()))
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
