use std::ops::Range;

use super::date::PdfDate;

/// Width of the longest `/ByteRange`: four numbers of at most ten digits.
const BYTE_RANGE_WIDTH: usize = 4 * 10 + 5;

/// Source of a signature dictionary (ISO 32000-2, 12.8.1; ETSI EN 319 142-1,
/// 6.3) with placeholders for the values known last.
#[derive(Debug)]
pub(super) struct BlankSignature {
    source: Vec<u8>,
    byte_range: Range<usize>,
    contents: Range<usize>,
}

impl BlankSignature {
    /// Creates a dictionary with room for a signature of `reserve` bytes;
    /// `entries` are appended.
    pub(super) fn new(time: PdfDate, reserve: usize, entries: &[u8]) -> Self {
        let mut source = format!(
            "<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /M ({time})\n/ByteRange "
        )
        .into_bytes();
        let byte_range = append_blank(&mut source, BYTE_RANGE_WIDTH);
        source.extend_from_slice(b"\n/Contents ");
        let contents = append_blank(
            &mut source,
            reserve.saturating_mul(2).saturating_add("<>".len()),
        );
        source.extend_from_slice(entries);
        source.extend_from_slice(b"\n>>");
        Self {
            source,
            byte_range,
            contents,
        }
    }

    pub(super) fn source(&self) -> &[u8] {
        &self.source
    }

    /// Writes `/ByteRange` into a finished update. The dictionary starts at
    /// `start`, and the update follows `document_len` bytes. Returns the range
    /// of the `/Contents` value in the update.
    pub(super) fn fill_byte_range(
        &self,
        update: &mut [u8],
        start: usize,
        document_len: usize,
    ) -> Range<usize> {
        let contents = start + self.contents.start..start + self.contents.end;
        let byte_range = format!(
            "[0 {} {} {}]",
            document_len + contents.start,
            document_len + contents.end,
            update.len() - contents.end
        );
        let place = &mut update[start + self.byte_range.start..start + self.byte_range.end];
        for (blank, byte) in place.iter_mut().zip(byte_range.bytes()) {
            *blank = byte;
        }
        contents
    }
}

fn append_blank(source: &mut Vec<u8>, len: usize) -> Range<usize> {
    let start = source.len();
    source.resize(start + len, b' ');
    start..source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_range_leaves_out_exactly_the_contents() {
        let time = PdfDate::from_unix(0).unwrap();
        let dictionary = BlankSignature::new(time, 2, b"");
        let mut update = [b"9 0 obj\n", dictionary.source(), b"\nendobj"].concat();

        let contents = dictionary.fill_byte_range(&mut update, 8, 1000);

        assert_eq!(contents.len(), "<0000>".len());
        let expected = format!(
            "/ByteRange [0 {} {} {}] ",
            1000 + contents.start,
            1000 + contents.end,
            update.len() - contents.end
        );
        assert!(String::from_utf8(update).unwrap().contains(&expected));
    }
}
