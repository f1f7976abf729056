use std::ops::Range;

use bytes::{Bytes, BytesMut};

use crate::{CallLimits, ContractBreach, Document, FaultKind};

/// An output in progress. Copies from a document are references, so a long document is duplicated
/// only once the output is complete.
#[derive(Debug)]
pub(crate) struct Output {
    segments: Vec<Segment>,
    len: u64,
    writes: u64,
    max_len: u64,
    max_writes: u64,
}

/// A position in an output.
#[derive(Debug)]
pub(crate) struct Mark {
    segments: usize,
    /// The last segment's length, if it is one of bytes.
    written: Option<usize>,
    len: u64,
    writes: u64,
}

#[derive(Debug, Eq, PartialEq)]
enum Segment {
    Bytes(Vec<u8>),
    Copy {
        /// The document, by its index in the call.
        source: usize,
        offset: u64,
        len: u64,
    },
}

impl Output {
    pub(crate) fn new(limits: &CallLimits) -> Self {
        Self {
            segments: Vec::new(),
            len: 0,
            writes: 0,
            max_len: limits.output_bytes,
            max_writes: limits.sink_writes,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), FaultKind> {
        self.grow(bytes.len() as u64)?;
        match self.segments.last_mut() {
            Some(Segment::Bytes(segment)) => segment.extend_from_slice(bytes),
            _ => self.segments.push(Segment::Bytes(bytes.to_vec())),
        }
        Ok(())
    }

    /// Records a copy of a range of `document`, which is at the index `source` of the call.
    pub(crate) fn copy(
        &mut self,
        source: usize,
        document: &[u8],
        offset: u64,
        len: u64,
    ) -> Result<(), FaultKind> {
        slice(document, offset, len)?;
        self.grow(len)?;
        match self.segments.last_mut() {
            Some(Segment::Copy {
                source: of,
                offset: from,
                len: copied,
            }) if *of == source && *from + *copied == offset => *copied += len,
            _ => self.segments.push(Segment::Copy {
                source,
                offset,
                len,
            }),
        }
        Ok(())
    }

    /// Returns the current position.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            segments: self.segments.len(),
            written: match self.segments.last() {
                Some(Segment::Bytes(segment)) => Some(segment.len()),
                _ => None,
            },
            len: self.len,
            writes: self.writes,
        }
    }

    /// Removes bytes written, not copied, since that position.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.segments.truncate(mark.segments);
        if let (Some(Segment::Bytes(segment)), Some(written)) =
            (self.segments.last_mut(), mark.written)
        {
            segment.truncate(written);
        }
        self.len = mark.len;
        self.writes = mark.writes;
    }

    /// Returns true if nothing was written or copied.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the length of the prefix of the first document that the output begins with as a
    /// copy.
    pub(crate) fn kept_prefix(&self) -> u64 {
        match self.segments.first() {
            Some(Segment::Copy {
                source: 0,
                offset: 0,
                len,
            }) => *len,
            _ => 0,
        }
    }

    /// Returns the output's bytes, made of the documents of the call.
    pub(crate) fn assemble(&self, documents: &[Document]) -> Result<Bytes, FaultKind> {
        let mut bytes = BytesMut::with_capacity(usize::try_from(self.len).unwrap_or(0));
        for segment in &self.segments {
            match segment {
                Segment::Bytes(written) => bytes.extend_from_slice(written),
                Segment::Copy {
                    source,
                    offset,
                    len,
                } => {
                    let document = documents.get(*source).map(|source| &source.bytes()[..]);
                    let copied = slice(document.unwrap_or_default(), *offset, *len)?;
                    bytes.extend_from_slice(copied);
                }
            }
        }
        Ok(bytes.freeze())
    }

    fn grow(&mut self, len: u64) -> Result<(), FaultKind> {
        self.writes += 1;
        if self.writes > self.max_writes {
            return Err(FaultKind::OutputLimit {
                limit: self.max_writes,
                unit: "writes",
            });
        }
        self.len = self.len.saturating_add(len);
        if self.len > self.max_len {
            return Err(FaultKind::OutputLimit {
                limit: self.max_len,
                unit: "bytes",
            });
        }
        Ok(())
    }
}

/// Returns a part of `document`.
pub(crate) fn slice(document: &[u8], offset: u64, len: u64) -> Result<&[u8], FaultKind> {
    let range = range_within(document, offset, len)?;
    Ok(document.get(range).unwrap_or_default())
}

