//! Where the data of an inline image ends (ISO 32000-2, 8.9.7).

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use crate::structure::{RawDictionary, array_items, as_name, is_delimiter, is_white_space};

/// What ends an inline image.
const END: &[u8] = b"EI";

/// Longest entries of an inline image, in bytes; larger images are objects.
const MAX_ENTRIES_BYTES: usize = 4 * 1024;

/// Most pixels in a row, and most rows.
const MAX_SIDE: u64 = 1 << 20;

/// Room for what data is inflated to, in bytes, as it is thrown away.
const SCRATCH_BYTES: usize = 4 * 1024;

/// How far after `EI` text must follow for it to be the end of an image of
/// unknown length, in bytes: the same bytes may stand in the image's data.
const TEXT_AFTER_IMAGE_BYTES: usize = 12;

/// Least bytes that the data of an image may inflate to, however few its entries
/// give: they do not say how long what is encoded twice is in between.
const LEAST_IMAGE_BYTES: u64 = 1024 * 1024;

/// How far it is from just after `ID` to the `EI` of the image, when its entries
/// leave no doubt and nothing before that place looks like an `EI`: some
/// readers go by the entries, others look for it. What data inflates to is taken
/// from `budget`, in bytes.
pub(super) fn data_len(entries: &[u8], rest: &[u8], budget: &mut u64) -> Option<usize> {
    if entries.len() > MAX_ENTRIES_BYTES {
        return None;
    }
    let dictionary = [b"<<", entries, b"\n>>"].concat();
    let dictionary = RawDictionary::scan(&dictionary).ok()?;
    // One byte of white space; two that are one end of line would be counted
    // in two ways.
    let [separator, data @ ..] = rest else {
        return None;
    };
    if !is_white_space(*separator) || (*separator == b'\r' && data.first() == Some(&b'\n')) {
        return None;
    }
    let len = match value(&dictionary, b"F", b"Filter")? {
        None => plain_len(&dictionary)?,
        Some(filter) => match outer_filter(filter)?.as_slice() {
            b"Fl" | b"FlateDecode" => {
                let limit = inflated_limit(&dictionary).min(*budget);
                deflated_len(data, limit, budget)?
            }
            filter => encoded_len(filter, data)?,
        },
    };
    let after = data.get(len..)?;
    let blanks = after.iter().position(|byte| !is_white_space(*byte))?;
    let (image, end) = data.split_at_checked(len + blanks)?;
    let after = end.strip_prefix(END)?;
    let is_apart = after.first().is_none_or(|byte| is_white_space(*byte));
    (is_apart && memmem::find(image, END).is_none()).then_some(1 + image.len())
}

/// How far it probably is to the end of an image: to an `EI` between white
/// space that text follows.
pub(super) fn probable_len(data: &[u8]) -> usize {
    let end = memmem::find_iter(data, END).find(|at| {
        let before = at.checked_sub(1).and_then(|before| data.get(before));
        let after = data.get(at + END.len()..).unwrap_or_default();
        let is_apart = before.is_none_or(|byte| is_white_space(*byte))
            && after
                .first()
                .is_none_or(|byte| is_white_space(*byte) || is_delimiter(*byte));
        let is_text = after
            .iter()
            .take(TEXT_AFTER_IMAGE_BYTES)
            .all(|byte| is_white_space(*byte) && *byte != 0 || byte.is_ascii_graphic());
        is_apart && is_text
    });
    end.unwrap_or(data.len())
}

/// The value of an entry by its short or its long key (table 91); `None` when
/// both are there.
fn value<'d>(
    dictionary: &RawDictionary<'d>,
    short: &[u8],
    long: &[u8],
) -> Option<Option<&'d [u8]>> {
    match (dictionary.value(short), dictionary.value(long)) {
        (Some(_), Some(_)) => None,
        (short, long) => Some(short.or(long)),
    }
}

/// Length of data without a filter, in bytes.
fn plain_len(dictionary: &RawDictionary<'_>) -> Option<usize> {
    let number = |short, long| {
        let digits = std::str::from_utf8(value(dictionary, short, long)??).ok()?;
        digits.parse::<u64>().ok()
    };
    let (width, height) = (number(b"W", b"Width")?, number(b"H", b"Height")?);
    let is_mask = value(dictionary, b"IM", b"ImageMask")? == Some(b"true");
    let bits = if is_mask {
        1
    } else {
        number(b"BPC", b"BitsPerComponent")?.checked_mul(components(dictionary)?)?
    };
    if width.max(height) > MAX_SIDE || bits > u64::from(u8::MAX) {
        return None;
    }
    usize::try_from((width * bits).div_ceil(8) * height).ok()
}

/// Components of a colour space that needs no resources.
fn components(dictionary: &RawDictionary<'_>) -> Option<u64> {
    let space = value(dictionary, b"CS", b"ColorSpace")??;
    let first = if space.starts_with(b"[") {
        array_items(space).ok()?.first().copied()?
    } else {
        space
    };
    match as_name(first)?.as_slice() {
        b"DeviceGray" | b"G" | b"Indexed" | b"I" => Some(1),
        b"DeviceRGB" | b"RGB" => Some(3),
        b"DeviceCMYK" | b"CMYK" => Some(4),
        _ => None,
    }
}

/// The filter that is undone first.
fn outer_filter(filter: &[u8]) -> Option<Vec<u8>> {
    if filter.starts_with(b"[") {
        as_name(array_items(filter).ok()?.first()?)
    } else {
        as_name(filter)
    }
}

