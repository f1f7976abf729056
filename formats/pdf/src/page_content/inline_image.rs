//! End of the data of an inline image (ISO 32000-2, 8.9.7).

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

use crate::structure::{RawDictionary, array_items, as_name, is_delimiter, is_white_space};

/// Operator that ends an inline image.
const END: &[u8] = b"EI";

/// Maximum length of the entries of an inline image, in bytes; larger images
/// are objects.
const MAX_ENTRIES_BYTES: usize = 4 * 1024;

/// Maximum width and height, in pixels.
const MAX_SIDE: u64 = 1 << 20;

/// Size of the buffer for discarded inflated data, in bytes.
const SCRATCH_BYTES: usize = 4 * 1024;

/// Length of the text required after an `EI` that ends an image of unknown
/// length, in bytes: image data may contain the same bytes.
const TEXT_AFTER_IMAGE_BYTES: usize = 12;

/// Minimum limit for inflated image data, in bytes, even if the entries imply
/// less: the intermediate length of doubly encoded data is unknown.
const LEAST_IMAGE_BYTES: u64 = 1024 * 1024;

/// Fixed charge per deflated image against the budget, in bytes: many images
/// may be empty.
pub(super) const COUNTED_BYTES: u64 = 1024;

/// Maximum read-ahead of an inflater, in bytes.
const READ_AHEAD_BYTES: usize = 16;

/// Returns the distance from just after `ID` to the `EI` of the image. The
/// entries must be unambiguous, and the data must contain nothing that looks
/// like an `EI`: some readers trust the entries, others search for `EI`.
/// Inflated bytes are charged to `budget`.
pub(super) fn data_len(entries: &[u8], rest: &[u8], budget: &mut u64) -> Option<usize> {
    if entries.len() > MAX_ENTRIES_BYTES {
        return None;
    }
    let dictionary = [b"<<", entries, b"\n>>"].concat();
    let dictionary = RawDictionary::scan(&dictionary).ok()?;
    let [separator, data @ ..] = rest else {
        return None;
    };
    if !is_white_space(*separator) {
        return None;
    }
    let extent = match value(&dictionary, b"F", b"Filter")? {
        None => plain_extent(&dictionary)?,
        Some(filter) => encoded_extent(&dictionary, filter, data, budget)?,
    };
    // A CR LF pair counts as one or as two bytes.
    let is_line_end = *separator == b'\r' && data.first() == Some(&b'\n');
    if is_line_end && !extent.skips_blanks {
        return None;
    }
    let after = data.get(extent.len..)?;
    let blanks = after.iter().position(|byte| !is_white_space(*byte))?;
    let (image, end) = data.split_at_checked(extent.len + blanks)?;
    let after = end.strip_prefix(END)?;
    let is_apart = after.first().is_none_or(|byte| is_white_space(*byte));
    let is_sole = !memmem::find_iter(image, END).any(|at| {
        let end = at + END.len();
        let next = image.get(end);
        end > extent.decoded || next.is_none_or(|byte| is_white_space(*byte) || is_delimiter(*byte))
    });
    (is_apart && is_sole).then_some(1 + image.len())
}

/// Returns the probable distance to the end of an image: to an `EI` between
/// white space, followed by text.
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

/// Extent of image data.
struct Extent {
    /// Total length in bytes.
    len: usize,
    /// Length that every reader decodes before searching for `EI`. Within it,
    /// only readers that go by surrounding white space find an `EI`.
    decoded: usize,
    /// White space before the data does not matter.
    skips_blanks: bool,
}

impl Extent {
    fn undecoded(len: usize, skips_blanks: bool) -> Self {
        Self {
            len,
            decoded: 0,
            skips_blanks,
        }
    }
}

/// Returns the value of an entry by its short or long key (table 91); `None` if
/// both are present.
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

/// Returns the extent of unfiltered data.
fn plain_extent(dictionary: &RawDictionary<'_>) -> Option<Extent> {
    let len = plain_len(dictionary)?;
    Some(Extent {
        len,
        decoded: if is_simple(dictionary) { len } else { 0 },
        skips_blanks: false,
    })
}

