//! The bytes of a file as far as they were read.

use std::ops::Range;

/// The data of a stream that was left with the host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct OmittedStream {
    /// The stream's object number.
    pub(super) object: u32,
    /// Where the stream's object begins.
    pub(super) offset: usize,
    /// Its data, whole.
    pub(super) data: Range<usize>,
}

/// A file whose bytes are at hand but for omissions, where zeros stand. What
/// looks at bytes gets them from here, and never a zero that is not the file's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    /// In the order of their places; none touches another.
    omissions: &'a [OmittedStream],
}

impl<'a> Source<'a> {
    /// A file of which nothing was left out.
    pub(crate) fn whole(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            omissions: &[],
        }
    }

    pub(super) fn with_omissions(bytes: &'a [u8], omissions: &'a [OmittedStream]) -> Self {
        Self { bytes, omissions }
    }

    /// Length of the file, in bytes.
    pub(crate) fn len(self) -> usize {
        self.bytes.len()
    }

    /// All bytes, with zeros where some were left out.
    pub(super) fn zero_filled(self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn omissions(self) -> &'a [OmittedStream] {
        self.omissions
    }

    /// A range, unless it reaches beyond the file or a part of it was left out.
    pub(crate) fn get(self, range: Range<usize>) -> Option<&'a [u8]> {
        if self
            .first_omission_after(range.start)
            .is_some_and(|omission| omission.data.start < range.end)
        {
            return None;
        }
        self.bytes.get(range)
    }

    /// The file up to the first byte from `offset` on that was left out: what
    /// can be scanned from there.
    pub(crate) fn up_to_omission(self, offset: usize) -> &'a [u8] {
        let end = self
            .first_omission_after(offset)
            .map_or(self.bytes.len(), |omission| omission.data.start);
        self.bytes.get(..end).unwrap_or_default()
    }

    /// What follows the last omission, and where it starts.
    pub(crate) fn tail(self) -> (usize, &'a [u8]) {
        let start = self.omissions.last().map_or(0, |last| last.data.end);
        (start, self.bytes.get(start..).unwrap_or_default())
    }

    /// The data of a stream whose object begins at `offset`, zeros if it was
    /// left out. `None` when it is not within the file, or when the data of
    /// another stream that was left out is a part of it.
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
