//! Strict Base64: one text per byte sequence, without line breaks.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

/// Encodes base64url without padding (RFC 7515, 2).
pub(crate) fn to_base64url(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url without padding; `None` for non-canonical text.
pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// Encodes base64 with padding (RFC 4648, 4), as for certificates and tokens.
pub(crate) fn to_base64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Decodes base64 with padding; `None` for non-canonical text.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_have_one_text(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(from_base64url(&to_base64url(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_base64(&to_base64(&bytes)), Some(bytes));
        }

        #[test]
        fn a_text_that_is_taken_is_the_one_of_its_bytes(text in "[A-Za-z0-9_=+/ -]{0,9}") {
            if let Some(bytes) = from_base64url(&text) {
                prop_assert_eq!(to_base64url(bytes), text);
            }
        }
    }

    #[test]
    fn other_alphabets_padding_and_bits_that_are_left_over_are_not_taken() {
        for text in ["+w", "_w==", "_w=", "_x", " _w", "_w\n", "_"] {
            assert_eq!(from_base64url(text), None, "{text:?}");
        }
        assert_eq!(from_base64url("_w"), Some(vec![0xff]));
    }
}