/// Length of encoded data that says itself where it ends.
fn encoded_len(filter: &[u8], data: &[u8]) -> Option<usize> {
    match filter {
        b"A85" | b"ASCII85Decode" => memmem::find(data, b"~>").map(|end| end + 2),
        b"AHx" | b"ASCIIHexDecode" => memchr::memchr(b'>', data).map(|end| end + 1),
        _ => None,
    }
}

/// Most bytes that deflated data may inflate to: the pixels, and a byte a row
/// for what predicts it.
fn inflated_limit(dictionary: &RawDictionary<'_>) -> u64 {
    let pixels = plain_len(dictionary).and_then(|len| u64::try_from(len).ok());
    pixels.map_or(LEAST_IMAGE_BYTES, |pixels| {
        pixels.saturating_add(MAX_SIDE).max(LEAST_IMAGE_BYTES)
    })
}

/// Length of deflated data that inflates to no more than a limit, which is
/// within the budget.
fn deflated_len(data: &[u8], limit: u64, budget: &mut u64) -> Option<usize> {
    let mut inflate = Decompress::new(true);
    let mut scratch = [0; SCRATCH_BYTES];
    loop {
        let (taken, made) = (inflate.total_in(), inflate.total_out());
        let rest = data.get(usize::try_from(taken).ok()?..)?;
        let status = inflate.decompress(rest, &mut scratch, FlushDecompress::None);
        *budget = budget.saturating_sub(inflate.total_out() - made);
        if inflate.total_out() > limit {
            return None;
        }
        match status.ok()? {
            Status::StreamEnd => return usize::try_from(inflate.total_in()).ok(),
            _ if inflate.total_in() == taken && inflate.total_out() == made => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn data_len(entries: &[u8], rest: &[u8]) -> Option<usize> {
        super::data_len(entries, rest, &mut { u64::MAX })
    }

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn data_without_a_filter_is_as_long_as_its_pixels() {
        let len =
            |entries: &[u8], data: &[u8]| data_len(entries, &[b" ", data, b"\nEI Q"].concat());

        assert_eq!(len(b"/W 3/H 2/BPC 8/CS/G", &[1; 6]), Some(8));
        assert_eq!(len(b"/W 9/H 2/IM true", &[1; 4]), Some(6));
        assert_eq!(len(b"/Width 1/H 1/BPC 8/CS/DeviceRGB", &[1; 3]), Some(5));
        assert_eq!(len(b"/W 2/H 1/BPC 4/CS[/I/RGB 1<00>]", &[1; 1]), Some(3));
    }

    #[test]
    fn there_is_doubt_where_readers_may_see_another_end() {
        let gray = b"/W 14/H 1/BPC 8/CS/G";
        assert_eq!(
            data_len(gray, b" \nEI Q 0 0 0 m \nEI "),
            None,
            "EI in the data"
        );
        assert_eq!(data_len(gray, b" 12345678901234567 EI"), None, "longer");
        assert_eq!(data_len(gray, b" 1234567890 EI     EI "), None, "shorter");
        assert_eq!(data_len(gray, b" 12345678901234EIQ"), None, "no word");
        assert_eq!(
            data_len(gray, b"\r\n12345678901234 EI"),
            None,
            "end of line"
        );
        assert_eq!(data_len(b"/W 1/Width 2/H 1/BPC 8/CS/G", b" 1 EI"), None);
        assert_eq!(data_len(b"/W 1/H 1/BPC 8/CS/Cs1", b" 1 EI"), None);
        assert_eq!(data_len(b"/W 1/H 1/F/DCT", b" 1 EI"), None);
        assert_eq!(data_len(b"/W 1/H (", b" 1 EI"), None);
        assert_eq!(data_len(gray, b""), None);
    }

    #[test]
    fn encoded_data_ends_where_it_says() {
        let data = [b" ", deflated(&[7; 100]).as_slice(), b"\nEI"].concat();

        assert_eq!(data_len(b"/F/Fl", &data), Some(data.len() - 2));
        assert_eq!(data_len(b"/F/Fl", &data[..data.len() / 2]), None);
        assert_eq!(data_len(b"/F[/A85/Fl]", b" GhQ~> EI"), Some(7));
        assert_eq!(data_len(b"/F/AHx", b" 00 > EI"), Some(6));
    }

    #[test]
    fn data_inflates_to_no_more_than_the_entries_and_the_budget_allow() {
        let bytes = 3 * 1024 * 1024;
        let data = [b" ", deflated(&vec![7; bytes]).as_slice(), b"\nEI"].concat();
        let large = format!("/W 1024/H {}/BPC 8/CS/G/F/Fl", bytes / 1024);
        let is_known = |entries: &str, budget: &mut u64| {
            super::data_len(entries.as_bytes(), &data, budget).is_some()
        };

        assert!(!is_known("/W 9/H 9/BPC 8/CS/G/F/Fl", &mut { u64::MAX }));
        assert!(!is_known("/F/Fl", &mut { u64::MAX }));
        let mut budget = 2 * bytes as u64 + 1;
        assert!(is_known(&large, &mut budget));
        assert!(is_known(&large, &mut budget));
        assert_eq!(budget, 1);
        assert!(!is_known(&large, &mut budget));
        assert_eq!(budget, 0);
    }

    #[test]
    fn an_image_of_unknown_length_ends_before_text() {
        assert_eq!(probable_len(b"\x01 EI\x02\xFF Q EI \xF0\x9F EI Q"), 15);
        assert_eq!(probable_len(b"\x00\x01"), 2);
    }
}
