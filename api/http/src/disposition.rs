//! How a download is named.

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but `attr-char` of RFC 8187, 3.2.1.
const NOT_ATTR_CHAR: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// What a browser does with a download.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Disposition {
    /// It is saved.
    Attachment,
    /// It is shown.
    Inline,
}

impl Disposition {
    fn as_str(self) -> &'static str {
        match self {
            Self::Attachment => "attachment",
            Self::Inline => "inline",
        }
    }
}

/// `Content-Disposition` (RFC 6266, 4.3): the name in ASCII for old readers,
/// and in full for all others.
#[must_use]
pub fn content_disposition(disposition: Disposition, file_name: &str) -> HeaderValue {
    let ascii: String = file_name
        .chars()
        .map(|c| {
            if c == ' ' || c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let disposition = disposition.as_str();
    let full = utf8_percent_encode(file_name, NOT_ATTR_CHAR);
    HeaderValue::try_from(format!(
        "{disposition}; filename=\"{ascii}\"; filename*=UTF-8''{full}"
    ))
    .expect("both forms of the name are ASCII without control characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_travels_in_ascii_and_in_full() {
        assert_eq!(
            content_disposition(Disposition::Attachment, "Sutartis Žalgirio 1.pdf"),
            "attachment; filename=\"Sutartis _algirio 1.pdf\"; filename*=UTF-8''Sutartis%20%C5%BDalgirio%201.pdf"
        );
    }

    #[test]
    fn a_name_cannot_break_out_of_the_header() {
        assert_eq!(
            content_disposition(Disposition::Attachment, "a\"b\\c\r\n%d'.pdf"),
            "attachment; filename=\"a_b_c___d'.pdf\"; filename*=UTF-8''a%22b%5Cc%0D%0A%25d%27.pdf"
        );
    }
}
