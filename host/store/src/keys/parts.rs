//! Parts of a sealed file of either format.

use std::ops::Range;

use super::aead::{self, Whole};
use super::segments::{self, SEGMENT_BYTES, Segments};
use super::{DataKey, KeyError};

/// A sealed file that is opened part by part. Every part has [`Parts::BYTES`] of content; the
/// last has the rest.
pub(crate) struct Parts {
    format: Format,
    /// Number of the last part; the first has 0.
    last: u32,
    /// Content of the last part, in bytes.
    rest: usize,
}

enum Format {
    /// Sealed as a whole: no part can be authenticated alone.
    Whole(Whole),
    Segments(Box<Segments>),
}

impl Parts {
    pub(crate) const BYTES: usize = SEGMENT_BYTES;
    /// Bytes of a file that give its format; no file is shorter.
    pub(crate) const HEADER_BYTES: usize = aead::HEADER_BYTES;

    /// Returns the parts of the file with this id, `header` and content length.
    ///
    /// # Errors
    /// [`KeyError::Unsealable`] for an unknown format.
    pub(crate) fn of(
        key: &DataKey,
        id: &[u8],
        header: &[u8; Self::HEADER_BYTES],
        content: u64,
    ) -> Result<Self, KeyError> {
        let part = Self::BYTES as u64;
        let before = content.saturating_sub(1) / part;
        let too_long = |_| KeyError::Unsealable;
        Ok(Self {
            format: if header[0] == segments::FORMAT {
                Format::Segments(Box::new(Segments::of(&key.file_key(id), header)?))
            } else {
                Format::Whole(Whole::of(key.whole_file_key(), header)?)
            },
            last: u32::try_from(before).map_err(too_long)?,
            rest: usize::try_from(content - before * part).expect("at most one part"),
        })
    }

    /// Returns whether each part is authenticated. Otherwise only a digest of the content reveals
    /// a change.
    pub(crate) fn prove_themselves(&self) -> bool {
        matches!(self.format, Format::Segments(_))
    }

    /// Returns the number of the last part; the first has 0.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// Returns the length of the file, in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        let end = self.place(self.last).end;
        match self.format {
            Format::Whole(_) => end + aead::TAG_BYTES as u64,
            Format::Segments(_) => end,
        }
    }

    /// Returns the range of a part in the file.
    pub(crate) fn place(&self, number: u32) -> Range<u64> {
        let content = if number == self.last {
            self.rest
        } else {
            Self::BYTES
        };
        match self.format {
            Format::Whole(_) => {
                let begin = aead::HEADER_BYTES as u64 + begin_of(number);
                begin..begin + content as u64
            }
            Format::Segments(_) => Segments::place(number, content),
        }
    }

    /// Opens a part from its sealed bytes.
    ///
    /// # Errors
    /// [`KeyError::Unsealable`], if the parts are authenticated.
    pub(crate) fn open(&self, number: u32, mut sealed: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        match &self.format {
            Format::Whole(whole) => {
                whole.decipher(begin_of(number), &mut sealed);
                Ok(sealed)
            }
            Format::Segments(segments) => segments.open(number, number == self.last, sealed),
        }
    }
}

/// Returns the length of the content before a part.
fn begin_of(number: u32) -> u64 {
    u64::from(number) * Parts::BYTES as u64
}
