//! Decoding of content streams.

use flate2::{Decompress, FlushDecompress, Status};
use lopdf::{Object, ObjectId};

use super::operators::Operators;
use crate::limits::Limits;
use crate::structure::{Decoder, PdfFile, RawDictionary, as_name, is_white_space};

/// Initial buffer size per encoded byte.
const EXPECTED_RATIO: usize = 4;

/// Minimum growth of the buffer, in bytes.
const LEAST_ROOM_BYTES: usize = 4 * 1024;

/// Maximum length without a ratio check, in bytes.
const RATIO_FREE_BYTES: usize = 1024 * 1024;

/// Minimum charge per stream against the total, in bytes: many streams may be
/// empty.
const LEAST_COUNTED_BYTES: usize = 256;

/// Length of the zlib header, in bytes (RFC 1950, 2.2).
pub(super) const HEADER_BYTES: usize = 2;

/// Output of a flush, an empty block (RFC 1951, 3.2.4), and an empty last
/// block.
const FLUSH: &[u8] = &[0, 0, 0xFF, 0xFF];
const LAST_BLOCK: &[u8] = &[3, 0];

/// Decodes content streams within a total budget.
///
/// Stricter than viewers: it rejects damaged or truncated data instead of using
/// the intact beginning. The checksum after the last block is ignored, because
/// some writers omit it. Acrobat for Android ends data with a flush instead of
/// a last block; this is accepted if the last operator is certainly complete.
pub(crate) struct ContentDecoder {
    /// For raw deflate data, without header and checksum.
    inflate: Decompress,
    /// For all other filters.
    other: Decoder,
    limits: Limits,
    remaining_bytes: usize,
}

impl ContentDecoder {
    /// Creates a decoder with the full budget.
    pub(crate) fn new(limits: &Limits) -> Self {
        let limits = Limits {
            decoded_total_bytes: limits.content_total_bytes,
            ..limits.clone()
        };
        Self {
            inflate: Decompress::new(false),
            other: Decoder::new(&limits),
            remaining_bytes: limits.decoded_total_bytes,
            limits,
        }
    }

    /// Returns the decoded data of a stream in the file; `None` if it is
    /// missing or exceeds the limits.
    pub(crate) fn decode(&mut self, file: &PdfFile<'_>, id: ObjectId) -> Option<Vec<u8>> {
        self.remaining_bytes = self.remaining_bytes.checked_sub(LEAST_COUNTED_BYTES)?;
        if let Some(data) = loaded(file, id) {
            return self.inflated(data);
        }
        let source = file.raw_object(id).ok()?;
        // Charged on every decoding: each one scans the source.
        self.remaining_bytes = self.remaining_bytes.saturating_sub(source.bytes.len());
        let dictionary = RawDictionary::scan(&source.bytes).ok()?;
        if dictionary.find(b"F").is_some() {
            return None;
        }
        // Only image data is left with the host, never content.
        let data = file.source().get(source.data_span?)?;
        // Regardless of the filter: some programs write no data but name a
        // filter.
        if data.is_empty() {
            return Some(Vec::new());
        }
        if is_plainly_deflated(&dictionary) {
            self.inflated(data)
        } else {
            self.other.decode(&dictionary, data).ok()
        }
    }

    /// Passes the operators of a content to `work`. Inflating inline images
    /// counts against the budget for other contents.
    pub(crate) fn with_operators<'c, T>(
        &mut self,
        content: &'c [u8],
        work: impl FnOnce(&mut Operators<'c>) -> T,
    ) -> T {
        let remaining = u64::try_from(self.remaining_bytes).unwrap_or(u64::MAX);
        let mut operators = Operators::with_image_bytes(content, remaining);
        let before = operators.image_bytes();
        let done = work(&mut operators);
        let inflated = before.saturating_sub(operators.image_bytes());
        let inflated = usize::try_from(inflated).unwrap_or(usize::MAX);
        self.remaining_bytes = self.remaining_bytes.saturating_sub(inflated);
        done
    }

    /// Returns the remaining budget, in bytes.
    #[cfg(test)]
    pub(crate) fn remaining_bytes(&self) -> usize {
        self.remaining_bytes
    }