/// Returns the extent of self-delimiting encoded data.
fn encoded_extent(
    dictionary: &RawDictionary<'_>,
    filter: &[u8],
    data: &[u8],
    budget: &mut u64,
) -> Option<Extent> {
    let filters = if filter.starts_with(b"[") {
        array_items(filter).ok()?
    } else {
        vec![filter]
    };
    match as_name(filters.first()?)?.as_slice() {
        b"A85" | b"ASCII85Decode" => {
            let end = memmem::find(data, b"~>")?;
            Some(Extent::undecoded(end + 2, true))
        }
        b"AHx" | b"ASCIIHexDecode" => {
            let end = memchr::memchr(b'>', data)?;
            Some(Extent::undecoded(end + 1, true))
        }
        b"RL" | b"RunLengthDecode" => Some(Extent::undecoded(run_length_len(data)?, false)),
        b"Fl" | b"FlateDecode" => {
            let pixels = (filters.len() == 1 && is_simple(dictionary))
                .then(|| plain_len(dictionary))
                .flatten();
            deflated_extent(data, inflated_limit(dictionary), pixels, budget)
        }
        _ => None,
    }
}

/// Returns whether every reader decodes an image regardless of where it is
/// drawn. Some skip images with invalid entries, or masks that paint nothing.
fn is_simple(dictionary: &RawDictionary<'_>) -> bool {
    const BITS: [&[u8]; 4] = [b"1", b"2", b"4", b"8"];
    const KEYS: [&[u8]; 6] = [b"D", b"Decode", b"DP", b"DecodeParms", b"IM", b"ImageMask"];

    let is_named = |space: &[u8]| !space.starts_with(b"[");
    value(dictionary, b"BPC", b"BitsPerComponent")
        .flatten()
        .is_some_and(|bits| BITS.contains(&bits))
        && value(dictionary, b"CS", b"ColorSpace")
            .flatten()
            .is_some_and(is_named)
        && KEYS.iter().all(|key| dictionary.find(key).is_none())
}

/// Returns the length of unfiltered data, in bytes.
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

/// Returns the number of components of a colour space that needs no resources.
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

/// Returns the maximum inflated length: the pixels, and one predictor byte per
/// row.
fn inflated_limit(dictionary: &RawDictionary<'_>) -> u64 {
    let pixels = plain_len(dictionary).and_then(|len| u64::try_from(len).ok());
    pixels.map_or(LEAST_IMAGE_BYTES, |pixels| {
        pixels.saturating_add(MAX_SIDE).max(LEAST_IMAGE_BYTES)
    })
}

/// Returns the extent of deflated data within a limit and the budget. `pixels`
/// is the length that readers need, in bytes, if known.
fn deflated_extent(
    data: &[u8],
    limit: u64,
    pixels: Option<usize>,
    budget: &mut u64,
) -> Option<Extent> {
    *budget = budget.checked_sub(COUNTED_BYTES)?;
    let limit = limit.min(*budget);
    let pixels = pixels.and_then(|pixels| u64::try_from(pixels).ok());
    let mut inflate = Decompress::new(true);
    let mut scratch = [0; SCRATCH_BYTES];
    let mut decoded = 0;
    loop {
        let (taken, made) = (inflate.total_in(), inflate.total_out());
        let rest = data.get(usize::try_from(taken).ok()?..)?;
        // Stops where readers stop that need no more data.
        let needed = pixels.and_then(|pixels| pixels.checked_sub(made));
        let room = match needed.and_then(|needed| usize::try_from(needed).ok()) {
            None | Some(0) => SCRATCH_BYTES,
            Some(needed) => needed.min(SCRATCH_BYTES),
        };
        let room = scratch.get_mut(..room)?;
        let status = inflate.decompress(rest, room, FlushDecompress::None);
        *budget = budget.saturating_sub(inflate.total_out() - made);
        if inflate.total_out() > limit {
            return None;
        }
        if made != inflate.total_out() && Some(inflate.total_out()) == pixels {
            decoded = usize::try_from(inflate.total_in()).ok()?;
        }
        match status.ok()? {
            Status::StreamEnd => break,
            _ if inflate.total_in() == taken && inflate.total_out() == made => return None,
            _ => {}
        }
    }
    let is_whole = Some(inflate.total_out()) == pixels;
    Some(Extent {
        len: usize::try_from(inflate.total_in()).ok()?,
        decoded: if is_whole {
            decoded.saturating_sub(READ_AHEAD_BYTES)
        } else {
            0
        },
        skips_blanks: false,
    })
}

