//! Loaded bytes of a file.

use std::ops::Range;

/// Data of a stream that was left with the host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct OmittedStream {
    /// The stream's object number.
    pub(super) object: u32,
    /// Offset of the stream's object.
    pub(super) offset: usize,
    /// Range of the complete data.
    pub(super) data: Range<usize>,
}

/// A file whose omitted bytes are zeros. All access goes through this type,
/// which never returns a zero that is not in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    /// Sorted by offset; not adjacent.
    omissions: &'a [OmittedStream],
}

impl<'a> Source<'a> {
    /// Creates a source without omissions.
    pub(crate) fn whole(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            omissions: &[],
        }
    }

    pub(super) fn with_omissions(bytes: &'a [u8], omissions: &'a [OmittedStream]) -> Self {
        Self { bytes, omissions }
    }

    /// Returns the length of the file, in bytes.
    pub(crate) fn len(self) -> usize {
        self.bytes.len()
    }

    /// Returns all bytes, with zeros for omitted ones.
    pub(super) fn zero_filled(self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn omissions(self) -> &'a [OmittedStream] {
        self.omissions
    }

    /// Returns a range, unless it exceeds the file or contains omitted bytes.
    pub(crate) fn get(self, range: Range<usize>) -> Option<&'a [u8]> {
        if self
            .first_omission_after(range.start)
            .is_some_and(|omission| omission.data.start < range.end)
        {
            return None;
        }
        self.bytes.get(range)
    }

    /// Returns the file up to the first omission from `offset` on, for
    /// scanning.
    pub(crate) fn up_to_omission(self, offset: usize) -> &'a [u8] {
        let end = self
            .first_omission_after(offset)
            .map_or(self.bytes.len(), |omission| omission.data.start);
        self.bytes.get(..end).unwrap_or_default()
    }

    /// Returns the part after the last omission, with its offset.
    pub(crate) fn tail(self) -> (usize, &'a [u8]) {
        let start = self.omissions.last().map_or(0, |last| last.data.end);
        (start, self.bytes.get(start..).unwrap_or_default())
    }

    /// Returns the data of a stream whose object begins at `offset`; zeros if
    /// it was omitted. `None` if it exceeds the file or contains omitted data
    /// of another stream.
    pub(super) fn stream_data(self, offset: usize, data: Range<usize>) -> Option<&'a [u8]> {
        self.get(data.clone()).or_else(|| {
            let own = self.first_omission_after(data.start)?;
            (own.offset == offset && own.data == data)
                .then(|| self.bytes.get(data))
                .flatten()
        })
    }

    fn first_omission_after(self, offset: usize) -> Option<&'a OmittedStream> {
        let first = self
            .omissions
            .partition_point(|omission| omission.data.end <= offset);
        self.omissions.get(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_of_what_was_left_out() {
        let omissions = [omission(10..20), omission(30..40)];
        let source = Source::with_omissions(&[b'x'; 50], &omissions);

        assert_eq!(source.get(0..10).map(<[u8]>::len), Some(10));
        assert_eq!(source.get(20..30).map(<[u8]>::len), Some(10));
        for range in [0..11, 10..20, 15..16, 19..25, 5..45, 45..51] {
            assert!(source.get(range.clone()).is_none(), "{range:?}");
        }
        assert_eq!(source.up_to_omission(0).len(), 10);
        assert_eq!(source.up_to_omission(15).len(), 10);
        assert_eq!(source.up_to_omission(20).len(), 30);
        assert_eq!(source.up_to_omission(40).len(), 50);
        assert_eq!(source.tail(), (40, &[b'x'; 10][..]));
    }

    #[test]
    fn data_that_was_left_out_is_that_of_one_stream_alone() {
        let omissions = [omission(10..20)];
        let source = Source::with_omissions(&[b'x'; 50], &omissions);

        assert!(source.stream_data(5, 10..20).is_some());
        assert!(source.stream_data(6, 10..20).is_none());
        assert!(source.stream_data(5, 10..21).is_none());
        assert!(source.stream_data(5, 20..30).is_some());
    }

    fn omission(data: Range<usize>) -> OmittedStream {
        OmittedStream {
            object: 1,
            offset: 5,
            data,
        }
    }
}
