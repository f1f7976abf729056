//! PDF syntax of small things (ISO 32000-2, 7.3).

use crate::structure::RawDictionary;

/// What a number is written in, as parts of one: a millionth of a point is far
/// below what any device shows.
const PARTS: f64 = 1e6;

/// A number as it is written, without an exponent and without trailing zeros
/// (7.3.3).
pub(crate) fn number(value: f64) -> String {
    // A negative zero becomes a positive one.
    let rounded = (value * PARTS).round() / PARTS + 0.0;
    format!("{rounded}")
}

/// A name without its slash, its bytes escaped where they must be (7.3.5).
pub(crate) fn escaped(name: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(name.len());
    for byte in name {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+') {
            written.push(*byte);
        } else {
            written.extend_from_slice(format!("#{byte:02X}").as_bytes());
        }
    }
    written
}

/// A dictionary with further entries at its end; the source is exactly a
/// dictionary that has none of the keys, which are escaped. The entries start on a line of their
/// own, because the last line may be a comment.
pub(crate) fn with_entries<'e>(
    source: &[u8],
    entries: impl IntoIterator<Item = (&'e [u8], &'e [u8])>,
) -> Vec<u8> {
    let mut extended = source.strip_suffix(b">>").unwrap_or(source).to_vec();
    for (key, value) in entries {
        extended.extend_from_slice(b"\n/");
        extended.extend_from_slice(key);
        extended.push(b' ');
        extended.extend_from_slice(value);
    }
    extended.extend_from_slice(b"\n>>");
    extended
}

/// A dictionary without the entry of a key; the source is exactly the one that
/// was scanned.
pub(crate) fn without_entry(source: &[u8], scanned: &RawDictionary<'_>, key: &[u8]) -> Vec<u8> {
    let Some(entry) = scanned.find(key) else {
        return source.to_vec();
    };
    let before = source.get(..entry.span.start).unwrap_or_default();
    let after = source.get(entry.span.end..).unwrap_or_default();
    // What follows may begin with a regular character of a comment-free line.
    [before, b" ", after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_no_more_digits_than_it_needs() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.000_000_01), "0");
        assert_eq!(number(72.099_998_474_121_1), "72.099998");
        assert_eq!(number(0.5), "0.5");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(-1e9), "-1000000000");
    }

    #[test]
    fn a_name_is_escaped_where_it_must_be() {
        assert_eq!(escaped(b"F1 (#)"), b"F1#20#28#23#29");
    }

    #[test]
    fn entries_are_added_after_a_comment_not_inside_it() {
        let source = b"<< /A 1 % >>\n>>";

        let extended = with_entries(source, [(&b"B"[..], &b"2"[..])]);

        let scanned = RawDictionary::scan(&extended).unwrap();
        assert_eq!(scanned.value(b"B"), Some(&b"2"[..]));
    }

    #[test]
    fn a_removed_entry_leaves_all_others() {
        let source = b"<</A[1]/B/C/D(x)>>";
        let scanned = RawDictionary::scan(source).unwrap();

        assert_eq!(without_entry(source, &scanned, b"B"), b"<</A[1] /D(x)>>");
        assert_eq!(without_entry(source, &scanned, b"X"), source);
    }
}
