//! Headers of downloads: file name, and restrictions in a browser.

use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue};
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

/// Policy for files of others that a browser shows nevertheless: no origin, no scripts, no frames
/// (CSP Level 3, 6.3.2).
const FILE_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// Handling of a file by a browser (RFC 6266, 4.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Disposition {
    /// Saved.
    Attachment,
    /// Shown, if the browser can.
    Inline,
}

/// Headers of a file from another party. It is shown or saved under its name, and never sniffed for
/// another media type. Its scripts and dialogs cannot appear under the service's address.
#[must_use]
pub fn file_headers(disposition: Disposition, file_name: &str) -> [(HeaderName, HeaderValue); 3] {
    [
        (
            CONTENT_DISPOSITION,
            content_disposition(disposition, file_name),
        ),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(FILE_POLICY),
        ),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ]
}

/// `Content-Disposition` (RFC 6266, 4.3): the name in ASCII for old browsers, and in full for all
/// others. Folders before it are left out: a browser that heeds them saves elsewhere.
fn content_disposition(disposition: Disposition, path: &str) -> HeaderValue {
    let handling = match disposition {
        Disposition::Attachment => "attachment",
        Disposition::Inline => "inline",
    };
    let file_name = path.rsplit('/').next().unwrap_or(path);
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
    let full = utf8_percent_encode(file_name, NOT_ATTR_CHAR);
    HeaderValue::try_from(format!(
        "{handling}; filename=\"{ascii}\"; filename*=UTF-8''{full}"
    ))
    .expect("both forms of the name are ASCII without control characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(path: &str) -> HeaderValue {
        content_disposition(Disposition::Attachment, path)
    }

    #[test]
    fn a_name_travels_in_ascii_and_in_full() {
        assert_eq!(
            attachment("Sutartis Žalgirio 1.pdf"),
            "attachment; filename=\"Sutartis _algirio 1.pdf\"; filename*=UTF-8''Sutartis%20%C5%BDalgirio%201.pdf"
        );
    }

    #[test]
    fn a_name_cannot_break_out_of_the_header() {
        assert_eq!(
            attachment("a\"b\\c\r\n%d'.pdf"),
            "attachment; filename=\"a_b_c___d'.pdf\"; filename*=UTF-8''a%22b%5Cc%0D%0A%25d%27.pdf"
        );
    }

    #[test]
    fn folders_are_no_part_of_a_name() {
        assert_eq!(
            content_disposition(Disposition::Inline, "appendices/../1/Kainos.pdf"),
            "inline; filename=\"Kainos.pdf\"; filename*=UTF-8''Kainos.pdf"
        );
    }
}
