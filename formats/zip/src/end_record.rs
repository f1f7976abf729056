//! End records of an archive (APPNOTE.TXT, 4.3.14 to 4.3.16).

use parafa_format_core::Blob;

use crate::fields::Fields;
use crate::{Error, Limits};

pub(crate) const END: [u8; 4] = *b"PK\x05\x06";
const ZIP64_END: [u8; 4] = *b"PK\x06\x06";
const ZIP64_LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// Length of the end record without its comment, in bytes.
const END_BYTES: usize = 22;
const ZIP64_END_BYTES: u64 = 56;
const ZIP64_LOCATOR_BYTES: u64 = 20;

const WHAT: &str = "end record";

/// Position of the central directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct EndRecord {
    pub(crate) entries: u64,
    pub(crate) directory_offset: u64,
    pub(crate) directory_bytes: u64,
    pub(crate) comment: Vec<u8>,
}

impl EndRecord {
    /// Finds the end record, and the optional ZIP64 one before it.
    pub(crate) fn find<B: Blob>(blob: &B, limits: &Limits) -> Result<Self, Error> {
        const TAIL: u64 = END_BYTES as u64 + u16::MAX as u64;

        let tail_offset = blob.len().saturating_sub(TAIL);
        let tail = blob.read(tail_offset, u32::try_from(TAIL).unwrap_or(u32::MAX));
        let position = position(&tail)?;
        let offset = tail_offset + position as u64;
        let (mut record, needs_zip64) = Self::read(&tail[position..])?;
        let locator = match offset.checked_sub(ZIP64_LOCATOR_BYTES) {
            Some(locator) => read_exactly(blob, locator, ZIP64_LOCATOR_BYTES)?,
            None => Vec::new(),
        };
        let directory_end = if locator.starts_with(&ZIP64_LOCATOR) {
            record.read_zip64(blob, &locator, offset - ZIP64_LOCATOR_BYTES)?
        } else if needs_zip64 {
            return Err(Error::Damaged(WHAT));
        } else {
            offset
        };
        if record.entries > limits.entries || record.directory_bytes > limits.directory_bytes {
            return Err(Error::TooManyEntries(limits.entries));
        }
        if record.directory_offset.checked_add(record.directory_bytes) != Some(directory_end) {
            return Err(Error::Ambiguous(
                "the central directory does not end where its end record begins",
            ));
        }
        Ok(record)
    }

    /// Reads the record at the start of `bytes`, and whether any field is in
    /// the ZIP64 record.
    fn read(bytes: &[u8]) -> Result<(Self, bool), Error> {
        let fields = || {
            let mut fields = Fields::new(bytes.get(END.len()..)?);
            let disks = [fields.u16()?, fields.u16()?];
            let entries = [fields.u16()?, fields.u16()?];
            let directory_bytes = fields.u32()?;
            let directory_offset = fields.u32()?;
            let comment_bytes = fields.u16()?;
            let comment = fields.bytes(comment_bytes.into())?.to_vec();
            Some((disks, entries, directory_bytes, directory_offset, comment))
        };
        let (disks, entries, directory_bytes, directory_offset, comment) =
            fields().ok_or(Error::Damaged(WHAT))?;
        let needs_zip64 = entries.contains(&u16::MAX)
            || disks.contains(&u16::MAX)
            || [directory_bytes, directory_offset].contains(&u32::MAX);
        if !needs_zip64 && (disks != [0, 0] || entries[0] != entries[1]) {
            return Err(Error::Split);
        }
        let record = Self {
            entries: entries[1].into(),
            directory_offset: directory_offset.into(),
            directory_bytes: directory_bytes.into(),
            comment,
        };
        Ok((record, needs_zip64))
    }

    /// Reads the fields of the ZIP64 record and returns its offset.
    fn read_zip64<B: Blob>(
        &mut self,
        blob: &B,
        locator: &[u8],
        locator_offset: u64,
    ) -> Result<u64, Error> {
        const WHAT: &str = "ZIP64 end record";

        let begins = locator_offset.checked_sub(ZIP64_END_BYTES);
        let offset = begins.ok_or(Error::Damaged(WHAT))?;
        let mut fields = Fields::new(&locator[ZIP64_LOCATOR.len()..]);
        let located = (fields.u32(), fields.u64(), fields.u32());
        if located != (Some(0), Some(offset), Some(1)) {
            return Err(Error::Ambiguous("its ZIP64 end record stands elsewhere"));
        }
        let bytes = read_exactly(blob, offset, ZIP64_END_BYTES)?;
        let record = || {
            let mut fields = Fields::new(bytes.strip_prefix(&ZIP64_END)?);
            // The length excludes the fields up to itself; a longer record
            // contains data that other readers do not see.
            if fields.u64()? != ZIP64_END_BYTES - 12 {
                return None;
            }
            fields.bytes(4)?;
            let disks = [fields.u32()?, fields.u32()?];
            let entries = [fields.u64()?, fields.u64()?];
            Some((disks, entries, fields.u64()?, fields.u64()?))
        };
        let (disks, entries, directory_bytes, directory_offset) =
            record().ok_or(Error::Damaged(WHAT))?;
        if disks != [0, 0] || entries[0] != entries[1] {
            return Err(Error::Split);
        }
        let agrees = |short: u64, absent: u64, long: u64| short == absent || short == long;
        if !agrees(self.entries, u16::MAX.into(), entries[1])
            || !agrees(self.directory_bytes, u32::MAX.into(), directory_bytes)
            || !agrees(self.directory_offset, u32::MAX.into(), directory_offset)
        {
            return Err(Error::Ambiguous("its two end records disagree"));
        }
        self.entries = entries[1];
        self.directory_bytes = directory_bytes;
        self.directory_offset = directory_offset;
        Ok(offset)
    }
}

/// Returns the offset of the end record in the tail of a file. It must be the
/// only one whose comment ends with the file. Its comment must not contain
/// another one, which a reader scanning from the end would find first.
fn position(tail: &[u8]) -> Result<usize, Error> {
    let starts: Vec<usize> = tail
        .windows(END.len())
        .enumerate()
        .filter(|(_, window)| *window == END)
        .map(|(position, _)| position)
        .collect();
    let ends_with_file = |position: &usize| {
        let comment_bytes = tail.get(position + END_BYTES - 2..position + END_BYTES);
        comment_bytes.is_some_and(|bytes| {
            let comment = usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
            position + END_BYTES + comment == tail.len()
        })
    };
    let ending: Vec<usize> = starts.iter().copied().filter(ends_with_file).collect();
    match ending.as_slice() {
        [] if starts.is_empty() => Err(Error::NotAZip),
        [] => Err(Error::Ambiguous(
            "something stands behind its end record, or the record is cut short",
        )),
        [position] if starts.last() == Some(position) => Ok(*position),
        _ => Err(Error::Ambiguous("it has two end records")),
    }
}

/// Reads exactly `len` bytes.
pub(crate) fn read_exactly<B: Blob>(blob: &B, offset: u64, len: u64) -> Result<Vec<u8>, Error> {
    const WHAT: &str = "archive";

    let wanted = u32::try_from(len).map_err(|_| Error::Damaged(WHAT))?;
    let bytes = blob.read(offset, wanted);
    if bytes.len() as u64 == len {
        Ok(bytes)
    } else {
        Err(Error::Damaged(WHAT))
    }
}
