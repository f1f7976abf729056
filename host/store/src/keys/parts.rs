//! The parts of a sealed file, whichever format it has.

use std::ops::Range;

use super::aead::{self, Whole};
use super::segments::{self, SEGMENT_BYTES, Segments};
use super::{DataKey, KeyError};

/// A sealed file that is opened part by part. Every part has [`Parts::BYTES`] of content, but the
/// last, which has the rest.
pub(crate) struct Parts {
    format: Format,
    /// How many there are, less one.
    last: u32,
    /// Content of the last, in bytes.
    rest: usize,
}

enum Format {
    /// Sealed as one: no part proves anything alone.
    Whole(Whole),
    Segments(Box<Segments>),
}

impl Parts {
    pub(crate) const BYTES: usize = SEGMENT_BYTES;
    /// What is looked at of a file to learn its format; no file is shorter.
    pub(crate) const HEADER_BYTES: usize = aead::HEADER_BYTES;

    /// Of the file with this id that begins with `header` and has so much content.
    ///
    /// # Errors
    /// [`KeyError::Unsealable`] where the format is not known.
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

    /// Whether a part that was changed does not open. Otherwise only a digest of the content
    /// tells.
    pub(crate) fn prove_themselves(&self) -> bool {
        matches!(self.format, Format::Segments(_))
    }

    /// The number of the last part; the first has 0.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// Length of the file, in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        let end = self.place(self.last).end;
        match self.format {
            Format::Whole(_) => end + aead::TAG_BYTES as u64,
            Format::Segments(_) => end,
        }
    }

    /// Where a part lies in the file.
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

    /// The content of a part, from what lies in its place.
    ///
    /// # Errors
    /// [`KeyError::Unsealable`], if the parts prove themselves.
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

/// How much content is before a part.
fn begin_of(number: u32) -> u64 {
    u64::from(number) * Parts::BYTES as u64
}
