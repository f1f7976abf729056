//! `/ByteRange` (ISO 32000-2, 12.8.1, table 255).

use std::ops::Range;

use parafa_format_core::CoverageKind;

use crate::structure::{PdfFile, array_items};

/// The two signed ranges: everything but the value of `/Contents`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ByteRange {
    /// Length of the first range, which starts at 0; the offset of `<`.
    pub(crate) first_len: usize,
    /// Start of the second range, just after `>`.
    pub(crate) second_start: usize,
    /// End of the second range, exclusive.
    pub(crate) end: usize,
}

/// Defects of a `/ByteRange`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum ByteRangeError {
    /// `/Contents` is missing, no hexadecimal string, or inside an object
    /// stream.
    #[error("/Contents is not a hexadecimal string of the file")]
    Contents,
    /// The second range does not end with a revision.
    #[error("the second range ends at byte {0}, which is no end of a revision")]
    End(usize),
    /// The gap between the ranges is not exactly `/Contents`.
    #[error("the space between the ranges, bytes {start} to {end}, is not exactly /Contents")]
    MissingEvidence {
        /// End of the first range.
        start: usize,
        /// Start of the second range.
        end: usize,
    },
    /// Not an array of four ascending offsets inside the file.
    #[error("/ByteRange is not two ranges of the file that follow each other")]
    Ranges,
    /// The first range does not start at 0.
    #[error("the first range does not start at the beginning of the file")]
    Start,
}

impl ByteRange {
    /// Returns the coverage of the file, excluding `/Contents`.
    pub(super) fn coverage(&self, file: &PdfFile<'_>) -> CoverageKind {
        if self.end == file.source().len() {
            CoverageKind::EntireFile
        } else {
            CoverageKind::EntireRevision
        }
    }
}

/// Validates a `/ByteRange` against the position of `/Contents`.
pub(super) fn check(
    file: &PdfFile<'_>,
    written: Option<&[u8]>,
    contents: Option<Range<usize>>,
) -> Result<ByteRange, ByteRangeError> {
    let numbers = written.and_then(numbers).ok_or(ByteRangeError::Ranges)?;
    let [start, first_len, second_start, second_len] = numbers;
    if start != 0 {
        return Err(ByteRangeError::Start);
    }
    let end = second_start
        .checked_add(second_len)
        .filter(|end| *end <= file.source().len());
    let end = end
        .filter(|_| 0 < first_len && first_len < second_start)
        .ok_or(ByteRangeError::Ranges)?;
    let contents = contents.ok_or(ByteRangeError::Contents)?;
    // The value has been scanned: after `<` come only digits and blanks up to
    // `>`.
    if file.bytes().get(contents.start) != Some(&b'<') {
        return Err(ByteRangeError::Contents);
    }
    if contents != (first_len..second_start) {
        return Err(ByteRangeError::MissingEvidence {
            start: first_len,
            end: second_start,
        });
    }
    if !file.is_end_of_revision(end) {
        return Err(ByteRangeError::End(end));
    }
    Ok(ByteRange {
        first_len,
        second_start,
        end,
    })
}

fn numbers(written: &[u8]) -> Option<[usize; 4]> {
    let items = array_items(written).ok()?;
    let numbers = items
        .into_iter()
        .map(|item| std::str::from_utf8(item).ok()?.parse().ok());
    numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
}
