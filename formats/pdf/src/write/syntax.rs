//! Serialization of PDF syntax (ISO 32000-2, 7.3).

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::ObjectId;
use sha2::{Digest, Sha256};

use crate::structure::RawDictionary;

/// Significant digits of a number: no device shows a millionth of a point, and
/// readers keep seven or eight.
const SIGNIFICANT_DIGITS: i32 = 9;

/// Minimum number of decimals available to any number.
const LEAST_DECIMALS: i32 = 6;

/// Maximum number of decimals: smaller values come from rounding.
const MOST_DECIMALS: i32 = 15;

/// Minimum length of data that is deflated, in bytes: shorter data hardly
/// shrinks.
const DEFLATED_FROM_BYTES: usize = 1024;

/// Length of a new file identifier.
const FILE_IDENTIFIER_BYTES: usize = 16;

/// Writes a number without exponent and trailing zeros (7.3.3). Small ones,
/// such as the scale of a matrix, get as many significant digits as others.
pub(crate) fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        // Adding a positive zero turns a negative zero positive.
        return format!("{:.0}", value + 0.0);
    }
    let scientific = format!("{value:e}");
    let exponent = scientific.split_once('e').map(|(_, exponent)| exponent);
    let exponent = exponent.and_then(|exponent| exponent.parse::<i32>().ok());
    let decimals = SIGNIFICANT_DIGITS - 1 - exponent.unwrap_or(0);
    let decimals = decimals.clamp(LEAST_DECIMALS, MOST_DECIMALS);
    let decimals = usize::try_from(decimals).unwrap_or_default();
    let digits = format!("{value:.decimals$}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if digits == "-0" { "0" } else { digits }.to_owned()
}

/// Writes a reference (7.3.10).
pub(crate) fn reference((number, generation): ObjectId) -> String {
    format!("{number} {generation} R")
}

/// Writes a hexadecimal string (7.3.4.3).
pub(crate) fn hex_string(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("<{digits}>")
}

/// Returns the identifier of the output file of a request (14.4).
pub(crate) fn file_identifier(seed: &[u8]) -> Vec<u8> {
    let digest = Sha256::new()
        .chain_update(b"PDF file identifier")
        .chain_update(seed)
        .finalize();
    digest.iter().copied().take(FILE_IDENTIFIER_BYTES).collect()
}

/// Writes a name without its slash, with the required escapes (7.3.5).
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

/// Appends entries to a dictionary. The source is exactly a dictionary with
/// none of the keys; the keys are escaped. The entries start on their own line,
/// because the last line may be a comment.
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

/// Removes the entry of a key; the source is exactly the scanned dictionary.
pub(crate) fn without_entry(source: &[u8], scanned: &RawDictionary<'_>, key: &[u8]) -> Vec<u8> {
    let Some(entry) = scanned.find(key) else {
        return source.to_vec();
    };
    let before = source.get(..entry.span.start).unwrap_or_default();
    let after = source.get(entry.span.end..).unwrap_or_default();
    // The entry may have been the only delimiter between its neighbours.
    [before, b" ", after].concat()
}

/// Appends an item to an array, on its own line, because the last line may be a
/// comment.
pub(crate) fn with_item(array: &[u8], item: &[u8]) -> Vec<u8> {
    let items = array.strip_suffix(b"]").unwrap_or(array);
    [items, b"\n", item, b"]"].concat()
}

/// Writes a stream with its dictionary, including `/Length`, and data (7.3.8).
pub(super) fn stream(dictionary: &[u8], data: &[u8]) -> Vec<u8> {
    [dictionary, b"\nstream\n", data, b"\nendstream"].concat()
}

/// Encodes data of a new stream and extends its dictionary, which has no
/// `/Filter`: long data is deflated (7.4.4).
pub(crate) fn encoded(dictionary: &[u8], data: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    if data.len() >= DEFLATED_FROM_BYTES {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        let written = encoder.write_all(&data).and_then(|()| encoder.finish());
        if let Ok(deflated) = written
            && deflated.len() < data.len()
        {
            let filter = [(&b"Filter"[..], &b"/FlateDecode"[..])];
            return (with_entries(dictionary, filter), deflated);
        }
    }
    (dictionary.to_vec(), data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_no_more_digits_than_it_needs() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-1e-17), "0");
        assert_eq!(number(72.099_998_474_121_1), "72.0999985");
        assert_eq!(number(0.5), "0.5");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(-1e9), "-1000000000");
        assert_eq!(number(123_456_789.25), "123456789.25");
    }

    #[test]
    fn a_small_number_keeps_its_significant_digits() {
        assert_eq!(number(2.5e-7), "0.00000025");
        assert_eq!(number(1.0 / 3e6), "0.000000333333333");
        assert_eq!(number(-0.000_123_456_789), "-0.000123456789");
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
    fn an_item_is_added_after_a_comment_not_inside_it() {
        assert_eq!(
            with_item(b"[1 0 R % ]\n]", b"7 0 R"),
            b"[1 0 R % ]\n\n7 0 R]"
        );
        assert_eq!(with_item(b"[]", b"7 0 R"), b"[\n7 0 R]");
    }

    #[test]
    fn a_removed_entry_leaves_all_others() {
        let source = b"<</A[1]/B/C/D(x)>>";
        let scanned = RawDictionary::scan(source).unwrap();

        assert_eq!(without_entry(source, &scanned, b"B"), b"<</A[1] /D(x)>>");
        assert_eq!(without_entry(source, &scanned, b"X"), source);
    }

    #[test]
    fn only_long_data_is_deflated() {
        let short = (b"<</A 1>>".to_vec(), b"q Q".to_vec());
        assert_eq!(encoded(&short.0, short.1.clone()), short);
        let (dictionary, data) = encoded(b"<</A 1>>", b"q Q ".repeat(1000));
        assert_eq!(dictionary, b"<</A 1\n/Filter /FlateDecode\n>>");
        assert!(data.len() < 100);
    }
}