/// Returns the length of run-length encoded data with its end marker (7.4.5),
/// in bytes.
fn run_length_len(data: &[u8]) -> Option<usize> {
    const END_OF_DATA: u8 = 128;

    let mut at = 0;
    loop {
        let length = *data.get(at)?;
        at += match length {
            END_OF_DATA => return Some(at + 1),
            copied @ 0..END_OF_DATA => 2 + usize::from(copied),
            _ => 2,
        };
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
        assert_eq!(data_len(b"/F/AHx", b"\r\n00>\r\nEI"), Some(7));
        assert_eq!(data_len(b"/F/A85", b"\r\nGhQ~>\nEI"), Some(8));
        assert_eq!(data_len(b"/F/RL", b" \x01\x80>\xFE\x80\x80\nEI"), Some(8));
        assert_eq!(data_len(b"/F/RL", b" \x01\x80>\xFE\x80\nEI"), None);
        assert_eq!(data_len(b"/F/RL", b"\r\n\x80\nEI"), None);
    }

    #[test]
    fn what_looks_like_an_end_inside_the_data_of_a_simple_image_is_none_unless_it_stands_apart() {
        let len =
            |entries: &[u8], data: &[u8]| data_len(entries, &[b" ", data, b"\nEI Q"].concat());
        let gray = b"/W 8/H 1/BPC 8/CS/G";

        assert_eq!(len(gray, b" EI1EI\xFF2"), Some(10));
        for apart in [b"1234EI 8", b"12EI/678", b"123456EI"] {
            assert_eq!(len(gray, apart), None);
        }
        for not_simple in [
            &b"/W 64/H 1/IM true"[..],
            b"/W 8/H 1/BPC 8/CS/G/D[1]",
            b"/W 8/H 1/BPC 8/CS[/I/G 0<00>]",
            b"/W 4/H 1/BPC 16/CS/G",
        ] {
            assert_eq!(len(not_simple, b"12EI5678"), None);
            assert_eq!(len(not_simple, b"12345678"), Some(10));
        }
    }

    #[test]
    fn an_end_inside_deflated_data_is_none_when_no_reader_stops_before_it() {
        // Stored blocks contain the inflated data verbatim.
        let stored = |data: &[u8]| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        };
        let pixels = [&b"12EI5678"[..], &[7; 56]].concat();
        let data = [b" ", stored(&pixels).as_slice(), b"\nEI"].concat();
        let whole = Some(data.len() - 2);

        assert_eq!(data_len(b"/W 64/H 1/BPC 8/CS/G/F/Fl", &data), whole);
        assert_eq!(data_len(b"/W 64/H 1/BPC 8/CS/G/F[/Fl]", &data), whole);
        for other in [
            &b"/W 63/H 1/BPC 8/CS/G/F/Fl"[..],
            b"/W 65/H 1/BPC 8/CS/G/F/Fl",
            b"/W 64/H 1/BPC 8/CS/Cs1/F/Fl",
            b"/W 64/H 1/BPC 8/CS/G/F[/Fl/RL]",
            b"/W 64/H 1/BPC 8/CS/G/F/Fl/DP<</Predictor 15>>",
        ] {
            assert_eq!(data_len(other, &data), None);
        }
        let late = [&[7; 56][..], b"12EI5678"].concat();
        let late = [b" ", stored(&late).as_slice(), b"\nEI"].concat();
        assert_eq!(data_len(b"/W 64/H 1/BPC 8/CS/G/F/Fl", &late), None);
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
        let mut budget = 2 * (bytes as u64 + COUNTED_BYTES) + COUNTED_BYTES;
        assert!(is_known(&large, &mut budget));
        assert!(is_known(&large, &mut budget));
        assert_eq!(budget, COUNTED_BYTES);
        assert!(!is_known(&large, &mut budget));
        assert_eq!(budget, 0);
    }

    #[test]
    fn an_image_of_unknown_length_ends_before_text() {
        assert_eq!(probable_len(b"\x01 EI\x02\xFF Q EI \xF0\x9F EI Q"), 15);
        assert_eq!(probable_len(b"\x00\x01"), 2);
    }
}