/// Returns a range that lies within `document`.
pub(crate) fn range_within(
    document: &[u8],
    offset: u64,
    len: u64,
) -> Result<Range<usize>, FaultKind> {
    let range = || {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(len).ok()?)?;
        (end <= document.len()).then_some(start..end)
    };
    range().ok_or(FaultKind::ContractBroken(ContractBreach::OutOfRange {
        offset,
        len,
        document: document.len() as u64,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const DOCUMENT: &[u8] = b"0123456789";

    #[test]
    fn only_a_copy_from_the_first_byte_on_counts_as_kept() {
        let kept = |copies: &[(u64, u64)]| {
            let mut output = Output::new(&CallLimits::default());
            for &(offset, len) in copies {
                output.copy(0, DOCUMENT, offset, len).unwrap();
            }
            output.kept_prefix()
        };

        assert_eq!(kept(&[(0, 10)]), 10);
        assert_eq!(kept(&[(0, 4), (4, 6)]), 10);
        assert_eq!(kept(&[(0, 4), (5, 5)]), 4);
        assert_eq!(kept(&[(1, 9)]), 0);
        assert_eq!(kept(&[]), 0);
    }

    #[test]
    fn copies_of_several_documents_stay_apart() {
        let documents = [DOCUMENT, b"abcdefghij"].map(|bytes| Document::from(Bytes::from(bytes)));
        let mut output = Output::new(&CallLimits::default());
        for (source, offset) in [(1, 0), (0, 2), (1, 4)] {
            let bytes = documents[source].bytes();
            output.copy(source, bytes, offset, 2).unwrap();
        }

        assert_eq!(output.kept_prefix(), 0);
        assert_eq!(output.assemble(&documents).unwrap(), "ab23ef");
    }

    #[test]
    fn written_bytes_are_never_a_copy() {
        let mut output = Output::new(&CallLimits::default());

        output.write(DOCUMENT).unwrap();

        assert_eq!(output.kept_prefix(), 0);
    }

    #[test]
    fn what_is_taken_back_leaves_nothing_behind() {
        let documents = [Document::from(Bytes::from_static(DOCUMENT))];
        for begins_with_bytes in [true, false] {
            let mut output = Output::new(&CallLimits::default());
            output.copy(0, DOCUMENT, 0, 3).unwrap();
            if begins_with_bytes {
                output.write(b"ab").unwrap();
            }
            let before = output.assemble(&documents).unwrap();

            let mark = output.mark();
            output.write(b"cd").unwrap();
            output.write(b"ef").unwrap();
            output.rewind(&mark);

            assert_eq!(output.assemble(&documents).unwrap(), before);
            assert_eq!(output.len, before.len() as u64);
            assert_eq!(output.writes, 1 + u64::from(begins_with_bytes));
        }
    }

    #[test]
    fn an_output_ends_at_its_limits() {
        let limits = CallLimits {
            output_bytes: 12,
            sink_writes: 3,
            ..CallLimits::default()
        };
        let mut long = Output::new(&limits);
        let mut choppy = Output::new(&limits);
        long.copy(0, DOCUMENT, 0, 10).unwrap();
        for _ in 0..3 {
            choppy.write(b"").unwrap();
        }

        assert_eq!(
            long.write(b"abc"),
            Err(FaultKind::OutputLimit {
                limit: 12,
                unit: "bytes"
            })
        );
        assert_eq!(
            choppy.write(b""),
            Err(FaultKind::OutputLimit {
                limit: 3,
                unit: "writes"
            })
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_output_is_its_pieces_one_after_the_other(
            pieces in vec(prop_oneof![
                vec(any::<u8>(), 0..5).prop_map(Ok),
                (0_u64..12, 0_u64..12).prop_map(Err),
            ], 0..12)
        ) {
            let mut output = Output::new(&CallLimits::default());
            let mut expected = Vec::new();
            for piece in pieces {
                match piece {
                    Ok(bytes) => {
                        output.write(&bytes).unwrap();
                        expected.extend_from_slice(&bytes);
                    }
                    Err((offset, len)) => {
                        let inside = offset + len <= 10;
                        prop_assert_eq!(output.copy(0, DOCUMENT, offset, len).is_ok(), inside);
                        if inside {
                            expected.extend_from_slice(slice(DOCUMENT, offset, len).unwrap());
                        }
                    }
                }
            }
            let kept = slice(DOCUMENT, 0, output.kept_prefix()).unwrap();
            prop_assert!(expected.starts_with(kept));
            let document = Document::from(Bytes::from_static(DOCUMENT));
            prop_assert_eq!(output.assemble(&[document]).unwrap(), expected);
        }
    }
}
