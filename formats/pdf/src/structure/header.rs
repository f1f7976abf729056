//! The header line (ISO 32000-2, 7.5.2).

use memchr::memmem;
use parafa_format_core::Refusal;

const HEADER: &[u8] = b"%PDF-";

/// Maximum offset at which other readers search for the header, in bytes.
const SEARCHED_BYTES: usize = 1024;

/// Returns the header version, such as `1.7`. The rest of the line is a
/// comment, like the version itself.
pub(super) fn version(bytes: &[u8]) -> Result<&str, Refusal> {
    let Some(rest) = bytes.strip_prefix(HEADER) else {
        let start = bytes.get(..SEARCHED_BYTES).unwrap_or(bytes);
        return Err(match memmem::find(start, HEADER) {
            Some(offset) => Refusal::new(
                "header-offset",
                format!("The file does not begin with %PDF-, which stands at byte {offset}."),
            ),
            None => Refusal::new("not-a-pdf", "The file does not begin with %PDF-."),
        });
    };
    let version = match rest {
        [b'1', b'.', b'0'..=b'7', end, ..] | [b'2', b'.', b'0', end, ..]
            if !matches!(end, b'0'..=b'9' | b'.') =>
        {
            rest.get(..3)
        }
        _ => None,
    };
    version
        .and_then(|version| std::str::from_utf8(version).ok())
        .ok_or_else(|| {
            Refusal::new(
                "not-a-pdf",
                "The version after %PDF- is not one of 1.0 to 1.7 and 2.0.",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_published_versions_are_pdf() {
        assert_eq!(version(b"%PDF-1.4\n").unwrap(), "1.4");
        assert_eq!(version(b"%PDF-2.0\r").unwrap(), "2.0");
        assert_eq!(version(b"%PDF-1.6 %\xE2\xE3\n").unwrap(), "1.6");
        for other in [
            &b"%PDF-1.8\n"[..],
            b"%PDF-2.1\n",
            b"%PDF-1.45\n",
            b"%PDF-1.4.1\n",
            b"%PDF-",
            b"PK\x03\x04",
            b"",
        ] {
            assert_eq!(version(other).unwrap_err().code, "not-a-pdf");
        }
    }

    #[test]
    fn bytes_before_the_header_are_refused_as_such() {
        assert_eq!(version(b"\n%PDF-1.4\n").unwrap_err().code, "header-offset");
    }
}