    fn inflated(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        if data.iter().all(|byte| is_white_space(*byte)) {
            return Some(Vec::new());
        }
        let limit = data
            .len()
            .saturating_mul(self.limits.decoded_ratio)
            .max(RATIO_FREE_BYTES)
            .min(self.limits.decoded_stream_bytes)
            .min(self.remaining_bytes);
        let data = without_header(data)?;
        self.inflate.reset(false);
        let expected = data.len().saturating_mul(EXPECTED_RATIO);
        let mut content = Vec::with_capacity(expected.min(limit));
        loop {
            let taken = usize::try_from(self.inflate.total_in()).ok()?;
            let rest = data.get(taken..)?;
            let len = content.len();
            content.reserve(LEAST_ROOM_BYTES);
            let status = self
                .inflate
                .decompress_vec(rest, &mut content, FlushDecompress::None)
                .ok()?;
            if content.len() > limit {
                return None;
            }
            if status == Status::StreamEnd {
                break;
            }
            let is_stuck = content.len() == len && self.inflate.total_in() == taken as u64;
            if is_stuck {
                let end = data.ends_with(FLUSH).then_some(LAST_BLOCK)?;
                let inflate = &mut self.inflate;
                let status = inflate.decompress_vec(end, &mut content, FlushDecompress::None);
                let is_whole = status.ok()? == Status::StreamEnd && content.len() == len;
                if !is_whole || !self.ends_with_operator(&content) {
                    return None;
                }
                break;
            }
        }
        self.remaining_bytes = self.remaining_bytes.saturating_sub(content.len());
        Some(content)
    }

    fn ends_with_operator(&mut self, content: &[u8]) -> bool {
        content.last().is_none_or(|last| is_white_space(*last))
            && self.with_operators(content, |operators| {
                operators.by_ref().for_each(drop);
                operators.is_clear()
            })
    }
}

/// Returns deflated data after its zlib header; `None` if it has no header or
/// needs a preset dictionary.
fn without_header(data: &[u8]) -> Option<&[u8]> {
    const DEFLATE: u8 = 8;
    const PRESET_DICTIONARY: u8 = 1 << 5;

    let (header, data) = data.split_at_checked(HEADER_BYTES)?;
    let [method, flags] = *header else {
        return None;
    };
    let is_header = method & 0x0F == DEFLATE
        && flags & PRESET_DICTIONARY == 0
        && u16::from_be_bytes([method, flags]).is_multiple_of(31);
    is_header.then_some(data)
}

/// Returns the loaded data of a stream with `/FlateDecode` as its only filter,
/// the common case, without scanning the source again.
fn loaded<'f>(file: &'f PdfFile<'_>, id: ObjectId) -> Option<&'f [u8]> {
    let Some(Object::Stream(stream)) = file.object(id) else {
        return None;
    };
    let is_flate =
        matches!(stream.dict.get(b"Filter"), Ok(Object::Name(name)) if name == b"FlateDecode");
    let has_more = stream.dict.has(b"DecodeParms") || stream.dict.has(b"F");
    // Long image data stays with the host.
    (is_flate && !has_more && !stream.content.is_empty()).then_some(stream.content.as_slice())
}

fn is_plainly_deflated(dictionary: &RawDictionary<'_>) -> bool {
    let filter = dictionary.value(b"Filter");
    let filter = filter.map(|filter| {
        let inner = filter.strip_prefix(b"[").unwrap_or(filter);
        inner.strip_suffix(b"]").unwrap_or(inner).trim_ascii()
    });
    let is_flate = filter.is_some_and(|filter| {
        filter.iter().filter(|byte| **byte == b'/').count() == 1
            && as_name(filter).is_some_and(|name| name == b"FlateDecode")
    });
    let parameters = dictionary.value(b"DecodeParms");
    is_flate && parameters.is_none_or(|parameters| matches!(parameters, b"null" | b"[null]"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use parafa_fixtures::{CrossReference, PdfBuilder};

    use super::*;

    fn deflated(content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_stream_is_decoded_from_its_own_start() {
        let mut decoder = ContentDecoder::new(&Limits::default());
        let long = b"0 0 m ".repeat(20_000);

        assert_eq!(decoder.inflated(&deflated(&long)), Some(long));
        assert_eq!(decoder.inflated(&deflated(b"q Q")), Some(b"q Q".to_vec()));
        assert_eq!(decoder.inflated(&deflated(b"")), Some(Vec::new()));
    }

    #[test]
    fn a_dictionary_that_is_gone_through_again_and_again_counts_as_well() {
        let mut objects = PdfBuilder::new().objects();
        let entries = format!("/Note ({})", "x".repeat(30_000));
        objects.set_stream(6, &entries, *b"q Q");
        let document = objects.write("1.7", CrossReference::Table, "/Root 1 0 R");
        let limits = Limits {
            content_total_bytes: 70_000,
            ..Limits::default()
        };
        let file = PdfFile::parse(&document, &limits).unwrap();
        let mut decoder = ContentDecoder::new(&limits);

        let decoded = [(); 4].map(|()| decoder.decode(&file, (6, 0)).is_some());

        assert_eq!(decoded, [true, true, true, false]);
    }

    #[test]
    fn damage_is_no_content_nor_is_a_part_but_a_missing_checksum_is_no_damage() {
        let mut decoder = ContentDecoder::new(&Limits::default());
        let sound = deflated(b"q 1 0 0 1 0 0 cm Q");
        let mut damaged = sound.clone();
        damaged[2] = 0xFF;

        assert_eq!(decoder.inflated(b"these bytes are not deflated"), None);
        assert_eq!(decoder.inflated(&damaged), None);
        assert!(decoder.inflated(&sound[..sound.len() - 4]).is_some());
        assert_eq!(decoder.inflated(&sound[..sound.len() - 7]), None);
        let long = deflated(
            &(0..100_000_u32)
                .flat_map(u32::to_le_bytes)
                .collect::<Vec<_>>(),
        );
        assert_eq!(decoder.inflated(&long[..long.len() / 2]), None);
        assert_eq!(decoder.inflated(b"x"), None);
    }

    /// Deflates without a last block, as Acrobat for Android does for
    /// appearances.
    fn flushed(content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.flush().unwrap();
        encoder.get_ref().clone()
    }

    #[test]
    fn data_may_end_with_a_flush_after_a_whole_operator() {
        let mut decoder = ContentDecoder::new(&Limits::default());
        for content in ["", "q BT (Ona) Tj ET Q\n", &"0 0 m ".repeat(20_000)] {
            let whole = Some(content.as_bytes().to_vec());
            assert_eq!(decoder.inflated(&flushed(content.as_bytes())), whole);
        }
    }

    #[test]
    fn data_that_ends_anywhere_else_is_a_part() {
        let mut decoder = ContentDecoder::new(&Limits::default());
        for content in [
            "(Ona) Tj (O",
            "0 0 9 9 r ",
            "0 0 9 9 re",
            "0 0 9 ",
            "[(Ona) ",
            "BI /W 1 ",
        ] {
            assert_eq!(decoder.inflated(&flushed(content.as_bytes())), None);
        }
        let sound = flushed(b"q BT (Ona) Tj ET Q\n");
        for end in 1..sound.len() {
            assert_eq!(decoder.inflated(&sound[..end]), None, "{end}");
        }
        let inside_plain_bytes = b"\x78\x01\0\x09\0\xF6\xFFq Q\n\0\0\xFF\xFF";
        assert_eq!(decoder.inflated(inside_plain_bytes), None);
        let damaged = [&sound[..sound.len() - 4], b"\xFF", FLUSH].concat();
        assert_eq!(decoder.inflated(&damaged), None);
    }

    #[test]
    fn where_nothing_or_white_space_is_deflated_there_is_no_content() {
        let mut decoder = ContentDecoder::new(&Limits::default());

        assert_eq!(decoder.inflated(b""), Some(Vec::new()));
        assert_eq!(decoder.inflated(b"\r\n"), Some(Vec::new()));
    }

    #[test]
    fn content_beyond_the_limits_is_none() {
        let limits = Limits {
            content_total_bytes: 150,
            ..Limits::default()
        };
        let mut decoder = ContentDecoder::new(&limits);

        assert!(decoder.inflated(&deflated(&[b' '; 100])).is_some());
        assert_eq!(decoder.inflated(&deflated(&[b' '; 100])), None);
        let mut decoder = ContentDecoder::new(&Limits::default());
        assert_eq!(decoder.inflated(&deflated(&vec![b' '; 3_000_000])), None);
    }
}
